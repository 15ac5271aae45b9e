//! The tasks of a project as an export sees them.

use std::collections::HashMap;

use drover_core::task::State;
use drover_store::notes::{self, Note};
use drover_store::projects::Project;
use drover_store::tasks::{self, Query, Task};
use drover_store::{ReadTx, edges};

use crate::error::Result;

/// A task with what hangs on it.
pub(super) struct Entry {
    pub(super) task: Task,
    /// The positions of its blockers, by id.
    pub(super) blockers: Vec<usize>,
    pub(super) notes: Vec<Note>,
}

/// The tasks by id.
pub(super) struct Board {
    pub(super) entries: Vec<Entry>,
}

/// How a task looks in a drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) word: &'static str,
    pub(super) fill: &'static str,
}

/// Every look there is.
pub(super) const LOOKS: [Look; 7] = [
    Look { word: "ready", fill: "#b7e4c7" },
    Look { word: "waiting", fill: "#ffffff" },
    Look { word: "active", fill: "#a9d6e5" },
    Look { word: "parked", fill: "#eeeeee" },
    Look { word: "triage", fill: "#ffe8a3" },
    Look { word: "done", fill: "#cccccc" },
    Look { word: "dropped", fill: "#f4cccc" },
];

impl Board {
    pub(super) fn read(
        tx: &ReadTx<'_>,
        project: &Project,
        keeps: impl Fn(State) -> bool,
    ) -> Result<Self> {
        let rows = tasks::list(tx, project.pk, &Query::default())?;
        let rows = rows.into_iter().filter(|it| keeps(it.state));
        let mut entries: Vec<Entry> =
            rows.map(|task| Entry { task, blockers: Vec::new(), notes: Vec::new() }).collect();
        let positions: HashMap<i64, usize> =
            entries.iter().enumerate().map(|(position, it)| (it.task.pk, position)).collect();
        for (blocker, blocked) in edges::of_project(tx, project.pk)? {
            let (Some(blocker), Some(blocked)) = (positions.get(&blocker), positions.get(&blocked))
            else {
                continue;
            };
            if let Some(entry) = entries.get_mut(*blocked) {
                entry.blockers.push(*blocker);
            }
        }
        for (task, note) in notes::of_project(tx, project.pk)? {
            if let Some(entry) = positions.get(&task).and_then(|it| entries.get_mut(*it)) {
                entry.notes.push(note);
            }
        }
        for entry in &mut entries {
            // Positions are in the order of ids.
            entry.blockers.sort_unstable();
        }
        Ok(Self { entries })
    }

    /// The ids of these tasks.
    pub(super) fn ids(&self, positions: &[usize]) -> Vec<&str> {
        let entries = positions.iter().filter_map(|it| self.entries.get(*it));
        entries.map(|it| it.task.id.as_str()).collect()
    }
}

impl Entry {
    pub(super) fn look(&self) -> Look {
        let word = match self.task.state {
            State::Todo if self.task.open_blockers > 0 => "waiting",
            State::Todo => "ready",
            State::Active => "active",
            State::Parked => "parked",
            State::Triage => "triage",
            State::Done => "done",
            State::Rejected | State::Wontfix | State::Duplicate | State::Superseded => "dropped",
        };
        LOOKS.into_iter().find(|it| it.word == word).unwrap_or(Look { word, fill: "#ffffff" })
    }
}

/// The members of a JSON array of texts.
pub(super) fn words(array: &str) -> Vec<String> {
    serde_json::from_str(array).unwrap_or_default()
}
