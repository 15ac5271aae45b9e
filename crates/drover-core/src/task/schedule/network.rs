//! What is not done, as a network: the common ground of every part of a schedule.

use crate::task::dag::Graph;
use crate::task::ids::IdSet;
use crate::task::owns::OwnedPath;

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

/// Time in millionths of a day: whole numbers, so that a slack of nothing is exactly nothing.
pub(super) type Ticks = u64;

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
pub(super) fn days(ticks: Ticks) -> f64 {
    ticks as f64 / TICKS_A_DAY
}

/// The tasks that are not done, by position, with the edges between them.
pub(super) struct Network<'tasks> {
    pub(super) tasks: Vec<&'tasks PlanTask>,
    efforts: Vec<Ticks>,
    pub(super) graph: Graph,
    /// Every position that can be planned, blockers first.
    pub(super) order: Vec<usize>,
    is_planned: Vec<bool>,
}

impl<'tasks> Network<'tasks> {
    pub(super) fn new(tasks: &'tasks [PlanTask]) -> Self {
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
        let efforts = tasks.iter().map(|task| ticks(task.effort_days)).collect();
        Self { tasks, efforts, graph, order, is_planned }
    }

    pub(super) fn id(&self, position: usize) -> i64 {
        self.graph.ids().get(position).copied().unwrap_or_default()
    }

    pub(super) fn effort(&self, position: usize) -> Ticks {
        self.efforts.get(position).copied().unwrap_or(0)
    }

    pub(super) fn is_planned(&self, position: usize) -> bool {
        self.is_planned.get(position).copied().unwrap_or(false)
    }

    /// The positions behind `position` that can be planned.
    pub(super) fn next(&self, position: usize) -> impl Iterator<Item = usize> {
        let successors = self.graph.successors(position).iter().copied();
        successors.filter(|next| self.is_planned(*next))
    }

    pub(super) fn unplanned(&self) -> Vec<i64> {
        (0..self.tasks.len())
            .filter(|position| !self.is_planned(*position))
            .map(|position| self.id(position))
            .collect()
    }
}
