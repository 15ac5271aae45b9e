//! The JSON plan: read, checked whole, and brought to the form of rows.

use std::collections::HashMap;

use drover_core::name::TaskId;
use drover_core::task::OwnedPath;
use drover_core::text::Text;
use serde::Deserialize;

use crate::error::{ImportError, Problem, Result};

/// A graph of tasks as a plan says it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The tasks, in any order.
    pub tasks: Vec<Planned>,
}

/// A task as a plan says it; what is absent gets its default.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Planned {
    /// The id, which the task keeps.
    pub id: String,
    /// What is to be done.
    pub title: String,
    /// 1 to 100; 50 when absent.
    pub impact: Option<i64>,
    /// Days of work, above 0; 1 when absent.
    pub effort_days: Option<f64>,
    /// Ids, of this plan or of the project, of tasks that must be done first.
    #[serde(default)]
    pub blocked_by: Vec<String>,
    /// A first note.
    pub note: Option<String>,
    /// Repository paths that the work stays within.
    pub owns: Option<Vec<String>>,
    /// The command that proves it done; it runs only once it is trusted.
    pub verify: Option<String>,
    /// Labels.
    pub labels: Option<Vec<String>>,
}

impl Plan {
    /// Reads a plan; unknown keys, wrong types and broken JSON are named with their line.
    pub fn parse(text: &str) -> Result<Self> {
        serde_json::from_str(text).map_err(|err| {
            let (line, column) = (err.line(), err.column());
            let words = err.to_string();
            let problem = words.split(" at line ").next().unwrap_or_default().to_owned();
            ImportError::Unreadable { line, column, problem }.into()
        })
    }
}

/// A planned task whose every field was checked.
#[derive(Debug)]
pub(super) struct Checked<'a> {
    pub(super) plan: &'a Planned,
    pub(super) title: Text,
    pub(super) note: Option<Text>,
    /// As a JSON array.
    pub(super) owns: String,
    /// As a JSON array.
    pub(super) labels: String,
    /// How many secrets were taken out of its texts.
    pub(super) redactions: usize,
}

/// Checks every field of every task, and names all that is wrong.
pub(super) fn check(plan: &Plan) -> Result<Vec<Checked<'_>>> {
    let mut problems = Vec::new();
    let mut first: HashMap<&str, usize> = HashMap::new();
    let mut checked = Vec::with_capacity(plan.tasks.len());
    for (number, task) in plan.tasks.iter().enumerate() {
        let mut say = |field: &str, what: String| {
            problems.push(Problem { path: format!("tasks[{number}].{field}"), what });
        };
        if let Err(err) = TaskId::parse_new(&task.id) {
            say("id", err.to_string());
        } else if let Some(earlier) = first.insert(&task.id, number) {
            say("id", format!("{} is the id of tasks[{earlier}] too", task.id));
        }
        checked.push(check_task(task, &mut say));
    }
    if problems.is_empty() { Ok(checked) } else { Err(ImportError::Wrong { problems }.into()) }
}

fn check_task<'a>(task: &'a Planned, say: &mut impl FnMut(&str, String)) -> Checked<'a> {
    let title = Text::new(task.title.trim());
    if title.as_str().is_empty() {
        say("title", "it is blank".to_owned());
    }
    if task.impact.is_some_and(|it| !(1..=100).contains(&it)) {
        say("impact", "it goes from 1 to 100".to_owned());
    }
    if task.effort_days.is_some_and(|it| !(it.is_finite() && it > 0.0)) {
        say("effort_days", "it must be above 0".to_owned());
    }
    if let Some(verify) = &task.verify {
        if verify.trim().is_empty() || verify.contains('\0') {
            say("verify", "it is blank or has a NUL in it".to_owned());
        } else if Text::new(verify).redactions() > 0 {
            say("verify", "it holds what looks like a secret: let it read a file".to_owned());
        }
    }
    let mut owns = Vec::new();
    for (place, path) in task.owns.iter().flatten().enumerate() {
        match OwnedPath::parse(path) {
            Ok(path) => owns.push(path.to_string()),
            Err(err) => say(&format!("owns[{place}]"), err.to_string()),
        }
    }
    let labels: Vec<Text> = task.labels.iter().flatten().map(|it| Text::new(it.trim())).collect();
    if let Some(place) = labels.iter().position(|it| it.as_str().is_empty()) {
        say(&format!("labels[{place}]"), "it is blank".to_owned());
    }
    let note = task.note.as_deref().filter(|it| !it.trim().is_empty()).map(Text::new);
    let redactions = labels.iter().chain(&note).chain([&title]).map(Text::redactions).sum();
    let labels: Vec<&str> = labels.iter().map(Text::as_str).collect();
    let (owns, labels) = (array(&owns), array(&labels));
    Checked { plan: task, title, note, owns, labels, redactions }
}

fn array<S: AsRef<str>>(words: &[S]) -> String {
    words.iter().map(AsRef::as_ref).collect::<serde_json::Value>().to_string()
}
