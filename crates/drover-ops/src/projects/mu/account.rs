//! Where each row of a database of mu went: imported, there already, or left, with the reason.

use std::collections::{BTreeMap, HashMap};

use drover_store::mu::Contents;

use super::plan::Planned;
use super::types::{Left, Table};
use super::write::Written;

const NOT_ASKED: &str = "of workstreams that were not asked for";
const LOOSE: &str = "refer to rows that are not there";
const ACROSS: &str = "join tasks of two workstreams, or a task with itself";
const HISTORY: &str = "tell the history of mu's rows, which stays in its file";
const NOWHERE: &str = "lines of the log that belong to no workstream";
const AGENTS: &str = "agents live in mu's own panes";
const CHECKOUTS: &str = "checkouts of mu's agents, which stay where they are";
const BOOKS: &str = "mu's own bookkeeping";
const UNKNOWN: &str = "no table of mu that is known here";

/// Accounts for every row of every table.
pub(super) fn tables(contents: &Contents, planned: &[Planned], written: &[Written]) -> Vec<Table> {
    let count = |of: fn(&Written) -> usize| written.iter().map(of).sum::<usize>();
    contents
        .tables
        .iter()
        .map(|(name, rows)| {
            let (imported, present, left) = match name.as_str() {
                "workstreams" => {
                    let new = count(|it| usize::from(it.taken.is_new));
                    (new, written.len() - new, BTreeMap::new())
                }
                "tasks" => (
                    count(|it| it.taken.tasks.len()),
                    count(|it| it.tasks_present),
                    left_tasks(contents, planned),
                ),
                "task_edges" => (
                    count(|it| it.taken.edges),
                    count(|it| it.edges_present),
                    left_edges(contents, planned),
                ),
                "task_notes" => (
                    count(|it| it.taken.notes),
                    count(|it| it.notes_present),
                    left_notes(contents, planned),
                ),
                "ops" => (
                    count(|it| it.taken.lines),
                    count(|it| it.lines_present),
                    left_lines(contents, planned),
                ),
                _ => (0, 0, BTreeMap::new()),
            };
            table(name, *rows, (imported, present), left)
        })
        .collect()
}

/// What a table's rows were left for where nothing more is known of them.
fn rest(table: &str) -> &'static str {
    match table {
        "workstreams" => NOT_ASKED,
        "ops" => HISTORY,
        "tasks" | "task_edges" | "task_notes" => LOOSE,
        "agents" => AGENTS,
        "vcs_workspaces" => CHECKOUTS,
        "schema_version" | "machine_identity" | "task_substates" | "sync_peers"
        | "sync_fingerprints" => BOOKS,
        _ => UNKNOWN,
    }
}

fn table(
    name: &str,
    rows: usize,
    (imported, present): (usize, usize),
    mut left: BTreeMap<&'static str, usize>,
) -> Table {
    let told = imported + present + left.values().sum::<usize>();
    *left.entry(rest(name)).or_default() += rows.saturating_sub(told);
    let left = left.into_iter().filter(|it| it.1 > 0);
    let left = left.map(|(why, rows)| Left { rows, why }).collect();
    Table { name: name.to_owned(), rows, imported, present, left }
}

type Reasons = BTreeMap<&'static str, usize>;

/// Which workstreams were asked for, and which there are.
struct Known {
    /// The key of each, and whether it was asked for.
    workstreams: HashMap<i64, bool>,
    /// The workstream of each task.
    tasks: HashMap<i64, i64>,
}

impl Known {
    fn new(contents: &Contents, planned: &[Planned]) -> Self {
        let is_asked = |id: i64| planned.iter().any(|it| it.id == id);
        Self {
            workstreams: contents.workstreams.iter().map(|it| (it.id, is_asked(it.id))).collect(),
            tasks: contents.tasks.iter().map(|it| (it.id, it.workstream)).collect(),
        }
    }

    /// Why a row of a task was left; none where the task's workstream was asked for.
    fn reason(&self, task: i64) -> Option<&'static str> {
        match self.tasks.get(&task).and_then(|it| self.workstreams.get(it)) {
            Some(true) => None,
            Some(false) => Some(NOT_ASKED),
            None => Some(LOOSE),
        }
    }
}

fn counted(reasons: impl Iterator<Item = &'static str>) -> Reasons {
    let mut left = Reasons::new();
    for why in reasons {
        *left.entry(why).or_default() += 1;
    }
    left
}

fn left_tasks(contents: &Contents, planned: &[Planned]) -> Reasons {
    let known = Known::new(contents, planned);
    counted(contents.tasks.iter().filter_map(|it| known.reason(it.id)))
}

fn left_edges(contents: &Contents, planned: &[Planned]) -> Reasons {
    let known = Known::new(contents, planned);
    counted(contents.edges.iter().filter_map(|it| {
        let is_across = it.blocker == it.blocked
            || matches!(
                (known.tasks.get(&it.blocker), known.tasks.get(&it.blocked)),
                (Some(one), Some(other)) if one != other
            );
        if is_across {
            return Some(ACROSS);
        }
        known.reason(it.blocker).or_else(|| known.reason(it.blocked))
    }))
}

fn left_notes(contents: &Contents, planned: &[Planned]) -> Reasons {
    let known = Known::new(contents, planned);
    counted(contents.notes.iter().filter_map(|it| known.reason(it.task)))
}

fn left_lines(contents: &Contents, planned: &[Planned]) -> Reasons {
    counted(contents.lines.iter().filter_map(|it| {
        if planned.iter().any(|planned| planned.workstream == it.workstream) {
            return None;
        }
        let is_there = contents.workstreams.iter().any(|there| there.name == it.workstream);
        Some(if is_there { NOT_ASKED } else { NOWHERE })
    }))
}
