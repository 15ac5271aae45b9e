//! The tmux backend: one client call a verb, targets by id, text never as a tmux word.

mod call;
mod hooks;
mod listing;
mod quote;
mod spawn;
mod version;
mod write;

use std::path::{Path, PathBuf};

use super::Mux;
use super::error::MuxError;
use super::types::{
    Capture, Client, HookIndex, InstalledHook, Key, Listing, NewPane, PaneId, PaneIds, Paste,
    ServerState, Session, SessionId, SpawnPane, Version, WindowId,
};
use crate::env::Env;
use crate::process::Command;

/// Which configuration a server starts with when a call of ours starts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Configuration {
    /// The person's.
    User,
    /// None, for a private server.
    None,
}

/// A tmux server, known by its socket.
#[derive(Debug, Clone)]
pub struct Tmux {
    socket: PathBuf,
    configuration: Configuration,
    /// What a server started by us starts with, and what a client on a terminal sees.
    env: Env,
}

impl Tmux {
    /// The server for new panes: `DROVER_TMUX_SOCKET`, else the one around us, else the default.
    pub fn from_env(env: &Env) -> Self {
        let socket = env
            .tmux_socket()
            .or_else(|| env.surrounding_tmux_socket())
            .unwrap_or_else(|| default_socket(env));
        Self::at(env, socket)
    }

    /// The server on a recorded socket.
    pub fn at(env: &Env, socket: impl Into<PathBuf>) -> Self {
        let socket = socket.into();
        let is_private = env.tmux_socket().as_ref() == Some(&socket);
        let configuration = if is_private { Configuration::None } else { Configuration::User };
        Self { socket, configuration, env: env.clone() }
    }
}

impl Mux for Tmux {
    fn name(&self) -> &'static str {
        "tmux"
    }

    fn socket(&self) -> &Path {
        &self.socket
    }

    fn version(&self) -> Result<Version, MuxError> {
        version::read()
    }

    fn server(&self) -> Result<ServerState, MuxError> {
        listing::server(self)
    }

    fn panes(&self) -> Result<Listing, MuxError> {
        listing::panes(self)
    }

    fn sessions(&self) -> Result<Vec<Session>, MuxError> {
        listing::sessions(self)
    }

    fn clients(&self) -> Result<Vec<Client>, MuxError> {
        listing::clients(self)
    }

    fn new_session(
        &self,
        name: &str,
        project_uid: Option<&str>,
        pane: &SpawnPane,
    ) -> Result<PaneIds, MuxError> {
        spawn::new_session(self, name, project_uid, pane)
    }

    fn new_window(&self, session: &SessionId, pane: &SpawnPane) -> Result<PaneIds, MuxError> {
        spawn::new_window(self, session, pane)
    }

    fn respawn(&self, pane: &PaneId, program: &NewPane) -> Result<(), MuxError> {
        spawn::respawn(self, pane, program)
    }

    fn set_pane_options(&self, pane: &PaneId, options: &[(&str, &str)]) -> Result<(), MuxError> {
        write::set_pane_options(self, pane, options)
    }

    fn pane_option(&self, pane: &PaneId, option: &str) -> Result<Option<String>, MuxError> {
        write::pane_option(self, pane, option)
    }

    fn set_session_option(
        &self,
        session: &SessionId,
        option: &str,
        value: &str,
    ) -> Result<(), MuxError> {
        write::set_session_option(self, session, option, value)
    }

    fn rename_window(&self, window: &WindowId, name: &str) -> Result<(), MuxError> {
        spawn::rename_window(self, window, name)
    }

    fn kill_pane(&self, pane: &PaneId) -> Result<(), MuxError> {
        match self.call(["kill-pane", "-t", pane.as_str()]) {
            Ok(_) | Err(MuxError::NoPane { .. } | MuxError::NoServer { .. }) => Ok(()),
            Err(err) => Err(err),
        }
    }

    fn capture(&self, pane: &PaneId, range: Capture) -> Result<String, MuxError> {
        listing::capture(self, pane, range)
    }

    fn leave_copy_mode(&self, pane: &PaneId) -> Result<bool, MuxError> {
        write::leave_copy_mode(self, pane)
    }

    fn paste(
        &self,
        pane: &PaneId,
        buffer: &str,
        text: &[u8],
        paste: Paste,
    ) -> Result<(), MuxError> {
        write::paste(self, pane, &write::Buffer { name: buffer, text, paste })
    }

    fn key(&self, pane: &PaneId, key: Key) -> Result<(), MuxError> {
        write::key(self, pane, key)
    }

    fn type_line(&self, pane: &PaneId, line: &str) -> Result<(), MuxError> {
        write::type_line(self, pane, line)
    }

    fn install_death_hook(
        &self,
        index: HookIndex,
        state: &str,
        argv: &[String],
    ) -> Result<(), MuxError> {
        hooks::install(self, index, state, argv)
    }

    fn death_hooks(&self) -> Result<Vec<InstalledHook>, MuxError> {
        hooks::list(self)
    }

    fn remove_death_hook(&self, index: HookIndex) -> Result<(), MuxError> {
        hooks::remove(self, index)
    }

    fn attach_command(&self, pane: &PaneIds) -> Command {
        self.attach(pane)
    }
}

/// Where tmux itself would look.
fn default_socket(env: &Env) -> PathBuf {
    let directory = env.get("TMUX_TMPDIR").map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
    let user = rustix::process::getuid().as_raw();
    directory.join(format!("tmux-{user}")).join("default")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pairs: &[(&str, &str)], expected: &str) {
        let env = pairs.iter().map(|(name, value)| (name.into(), value.into())).collect();
        assert_eq!(Tmux::from_env(&env).socket(), Path::new(expected));
    }

    #[test]
    fn the_socket_is_the_private_one_else_the_surrounding_one_else_the_default() {
        let user = rustix::process::getuid().as_raw();
        let around = ("TMUX", "/tmp/tmux-1/other,12,0");
        check(&[("DROVER_TMUX_SOCKET", "/p/s"), around], "/p/s");
        check(&[around], "/tmp/tmux-1/other");
        check(&[("TMUX_TMPDIR", "/run/me")], &format!("/run/me/tmux-{user}/default"));
        check(&[], &format!("/tmp/tmux-{user}/default"));
    }
}
