//! The tmux backend: one client call a verb, targets by id, text never as a tmux word.

mod call;
mod hooks;
mod label;
mod listing;
mod quote;
mod screen;
mod server;
mod spawn;
mod version;
mod write;

use std::collections::BTreeMap;
use std::path::Path;

use super::Mux;
use super::error::MuxError;
use super::types::{
    Capture, Client, HookIndex, InstalledHook, Key, Listing, NewPane, PaneId, PaneIds, Paste,
    ServerState, Session, SessionId, SpawnPane, Version, WindowId,
};
use crate::process::Command;

pub use server::Tmux;

impl Mux for Tmux {
    fn name(&self) -> &'static str {
        "tmux"
    }

    fn socket(&self) -> &Path {
        self.socket_path()
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

    fn split_window(
        &self,
        window: &WindowId,
        program: &NewPane,
    ) -> Result<Option<PaneIds>, MuxError> {
        spawn::split_window(self, window, program)
    }

    fn respawn(&self, pane: &PaneId, program: &NewPane) -> Result<(), MuxError> {
        spawn::respawn(self, pane, program)
    }

    fn set_pane_options(&self, pane: &PaneId, options: &[(&str, &str)]) -> Result<(), MuxError> {
        write::set_pane_options(self, pane, options)
    }

    fn unset_pane_options(&self, pane: &PaneId, options: &[&str]) -> Result<(), MuxError> {
        write::unset_pane_options(self, pane, options)
    }

    fn label_pane(&self, pane: &PaneId, text: &str) -> Result<(), MuxError> {
        label::set(self, pane, text)
    }

    fn show_labels(&self, pane: &PaneId, title: &str) -> Result<(), MuxError> {
        label::show(self, pane, title)
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
            // A server that is just ending over its last pane hangs up on whoever calls.
            Err(MuxError::NoAnswer { .. }) if self.server()? == ServerState::NoServer => Ok(()),
            Err(err) => Err(err),
        }
    }

    fn capture(&self, pane: &PaneId, range: Capture) -> Result<String, MuxError> {
        screen::capture(self, pane, range)
    }

    fn captures(
        &self,
        panes: &[PaneId],
        range: Capture,
    ) -> Result<BTreeMap<PaneId, String>, MuxError> {
        screen::captures(self, panes, range)
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

    fn run_beside(&self, argv: &[String]) -> Result<(), MuxError> {
        hooks::run_beside(self, argv)
    }

    fn look_for_ends(&self) -> Result<(), MuxError> {
        hooks::look_for_ends(self)
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
