//! Imports and exports as JSON.

use drover_ops::tasks::{ExportFormat, Exported, Imported};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::Items;

/// What an import did.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TasksImported {
    /// Where.
    project: String,
    /// The form of the file: plan, beads, markdown or taskwarrior.
    format: &'static str,
    /// Ids of the new tasks, in the order of the file.
    added: Items<String>,
    /// How many tasks of the file were there already.
    present: usize,
    /// How many edges are new.
    edges: usize,
    /// How many edges of the file were there already.
    edges_present: usize,
    /// How many notes are new.
    notes: usize,
    /// How many relations of the file are no edges, and stand in notes.
    relations: usize,
    /// Where a task says something else than the file; nothing of it was written.
    differs: Items<DifferenceView>,
    /// What the file says and nothing here keeps.
    left_out: Items<LeftOutView>,
    /// What the file says and a task keeps in other words.
    substituted: Items<SubstituteView>,
    /// Fields of the file that are lines of notes.
    in_notes: Items<NotedField>,
}

/// A field that is not as the file says it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DifferenceView {
    /// The task.
    task: String,
    /// The field.
    field: &'static str,
    /// What the file says.
    plan: String,
    /// What the task says.
    here: String,
}

/// Something that a file says and no task keeps.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LeftOutView {
    /// Where in the file.
    place: String,
    /// What.
    what: String,
    /// Why.
    why: String,
}

/// Something that a file says and a task keeps in other words.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SubstituteView {
    /// Where in the file.
    place: String,
    /// What the file says.
    what: String,
    /// What the task has instead.
    instead: String,
}

/// A field that is a line of notes.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NotedField {
    /// The field.
    field: String,
    /// How many tasks of the file have it.
    tasks: usize,
}

impl From<&Imported> for TasksImported {
    fn from(imported: &Imported) -> Self {
        let differs = imported.differs.iter().map(|it| DifferenceView {
            task: it.task.clone(),
            field: it.field,
            plan: it.plan.clone(),
            here: it.row.clone(),
        });
        let left_out = imported.left_out.iter().map(|it| LeftOutView {
            place: it.place.clone(),
            what: it.what.clone(),
            why: it.why.clone(),
        });
        let substituted = imported.substituted.iter().map(|it| SubstituteView {
            place: it.place.clone(),
            what: it.what.clone(),
            instead: it.instead.clone(),
        });
        let in_notes = imported.in_notes.iter();
        let in_notes = in_notes.map(|it| NotedField { field: it.0.clone(), tasks: *it.1 });
        Self {
            project: imported.project.name.clone(),
            format: imported.format.as_str(),
            added: Items::new(imported.added.clone()),
            present: imported.present,
            edges: imported.edges,
            edges_present: imported.edges_present,
            notes: imported.notes,
            relations: imported.relations,
            differs: Items::new(differs.collect()),
            left_out: Items::new(left_out.collect()),
            substituted: Items::new(substituted.collect()),
            in_notes: Items::new(in_notes.collect()),
        }
    }
}

/// The tasks of a project for other programs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TasksExported {
    /// Where.
    project: String,
    /// The form: json, markdown, dot, mermaid or taskwarrior.
    format: &'static str,
    /// How many tasks it has.
    tasks: usize,
    /// How many edges it has.
    edges: usize,
    /// The export, where its form is JSON.
    document: Option<Value>,
    /// The export, where its form is another.
    text: Option<String>,
}

impl TasksExported {
    pub(crate) fn new(format: ExportFormat, exported: &Exported) -> Self {
        let is_json = matches!(format, ExportFormat::Json | ExportFormat::Taskwarrior);
        let document = || serde_json::from_str(&exported.text).ok();
        Self {
            project: exported.project.name.clone(),
            format: format.as_str(),
            tasks: exported.tasks,
            edges: exported.edges,
            document: is_json.then(document).flatten(),
            text: (!is_json).then(|| exported.text.clone()),
        }
    }
}
