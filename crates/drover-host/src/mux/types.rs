//! The words in which a multiplexer is spoken about, leaf of the module.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use crate::proc::Identity;

/// Text that is not the id of anything.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not the id of a {what}, which is {sign} and a number")]
pub struct InvalidId {
    what: &'static str,
    sign: &'static str,
    text: String,
}

macro_rules! id {
    ($name:ident, $sign:literal, $what:literal) => {
        #[doc = concat!("The id of a ", $what, ", `", $sign, "` and a number.")]
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(String);

        impl $name {
            /// Takes an id as the server wrote it; nothing else can become a target.
            pub fn parse(text: &str) -> Result<Self, InvalidId> {
                let number = text.strip_prefix($sign).unwrap_or_default();
                if number.is_empty() || !number.bytes().all(|it| it.is_ascii_digit()) {
                    return Err(InvalidId { what: $what, sign: $sign, text: text.to_owned() });
                }
                Ok(Self(text.to_owned()))
            }

            /// The id as the server writes it.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id!(PaneId, "%", "pane");
id!(WindowId, "@", "window");
id!(SessionId, "$", "session");

/// A version of a multiplexer, as far as it is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// The number before the dot.
    pub major: u32,
    /// The number after it.
    pub minor: u32,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// Whether there is a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerState {
    /// This process is the server.
    Running(Identity),
    /// Nobody listens: its panes are gone.
    NoServer,
    /// It cannot be told: nothing follows about its panes.
    NoAnswer {
        /// What was seen instead.
        reason: String,
    },
}

/// All panes of a server at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The server that answered, or why none did. With anything but `Running`, `panes` is empty
    /// and means nothing.
    pub server: ServerState,
    /// The panes, each once even if it is shown in several sessions.
    pub panes: Vec<Pane>,
}

impl Listing {
    /// A pane by its id.
    pub fn pane(&self, id: &PaneId) -> Option<&Pane> {
        self.panes.iter().find(|it| it.id == *id)
    }
}

/// One pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pane {
    /// Its id.
    pub id: PaneId,
    /// The window it is in.
    pub window: WindowId,
    /// A session that shows the window.
    pub session: SessionId,
    /// The process it was started with.
    pub pid: u32,
    /// How that process ended, if it has and the pane is kept.
    pub death: Option<PaneDeath>,
    /// Whether it is in copy mode or another mode.
    pub in_mode: bool,
    /// Clients attached to the sessions that show it.
    pub attached: u32,
    /// Whether one of those clients has it in front.
    pub is_watched: bool,
    /// Its terminal.
    pub tty: PathBuf,
    /// The mark `@drover_uid`: the agent it was made for. Whoever is in the pane can write it.
    pub uid: Option<String>,
    /// The mark `@drover_state`: the state directory that made it.
    pub state: Option<String>,
    /// The mark `@drover_project` of its session: the project it belongs to.
    pub project: Option<String>,
    /// The name of that session, which people can change.
    pub session_name: String,
    /// The mark `@drover_label`: what Drover shows above it.
    pub label: Option<String>,
    /// The name of its window. The program may have chosen it.
    pub window_name: String,
    /// Its title. The program may have chosen it.
    pub title: String,
    /// The command it was made with.
    pub start_command: String,
    /// The name of the program in front. The program may have chosen it.
    pub current_command: String,
}

/// How the program of a kept pane ended. Right after the end all fields can still be empty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PaneDeath {
    /// The code it returned.
    pub status: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// When, in seconds of Unix time.
    pub at: Option<i64>,
}

/// One session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// The mark `@drover_project`: the project it belongs to.
    pub project: Option<String>,
    /// Its name, which people can change.
    pub name: String,
}

/// Somebody who looks at a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    /// The pane that takes their keys.
    pub pane: PaneId,
    /// The window they see.
    pub window: WindowId,
    /// Their terminal; empty for a program that controls the server.
    pub tty: PathBuf,
}

/// What runs in a pane, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPane {
    /// Program and arguments, run without a shell between.
    pub argv: Vec<OsString>,
    /// The directory it starts in, which must exist.
    pub cwd: PathBuf,
    /// Variables set for it on top of the server's environment.
    pub env: Vec<(String, OsString)>,
}

/// A pane to be made in a window of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpawnPane {
    /// The name of the window.
    pub window_name: String,
    /// What runs in it.
    pub program: NewPane,
}

/// Where a new pane is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaneIds {
    /// Its session.
    pub session: SessionId,
    /// Its window.
    pub window: WindowId,
    /// The pane.
    pub pane: PaneId,
    /// The process it was started with.
    pub pid: u32,
}

/// How much of a pane to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capture {
    /// What is on the screen.
    Visible,
    /// The screen and all that is kept above it.
    Full,
    /// The last lines that have text, from the screen and above it.
    Last(u32),
}

/// How text is put into a pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paste {
    /// Between paste marks, if the program has asked for them.
    Bracketed,
    /// As if typed.
    Plain,
}

/// A key Drover presses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// Enter.
    Enter,
    /// Escape.
    Escape,
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-U, which empties a line that is being written.
    ClearLine,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// A digit, as dialogs number their answers.
    Digit(u8),
}

/// The place of a death hook of ours among those of the person and of other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct HookIndex(pub u32);

/// A death hook as the server shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledHook {
    /// Its place.
    pub index: HookIndex,
    /// Its command.
    pub command: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_sign_and_a_number_is_an_id() {
        assert_eq!(PaneId::parse("%12").unwrap().as_str(), "%12");
        for text in ["", "%", "12", "%1;kill-server", "$1", "%-1", "%1 "] {
            assert!(PaneId::parse(text).is_err(), "{text:?}");
        }
        assert!(SessionId::parse("$0").is_ok());
        assert!(WindowId::parse("@3").is_ok());
    }

    #[test]
    fn versions_compare_by_number() {
        let version = |major, minor| Version { major, minor };
        assert!(version(3, 10) > version(3, 9));
        assert!(version(2, 9) < version(3, 0));
    }
}
