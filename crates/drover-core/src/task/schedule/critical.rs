//! When tasks could run with any number of workers: earliest times, slack, the critical path and
//! the width.

use super::network::{Network, Ticks};

/// Earliest starts and remaining lengths, by position.
pub(super) struct Times {
    earliest: Vec<Ticks>,
    /// How long it takes from the start of a task to the end of the longest chain behind it.
    remaining: Vec<Ticks>,
    length: Ticks,
}

impl Times {
    pub(super) fn earliest(&self, position: usize) -> Ticks {
        self.earliest.get(position).copied().unwrap_or(0)
    }

    pub(super) fn remaining(&self, position: usize) -> Ticks {
        self.remaining.get(position).copied().unwrap_or(0)
    }

    pub(super) fn slack(&self, position: usize) -> Ticks {
        self.length.saturating_sub(self.earliest(position) + self.remaining(position))
    }

    pub(super) fn length(&self) -> Ticks {
        self.length
    }
}

pub(super) fn times(network: &Network<'_>) -> Times {
    let count = network.tasks.len();
    let mut times = Times { earliest: vec![0; count], remaining: vec![0; count], length: 0 };
    for &position in &network.order {
        let finish = times.earliest(position) + network.effort(position);
        times.length = times.length.max(finish);
        for next in network.next(position) {
            if let Some(slot) = times.earliest.get_mut(next) {
                *slot = finish.max(*slot);
            }
        }
    }
    for &position in network.order.iter().rev() {
        let behind = network.next(position).map(|next| times.remaining(next)).max().unwrap_or(0);
        if let Some(slot) = times.remaining.get_mut(position) {
            *slot = network.effort(position) + behind;
        }
    }
    times
}

/// The positions of one longest chain, the first of the order given where several are as long.
pub(super) fn path(network: &Network<'_>, times: &Times) -> Vec<usize> {
    let mut path = Vec::new();
    let mut at = (0..network.tasks.len()).find(|&position| {
        network.is_planned(position)
            && network.graph.predecessors(position).is_empty()
            && times.remaining(position) == times.length
    });
    while let Some(position) = at {
        path.push(position);
        let behind = times.remaining(position) - network.effort(position);
        at = network.next(position).find(|next| times.remaining(*next) == behind);
    }
    path
}

/// From when on how many tasks could run at once.
pub(super) fn width(network: &Network<'_>, times: &Times) -> Vec<(Ticks, usize)> {
    let mut starts: Vec<Ticks> = Vec::with_capacity(network.order.len());
    let mut ends: Vec<Ticks> = Vec::with_capacity(network.order.len());
    for &position in &network.order {
        starts.push(times.earliest(position));
        ends.push(times.earliest(position) + network.effort(position));
    }
    starts.sort_unstable();
    ends.sort_unstable();
    let mut moments: Vec<Ticks> = starts.iter().chain(&ends).copied().collect();
    moments.sort_unstable();
    moments.dedup();
    let mut starts = starts.into_iter().peekable();
    let mut ends = ends.into_iter().peekable();
    let mut tasks = 0;
    let mut width: Vec<(Ticks, usize)> = Vec::new();
    for moment in moments {
        while starts.next_if_eq(&moment).is_some() {
            tasks += 1;
        }
        while ends.next_if_eq(&moment).is_some() {
            tasks -= 1;
        }
        if width.last().is_none_or(|last| last.1 != tasks) {
            width.push((moment, tasks));
        }
    }
    width
}
