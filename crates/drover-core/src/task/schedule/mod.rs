//! A schedule: what is critical, what has slack, and when all is done with so many workers.

mod critical;
mod ground;
mod workers;

use std::num::NonZeroUsize;

use super::dag::Graph;
use super::ids::IdSet;
use super::owns::OwnedPath;

/// A task as a schedule sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanTask {
    /// The task.
    pub id: i64,
    /// How long it takes one worker; what is not a positive number counts as nothing.
    pub effort_days: f64,
    /// What it is worth for its effort; decides between tasks that are equally urgent.
    pub roi: f64,
    /// What must be done before it.
    pub blocked_by: Vec<i64>,
    /// What nobody else may work on meanwhile.
    pub owns: Vec<OwnedPath>,
    /// Whether it is done already.
    pub done: bool,
}

/// When a task is done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlannedTask {
    /// The task.
    pub id: i64,
    /// Which worker does it, from 1.
    pub worker: usize,
    /// When that worker starts, in days from now.
    pub start: f64,
    /// When that worker is done.
    pub finish: f64,
    /// When it could start with any number of workers and ground of its own.
    pub earliest_start: f64,
    /// How much later than that it may start without making the whole longer.
    pub slack: f64,
}

/// How many tasks could run at once from a time on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Width {
    /// From when, in days from now.
    pub from: f64,
    /// How many, until the next.
    pub tasks: usize,
}

/// A schedule for all that is not done.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plan {
    /// Every task that can be planned, by start, then worker.
    pub tasks: Vec<PlannedTask>,
    /// A longest chain of tasks, in order: nothing makes the whole shorter than it.
    pub critical_path: Vec<i64>,
    /// How long the critical path takes.
    pub critical_days: f64,
    /// How long the whole takes with the workers given.
    pub makespan_days: f64,
    /// How many tasks could run at once over time, with any number of workers and ground of their
    /// own; the last entry is where it falls to none.
    pub width: Vec<Width>,
    /// Tasks that no schedule holds, in the order given: on a cycle, behind one, or behind a
    /// blocker that was not given.
    pub unplanned: Vec<i64>,
}

/// Plans what is not done for `workers` workers: never idle while something could run, the longest
/// remaining chain first, then the best return, then the order given.
pub fn plan(tasks: &[PlanTask], workers: NonZeroUsize) -> Plan {
    let network = Network::new(tasks);
    let times = critical::times(&network);
    let runs = workers::simulate(&network, &times, workers);
    let planned = |run: &workers::Run| PlannedTask {
        id: network.id(run.task),
        worker: run.worker,
        start: days(run.start),
        finish: days(run.finish),
        earliest_start: days(times.earliest(run.task)),
        slack: days(times.slack(run.task)),
    };
    let path = critical::path(&network, &times);
    Plan {
        tasks: runs.iter().map(planned).collect(),
        critical_path: path.into_iter().map(|position| network.id(position)).collect(),
        critical_days: days(times.length()),
        makespan_days: days(runs.iter().map(|run| run.finish).max().unwrap_or(0)),
        width: critical::width(&network, &times),
        unplanned: network.unplanned(),
    }
}

/// Time in millionths of a day: whole numbers, so that a slack of nothing is exactly nothing.
type Ticks = u64;

const TICKS_A_DAY: f64 = 1e6;
const LONGEST_DAYS: f64 = 1e6;

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to 0 ..= 1e12 before; a NaN becomes 0"
)]
fn ticks(days: f64) -> Ticks {
    (days.clamp(0.0, LONGEST_DAYS) * TICKS_A_DAY).round() as Ticks
}

#[expect(clippy::cast_precision_loss, reason = "exact below 2^53 ticks, which is 24 million years")]
fn days(ticks: Ticks) -> f64 {
    ticks as f64 / TICKS_A_DAY
}

/// The tasks that are not done, by position, with the edges between them.
struct Network<'tasks> {
    tasks: Vec<&'tasks PlanTask>,
    graph: Graph,
    /// Every position that can be planned, blockers first.
    order: Vec<usize>,
    is_planned: Vec<bool>,
}

impl<'tasks> Network<'tasks> {
    fn new(tasks: &'tasks [PlanTask]) -> Self {
        let done: IdSet = tasks.iter().filter(|task| task.done).map(|task| task.id).collect();
        let tasks: Vec<&PlanTask> = tasks.iter().filter(|task| !task.done).collect();
        let edges = tasks.iter().flat_map(|task| {
            let open = task.blocked_by.iter().filter(|blocker| !done.contains(blocker));
            open.map(|blocker| (*blocker, task.id))
        });
        let graph = Graph::new(tasks.iter().map(|task| task.id), edges);
        let (mut order, _) = graph.order();
        // A node that only an edge named is a blocker that was not given.
        let mut is_planned = vec![false; graph.len()];
        for &position in &order {
            let behind_planned = graph
                .predecessors(position)
                .iter()
                .all(|before| is_planned.get(*before).copied().unwrap_or(false));
            if let Some(slot) = is_planned.get_mut(position) {
                *slot = position < tasks.len() && behind_planned;
            }
        }
        order.retain(|position| is_planned.get(*position).copied().unwrap_or(false));
        Self { tasks, graph, order, is_planned }
    }

    fn id(&self, position: usize) -> i64 {
        self.graph.ids().get(position).copied().unwrap_or_default()
    }

    fn effort(&self, position: usize) -> Ticks {
        self.tasks.get(position).map_or(0, |task| ticks(task.effort_days))
    }

    fn is_planned(&self, position: usize) -> bool {
        self.is_planned.get(position).copied().unwrap_or(false)
    }

    /// The positions behind `position` that can be planned.
    fn next(&self, position: usize) -> impl Iterator<Item = usize> {
        let successors = self.graph.successors(position).iter().copied();
        successors.filter(|next| self.is_planned(*next))
    }

    fn unplanned(&self) -> Vec<i64> {
        (0..self.tasks.len())
            .filter(|position| !self.is_planned(*position))
            .map(|position| self.id(position))
            .collect()
    }
}

#[cfg(test)]
mod tests;
