//! Our own JSON plan, one task a line.

use drover_core::task::State;
use serde::Serialize;

use super::board::{Board, Entry, words};
use super::escape;

/// A task as a plan says it; what is as it would be anyway is left out.
#[derive(Serialize)]
struct Planned<'a> {
    id: &'a str,
    title: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    impact: i64,
    effort_days: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blocked_by: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    owns: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verify: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<String>,
    created_at: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Noted<'a>>,
}

#[derive(Serialize)]
struct Noted<'a> {
    text: &'a str,
    author: &'a str,
    at: &'a str,
}

pub(super) fn write(board: &Board) -> String {
    let tasks = board.entries.iter().map(|it| escape::json(&planned(board, it)));
    format!("{{\"tasks\":{}}}\n", escape::list(tasks))
}

fn planned<'a>(board: &'a Board, entry: &'a Entry) -> Planned<'a> {
    let task = &entry.task;
    let notes = entry.notes.iter();
    Planned {
        id: &task.id,
        title: &task.title,
        status: (task.state != State::Todo).then(|| task.state.full()),
        impact: task.impact,
        effort_days: task.effort_days,
        blocked_by: board.ids(&entry.blockers),
        owns: words(&task.owns),
        verify: task.verify.as_deref(),
        labels: words(&task.labels),
        created_at: &task.created_at,
        notes: notes
            .map(|it| Noted { text: &it.text, author: &it.author, at: &it.created_at })
            .collect(),
    }
}
