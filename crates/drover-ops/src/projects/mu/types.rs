//! What taking over a database of mu is asked, and what it answers.

use std::path::PathBuf;

use drover_store::mu::Checkout;

/// What to take over.
#[derive(Debug, Clone)]
pub struct ImportMu {
    /// The database.
    pub path: PathBuf,
    /// Only these workstreams; all where there are none.
    pub only: Vec<String>,
    /// Workstreams with the names that their projects get.
    pub renames: Vec<(String, String)>,
}

/// A field of a task that is not as mu has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Differs {
    /// The task.
    pub task: String,
    /// The field.
    pub field: &'static str,
    /// What mu says.
    pub there: String,
    /// What the task says.
    pub here: String,
}

/// What a workstream became.
#[derive(Debug, Clone)]
pub struct Taken {
    /// The project.
    pub project: String,
    /// The workstream.
    pub workstream: String,
    /// Whether the project is new.
    pub is_new: bool,
    /// Ids of the new tasks, in the order mu made them.
    pub tasks: Vec<String>,
    /// How many edges are new.
    pub edges: usize,
    /// How many notes are new.
    pub notes: usize,
    /// How many lines of its log are new.
    pub lines: usize,
    /// New tasks that an agent had in progress, each with that agent; nobody holds them here.
    pub in_progress: Vec<(String, String)>,
    /// New tasks that could start in mu and wait here, each with the blockers that are closed but not done.
    pub waiting: Vec<(String, Vec<String>)>,
    /// Values that no task can have, each with its task and what stands in its place.
    pub changed: Vec<(String, String)>,
    /// Where a task that is there says something else than mu; nothing of it was written.
    pub differs: Vec<Differs>,
}

/// What an import did.
#[derive(Debug, Clone)]
pub struct ImportedMu {
    /// The file.
    pub path: PathBuf,
    /// SHA-256 of the file, before and after.
    pub digest: String,
    /// The machine that wrote it.
    pub machine: String,
    /// What its workstreams became, by name.
    pub taken: Vec<Taken>,
    /// Where each of its rows went, by table.
    pub tables: Vec<Table>,
    /// Checkouts of its agents, which stay where they are.
    pub checkouts: Vec<Checkout>,
}

impl ImportedMu {
    /// Whether anything is new.
    pub fn is_new(&self) -> bool {
        self.tables.iter().any(|it| it.imported > 0)
    }
}

/// Rows that were left, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// How many.
    pub rows: usize,
    /// Why.
    pub why: &'static str,
}

/// A table of mu, and where its rows went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// How many rows it has.
    pub rows: usize,
    /// How many are new here.
    pub imported: usize,
    /// How many were here already.
    pub present: usize,
    /// The others.
    pub left: Vec<Left>,
}
