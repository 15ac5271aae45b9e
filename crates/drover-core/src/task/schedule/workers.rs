//! Who does what when, with so many workers: one pass over the moments at which a task ends.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::NonZeroUsize;

use super::critical::Times;
use super::ground::Pool;
use super::network::{Network, Ticks};

/// One task on one worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Run {
    pub(super) start: Ticks,
    pub(super) worker: usize,
    pub(super) finish: Ticks,
    pub(super) task: usize,
}

/// The runs by start, then worker.
pub(super) fn simulate(network: &Network<'_>, times: &Times, workers: NonZeroUsize) -> Vec<Run> {
    let mut pool = Pool::new(network, ranks(network, times));
    let mut waiting: Vec<usize> =
        (0..network.tasks.len()).map(|it| network.graph.predecessors(it).len()).collect();
    for &position in network.order.iter().filter(|it| waiting.get(**it) == Some(&0)) {
        pool.add(position);
    }
    let mut runs = Vec::with_capacity(network.order.len());
    let mut idle: BinaryHeap<Reverse<usize>> =
        (1..=workers.get().min(network.tasks.len())).map(Reverse).collect();
    let mut running: BinaryHeap<Reverse<(Ticks, usize, usize)>> = BinaryHeap::new();
    let mut now = 0;
    loop {
        while let Some(&Reverse(worker)) = idle.peek() {
            let Some(task) = pool.take() else { break };
            idle.pop();
            let finish = now + network.effort(task);
            running.push(Reverse((finish, task, worker)));
            runs.push(Run { start: now, worker, finish, task });
        }
        let Some(&Reverse((moment, _, _))) = running.peek() else { break };
        now = moment;
        while let Some(&Reverse((finish, task, worker))) = running.peek() {
            if finish > now {
                break;
            }
            running.pop();
            idle.push(Reverse(worker));
            pool.free(task);
            for next in network.next(task) {
                if let Some(count) = waiting.get_mut(next) {
                    *count -= 1;
                    if *count == 0 {
                        pool.add(next);
                    }
                }
            }
        }
    }
    runs.sort_unstable();
    runs
}

/// How urgent each task is, by position, from 0: the longest remaining chain, then the best
/// return, then the order given.
fn ranks(network: &Network<'_>, times: &Times) -> Vec<usize> {
    let mut by_urgency: Vec<(Reverse<Ticks>, f64, usize)> = network
        .tasks
        .iter()
        .enumerate()
        .map(|(position, task)| (Reverse(times.remaining(position)), task.roi, position))
        .collect();
    by_urgency.sort_unstable_by(|one, two| {
        let worse = two.1.total_cmp(&one.1);
        one.0.cmp(&two.0).then(worse).then(one.2.cmp(&two.2))
    });
    let mut ranks = vec![0; by_urgency.len()];
    for (rank, (_, _, position)) in by_urgency.into_iter().enumerate() {
        if let Some(slot) = ranks.get_mut(position) {
            *slot = rank;
        }
    }
    ranks
}
