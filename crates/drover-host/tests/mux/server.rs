//! A private tmux server that ends with its test.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use drover_host::env::Env;
use drover_host::mux::tmux::Tmux;
use drover_host::mux::{Mux, NewPane, PaneIds, SpawnPane};
use drover_host::process::Command;

pub(crate) struct Server {
    pub(crate) directory: tempfile::TempDir,
    pub(crate) mux: Tmux,
}

impl Server {
    pub(crate) fn new() -> Self {
        Self::with_env(&[])
    }

    /// A server that is started from an environment with these variables.
    pub(crate) fn with_env(extra: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut env: Env = Env::capture().for_program();
        env.set("DROVER_TMUX_SOCKET", directory.path().join("s"));
        for (name, value) in extra {
            env.set(name, value);
        }
        Self { mux: Tmux::from_env(&env), directory }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// A client call the trait has no word for.
    pub(crate) fn tmux(&self, words: &[&str]) -> String {
        let command = Command::new("tmux", "/")
            .args(["-S".into(), self.path("s")])
            .args(["-f", "/dev/null"])
            .args(words.iter().copied());
        command.run().unwrap().text()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

/// A pane that runs a shell script with arguments.
pub(crate) fn script(mux: &dyn Mux, script: &str, words: &[&str]) -> SpawnPane {
    let cwd = mux.socket().parent().unwrap().to_owned();
    let argv = ["sh", "-c", script, "sh"].iter().chain(words).map(Into::into).collect();
    let program = NewPane { argv, cwd, env: Vec::new() };
    SpawnPane { window_name: "window".to_owned(), program }
}

pub(crate) fn session(mux: &dyn Mux, name: &str, text: &str) -> PaneIds {
    mux.new_session(name, None, &script(mux, text, &[])).unwrap()
}

/// Asks until the answer is there; a test that waits in vain fails by name.
pub(crate) fn wait_until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(Instant::now() < deadline, "{what} did not come about");
        std::thread::yield_now();
    }
}

/// What a file holds, once it ends with a line end.
pub(crate) fn lines_of(path: &std::path::Path) -> String {
    wait_until(&format!("{} is written", path.display()), || {
        std::fs::read_to_string(path).ok().filter(|it| it.ends_with('\n'))
    })
}
