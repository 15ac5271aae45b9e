//! One call of the tmux client, and what its failures mean.

use std::ffi::OsString;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::time::Duration;

use super::server::{Configuration, Tmux};
use crate::mux::error::MuxError;
use crate::mux::types::{PaneId, PaneIds};
use crate::process::{Command, Output, ProcessError};

/// How long a server may take to answer.
const TIMEOUT: Duration = Duration::from_secs(2);
/// How long a server may take to start; it reads the person's configuration first.
const START_TIMEOUT: Duration = Duration::from_secs(30);
pub(super) const PROGRAM: &str = "tmux";

impl Tmux {
    /// Calls the client; a word of `";"` separates commands, any other ending in `;` must have
    /// gone through `quote::word`.
    pub(super) fn call<A: Into<OsString>>(
        &self,
        words: impl IntoIterator<Item = A>,
    ) -> Result<Output, MuxError> {
        self.run(&self.client().args(words))
    }

    /// Calls the client with input.
    pub(super) fn call_with<A: Into<OsString>>(
        &self,
        words: impl IntoIterator<Item = A>,
        input: &[u8],
    ) -> Result<Output, MuxError> {
        self.run(&self.client().args(words).stdin(input))
    }

    /// Calls the client in a way that starts the server if there is none. The server keeps the
    /// environment of that client, so it must be the person's and hold no agent's secrets.
    pub(super) fn call_starting<A: Into<OsString>>(
        &self,
        words: impl IntoIterator<Item = A>,
    ) -> Result<Output, MuxError> {
        self.make_directory()?;
        let client = self.client().timeout(START_TIMEOUT);
        self.run(&client.args(words).environment(self.env.for_server()))
    }

    /// Makes the directory of the default socket, as tmux does unless it is told a socket.
    fn make_directory(&self) -> Result<(), MuxError> {
        let Some(directory) = self.default_directory() else { return Ok(()) };
        match std::fs::DirBuilder::new().mode(0o700).create(directory) {
            Ok(()) => return Ok(()),
            Err(err) if err.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(err) => return Err(self.no_answer(format!("its directory cannot be made: {err}"))),
        }
        let found = std::fs::symlink_metadata(directory)
            .map_err(|err| self.no_answer(format!("its directory cannot be read: {err}")))?;
        let is_own = found.is_dir() && found.uid() == rustix::process::getuid().as_raw();
        let open_to_others = found.mode() & 0o007;
        if is_own && open_to_others == 0 {
            return Ok(());
        }
        Err(self.no_answer("its directory is another user's, or open to all".to_owned()))
    }

    pub(super) fn attach(&self, pane: &PaneIds) -> Command {
        // Inside the same server a second client would show the server within itself. Inside
        // another one tmux refuses to attach while `TMUX` is set.
        let is_inside = self.env.surrounding_tmux_socket().as_ref() == Some(&self.socket);
        let (show, environment) = if is_inside {
            ("switch-client", self.env.for_terminal())
        } else {
            ("attach-session", self.env.for_server())
        };
        self.base()
            .args(["select-window", "-t", pane.window.as_str(), ";"])
            .args(["select-pane", "-t", pane.pane.as_str(), ";"])
            .args([show, "-t", pane.session.as_str()])
            .environment(environment)
    }

    fn base(&self) -> Command {
        let mut command = Command::new(PROGRAM, "/").args(["-S".into(), self.socket.clone()]);
        if self.configuration == Configuration::None {
            command = command.args(["-f", "/dev/null"]);
        }
        command
    }

    /// The locale is C for readable messages; `-u` keeps names and screens from being reduced
    /// to it.
    fn client(&self) -> Command {
        self.base().arg("-u").timeout(TIMEOUT)
    }

    fn run(&self, command: &Command) -> Result<Output, MuxError> {
        let output = command.run().map_err(|err| self.not_run(err))?;
        if output.status.is_success() {
            return Ok(output);
        }
        Err(self.failed(command, &output))
    }

    fn not_run(&self, err: ProcessError) -> MuxError {
        match err {
            ProcessError::NotFound { .. } => MuxError::NotInstalled { program: PROGRAM },
            ProcessError::Timeout { after, .. } => {
                self.no_answer(format!("nothing came back within {after:?}"))
            }
            other => MuxError::Process(other),
        }
    }

    fn failed(&self, command: &Command, output: &Output) -> MuxError {
        let said = output.error_text();
        let line = said.lines().next_back().unwrap_or_default();
        if is_no_server(line) {
            return MuxError::NoServer { socket: self.socket.clone() };
        }
        if line.starts_with("error connecting to") || line.contains("server exited") {
            return self.no_answer(line.to_owned());
        }
        if line.contains("lost server") || line.contains("access not allowed") {
            return self.no_answer(line.to_owned());
        }
        if line == "no current target" {
            // Said of every target while there is not a single session.
            if let Some(pane) = target(command) {
                return MuxError::NoPane { pane };
            }
            return MuxError::NoTarget { what: "session at all".to_owned() };
        }
        let missing = ["can't find ", "no such "].iter().find_map(|it| line.strip_prefix(it));
        if let Some(missing) = missing {
            return match missing.strip_prefix("pane: ").map(PaneId::parse) {
                Some(Ok(pane)) => MuxError::NoPane { pane },
                _ => MuxError::NoTarget { what: missing.replace(": ", " ") },
            };
        }
        if let Some(name) = line.strip_prefix("duplicate session: ") {
            return MuxError::SessionExists { name: name.to_owned() };
        }
        MuxError::Process(ProcessError::Failed {
            command_line: command.command_line(),
            status: output.status,
            stderr: said,
        })
    }

    pub(super) fn no_answer(&self, reason: String) -> MuxError {
        MuxError::NoAnswer { socket: self.socket.clone(), reason }
    }
}

/// The pane a call is about.
fn target(command: &Command) -> Option<PaneId> {
    command.argv().iter().find_map(|it| PaneId::parse(it.to_str()?).ok())
}

/// Nobody listens. "Permission denied" is not among them: somebody may.
fn is_no_server(line: &str) -> bool {
    line.starts_with("no server running on")
        || (line.starts_with("error connecting to")
            && (line.contains("(No such file or directory)")
                || line.contains("(Connection refused)")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_nobody_listening_is_no_server() {
        let check = |line: &str, expected: bool| assert_eq!(is_no_server(line), expected, "{line}");
        check("no server running on /tmp/s", true);
        check("error connecting to /tmp/s (No such file or directory)", true);
        check("error connecting to /tmp/s (Connection refused)", true);
        check("error connecting to /tmp/s (Permission denied)", false);
        check("server exited unexpectedly", false);
        check("no current target", false);
        check("can't find session: x", false);
    }
}
