//! Terminal multiplexers: one trait for what Drover needs of them, and the backends.

mod error;
mod select;
pub mod tmux;
mod types;

pub use error::MuxError;
pub use select::{for_new_panes, recorded};
pub use types::{
    Capture, Client, HookIndex, InstalledHook, InvalidId, Key, Listing, NewPane, Pane, PaneDeath,
    PaneId, PaneIds, Paste, ServerState, Session, SessionId, SpawnPane, Version, WindowId,
};

use std::collections::BTreeMap;

use crate::process::Command;

/// A server that holds panes.
///
/// Every call is bounded in time and addresses what it means by id. A server that does not answer
/// is always an error or [`ServerState::NoAnswer`], never an empty listing.
pub trait Mux {
    /// The word by which rows name this backend.
    fn name(&self) -> &'static str;

    /// What identifies the server, for rows and messages: a socket path.
    fn socket(&self) -> &std::path::Path;

    /// The version of the program, refused when it is too old.
    fn version(&self) -> Result<Version, MuxError>;

    /// Whether the server runs and which process it is.
    fn server(&self) -> Result<ServerState, MuxError>;

    /// All panes of the server, in one call.
    fn panes(&self) -> Result<Listing, MuxError>;

    /// All sessions, with the mark of the project each belongs to.
    fn sessions(&self) -> Result<Vec<Session>, MuxError>;

    /// All clients that show a session to somebody.
    fn clients(&self) -> Result<Vec<Client>, MuxError>;

    /// Makes a session (and the server, if there is none) whose first window runs a program.
    ///
    /// The mark of its project is set in the same call, so that no session of ours is without.
    fn new_session(
        &self,
        name: &str,
        project_uid: Option<&str>,
        pane: &SpawnPane,
    ) -> Result<PaneIds, MuxError>;

    /// Makes a window in a session without bringing it to the front.
    fn new_window(&self, session: &SessionId, pane: &SpawnPane) -> Result<PaneIds, MuxError>;

    /// Makes a pane beside the others of a window, all of them given the same room.
    ///
    /// None where the window has no room for one more.
    fn split_window(
        &self,
        window: &WindowId,
        program: &NewPane,
    ) -> Result<Option<PaneIds>, MuxError>;

    /// Runs a program in an existing pane, ending what runs there.
    fn respawn(&self, pane: &PaneId, program: &NewPane) -> Result<(), MuxError>;

    /// Sets marks on a pane, all in one call.
    fn set_pane_options(&self, pane: &PaneId, options: &[(&str, &str)]) -> Result<(), MuxError>;

    /// Takes marks off a pane, all in one call.
    fn unset_pane_options(&self, pane: &PaneId, options: &[&str]) -> Result<(), MuxError>;

    /// Shows a text above a pane, where its window shows such a line; the program's title stays as it is.
    fn label_pane(&self, pane: &PaneId, text: &str) -> Result<(), MuxError>;

    /// Gives a pane of our making its first title, and has its window show a line with the label
    /// above each pane, unless the person has such lines already.
    fn show_labels(&self, pane: &PaneId, title: &str) -> Result<(), MuxError>;

    /// Reads a mark of a pane.
    fn pane_option(&self, pane: &PaneId, option: &str) -> Result<Option<String>, MuxError>;

    /// Sets a mark on a session.
    fn set_session_option(
        &self,
        session: &SessionId,
        option: &str,
        value: &str,
    ) -> Result<(), MuxError>;

    /// Gives a window another name.
    fn rename_window(&self, window: &WindowId, name: &str) -> Result<(), MuxError>;

    /// Closes a pane; one that is gone already is no error.
    fn kill_pane(&self, pane: &PaneId) -> Result<(), MuxError>;

    /// What a pane shows, lines that only wrapped being whole again.
    fn capture(&self, pane: &PaneId, range: Capture) -> Result<String, MuxError>;

    /// What several panes show, in one call; a pane that is gone is left out.
    fn captures(
        &self,
        panes: &[PaneId],
        range: Capture,
    ) -> Result<BTreeMap<PaneId, String>, MuxError>;

    /// Leaves copy mode and any other mode; says whether the pane was in one.
    fn leave_copy_mode(&self, pane: &PaneId) -> Result<bool, MuxError>;

    /// Puts text into a pane as if pasted, through a buffer of this name. Refused on a dead pane.
    fn paste(&self, pane: &PaneId, buffer: &str, text: &[u8], paste: Paste)
    -> Result<(), MuxError>;

    /// Presses a key.
    fn key(&self, pane: &PaneId, key: Key) -> Result<(), MuxError>;

    /// Types one line and presses Enter.
    fn type_line(&self, pane: &PaneId, line: &str) -> Result<(), MuxError>;

    /// Has the server run a program whenever a pane marked with this state directory dies.
    ///
    /// A hint, not a promise: a server can miss a death, which only a listing then shows.
    fn install_death_hook(
        &self,
        index: HookIndex,
        state: &str,
        argv: &[String],
    ) -> Result<(), MuxError>;

    /// Has the server run a program beside its panes, in `/`, without waiting for it.
    fn run_beside(&self, argv: &[String]) -> Result<(), MuxError>;

    /// Has the server look for programs that have ended. While it talks to a helper of its own, a
    /// 3.3a server is deaf to an end, and tells nobody until the next one.
    fn look_for_ends(&self) -> Result<(), MuxError>;

    /// The death hooks of all programs, ours and others'.
    fn death_hooks(&self) -> Result<Vec<InstalledHook>, MuxError>;

    /// Removes a death hook; one that is gone already is no error.
    fn remove_death_hook(&self, index: HookIndex) -> Result<(), MuxError>;

    /// The command that shows a pane to the person at this terminal.
    fn attach_command(&self, pane: &PaneIds) -> Command;

    /// The clients in which a pane is the one that takes keys.
    fn attached_clients(&self, pane: &PaneId) -> Result<Vec<Client>, MuxError> {
        let mut clients = self.clients()?;
        clients.retain(|it| it.pane == *pane);
        Ok(clients)
    }

    /// The session marked as a project's.
    fn find_session(&self, project_uid: &str) -> Result<Option<Session>, MuxError> {
        let sessions = self.sessions()?;
        Ok(sessions.into_iter().find(|it| it.project.as_deref() == Some(project_uid)))
    }
}
