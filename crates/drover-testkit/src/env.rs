//! A hermetic home for one test: own files, own tmux server, own git identity, nothing inherited but `PATH`.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::call::{Background, Call, CommandOutput};
use crate::processes;
use crate::repository::Repository;
use crate::tmux::PrivateTmux;

const GIT_CONFIG: &str = "[user]\n\tname = Test Person\n\temail = test@localhost\n\
    [init]\n\tdefaultBranch = main\n[commit]\n\tgpgSign = false\n[gc]\n\tauto = 0\n\
    [maintenance]\n\tauto = false\n";

/// The environment; when it is dropped, every process that carries its mark is killed and its files go.
#[derive(Debug)]
pub struct TestEnv {
    // Fields drop in this order, after `drop` below has ended the marked processes.
    tmux: PrivateTmux,
    binary: Option<PathBuf>,
    environment: BTreeMap<OsString, OsString>,
    root: TempDir,
}

impl TestEnv {
    /// Makes an environment for the binary at this path, `env!("CARGO_BIN_EXE_drover")` in its own tests.
    pub fn new(binary: impl Into<PathBuf>) -> Self {
        Self::build(Some(binary.into()))
    }

    /// Makes an environment for tests that do not run the binary.
    pub fn without_binary() -> Self {
        Self::build(None)
    }

    fn build(binary: Option<PathBuf>) -> Self {
        // Short on purpose: a socket's path may have 107 bytes at most.
        let root = tempfile::Builder::new().prefix("dv-").tempdir_in("/tmp").expect("room in /tmp");
        for name in ["home", "config", "data", "cache", "runtime", "tmp", "bin", "state-home"] {
            let directory = root.path().join(name);
            fs::DirBuilder::new().mode(0o700).create(&directory).expect("a private directory");
        }
        fs::write(root.path().join("gitconfig"), GIT_CONFIG).expect("a git configuration");
        let environment = environment(root.path());
        let home = root.path().join("home");
        let tmux = PrivateTmux::new(root.path().join("s"), &home, environment.clone());
        Self { tmux, binary, environment, root }
    }

    /// The directory that holds everything.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// `$HOME`, in which calls run unless told otherwise.
    pub fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    /// `$DROVER_STATE_DIR`; not made in advance.
    pub fn state(&self) -> PathBuf {
        self.root().join("state")
    }

    /// `$XDG_CONFIG_HOME`.
    pub fn config(&self) -> PathBuf {
        self.root().join("config")
    }

    /// The database's file.
    pub fn database(&self) -> PathBuf {
        self.state().join("drover.db")
    }

    /// Sets a variable for all later calls.
    pub fn set(&mut self, name: &str, value: impl Into<OsString>) {
        self.environment.insert(name.into(), value.into());
        self.tmux.set_environment(self.environment.clone());
    }

    /// Takes a variable away from all later calls.
    pub fn unset(&mut self, name: &str) {
        self.environment.remove(OsStr::new(name));
        self.tmux.set_environment(self.environment.clone());
    }

    /// Puts an executable script first on `PATH`: a git that lies, a tmux of another version.
    pub fn shim(&self, program: &str, script: &str) -> PathBuf {
        let path = self.root().join("bin").join(program);
        fs::write(&path, script).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("an executable");
        path
    }

    /// Any program with these arguments, to be changed, run or started.
    pub fn call<S: AsRef<OsStr>>(&self, program: impl AsRef<OsStr>, arguments: &[S]) -> Call {
        let mut words = vec![program.as_ref().to_owned()];
        words.extend(arguments.iter().map(|argument| argument.as_ref().to_owned()));
        Call::new(words, &self.home(), self.environment.clone())
    }

    /// A bare command in this environment, for those who measure it.
    pub fn command(&self, program: impl AsRef<OsStr>) -> std::process::Command {
        let mut command = std::process::Command::new(program);
        command.current_dir(self.home()).env_clear().envs(&self.environment);
        command
    }

    /// The binary with these arguments, to be changed, run or started.
    pub fn drover_call<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Call {
        self.call(self.binary(), arguments)
    }

    /// Runs the binary.
    #[track_caller]
    pub fn drover<S: AsRef<OsStr>>(&self, arguments: &[S]) -> CommandOutput {
        self.drover_call(arguments).run()
    }

    /// Runs the binary with these bytes on its standard input.
    #[track_caller]
    pub fn drover_with_stdin<S: AsRef<OsStr>>(
        &self,
        arguments: &[S],
        stdin: impl Into<Vec<u8>>,
    ) -> CommandOutput {
        self.drover_call(arguments).stdin(stdin).run()
    }

    /// Starts the binary beside the test.
    #[track_caller]
    pub fn drover_in_background<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Background {
        self.drover_call(arguments).start()
    }

    /// The binary's path.
    #[track_caller]
    pub fn binary(&self) -> &Path {
        self.binary.as_deref().expect("this environment was made without a binary")
    }

    /// Makes a real git repository with a first commit on `main`, as `<root>/<name>`.
    #[track_caller]
    pub fn repository(&self, name: &str) -> Repository {
        Repository::new(self.root().join(name), self.environment.clone())
    }

    /// Runs one tmux command on the private server.
    #[track_caller]
    pub fn tmux<S: AsRef<OsStr>>(&self, arguments: &[S]) -> CommandOutput {
        self.tmux.run(arguments)
    }

    /// The private server.
    pub fn tmux_server(&self) -> &PrivateTmux {
        &self.tmux
    }

    /// Another private server, whose panes are the terminals of people.
    pub fn other_tmux(&self, name: &str) -> PrivateTmux {
        PrivateTmux::new(self.root().join(name), &self.home(), self.environment.clone())
    }

    /// The running processes that belong to this environment.
    pub fn processes(&self) -> Vec<u32> {
        processes::marked(self.root())
    }

    /// The scripted agent's path; it is built when `cargo test -p drover` has not done so.
    #[track_caller]
    pub fn fake_agent(&self) -> PathBuf {
        crate::fake_agent::beside(self.binary())
    }
}

impl Drop for TestEnv {
    fn drop(&mut self) {
        processes::end_marked(self.root());
    }
}

fn environment(root: &Path) -> BTreeMap<OsString, OsString> {
    let mut path = OsString::from(root.join("bin"));
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into()));
    let fixed = [
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("LANG", "C.UTF-8"),
        ("LOGNAME", "tester"),
        ("SHELL", "/bin/sh"),
        ("TERM", "xterm-256color"),
        ("TZ", "UTC"),
        ("USER", "tester"),
    ];
    let below = [
        ("DROVER_STATE_DIR", "state"),
        ("DROVER_TMUX_SOCKET", "s"),
        ("GIT_CONFIG_GLOBAL", "gitconfig"),
        ("HOME", "home"),
        ("TMPDIR", "tmp"),
        ("XDG_CACHE_HOME", "cache"),
        ("XDG_CONFIG_HOME", "config"),
        ("XDG_DATA_HOME", "data"),
        ("XDG_RUNTIME_DIR", "runtime"),
        ("XDG_STATE_HOME", "state-home"),
    ];
    let mut environment: BTreeMap<OsString, OsString> =
        fixed.iter().map(|(name, value)| (name.into(), value.into())).collect();
    environment.extend(below.iter().map(|(name, path)| (name.into(), root.join(path).into())));
    environment.insert("DROVER_TEST_ROOT".into(), root.into());
    environment.insert("PATH".into(), path);
    environment
}
