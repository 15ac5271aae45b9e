//! A workstream brought to the form of our rows, checked before anything is written.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use drover_core::name::{self, ProjectName, TaskId};
use drover_core::task::State;
use drover_core::task::dag::{CyclePath, Graph, topological_order};
use drover_core::text::Text;
use drover_store::mu::{Contents, Task, Workstream};
use drover_store::time_text;
use jiff::Timestamp;

use super::types::ImportMu;
use crate::error::{MuImportError, OpError, Result};

/// What stands where mu wrote no time that can be read: the same each time, so that a repeat finds it.
const NO_TIME: &str = "1970-01-01T00:00:00.000Z";
/// The reserved workstream of helpers, which is empty as a rule.
const SCRATCH: &str = "scratch";
/// Who wrote what mu names no author of.
const NOBODY: &str = "mu";

/// A text with its author and time.
#[derive(Debug)]
pub(super) struct Words {
    pub(super) author: String,
    pub(super) text: Text,
    pub(super) created_at: String,
}

/// A task as it will be written.
#[derive(Debug)]
pub(super) struct PlannedTask {
    pub(super) source_id: String,
    /// The id it gets where that is free.
    pub(super) wanted: TaskId,
    /// Whether that is the id it has in mu.
    pub(super) keeps_id: bool,
    pub(super) title: Text,
    pub(super) state: State,
    pub(super) impact: i64,
    pub(super) effort_days: f64,
    /// Who had it, with the machine.
    pub(super) owner: Option<String>,
    pub(super) created_at: String,
    pub(super) notes: Vec<Words>,
    /// What was brought to our form.
    pub(super) changed: Vec<String>,
}

/// A workstream as it will be written.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) workstream: String,
    pub(super) id: i64,
    pub(super) name: ProjectName,
    pub(super) tasks: Vec<PlannedTask>,
    /// Edges between them, by position: who blocks, who is blocked.
    pub(super) edges: Vec<(usize, usize)>,
    /// Lines of the log with their kinds.
    pub(super) lines: Vec<(String, Words)>,
}

impl Planned {
    /// How many secrets were taken out of its texts.
    pub(super) fn redactions(&self) -> usize {
        let notes = self.tasks.iter().flat_map(|it| &it.notes).map(|it| &it.text);
        let texts = self.tasks.iter().map(|it| &it.title).chain(notes);
        texts.chain(self.lines.iter().map(|it| &it.1.text)).map(Text::redactions).sum()
    }
}

/// The workstreams that are meant, each with the name of its project.
pub(super) fn chosen<'a>(
    contents: &'a Contents,
    request: &ImportMu,
    path: &Path,
) -> Result<Vec<(&'a Workstream, ProjectName)>> {
    let named = request.only.iter().chain(request.renames.iter().map(|it| &it.0));
    for name in named {
        if !contents.workstreams.iter().any(|it| it.name == *name) {
            let there = contents.workstreams.iter().map(|it| it.name.clone()).collect();
            let (path, name) = (path.display().to_string(), name.clone());
            return Err(MuImportError::UnknownWorkstream { path, name, there }.into());
        }
    }
    let mut found: Vec<(&Workstream, ProjectName)> = Vec::new();
    for workstream in &contents.workstreams {
        let renamed = request.renames.iter().find(|it| it.0 == workstream.name);
        let is_asked = request.only.contains(&workstream.name);
        let is_empty = !contents.tasks.iter().any(|it| it.workstream == workstream.id);
        if (!request.only.is_empty() && !is_asked)
            || (workstream.name == SCRATCH && is_empty && !is_asked && renamed.is_none())
        {
            continue;
        }
        let name = renamed.map_or(&workstream.name, |it| &it.1);
        let name = ProjectName::parse_new(name).map_err(|problem| {
            OpError::from(MuImportError::Name { workstream: workstream.name.clone(), problem })
        })?;
        if let Some((other, _)) = found.iter().find(|it| it.1 == name) {
            let workstreams = vec![other.name.clone(), workstream.name.clone()];
            let name = name.as_str().to_owned();
            return Err(MuImportError::SameName { name, workstreams }.into());
        }
        found.push((workstream, name));
    }
    if let Some((left, _)) =
        request.renames.iter().find(|it| !found.iter().any(|found| found.0.name == it.0))
    {
        return Err(OpError::Usage(format!("--rename names {left}, and --only does not")));
    }
    Ok(found)
}

/// Brings one workstream to the form of our rows.
pub(super) fn plan(
    contents: &Contents,
    workstream: &Workstream,
    name: &ProjectName,
) -> Result<Planned> {
    let of_it = contents.tasks.iter().filter(|it| it.workstream == workstream.id);
    let mut places = HashMap::new();
    let mut tasks = Vec::new();
    for task in of_it {
        places.insert(task.id, tasks.len());
        tasks.push(planned_task(contents, workstream, task)?);
    }
    for note in &contents.notes {
        if let Some(task) = places.get(&note.task).and_then(|it| tasks.get_mut(*it)) {
            let created_at = time(&note.created_at).unwrap_or_else(|| task.created_at.clone());
            let author = note.author.clone();
            task.notes.push(words(author, &note.content, created_at));
        }
    }
    let mut seen = HashSet::new();
    let edges = contents.edges.iter().filter_map(|it| {
        let ends = (*places.get(&it.blocker)?, *places.get(&it.blocked)?);
        (ends.0 != ends.1 && seen.insert(ends)).then_some(ends)
    });
    let edges: Vec<(usize, usize)> = edges.collect();
    let lines = contents.lines.iter().filter(|it| it.workstream == workstream.name);
    let lines = lines.map(|it| {
        let created_at = time(&it.created_at).unwrap_or_else(|| NO_TIME.to_owned());
        (it.kind.clone(), words(it.author.clone(), &it.text, created_at))
    });
    let planned = Planned {
        workstream: workstream.name.clone(),
        id: workstream.id,
        name: name.clone(),
        lines: lines.collect(),
        tasks,
        edges,
    };
    check_cycles(&planned)?;
    Ok(planned)
}

fn planned_task(contents: &Contents, workstream: &Workstream, task: &Task) -> Result<PlannedTask> {
    let mut changed = Vec::new();
    let (wanted, keeps_id) = match TaskId::parse(&task.local_id) {
        Ok(id) => (id, true),
        Err(_) => (made_id(task)?, false),
    };
    if !keeps_id {
        changed.push(format!("its id {:?} breaks our rule", task.local_id));
    }
    let title = match clean(&task.title).trim() {
        "" => Text::new(&task.local_id),
        title => Text::new(title),
    };
    let state = State::from_pair(&task.status, &task.substate).unwrap_or_else(|_| {
        let pair = format!("{}/{}", task.status, task.substate);
        changed.push(format!("{pair:?} is no state of a task: {}", State::Triage.full()));
        State::Triage
    });
    let impact = task.impact.filter(|it| (1..=100).contains(it)).unwrap_or_else(|| {
        changed.push("its impact is no number from 1 to 100: 50".to_owned());
        50
    });
    let effort = task.effort_days.filter(|it| it.is_finite() && *it > 0.0);
    let effort_days = effort.unwrap_or_else(|| {
        changed.push("its effort is no number above 0: 1".to_owned());
        1.0
    });
    let created_at = time(&task.created_at).unwrap_or_else(|| {
        changed.push(format!("{:?} is no time: {NO_TIME}", task.created_at));
        NO_TIME.to_owned()
    });
    let machine = if contents.hostname.is_empty() { NOBODY } else { &contents.hostname };
    Ok(PlannedTask {
        source_id: format!("{}/{}", workstream.name, task.local_id),
        wanted,
        keeps_id,
        title,
        state,
        impact,
        effort_days,
        owner: task.owner.as_ref().map(|it| format!("{it}@{machine}")),
        created_at,
        notes: Vec::new(),
        changed,
    })
}

/// An id for a task whose own cannot be one.
fn made_id(task: &Task) -> Result<TaskId> {
    let slug = name::slug(&task.local_id).or_else(|_| name::slug(&task.title));
    Ok(slug.or_else(|_| name::slug(&format!("task {}", task.id)))?.id)
}

fn words(author: Option<String>, text: &str, created_at: String) -> Words {
    let author = author.filter(|it| !it.trim().is_empty()).unwrap_or_else(|| NOBODY.to_owned());
    Words { author: clean(&author), text: Text::new(&clean(text)), created_at }
}

/// A text without NUL, at which a stored text would end for half of those who read it.
fn clean(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// A time as it is stored here.
fn time(text: &str) -> Option<String> {
    text.trim().parse::<Timestamp>().ok().map(time_text)
}

fn check_cycles(planned: &Planned) -> Result<()> {
    let number = |place: usize| i64::try_from(place).unwrap_or(i64::MAX);
    let edges = planned.edges.iter().map(|it| (number(it.0), number(it.1)));
    let Err(CyclePath(cycle)) = topological_order(&Graph::new([], edges)) else { return Ok(()) };
    let name = |it: i64| {
        let task = usize::try_from(it).ok().and_then(|it| planned.tasks.get(it));
        task.map_or_else(String::new, |it| it.wanted.as_str().to_owned())
    };
    let path = cycle.into_iter().map(name).collect();
    Err(MuImportError::Cycle { workstream: planned.workstream.clone(), path }.into())
}
