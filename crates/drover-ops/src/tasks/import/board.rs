//! What a project has of a file already, and what is new.

use std::collections::{HashMap, HashSet};

use drover_core::name::{self, NameError, TaskId};
use drover_core::task::State;
use drover_core::task::dag::{CyclePath, Graph, topological_order};
use drover_store::projects::Project;
use drover_store::tasks::{self, Task};
use drover_store::{ReadTx, edges, notes};

use super::findings::{Difference, LeftOut};
use super::item::{Item, Other, Said, WantedId};
use super::plan::Plan;
use crate::error::{ImportError, Problem, Result};

/// A file laid beside a project.
pub(super) struct Board<'a> {
    pub(super) project: &'a Project,
    plan: &'a Plan,
    /// The tasks of the file by their ids there.
    positions: HashMap<&'a str, usize>,
    /// The rows of those that are here, by position.
    present: Vec<Option<(i64, State)>>,
    /// The ids of those that are new, by position; empty for the others.
    ids: Vec<String>,
    pub(super) differs: Vec<Difference>,
    pub(super) left_out: Vec<LeftOut>,
}

/// An edge by the keys of its ends; a task that is to be made has a negative one.
pub(super) type Edge = (i64, i64);

/// The key of a task that is to be made.
pub(super) fn new_key(position: usize) -> i64 {
    -1 - i64::try_from(position).unwrap_or(i64::MAX - 1)
}

/// The position of a task that is to be made.
fn position_of(key: i64) -> Option<usize> {
    usize::try_from(-1 - key).ok()
}

impl<'a> Board<'a> {
    /// Finds what is here already, and what of it the file says otherwise.
    pub(super) fn read(tx: &ReadTx<'_>, project: &'a Project, plan: &'a Plan) -> Result<Self> {
        let items = plan.items.iter().enumerate();
        let positions: HashMap<&str, usize> =
            items.map(|(position, it)| (it.source_id.as_str(), position)).collect();
        let mut board = Self {
            project,
            plan,
            positions,
            present: vec![None; plan.items.len()],
            ids: Vec::new(),
            differs: Vec::new(),
            left_out: Vec::new(),
        };
        tasks::each_of_source(tx, project.pk, plan.format.as_str(), &mut |row| {
            board.meet(tx, &row)
        })??;
        board.ids = board.name(tx)?;
        Ok(board)
    }

    /// A row that came from such a file; the oldest of an id counts.
    fn meet(&mut self, tx: &ReadTx<'_>, row: &Task) -> Result<()> {
        let position = row.source_id.as_deref().and_then(|it| self.positions.get(it)).copied();
        let Some((position, slot)) = position.and_then(|it| Some((it, self.present.get_mut(it)?)))
        else {
            return Ok(());
        };
        if slot.is_some() {
            return Ok(());
        }
        *slot = Some((row.pk, row.state));
        let Some(item) = self.plan.items.get(position) else { return Ok(()) };
        self.differs.extend(fields(item, row));
        if !item.notes.is_empty() {
            let here = notes::of_task(tx, row.pk)?;
            let is_missing = |said: &&str| here.iter().all(|it| it.text != *said);
            let missing = item.notes.iter().map(|it| it.text.as_str()).filter(is_missing);
            self.differs.extend(missing.map(|said| Difference {
                task: row.id.clone(),
                field: "note",
                plan: said.to_owned(),
                row: "none".to_owned(),
            }));
        }
        Ok(())
    }

    /// An id for each new task; those that the file names come first.
    fn name(&self, tx: &ReadTx<'_>) -> Result<Vec<String>> {
        let mut ids = vec![String::new(); self.plan.items.len()];
        let mut used: HashSet<String> = HashSet::new();
        let mut taken = Vec::new();
        for (position, item) in self.new_items().filter(|it| it.1.wanted == WantedId::Exactly) {
            if tasks::key(tx, self.project.pk, &item.source_id)?.is_some() {
                taken.push(item.source_id.clone());
            }
            used.insert(item.source_id.clone());
            if let Some(id) = ids.get_mut(position) {
                id.clone_from(&item.source_id);
            }
        }
        if !taken.is_empty() {
            let project = self.project.name.clone();
            return Err(ImportError::Taken { ids: taken, project }.into());
        }
        let mut numbers: HashMap<TaskId, u32> = HashMap::new();
        for (position, item) in self.new_items().filter(|it| it.1.wanted != WantedId::Exactly) {
            let wanted = wanted(item);
            let mut id = wanted.clone();
            while used.contains(id.as_str())
                || tasks::key(tx, self.project.pk, id.as_str())?.is_some()
            {
                let number = numbers.entry(wanted.clone()).or_insert(1);
                *number += 1;
                id = wanted.numbered(*number);
            }
            used.insert(id.to_string());
            if let Some(slot) = ids.get_mut(position) {
                *slot = id.to_string();
            }
        }
        Ok(ids)
    }

    /// The tasks that are not here yet, with their positions.
    pub(super) fn new_items(&self) -> impl Iterator<Item = (usize, &'a Item)> {
        let items = self.plan.items.iter().enumerate();
        items.zip(&self.present).filter(|it| it.1.is_none()).map(|it| it.0)
    }

    /// The id of a new task.
    pub(super) fn id(&self, position: usize) -> &str {
        self.ids.get(position).map(String::as_str).unwrap_or_default()
    }

    fn key(&self, position: usize) -> i64 {
        let present = self.present.get(position).copied().flatten();
        present.map_or_else(|| new_key(position), |it| it.0)
    }

    /// Every edge of the file. An id that nobody knows is a slip of a person and is refused, or was
    /// not exported by a program and is named.
    pub(super) fn edges(&mut self, tx: &ReadTx<'_>) -> Result<Vec<Edge>> {
        let (mut edges, mut problems) = (Vec::new(), Vec::new());
        for (position, item) in self.plan.items.iter().enumerate() {
            let here = self.key(position);
            for (number, link) in item.links.iter().enumerate() {
                let other = match &link.other {
                    Other::Position(other) => Ok(self.key(*other)),
                    Other::Id(id) => self.find(tx, id)?.ok_or(id),
                };
                match other {
                    Ok(other) => {
                        edges.push(if link.blocks { (here, other) } else { (other, here) });
                    }
                    Err(id) if self.plan.format.is_written_by_hand() => problems.push(Problem {
                        path: item.place.field(&format!("blocked_by[{number}]")),
                        what: self.unknown(tx, id)?,
                    }),
                    Err(id) => self.left_out.push(LeftOut {
                        place: item.place.to_string(),
                        what: format!("the edge between {} and {id}", item.source_id),
                        why: format!("neither the file nor the project has {id}"),
                    }),
                }
            }
        }
        if problems.is_empty() { Ok(edges) } else { Err(ImportError::Wrong { problems }.into()) }
    }

    /// The key of the task that an id in the file means.
    fn find(&self, tx: &ReadTx<'_>, id: &str) -> Result<Option<i64>> {
        if let Some(position) = self.positions.get(id) {
            return Ok(Some(self.key(*position)));
        }
        let (project, source) = (self.project.pk, self.plan.format.as_str());
        if let Some(key) = tasks::key_of_source(tx, project, source, id)? {
            return Ok(Some(key));
        }
        if self.plan.format.is_written_by_hand() {
            return Ok(tasks::key(tx, project, id)?);
        }
        Ok(None)
    }

    fn unknown(&self, tx: &ReadTx<'_>, id: &str) -> Result<String> {
        let known = tasks::ids(tx, self.project.pk)?;
        let planned = self.plan.items.iter().map(|it| it.source_id.as_str());
        let nearest = name::nearest(id, known.iter().map(String::as_str).chain(planned), 3);
        let project = &self.project.name;
        let unknown = format!("neither the plan nor the project {project} has a task {id}");
        Ok(match nearest.as_slice() {
            [] => unknown,
            several => format!("{unknown}; near it: {}", several.join(", ")),
        })
    }

    /// One pass over the edges of the file and those of the project together.
    pub(super) fn check_cycles(&self, tx: &ReadTx<'_>, edges: &[Edge]) -> Result<()> {
        let all = edges.iter().copied().chain(edges::of_project(tx, self.project.pk)?);
        let Err(CyclePath(cycle)) = topological_order(&Graph::new([], all)) else {
            return Ok(());
        };
        let mut path = Vec::with_capacity(cycle.len());
        for key in cycle {
            path.push(match position_of(key) {
                Some(position) => self.id(position).to_owned(),
                None => tasks::by_pk(tx, key)?.map_or_else(|| key.to_string(), |it| it.id),
            });
        }
        Err(ImportError::Cycle { path }.into())
    }

    /// The new tasks that an open blocker keeps from starting.
    pub(super) fn blocked(&self, tx: &ReadTx<'_>, edges: &[Edge]) -> Result<HashSet<usize>> {
        let mut blocked = HashSet::new();
        let waits = |it: &Item| it.state == Said::Waits;
        for (blocker, here) in edges {
            let Some(position) = position_of(*here) else { continue };
            if blocked.contains(&position) || !self.plan.items.get(position).is_some_and(waits) {
                continue;
            }
            let is_satisfied = match position_of(*blocker) {
                Some(it) => {
                    let said = self.plan.items.get(it).map(|it| it.state);
                    said == Some(Said::State(State::Done))
                }
                None => tasks::by_pk(tx, *blocker)?.is_some_and(|it| it.state.satisfies_edge()),
            };
            if !is_satisfied {
                blocked.insert(position);
            }
        }
        Ok(blocked)
    }
}

/// The id that a task would like to have.
fn wanted(item: &Item) -> TaskId {
    let made = match item.wanted {
        WantedId::Exactly | WantedId::LikeSource => {
            return TaskId::like(&item.source_id);
        }
        WantedId::LikeTitle => name::slug(item.title.as_str()).map(|it| it.id),
    };
    made.unwrap_or_else(|_: NameError| TaskId::like(""))
}

/// What the file says and the row does not; a field that the file leaves out is not compared.
fn fields(item: &Item, row: &Task) -> Vec<Difference> {
    let number = |it: f64| it.to_string();
    let verify = row.verify.clone().unwrap_or_else(|| "none".to_owned());
    let state = match item.state {
        Said::State(state) => Some(state.full()),
        Said::Nothing | Said::Waits => None,
    };
    let fields = [
        ("title", Some(item.title.as_str().to_owned()), row.title.clone()),
        ("status", state, row.state.full()),
        ("impact", item.impact.map(|it| it.to_string()), row.impact.to_string()),
        ("effort_days", item.effort_days.map(number), number(row.effort_days)),
        ("owns", item.owns.clone(), row.owns.clone()),
        ("labels", item.labels.clone(), row.labels.clone()),
        ("verify", item.verify.clone(), verify),
    ];
    let differs = fields.into_iter().filter_map(|(field, plan, row_says)| {
        let plan = plan.filter(|it| *it != row_says)?;
        Some(Difference { task: row.id.clone(), field, plan, row: row_says })
    });
    differs.collect()
}
