//! One task as a file says it, in the form of rows; checked before anything is written.

use std::fmt;

use drover_core::task::State;
use drover_core::text::Text;
use jiff::Timestamp;

/// Where a file says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In the list of tasks, from 0.
    Entry(usize),
    /// On a line, from 1.
    Line(usize),
}

impl Place {
    /// A field of the task that stands here.
    pub(super) fn field(self, field: &str) -> String {
        match self {
            Self::Entry(_) => format!("{self}.{field}"),
            Self::Line(_) => format!("{self}: {field}"),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entry(number) => write!(formatter, "tasks[{number}]"),
            Self::Line(number) => write!(formatter, "line {number}"),
        }
    }
}

/// Which id a task is to have here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WantedId {
    /// Its id in the file and no other.
    Exactly,
    /// One like its id in the file, numbered where it is taken.
    LikeSource,
    /// One made from its title, numbered where it is taken.
    LikeTitle,
}

/// The state that a file gives a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    /// None.
    Nothing,
    /// This one.
    State(State),
    /// It waits: for its blockers, or, where it has none that is open, for somebody.
    Waits,
}

/// A note as a file has it.
#[derive(Debug, Clone)]
pub(super) struct SaidNote {
    /// Who wrote it, with the file's format before it; none for whoever imports.
    pub(super) author: Option<String>,
    pub(super) text: Text,
    /// When; none for now.
    pub(super) at: Option<Timestamp>,
}

/// The task at the other end of an edge.
#[derive(Debug, Clone)]
pub(super) enum Other {
    /// The task at this position of the file.
    Position(usize),
    /// The task of this id in the file, or one that came from such a file before.
    Id(String),
}

/// An edge between a task and another.
#[derive(Debug, Clone)]
pub(super) struct Link {
    pub(super) other: Other,
    /// Whether the other one waits for this one; else this one waits.
    pub(super) blocks: bool,
}

/// A task of a file.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) place: Place,
    /// Its id in the file; it is found again by it.
    pub(super) source_id: String,
    pub(super) wanted: WantedId,
    pub(super) title: Text,
    pub(super) state: Said,
    pub(super) impact: Option<i64>,
    pub(super) effort_days: Option<f64>,
    /// As a JSON array.
    pub(super) owns: Option<String>,
    /// As a JSON array.
    pub(super) labels: Option<String>,
    pub(super) verify: Option<String>,
    pub(super) notes: Vec<SaidNote>,
    pub(super) created_at: Option<Timestamp>,
    pub(super) links: Vec<Link>,
}

impl Item {
    /// A task of which the file says nothing but this.
    pub(super) fn new(place: Place, source_id: String, wanted: WantedId, title: Text) -> Self {
        Self {
            place,
            source_id,
            wanted,
            title,
            state: Said::Nothing,
            impact: None,
            effort_days: None,
            owns: None,
            labels: None,
            verify: None,
            notes: Vec::new(),
            created_at: None,
            links: Vec::new(),
        }
    }

    /// Lets another task of the file's ids block this one.
    pub(super) fn wait_for(&mut self, id: String) {
        self.links.push(Link { other: Other::Id(id), blocks: false });
    }

    /// Lets this task block another one of the file's ids.
    pub(super) fn block(&mut self, id: String) {
        self.links.push(Link { other: Other::Id(id), blocks: true });
    }
}
