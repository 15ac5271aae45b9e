//! A tmux server of the test's own: another socket, no configuration, gone when the test is.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::Signal;

use crate::call::{Call, CommandOutput};
use crate::processes;

/// The private server; it starts with the first session and is killed, by its pid, when dropped.
#[derive(Debug)]
pub struct PrivateTmux {
    socket: PathBuf,
    home: PathBuf,
    environment: BTreeMap<OsString, OsString>,
}

/// How the process of a kept pane ended: one of the two is there.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct PaneEnd {
    /// Its exit status.
    pub status: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

impl PrivateTmux {
    /// Names the server at this socket; nothing is started.
    pub(crate) fn new(
        socket: PathBuf,
        home: &Path,
        environment: BTreeMap<OsString, OsString>,
    ) -> Self {
        Self { socket, home: home.into(), environment }
    }

    /// The socket.
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// One tmux command as a call that can still be changed.
    pub fn call<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Call {
        let mut words: Vec<OsString> = ["tmux", "-f", "/dev/null", "-S"].map(Into::into).to_vec();
        words.push(self.socket.clone().into());
        words.extend(arguments.iter().map(|argument| argument.as_ref().to_owned()));
        Call::new(words, &self.home, self.environment.clone()).time_limit(Duration::from_secs(10))
    }

    /// Starts a detached session of 120 × 40 that runs this program; returns the pane's id.
    #[track_caller]
    pub fn start_pane<S: AsRef<OsStr>>(&self, program: &[S]) -> String {
        let fixed = ["new-session", "-d", "-P", "-F", "#{pane_id}", "-x", "120", "-y", "40", "--"];
        let mut words: Vec<OsString> = fixed.map(Into::into).to_vec();
        words.extend(program.iter().map(|word| word.as_ref().to_owned()));
        self.call(&words).run().ok().stdout.trim().to_owned()
    }

    /// The visible screen and nothing above it, wrapped lines joined.
    #[track_caller]
    pub fn screen(&self, pane: &str) -> String {
        self.call(&["capture-pane", "-p", "-J", "-t", pane]).run().ok().stdout
    }

    /// One format of a pane, such as `#{pane_dead}`.
    #[track_caller]
    pub fn format(&self, pane: &str, format: &str) -> String {
        let output = self.call(&["display-message", "-p", "-t", pane, format]).run().ok();
        output.stdout.trim_end_matches('\n').to_owned()
    }

    /// How the pane's process ended; `None` while it runs, or while tmux has not yet said how it ended.
    #[track_caller]
    pub fn pane_end(&self, pane: &str) -> Option<PaneEnd> {
        if self.format(pane, "#{pane_dead}") != "1" {
            return None;
        }
        // tmux can miss the end of a child while it runs a helper of its own; any other child's end makes it look.
        self.run(&["run-shell", "true"]).ok();
        let end = PaneEnd {
            status: self.format(pane, "#{pane_dead_status}").parse().ok(),
            signal: self.format(pane, "#{pane_dead_signal}").parse().ok(),
        };
        (end.status.is_some() || end.signal.is_some()).then_some(end)
    }

    /// The way a message is typed: a buffer from stdin, pasted in brackets where the program asked for them.
    #[track_caller]
    pub fn paste(&self, pane: &str, text: &[u8]) {
        self.call(&["load-buffer", "-b", "testkit", "-"]).stdin(text).run().ok();
        self.call(&["paste-buffer", "-p", "-r", "-d", "-b", "testkit", "-t", pane]).run().ok();
    }

    /// Types keys by their tmux names.
    #[track_caller]
    pub fn keys(&self, pane: &str, keys: &[&str]) {
        let mut words = vec!["send-keys", "-t", pane];
        words.extend(keys);
        self.call(&words).run().ok();
    }

    /// The pid of the running server, found by its socket: a stopped server would not answer.
    pub fn server_pid(&self) -> Option<u32> {
        processes::listening_at(&self.socket).first().copied()
    }

    pub(crate) fn set_environment(&mut self, environment: BTreeMap<OsString, OsString>) {
        self.environment = environment;
    }

    /// Kills the server as a crash would: no goodbye to its panes.
    pub fn kill_server(&self) {
        for pid in processes::listening_at(&self.socket) {
            processes::signal(pid, Signal::KILL);
        }
    }

    /// Runs one tmux command.
    #[track_caller]
    pub fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> CommandOutput {
        self.call(arguments).run()
    }
}

impl Drop for PrivateTmux {
    fn drop(&mut self) {
        self.kill_server();
    }
}
