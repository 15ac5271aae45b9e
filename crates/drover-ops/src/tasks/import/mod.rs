//! `task import`: a plan becomes tasks, edges and notes in one transaction; what is there stays as it is.

mod plan;

use std::collections::{HashMap, HashSet};

use drover_core::name;
use drover_core::task::State;
use drover_core::task::dag::{CyclePath, Graph, topological_order};
use drover_store::projects::Project;
use drover_store::tasks::{self, NewTask, Task};
use drover_store::{ReadTx, WriteTx, edges, notes, order};

use crate::ctx::Ctx;
use crate::error::{ImportError, Problem, Result};
use crate::resolve;
use plan::Checked;

pub use plan::Plan;

/// The word in `source` of every task that came from a plan.
const SOURCE: &str = "plan";

/// What an import did.
#[derive(Debug, Clone)]
pub struct Imported {
    /// Where.
    pub project: Project,
    /// Ids of the new tasks, in the order of the plan.
    pub added: Vec<String>,
    /// How many planned tasks were there already.
    pub present: usize,
    /// How many edges are new.
    pub edges: usize,
    /// How many notes are new.
    pub notes: usize,
    /// Where a task that is there says something else than the plan; nothing of it was written.
    pub differs: Vec<Difference>,
}

/// A field that is not as the plan says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The task.
    pub task: String,
    /// The field.
    pub field: &'static str,
    /// What the plan says.
    pub plan: String,
    /// What the task says.
    pub row: String,
}

/// Adds what a plan has and the project has not; all or nothing.
///
/// A planned task is known again by its id in the plan, even after it was renamed here.
pub fn import(ctx: &mut Ctx, plan: &Plan) -> Result<Imported> {
    let project = resolve::project(ctx)?;
    let checked = plan::check(plan)?;
    let author = ctx.actor().word();
    let imported = ctx.write("task.import", |tx| {
        let board = Board::read(tx, &project)?;
        let links = board.links(&checked)?;
        board.check_cycles(tx, &checked, &links)?;
        board.write(tx, &checked, &links, &author)
    })?;
    let redactions: usize = checked.iter().map(|it| it.redactions).sum();
    if redactions > 0 {
        ctx.warn(format!("redacted: {redactions}"));
    }
    Ok(imported)
}

/// An edge of the plan: a blocker and the planned task it blocks, by position.
struct Link {
    blocker: Node,
    blocked: usize,
}

/// A task of the plan, or one that only the project has.
#[derive(Clone, Copy)]
enum Node {
    Planned(usize),
    Present(i64),
}

/// What the project has.
struct Board<'a> {
    project: &'a Project,
    /// Tasks that came from a plan, by their id there.
    planned: HashMap<String, Task>,
    /// All tasks, by id.
    keys: HashMap<String, i64>,
}

impl<'a> Board<'a> {
    fn read(tx: &ReadTx<'_>, project: &'a Project) -> Result<Self> {
        let mut planned = HashMap::new();
        for task in tasks::of_source(tx, project.pk, SOURCE)? {
            if let Some(id) = task.source_id.clone() {
                planned.entry(id).or_insert(task);
            }
        }
        let keys = tasks::keys(tx, project.pk)?.into_iter().collect();
        Ok(Self { project, planned, keys })
    }

    /// Resolves every `blocked_by`, and refuses unknown ones and ids that other tasks have.
    fn links(&self, checked: &[Checked<'_>]) -> Result<Vec<Link>> {
        let places: HashMap<&str, usize> =
            checked.iter().enumerate().map(|(place, it)| (it.plan.id.as_str(), place)).collect();
        let mut taken = Vec::new();
        let (mut links, mut problems) = (Vec::new(), Vec::new());
        for (blocked, task) in checked.iter().enumerate() {
            let id = &task.plan.id;
            if !self.planned.contains_key(id) && self.keys.contains_key(id) {
                taken.push(id.clone());
            }
            for (number, blocker) in task.plan.blocked_by.iter().enumerate() {
                let found = places.get(blocker.as_str()).map(|it| Node::Planned(*it));
                let present = || self.planned.get(blocker).map(|it| it.pk);
                let present = || present().or_else(|| self.keys.get(blocker).copied());
                match found.or_else(|| present().map(Node::Present)) {
                    Some(blocker) => links.push(Link { blocker, blocked }),
                    None => problems.push(Problem {
                        path: format!("tasks[{blocked}].blocked_by[{number}]"),
                        what: self.unknown(blocker, checked),
                    }),
                }
            }
        }
        if !problems.is_empty() {
            return Err(ImportError::Wrong { problems }.into());
        }
        if !taken.is_empty() {
            return Err(
                ImportError::Taken { ids: taken, project: self.project.name.clone() }.into()
            );
        }
        Ok(links)
    }

    fn unknown(&self, blocker: &str, checked: &[Checked<'_>]) -> String {
        let known = checked.iter().map(|it| &it.plan.id).chain(self.keys.keys());
        let nearest = name::nearest(blocker, known, 3);
        let unknown =
            format!("neither the plan nor the project {} has a task {blocker}", self.project.name);
        if nearest.is_empty() {
            unknown
        } else {
            format!("{unknown}; near it: {}", nearest.join(", "))
        }
    }

    /// The key of a node in the graph; a task that is to be made has a negative one.
    fn key(&self, checked: &[Checked<'_>], node: Node) -> i64 {
        match node {
            Node::Present(pk) => pk,
            Node::Planned(place) => {
                let task = checked.get(place).and_then(|it| self.planned.get(&it.plan.id));
                task.map_or_else(|| -1 - i64::try_from(place).unwrap_or(i64::MAX - 1), |it| it.pk)
            }
        }
    }

    /// One pass over the plan's edges and the project's together.
    fn check_cycles(&self, tx: &ReadTx<'_>, checked: &[Checked<'_>], links: &[Link]) -> Result<()> {
        let planned = links.iter().map(|it| {
            (self.key(checked, it.blocker), self.key(checked, Node::Planned(it.blocked)))
        });
        let edges: Vec<(i64, i64)> =
            planned.chain(edges::of_project(tx, self.project.pk)?).collect();
        let Err(CyclePath(cycle)) = topological_order(&Graph::new([], edges)) else {
            return Ok(());
        };
        let names: HashMap<i64, &str> =
            self.keys
                .iter()
                .map(|(id, pk)| (*pk, id.as_str()))
                .chain(checked.iter().enumerate().map(|(place, it)| {
                    (self.key(checked, Node::Planned(place)), it.plan.id.as_str())
                }))
                .collect();
        let path = cycle.iter().map(|it| names.get(it).copied().unwrap_or("?").to_owned());
        Err(ImportError::Cycle { path: path.collect() }.into())
    }

    fn write(
        &self,
        tx: &WriteTx<'_>,
        checked: &[Checked<'_>],
        links: &[Link],
        author: &str,
    ) -> Result<Imported> {
        let mut imported = Imported {
            project: self.project.clone(),
            added: Vec::new(),
            present: 0,
            edges: 0,
            notes: 0,
            differs: Vec::new(),
        };
        let mut keys = Vec::with_capacity(checked.len());
        for task in checked {
            if let Some(row) = self.planned.get(&task.plan.id) {
                imported.present += 1;
                imported.differs.extend(differences(task, row));
                keys.push(row.pk);
                continue;
            }
            let pk = self.insert(tx, task)?;
            if let Some(note) = &task.note {
                notes::insert(tx, pk, author, note)?;
                imported.notes += 1;
            }
            imported.added.push(task.plan.id.clone());
            keys.push(pk);
        }
        let key = |place: usize| keys.get(place).copied().unwrap_or_default();
        let mut seen = HashSet::new();
        for link in links {
            let blocker = match link.blocker {
                Node::Planned(place) => key(place),
                Node::Present(pk) => pk,
            };
            let edge = (blocker, key(link.blocked));
            if seen.insert(edge) && edges::insert(tx, edge.0, edge.1)? {
                imported.edges += 1;
            }
        }
        order::settle(tx)?;
        Ok(imported)
    }

    fn insert(&self, tx: &WriteTx<'_>, task: &Checked<'_>) -> Result<i64> {
        let new = NewTask {
            id: &task.plan.id,
            title: &task.title,
            state: State::Todo,
            impact: task.plan.impact.unwrap_or(50),
            effort_days: task.plan.effort_days.unwrap_or(1.0),
            owns: &task.owns,
            labels: &task.labels,
            verify: task.plan.verify.as_deref().map(|it| (it, "plan")),
            source: Some((SOURCE, &task.plan.id)),
        };
        Ok(tasks::insert(tx, self.project.pk, &new)?)
    }
}

/// What the plan says and the row does not; a field that the plan leaves out is not compared.
fn differences(task: &Checked<'_>, row: &Task) -> Vec<Difference> {
    let plan = task.plan;
    let number = |it: f64| it.to_string();
    let verify = row.verify.clone().unwrap_or_else(|| "none".to_owned());
    let fields = [
        ("title", Some(task.title.as_str().to_owned()), row.title.clone()),
        ("impact", plan.impact.map(|it| it.to_string()), row.impact.to_string()),
        ("effort_days", plan.effort_days.map(number), number(row.effort_days)),
        ("owns", plan.owns.as_ref().map(|_| task.owns.clone()), row.owns.clone()),
        ("labels", plan.labels.as_ref().map(|_| task.labels.clone()), row.labels.clone()),
        ("verify", plan.verify.clone(), verify),
    ];
    let differs = fields.into_iter().filter_map(|(field, plan, row_says)| {
        let plan = plan.filter(|it| *it != row_says)?;
        Some(Difference { task: row.id.clone(), field, plan, row: row_says })
    });
    differs.collect()
}
