//! An import as JSON.

use drover_ops::tasks::Imported;
use schemars::JsonSchema;
use serde::Serialize;

use super::Items;

/// What an import did.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TasksImported {
    /// Where.
    project: String,
    /// Ids of the new tasks, in the order of the plan.
    added: Items<String>,
    /// How many planned tasks were there already.
    present: usize,
    /// How many edges are new.
    edges: usize,
    /// How many notes are new.
    notes: usize,
    /// Where a task says something else than the plan; nothing of it was written.
    differs: Items<DifferenceView>,
}

/// A field that is not as the plan says it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DifferenceView {
    /// The task.
    task: String,
    /// The field.
    field: &'static str,
    /// What the plan says.
    plan: String,
    /// What the task says.
    here: String,
}

impl From<&Imported> for TasksImported {
    fn from(imported: &Imported) -> Self {
        let differs = imported.differs.iter().map(|it| DifferenceView {
            task: it.task.clone(),
            field: it.field,
            plan: it.plan.clone(),
            here: it.row.clone(),
        });
        Self {
            project: imported.project.name.clone(),
            added: Items::new(imported.added.clone()),
            present: imported.present,
            edges: imported.edges,
            notes: imported.notes,
            differs: Items::new(differs.collect()),
        }
    }
}
