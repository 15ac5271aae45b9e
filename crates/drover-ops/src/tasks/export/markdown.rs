//! A Markdown checklist: what a task waits for stands under it, what a box cannot say in a comment behind.

use std::fmt::Write as _;

use drover_core::task::State;
use serde::Serialize;

use super::board::{Board, Entry, words};
use super::escape;
use crate::tasks::import::markdown::{COMMENT, COMMENT_END};
use crate::tasks::import::outline::{notes_read_back, quoted, reads_back};

/// What is deeper stands for itself, so that lines stay short.
const DEEPEST: usize = 6;

/// What stands in the comment.
#[derive(Serialize)]
struct Besides<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    impact: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    effort_days: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blocked_by: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    owns: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verify: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<&'a str>,
}

pub(super) fn write(board: &Board) -> String {
    let mut blocks = vec![false; board.entries.len()];
    for blocker in board.entries.iter().flat_map(|it| &it.blockers) {
        if let Some(slot) = blocks.get_mut(*blocker) {
            *slot = true;
        }
    }
    let mut writer = Writer { board, placed: vec![false; blocks.len()], text: String::new() };
    // First what blocks nothing, then what was too deep under it.
    for is_inner in [false, true] {
        for (position, blocks) in blocks.iter().enumerate() {
            if *blocks == is_inner {
                writer.tree(position);
            }
        }
    }
    writer.text
}

struct Writer<'a> {
    board: &'a Board,
    placed: Vec<bool>,
    text: String,
}

impl Writer<'_> {
    /// Takes a place for a task; `false` when it has one.
    fn place(&mut self, position: usize) -> bool {
        self.placed.get_mut(position).is_some_and(|it| !std::mem::replace(it, true))
    }

    fn tree(&mut self, root: usize) {
        if !self.place(root) {
            return;
        }
        let mut open = vec![(root, 0)];
        while let Some((position, depth)) = open.pop() {
            let Some(entry) = self.board.entries.get(position) else { continue };
            let mut elsewhere = Vec::new();
            let mut under = Vec::new();
            for blocker in &entry.blockers {
                if depth < DEEPEST && self.place(*blocker) {
                    under.push((*blocker, depth + 1));
                } else {
                    elsewhere.push(*blocker);
                }
            }
            open.extend(under.into_iter().rev());
            let blocked_by = self.board.ids(&elsewhere);
            self.item(entry, depth, blocked_by);
        }
    }

    fn item(&mut self, entry: &Entry, depth: usize, blocked_by: Vec<&str>) {
        let task = &entry.task;
        let indent = "  ".repeat(depth);
        let is_plain = escape::is_plain(&task.title)
            && !task.title.contains("<!--")
            && reads_back(&task.title);
        let notes: Vec<&str> = entry.notes.iter().map(|it| it.text.as_str()).collect();
        let notes_are_plain =
            notes.iter().all(|it| escape::is_plain(it)) && notes_read_back(&notes);
        let besides = Besides {
            id: &task.id,
            title: (!is_plain).then_some(&task.title),
            status: (!matches!(task.state, State::Todo | State::Done)).then(|| task.state.full()),
            impact: Some(task.impact).filter(|it| *it != 50),
            effort_days: Some(task.effort_days).filter(|it| (*it - 1.0).abs() > 0.0),
            blocked_by,
            owns: words(&task.owns),
            verify: task.verify.as_deref(),
            labels: words(&task.labels),
            notes: if notes_are_plain { Vec::new() } else { notes.clone() },
        };
        // No character of it can end the comment.
        let comment = escape::json(&besides).replace("--", "-\\u002d").replace('>', "\\u003e");
        let mark = if task.state.is_closed() { 'x' } else { ' ' };
        let title = if is_plain { task.title.as_str() } else { "(see the comment)" };
        let _ = writeln!(self.text, "{indent}- [{mark}] {title} {COMMENT}{comment} {COMMENT_END}");
        if notes_are_plain && !notes.is_empty() {
            self.text.extend(notes.iter().map(|it| quoted(&indent, it)));
            self.text.push('\n');
        }
    }
}
