//! A planned workstream becomes rows: what is there stays as it is.

use std::collections::HashMap;
use std::convert::Infallible;

use drover_core::id;
use drover_core::task::State;
use drover_core::task::dag::{CyclePath, Graph, topological_order};
use drover_store::imported::{self, Past, Written as Line};
use drover_store::projects::{self, Project};
use drover_store::tasks::{self, NewTask, Task};
use drover_store::{WriteTx, edges, notes, order};

use super::plan::{Planned, PlannedTask, Words};
use super::types::{Differs, Taken};
use crate::error::{MuImportError, ProjectError, Result};
use crate::tasks::free_id;

/// The word in `source` of every task that came from mu.
const SOURCE: &str = "mu";

/// What was written, and how many rows were there already.
pub(super) struct Written {
    pub(super) taken: Taken,
    pub(super) tasks_present: usize,
    pub(super) edges_present: usize,
    pub(super) notes_present: usize,
    pub(super) lines_present: usize,
}

/// Writes one workstream.
pub(super) fn write(tx: &WriteTx<'_>, planned: &Planned) -> Result<Written> {
    let (project, is_new) = project(tx, planned)?;
    let mut written = Written {
        taken: Taken {
            project: project.name.clone(),
            workstream: planned.workstream.clone(),
            is_new,
            tasks: Vec::new(),
            edges: 0,
            notes: 0,
            lines: 0,
            in_progress: Vec::new(),
            waiting: Vec::new(),
            changed: Vec::new(),
            differs: Vec::new(),
        },
        tasks_present: 0,
        edges_present: 0,
        notes_present: 0,
        lines_present: 0,
    };
    let mut present: HashMap<String, Task> = HashMap::new();
    tasks::each_of_source(tx, project.pk, SOURCE, &mut |task| {
        if let Some(id) = task.source_id.clone() {
            present.insert(id, task);
        }
        Ok::<(), Infallible>(())
    })?
    .unwrap_or_else(|never| match never {});
    check_ids(tx, &project, planned, &present)?;
    let mut rows = Vec::with_capacity(planned.tasks.len());
    for task in &planned.tasks {
        rows.push(match present.get(&task.source_id) {
            Some(row) => {
                written.tasks_present += 1;
                written.taken.differs.extend(differences(task, row));
                Row { pk: row.pk, id: row.id.clone(), is_new: false }
            }
            None => add(tx, &project, task, &mut written.taken)?,
        });
    }
    for (task, row) in planned.tasks.iter().zip(&rows) {
        add_notes(tx, row, &task.notes, &mut written)?;
    }
    add_edges(tx, &project, planned, (&rows, &mut written))?;
    add_lines(tx, &project, planned, &mut written)?;
    written.taken.waiting = waiting(planned, &rows);
    Ok(written)
}

/// A task's row.
struct Row {
    pk: i64,
    id: String,
    is_new: bool,
}

fn project(tx: &WriteTx<'_>, planned: &Planned) -> Result<(Project, bool)> {
    let name = planned.name.as_str();
    if let Some(project) = projects::find(tx, name)? {
        return Ok((project, false));
    }
    let generation = projects::next_generation(tx, name)?;
    let uid = id::project_uid(&planned.name, u32::try_from(generation).unwrap_or(1));
    let pk = projects::insert(tx, uid.as_str(), name, generation, &planned.workstream)?;
    let unknown = || ProjectError::Unknown { name: name.to_owned(), nearest: Vec::new() };
    Ok((projects::by_pk(tx, pk)?.ok_or_else(unknown)?, true))
}

/// Refuses ids that tasks from elsewhere have; an id that had to be made takes a free one.
fn check_ids(
    tx: &WriteTx<'_>,
    project: &Project,
    planned: &Planned,
    present: &HashMap<String, Task>,
) -> Result<()> {
    let mut ids = Vec::new();
    for task in planned.tasks.iter().filter(|it| it.keeps_id) {
        if !present.contains_key(&task.source_id)
            && tasks::find(tx, project.pk, task.wanted.as_str())?.is_some()
        {
            ids.push(task.wanted.as_str().to_owned());
        }
    }
    if ids.is_empty() {
        return Ok(());
    }
    let (project, workstream) = (project.name.clone(), planned.workstream.clone());
    Err(MuImportError::Taken { project, workstream, ids }.into())
}

fn add(tx: &WriteTx<'_>, project: &Project, task: &PlannedTask, taken: &mut Taken) -> Result<Row> {
    let id = free_id(tx, project, &task.wanted, task.keeps_id)?.as_str().to_owned();
    let new = NewTask {
        id: &id,
        title: &task.title,
        state: task.state,
        impact: task.impact,
        effort_days: task.effort_days,
        owns: "[]",
        labels: "[]",
        verify: None,
        source: Some((SOURCE, &task.source_id)),
    };
    let past = Past { created_at: &task.created_at, last_claimed_by: task.owner.as_deref() };
    let pk = imported::insert_task(tx, project.pk, &new, past)?;
    if task.state == State::Active {
        let owner = task.owner.clone().unwrap_or_default();
        taken.in_progress.push((id.clone(), owner));
    }
    taken.changed.extend(task.changed.iter().map(|it| (id.clone(), it.clone())));
    taken.tasks.push(id.clone());
    Ok(Row { pk, id, is_new: true })
}

/// What mu says and the row does not.
fn differences(task: &PlannedTask, row: &Task) -> Vec<Differs> {
    let fields = [
        ("title", task.title.as_str().to_owned(), row.title.clone()),
        ("state", task.state.full(), row.state.full()),
        ("impact", task.impact.to_string(), row.impact.to_string()),
        ("effort_days", task.effort_days.to_string(), row.effort_days.to_string()),
    ];
    let differs = fields.into_iter().filter(|(_, there, here)| there != here);
    differs
        .map(|(field, there, here)| Differs { task: row.id.clone(), field, there, here })
        .collect()
}

/// A count of texts that are there, each of which stands for one that is to come.
struct There(HashMap<Line, usize>);

impl There {
    fn new(lines: impl IntoIterator<Item = Line>) -> Self {
        let mut counts = HashMap::new();
        for line in lines {
            *counts.entry(line).or_default() += 1;
        }
        Self(counts)
    }

    /// Whether this one is there; each that is there counts once.
    fn takes(&mut self, words: &Words) -> bool {
        let line = Line {
            author: words.author.clone(),
            text: words.text.as_str().to_owned(),
            created_at: words.created_at.clone(),
        };
        match self.0.get_mut(&line) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }
}

fn add_notes(tx: &WriteTx<'_>, row: &Row, words: &[Words], written: &mut Written) -> Result<()> {
    if words.is_empty() {
        return Ok(());
    }
    let present = if row.is_new { Vec::new() } else { notes::of_task(tx, row.pk)? };
    let mut there = There::new(present.into_iter().map(|it| Line {
        author: it.author,
        text: it.text,
        created_at: it.created_at,
    }));
    for it in words {
        if there.takes(it) {
            written.notes_present += 1;
        } else {
            imported::insert_note(tx, row.pk, (&it.author, &it.created_at), &it.text)?;
            written.taken.notes += 1;
        }
    }
    Ok(())
}

/// Adds the edges, unless they would close a cycle with some that were made here.
fn add_edges(
    tx: &WriteTx<'_>,
    project: &Project,
    planned: &Planned,
    (rows, written): (&[Row], &mut Written),
) -> Result<()> {
    let ends =
        |(blocker, blocked): &(usize, usize)| Some((rows.get(*blocker)?, rows.get(*blocked)?));
    let links: Vec<(&Row, &Row)> = planned.edges.iter().filter_map(ends).collect();
    for (blocker, blocked) in &links {
        if edges::insert(tx, blocker.pk, blocked.pk)? {
            written.taken.edges += 1;
        } else {
            written.edges_present += 1;
        }
    }
    if written.taken.edges == 0 {
        return Ok(());
    }
    order::settle(tx)?;
    let all = edges::of_project(tx, project.pk)?;
    let Err(CyclePath(cycle)) = topological_order(&Graph::new([], all)) else { return Ok(()) };
    let mut path = Vec::with_capacity(cycle.len());
    for pk in cycle {
        path.push(tasks::by_pk(tx, pk)?.map_or_else(String::new, |it| it.id));
    }
    Err(MuImportError::Cycle { workstream: planned.workstream.clone(), path }.into())
}

fn add_lines(
    tx: &WriteTx<'_>,
    project: &Project,
    planned: &Planned,
    written: &mut Written,
) -> Result<()> {
    let mut kinds: HashMap<&str, There> = HashMap::new();
    for (kind, it) in &planned.lines {
        if !kinds.contains_key(kind.as_str()) {
            kinds.insert(kind, There::new(imported::lines(tx, project.pk, kind)?));
        }
        if kinds.get_mut(kind.as_str()).is_some_and(|there| there.takes(it)) {
            written.lines_present += 1;
        } else {
            let said = (kind.as_str(), it.author.as_str(), it.created_at.as_str());
            imported::insert_line(tx, project.pk, said, &it.text)?;
            written.taken.lines += 1;
        }
    }
    Ok(())
}

/// New tasks whose blockers are all closed, and some of them not as done: in mu they could start.
fn waiting(planned: &Planned, rows: &[Row]) -> Vec<(String, Vec<String>)> {
    let mut blockers: HashMap<usize, Vec<usize>> = HashMap::new();
    for (blocker, blocked) in &planned.edges {
        blockers.entry(*blocked).or_default().push(*blocker);
    }
    let state = |place: usize| planned.tasks.get(place).map(|it| it.state);
    let mut waiting = Vec::new();
    for (place, row) in rows.iter().enumerate().filter(|it| it.1.is_new) {
        let before = blockers.get(&place).map_or(&[] as &[usize], Vec::as_slice);
        let are_closed = before.iter().all(|it| state(*it).is_some_and(State::is_closed));
        if state(place) != Some(State::Todo) || !are_closed {
            continue;
        }
        let undone = before.iter().filter(|it| state(**it) != Some(State::Done));
        let ids: Vec<String> =
            undone.filter_map(|it| rows.get(*it)).map(|it| it.id.clone()).collect();
        if !ids.is_empty() {
            waiting.push((row.id.clone(), ids));
        }
    }
    waiting
}
