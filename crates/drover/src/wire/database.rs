//! A database that was rebuilt or made smaller as JSON.

use drover_ops::rebuild::Rebuilding;
use drover_ops::shrink::{Compacted, Forgotten, Shrunk, TornDown};
use schemars::JsonSchema;
use serde::Serialize;

use super::items::Items;

/// A database that was written from the log.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DatabaseRebuilt {
    /// The database whose log was read; it is as it was.
    from: String,
    /// The new one.
    file: String,
    /// What it holds; null in a dry run.
    rebuilt: Option<RebuiltView>,
}

/// What a rebuilt database holds.
#[derive(Debug, Serialize, JsonSchema)]
struct RebuiltView {
    /// The machine and incarnation that it speaks for.
    machine: String,
    /// How many changes the log holds.
    changes: usize,
    /// How many of them changed a row.
    applied: usize,
    /// The rows of each logged table.
    rows: Items<CountView>,
    /// Rows that are not logged and were taken over as they stand.
    carried: Items<CountView>,
    /// Rows that are not logged and could not be taken over.
    lost: Items<CountView>,
    /// Changes of kinds of rows that this version does not know.
    log_only: Items<CountView>,
    /// How many changes found no row.
    misfits: usize,
}

/// Rows of a table, or changes of a kind of row.
#[derive(Debug, Serialize, JsonSchema)]
struct CountView {
    /// The table, or the kind.
    name: String,
    /// How many.
    count: usize,
}

fn counts<S: ToString>(counts: impl IntoIterator<Item = (S, usize)>) -> Items<CountView> {
    counts.into_iter().map(|it| CountView { name: it.0.to_string(), count: it.1 }).collect()
}

impl From<&Rebuilding> for DatabaseRebuilt {
    fn from(rebuilding: &Rebuilding) -> Self {
        Self {
            from: rebuilding.from.display().to_string(),
            file: rebuilding.to.display().to_string(),
            rebuilt: rebuilding.rebuilt.as_ref().map(|it| RebuiltView {
                machine: it.machine.clone(),
                changes: it.replayed.ops,
                applied: it.replayed.applied,
                rows: counts(it.rows.iter().copied()),
                carried: counts(it.carried.iter().cloned()),
                lost: counts(it.lost.iter().cloned()),
                log_only: counts(it.replayed.log_only.clone()),
                misfits: it.replayed.misfits,
            }),
        }
    }
}

/// What became of the file of a database.
#[derive(Debug, Serialize, JsonSchema)]
struct ShrunkView {
    /// The copy of the database as it was; null in a dry run.
    backup: Option<String>,
    /// Its size before, in bytes.
    before: u64,
    /// Its size after; null in a dry run.
    after: Option<u64>,
    /// Whether it could shrink yet: who reads it keeps it as it is until they end.
    shrunk: Option<bool>,
}

impl From<&Shrunk> for ShrunkView {
    fn from(shrunk: &Shrunk) -> Self {
        Self {
            backup: shrunk.backup.as_ref().map(|it| it.display().to_string()),
            before: shrunk.before,
            after: shrunk.after,
            shrunk: shrunk.could_shrink,
        }
    }
}

/// What the log says twice.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DatabaseCompacted {
    /// Whether it was taken out; else this is a preview.
    done: bool,
    /// Deletions that repeat rows which the log tells.
    deletions: usize,
    /// Bytes that they repeat.
    bytes: usize,
    /// Bytes of the file that held nothing.
    free_bytes: usize,
    /// What became of the file; null for a preview.
    file: Option<ShrunkView>,
}

impl From<&Compacted> for DatabaseCompacted {
    fn from(compacted: &Compacted) -> Self {
        Self {
            done: compacted.shrunk.is_some(),
            deletions: compacted.repeated.deletions,
            bytes: compacted.repeated.bytes,
            free_bytes: compacted.free_bytes,
            file: compacted.shrunk.as_ref().map(ShrunkView::from),
        }
    }
}

/// Torn-down projects that go from the log.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProjectsForgotten {
    /// Whether they are gone; else this is a preview.
    done: bool,
    /// The projects.
    projects: Items<TornDownView>,
    /// What became of the file; null for a preview.
    file: Option<ShrunkView>,
}

/// A torn-down project that lives on in the log.
#[derive(Debug, Serialize, JsonSchema)]
struct TornDownView {
    /// The name it had last.
    name: String,
    /// When it was torn down.
    torn_down_at: String,
    /// How many changes of its rows the log holds.
    changes: usize,
    /// How many bytes of rows they tell.
    bytes: usize,
}

impl From<&TornDown> for TornDownView {
    fn from(torn: &TornDown) -> Self {
        Self {
            name: torn.name.clone(),
            torn_down_at: torn.at.clone(),
            changes: torn.ops,
            bytes: torn.bytes,
        }
    }
}

impl From<&Forgotten> for ProjectsForgotten {
    fn from(forgotten: &Forgotten) -> Self {
        Self {
            done: forgotten.shrunk.is_some(),
            projects: forgotten.projects.iter().map(TornDownView::from).collect(),
            file: forgotten.shrunk.as_ref().map(ShrunkView::from),
        }
    }
}
