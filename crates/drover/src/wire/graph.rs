//! Chains, trees and schedules as JSON.

use std::collections::HashMap;

use drover_core::task::why::{Seen, Standing};
use drover_ops::rows::Node;
use drover_ops::tasks::{Explained, Planned, TaskTree, Unplanned};
use schemars::JsonSchema;
use serde::Serialize;

use super::items::Items;
use super::task::TaskView;

/// The word for what a task waits for.
fn standing_word(standing: &Standing) -> &'static str {
    match standing {
        Standing::Ready => "ready",
        Standing::Held { .. } => "held",
        Standing::Blocked => "blocked",
        Standing::Parked => "parked",
        Standing::Triage => "triage",
        Standing::Done => "done",
        Standing::ClosedOtherwise(_) => "closed_otherwise",
        Standing::Missing => "missing",
    }
}

/// Who holds a task that is held.
fn holder(standing: &Standing) -> Option<&str> {
    match standing {
        Standing::Held { owner } => owner.as_deref(),
        Standing::Ready
        | Standing::Blocked
        | Standing::Parked
        | Standing::Triage
        | Standing::Done
        | Standing::ClosedOtherwise(_)
        | Standing::Missing => None,
    }
}

/// The id of a key.
pub(crate) fn id_of(nodes: &HashMap<i64, Node>, pk: i64) -> String {
    nodes.get(&pk).map(|it| it.id.clone()).unwrap_or_default()
}

/// One unsatisfied blocker on the chain.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StepView {
    /// The blocker.
    id: String,
    /// What it is about.
    title: String,
    /// What it blocks.
    blocks: String,
    /// How far it is from the task that was asked about, from 1.
    depth: usize,
    /// Its state, as `OPEN/todo`.
    state: String,
    /// What it waits for: `ready`, `held`, `blocked`, `parked`, `triage` or `closed_otherwise`.
    standing: &'static str,
    /// Who holds it.
    holder: Option<String>,
    /// It stands further up, with what blocks it.
    repeated: bool,
    /// It stands further up on the same chain.
    cycle: bool,
}

/// Why a task is ready or not.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TaskWhy {
    /// The task.
    task: TaskView,
    /// What it waits for: `ready`, `held`, `blocked`, `parked`, `triage`, `done` or `closed_otherwise`.
    standing: &'static str,
    /// Who holds it.
    holder: Option<String>,
    /// Its unsatisfied blockers and theirs, each behind what it blocks.
    chain: Items<StepView>,
    /// The tasks of the chain to act on.
    act_on: Vec<String>,
    /// Its blockers that are done and not landed.
    unlanded: Vec<String>,
    /// The chain goes on beyond the nearest tasks; `--count 0` takes all of it.
    cut: bool,
}

impl From<&Explained> for TaskWhy {
    fn from(explained: &Explained) -> Self {
        let (why, nodes) = (&explained.why, &explained.nodes);
        let step = |step: &drover_core::task::why::Step| {
            let node = nodes.get(&step.task);
            StepView {
                id: id_of(nodes, step.task),
                title: node.map(|it| it.title.clone()).unwrap_or_default(),
                blocks: id_of(nodes, step.blocks),
                depth: step.depth,
                state: node.map(|it| it.state.full()).unwrap_or_default(),
                standing: standing_word(&step.standing),
                holder: holder(&step.standing).map(str::to_owned),
                repeated: step.seen == Seen::Before,
                cycle: step.seen == Seen::Cycle,
            }
        };
        Self {
            task: TaskView::new(&explained.project.name, &explained.task),
            standing: standing_word(&why.standing),
            holder: holder(&why.standing).map(str::to_owned),
            chain: Items::new(why.chain.iter().map(step).collect()),
            act_on: why.roots.iter().map(|pk| id_of(nodes, *pk)).collect(),
            unlanded: why.unlanded.iter().map(|pk| id_of(nodes, *pk)).collect(),
            cut: explained.is_cut,
        }
    }
}

/// One line of a tree.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BranchView {
    /// The task.
    id: String,
    /// What it is about.
    title: String,
    /// Its state, as `OPEN/todo`.
    state: String,
    /// The task it hangs under; none for the root.
    parent: Option<String>,
    /// How far it is from the root.
    depth: usize,
    /// It stands further up, with what hangs under it.
    repeated: bool,
}

/// Everything before or behind a task, each line behind the one it hangs under.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TaskTreeView {
    /// The task.
    task: TaskView,
    /// `blockers` or `dependents`.
    direction: &'static str,
    /// The lines, the task itself first.
    items: Vec<BranchView>,
    /// How many lines there are.
    count: usize,
    /// It grows on beyond the nearest tasks; `--count 0` takes all of it.
    cut: bool,
}

impl TaskTreeView {
    /// A tree that grows in this direction.
    pub(crate) fn new(tree: &TaskTree, direction: &'static str) -> Self {
        let nodes = &tree.nodes;
        let branch = |it: &drover_core::task::tree::Branch| BranchView {
            id: id_of(nodes, it.task),
            title: nodes.get(&it.task).map(|it| it.title.clone()).unwrap_or_default(),
            state: nodes.get(&it.task).map(|it| it.state.full()).unwrap_or_default(),
            parent: it.parent.map(|pk| id_of(nodes, pk)),
            depth: it.depth,
            repeated: it.is_repeat,
        };
        Self {
            task: TaskView::new(&tree.project.name, &tree.task),
            direction,
            items: tree.branches.iter().map(branch).collect(),
            count: tree.branches.len(),
            cut: tree.is_cut,
        }
    }
}

/// When a task is done, in days from now.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PlannedView {
    /// The task.
    id: String,
    /// What it is about.
    title: String,
    /// Which worker does it, from 1.
    worker: usize,
    /// When that worker starts.
    start: f64,
    /// When that worker is done.
    finish: f64,
    /// When it could start with any number of workers.
    earliest_start: f64,
    /// How much later than that it may start without making the whole longer.
    slack: f64,
    /// Whether it is on the critical path.
    critical: bool,
}

/// How many tasks could run at once from a time on, with any number of workers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WidthView {
    /// From when, in days from now.
    from: f64,
    /// How many.
    tasks: usize,
}

/// A task that no schedule holds.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct UnplannedView {
    /// The task.
    id: String,
    /// `parked`, `triage`, `blocker_unplanned` or `blocker_closed`.
    reason: &'static str,
    /// The blocker that keeps it out, when one does.
    blocker: Option<String>,
}

impl From<&Unplanned> for UnplannedView {
    fn from(it: &Unplanned) -> Self {
        Self { id: it.id.clone(), reason: it.reason.as_str(), blocker: it.blocker.clone() }
    }
}

/// A schedule for all that is open or in progress.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TaskPlan {
    /// The project.
    project: String,
    /// How many workers it is for.
    workers: usize,
    /// How long the whole takes.
    makespan_days: f64,
    /// A longest chain of tasks, in order, or the first of them.
    critical_path: Vec<String>,
    /// How long that chain takes.
    critical_days: f64,
    /// The tasks, by start, then worker.
    tasks: Items<PlannedView>,
    /// How many tasks could run at once over time.
    width: Items<WidthView>,
    /// The tasks that no schedule holds.
    unplanned: Items<UnplannedView>,
    /// The file that it was drawn into.
    pub(crate) svg: Option<String>,
}

impl TaskPlan {
    /// The schedule, with no more than `most` of anything that it lists.
    pub(crate) fn new(planned: &Planned, most: usize) -> Self {
        let plan = &planned.plan;
        let critical: std::collections::HashSet<i64> = plan.critical_path.iter().copied().collect();
        let view = |it: &drover_core::task::schedule::PlannedTask| PlannedView {
            id: planned.id(it.id),
            title: planned.titles.get(&it.id).cloned().unwrap_or_default(),
            worker: it.worker,
            start: it.start,
            finish: it.finish,
            earliest_start: it.earliest_start,
            slack: it.slack,
            critical: critical.contains(&it.id),
        };
        let width = plan.width.iter().map(|it| WidthView { from: it.from, tasks: it.tasks });
        Self {
            project: planned.project.name.clone(),
            workers: planned.workers.get(),
            makespan_days: plan.makespan_days,
            critical_path: plan.critical_path.iter().take(most).map(|pk| planned.id(*pk)).collect(),
            critical_days: plan.critical_days,
            tasks: Items::first(plan.tasks.iter().map(view), most),
            width: Items::first(width, most),
            unplanned: Items::first(planned.unplanned.iter().map(UnplannedView::from), most),
            svg: None,
        }
    }
}
