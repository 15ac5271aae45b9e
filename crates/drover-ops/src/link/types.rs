//! What is asked for a client, and what is answered.

use std::path::PathBuf;

use crate::engines::Kind;

/// The clients that can be told.
pub const CLIENTS: [Kind; 3] = [Kind::Pi, Kind::Claude, Kind::Codex];

/// What a client is told with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The verbs as tools.
    Server,
    /// How to use them.
    Skill,
    /// What runs inside the client.
    Extension,
}

impl Part {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Server => "mcp",
            Self::Skill => "skill",
            Self::Extension => "extension",
        }
    }
}

/// What became of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// It had nothing of ours.
    Added,
    /// It had what another version wrote.
    Updated,
    /// What was in our place is gone.
    Replaced,
    /// It is as it should be.
    Unchanged,
    /// What was ours is gone.
    Removed,
    /// Nothing of ours was there.
    Absent,
}

impl Done {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Updated => "updated",
            Self::Replaced => "replaced",
            Self::Unchanged => "unchanged",
            Self::Removed => "removed",
            Self::Absent => "absent",
        }
    }
}

/// What to do for one client.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// The client.
    pub client: Kind,
    /// Whether what is not as we wrote it may go.
    pub force: bool,
    /// Whether files are to hold all they need, instead of leading to where Drover keeps it.
    pub copy: bool,
    /// Whether nothing is to be done.
    pub is_preview: bool,
}

/// What was done, or would be.
#[derive(Debug, Clone)]
pub struct Linked {
    /// For whom.
    pub client: Kind,
    /// Each file.
    pub files: Vec<(Part, PathBuf, Done)>,
}

impl Linked {
    /// Whether anything was changed.
    pub fn is_changed(&self) -> bool {
        self.files.iter().any(|it| !matches!(it.2, Done::Unchanged | Done::Absent))
    }
}
