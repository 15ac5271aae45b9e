//! What became of a database of mu as JSON.

use drover_ops::projects::{Differs, ImportedMu, Table, Taken};
use schemars::JsonSchema;
use serde::Serialize;

use super::items::Items;

/// What an import from mu did.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProjectsImported {
    /// The file that was read; it is as it was.
    source: SourceView,
    /// What its workstreams became.
    projects: Items<TakenView>,
    /// Where each of its rows went; `rows` is the sum of the others.
    tables: Items<TableView>,
    /// Checkouts of its agents, which stay where they are.
    checkouts: Items<CheckoutView>,
}

/// A database that was read.
#[derive(Debug, Serialize, JsonSchema)]
struct SourceView {
    /// Where it is.
    path: String,
    /// SHA-256 of the file.
    digest: String,
    /// The machine that wrote it.
    machine: String,
}

/// What a workstream became.
#[derive(Debug, Serialize, JsonSchema)]
struct TakenView {
    /// The project.
    name: String,
    /// The workstream.
    workstream: String,
    /// Whether the project is new.
    created: bool,
    /// Ids of the new tasks.
    added: Items<String>,
    /// How many edges are new.
    edges: usize,
    /// How many notes are new.
    notes: usize,
    /// How many lines of its log are new.
    lines: usize,
    /// New tasks that an agent had in progress; nobody holds them here.
    in_progress: Items<HeldView>,
    /// New tasks that could start in mu and wait here.
    waiting: Items<WaitingView>,
    /// Values that no task can have.
    changed: Items<ChangedView>,
    /// Where a task says something else than mu; nothing of it was written.
    differs: Items<DiffersView>,
}

/// A task that an agent had in progress.
#[derive(Debug, Serialize, JsonSchema)]
struct HeldView {
    /// The task.
    id: String,
    /// The agent and its machine.
    last_claimed_by: String,
}

/// A task that waits for blockers that are closed and not done.
#[derive(Debug, Serialize, JsonSchema)]
struct WaitingView {
    /// The task.
    id: String,
    /// Those blockers.
    blocked_by: Vec<String>,
}

/// A value that was brought to our form.
#[derive(Debug, Serialize, JsonSchema)]
struct ChangedView {
    /// The task.
    id: String,
    /// What was wrong, and what stands in its place.
    what: String,
}

/// A field that is not as mu has it.
#[derive(Debug, Serialize, JsonSchema)]
struct DiffersView {
    /// The task.
    id: String,
    /// The field.
    field: &'static str,
    /// What mu says.
    there: String,
    /// What the task says.
    here: String,
}

/// A table of mu and where its rows went.
#[derive(Debug, Serialize, JsonSchema)]
struct TableView {
    /// Its name.
    table: String,
    /// How many rows it has.
    rows: usize,
    /// How many are new here.
    imported: usize,
    /// How many were here already.
    present: usize,
    /// The others.
    left: Vec<LeftView>,
}

/// Rows that were left.
#[derive(Debug, Serialize, JsonSchema)]
struct LeftView {
    /// How many.
    rows: usize,
    /// Why.
    why: &'static str,
}

/// A checkout of an agent of mu.
#[derive(Debug, Serialize, JsonSchema)]
struct CheckoutView {
    /// The agent.
    agent: String,
    /// The workstream.
    workstream: String,
    /// Where it is.
    path: String,
}

impl From<&Taken> for TakenView {
    fn from(taken: &Taken) -> Self {
        let held = taken.in_progress.iter();
        let waiting = taken.waiting.iter();
        let changed = taken.changed.iter();
        Self {
            name: taken.project.clone(),
            workstream: taken.workstream.clone(),
            created: taken.is_new,
            added: Items::new(taken.tasks.clone()),
            edges: taken.edges,
            notes: taken.notes,
            lines: taken.lines,
            in_progress: held
                .map(|it| HeldView { id: it.0.clone(), last_claimed_by: it.1.clone() })
                .collect(),
            waiting: waiting
                .map(|it| WaitingView { id: it.0.clone(), blocked_by: it.1.clone() })
                .collect(),
            changed: changed
                .map(|it| ChangedView { id: it.0.clone(), what: it.1.clone() })
                .collect(),
            differs: taken.differs.iter().map(DiffersView::from).collect(),
        }
    }
}

impl From<&Differs> for DiffersView {
    fn from(it: &Differs) -> Self {
        Self {
            id: it.task.clone(),
            field: it.field,
            there: it.there.clone(),
            here: it.here.clone(),
        }
    }
}

impl From<&Table> for TableView {
    fn from(table: &Table) -> Self {
        Self {
            table: table.name.clone(),
            rows: table.rows,
            imported: table.imported,
            present: table.present,
            left: table.left.iter().map(|it| LeftView { rows: it.rows, why: it.why }).collect(),
        }
    }
}

impl From<&ImportedMu> for ProjectsImported {
    fn from(imported: &ImportedMu) -> Self {
        let checkouts = imported.checkouts.iter().map(|it| CheckoutView {
            agent: it.agent.clone(),
            workstream: it.workstream.clone(),
            path: it.path.clone(),
        });
        Self {
            source: SourceView {
                path: imported.path.display().to_string(),
                digest: imported.digest.clone(),
                machine: imported.machine.clone(),
            },
            projects: imported.taken.iter().map(TakenView::from).collect(),
            tables: imported.tables.iter().map(TableView::from).collect(),
            checkouts: checkouts.collect(),
        }
    }
}
