//! A schedule: what is critical, what has slack, and when all is done with so many workers.

mod critical;
mod ground;
mod network;
mod workers;

use std::num::NonZeroUsize;

pub use network::PlanTask;
use network::{Network, days};

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
    let width = critical::width(&network, &times).into_iter();
    Plan {
        tasks: runs.iter().map(planned).collect(),
        critical_path: path.into_iter().map(|position| network.id(position)).collect(),
        critical_days: days(times.length()),
        makespan_days: days(runs.iter().map(|run| run.finish).max().unwrap_or(0)),
        width: width.map(|(from, tasks)| Width { from: days(from), tasks }).collect(),
        unplanned: network.unplanned(),
    }
}

#[cfg(test)]
mod tests;
