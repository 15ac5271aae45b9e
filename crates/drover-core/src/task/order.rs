//! A kept order of all tasks, in which every blocker stands before what it blocks.
//!
//! An edge along the order cannot close a cycle. One against it is searched from both ends, within
//! the part of the order between them, and the end that leads to less is moved past the other.

use std::collections::VecDeque;

use super::ids::IdMap;

/// A task at its place in the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// The task.
    pub id: i64,
    /// Its place: greater is later.
    pub place: i64,
}

/// Tells the neighbours of a task with a place between two, both included.
pub trait Neighbours {
    /// Why they could not be told.
    type Error;

    /// Those that the task leads to.
    fn after(&mut self, task: Placed, last: i64) -> Result<Vec<Placed>, Self::Error>;

    /// Those that lead to the task.
    fn before(&mut self, task: Placed, first: i64) -> Result<Vec<Placed>, Self::Error>;
}

/// What a new edge means for the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admission {
    /// It runs along the order.
    Along,
    /// It closes a cycle: the way from the blocked task back to the blocker, both included.
    Cycle(Vec<i64>),
    /// Once these tasks stand, in this order, at the new place, it runs along the order.
    Move {
        /// The tasks, earlier ones first.
        tasks: Vec<i64>,
        /// Where they belong.
        to: Target,
    },
}

/// A place in the order by the task that has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Just before this task.
    Before(i64),
    /// Just behind this task.
    Behind(i64),
}

/// One end of a search: what it has met, by where it came from, and what it has yet to ask.
struct Side {
    met: IdMap<(i64, i64)>,
    queue: VecDeque<Placed>,
}

impl Side {
    fn from(start: Placed) -> Self {
        let met = IdMap::from_iter([(start.id, (start.id, start.place))]);
        Self { met, queue: VecDeque::from([start]) }
    }

    /// Takes in the neighbours of `task`; the first that the other side has met ends the search.
    fn meet(&mut self, task: Placed, found: Vec<Placed>, other: &Self) -> Option<i64> {
        for it in found {
            self.met.entry(it.id).or_insert_with(|| {
                self.queue.push_back(it);
                (task.id, it.place)
            });
            if other.met.contains_key(&it.id) {
                return Some(it.id);
            }
        }
        None
    }

    /// From a task back to the start of this side.
    fn way_back(&self, from: i64) -> Vec<i64> {
        let mut way = vec![from];
        let mut at = from;
        while let Some(&(before, _)) = self.met.get(&at).filter(|it| it.0 != at) {
            way.push(before);
            at = before;
        }
        way
    }

    fn in_order(&self) -> Vec<i64> {
        let mut met: Vec<(i64, i64)> = self.met.iter().map(|(id, it)| (it.1, *id)).collect();
        met.sort_unstable();
        met.into_iter().map(|it| it.1).collect()
    }
}

/// What an edge from `blocker` to `blocked` means for the order.
///
/// The two ends are asked in turn, so the cost is about twice that of the smaller side.
pub fn admit<N: Neighbours>(
    blocker: Placed,
    blocked: Placed,
    neighbours: &mut N,
) -> Result<Admission, N::Error> {
    if blocker.id == blocked.id {
        return Ok(Admission::Cycle(vec![blocker.id]));
    }
    if blocker.place < blocked.place {
        return Ok(Admission::Along);
    }
    let (mut forward, mut backward) = (Side::from(blocked), Side::from(blocker));
    // A side that has nobody left to ask has met all that it leads to.
    while let Some(task) = forward.queue.pop_front() {
        let found = neighbours.after(task, blocker.place)?;
        if let Some(common) = forward.meet(task, found, &backward) {
            return Ok(cycle(&forward, &backward, common));
        }
        if forward.queue.is_empty() {
            break;
        }
        let Some(task) = backward.queue.pop_front() else { break };
        let found = neighbours.before(task, blocked.place)?;
        if let Some(common) = backward.meet(task, found, &forward) {
            return Ok(cycle(&forward, &backward, common));
        }
        if backward.queue.is_empty() {
            let to = Target::Before(blocked.id);
            return Ok(Admission::Move { tasks: backward.in_order(), to });
        }
    }
    Ok(Admission::Move { tasks: forward.in_order(), to: Target::Behind(blocker.id) })
}

fn cycle(forward: &Side, backward: &Side, common: i64) -> Admission {
    let mut way = forward.way_back(common);
    way.reverse();
    way.extend(backward.way_back(common).into_iter().skip(1));
    Admission::Cycle(way)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::super::dag;
    use super::*;

    /// A graph and the place of each of its tasks.
    #[derive(Debug, Default)]
    struct Kept {
        places: Vec<i64>,
        edges: Vec<(i64, i64)>,
        asked: usize,
    }

    impl Kept {
        fn new(count: i64) -> Self {
            Self { places: (0..count).map(|it| it * 1000).collect(), ..Self::default() }
        }

        fn placed(&self, id: i64) -> Placed {
            Placed { id, place: self.places[usize::try_from(id).unwrap()] }
        }

        fn link(&mut self, (blocker, blocked): (i64, i64)) -> Admission {
            let (from, to) = (self.placed(blocker), self.placed(blocked));
            let admission = admit(from, to, self).unwrap();
            match &admission {
                Admission::Cycle(_) => return admission,
                Admission::Along => {}
                Admission::Move { tasks, to } => self.put(tasks, *to),
            }
            self.edges.push((blocker, blocked));
            admission
        }

        /// Numbers all tasks anew, with the given ones where they belong.
        fn put(&mut self, tasks: &[i64], to: Target) {
            let mut order: Vec<i64> = (0..).take(self.places.len()).collect();
            order.sort_by_key(|it| self.placed(*it).place);
            let (Target::Before(anchor) | Target::Behind(anchor)) = to;
            order.retain(|it| !tasks.contains(it));
            let at = order.iter().position(|it| *it == anchor).unwrap();
            let at = at + usize::from(matches!(to, Target::Behind(_)));
            order.splice(at..at, tasks.iter().copied());
            for (place, id) in (0..).zip(order) {
                self.places[usize::try_from(id).unwrap()] = place * 1000;
            }
        }

        fn is_in_order(&self) -> bool {
            self.edges.iter().all(|(from, to)| self.placed(*from).place < self.placed(*to).place)
        }
    }

    impl Neighbours for Kept {
        type Error = Infallible;

        fn after(&mut self, task: Placed, last: i64) -> Result<Vec<Placed>, Infallible> {
            self.asked += 1;
            let ends = self.edges.iter().filter(|it| it.0 == task.id).map(|it| self.placed(it.1));
            Ok(ends.filter(|it| it.place > task.place && it.place <= last).collect())
        }

        fn before(&mut self, task: Placed, first: i64) -> Result<Vec<Placed>, Infallible> {
            self.asked += 1;
            let ends = self.edges.iter().filter(|it| it.1 == task.id).map(|it| self.placed(it.0));
            Ok(ends.filter(|it| it.place < task.place && it.place >= first).collect())
        }
    }

    #[test]
    fn an_edge_along_the_order_asks_nobody() {
        let mut kept = Kept::new(3);
        assert_eq!(kept.link((0, 2)), Admission::Along);
        assert_eq!(kept.asked, 0);
    }

    #[test]
    fn a_new_blocker_of_an_old_task_moves_alone_however_much_hangs_on_the_old_one() {
        let mut kept = Kept::new(1000);
        for id in 1..999 {
            kept.link((0, id));
        }
        kept.asked = 0;
        let to = Target::Before(0);
        assert_eq!(kept.link((999, 0)), Admission::Move { tasks: vec![999], to });
        assert_eq!(kept.asked, 2);
    }

    #[test]
    fn a_cycle_is_the_way_back() {
        let mut kept = Kept::new(5);
        for edge in [(0, 1), (1, 2), (2, 3), (0, 4)] {
            kept.link(edge);
        }
        assert_eq!(kept.link((3, 0)), Admission::Cycle(vec![0, 1, 2, 3]));
        assert_eq!(kept.link((3, 3)), Admission::Cycle(vec![3]));
    }

    proptest! {
        #[test]
        fn every_edge_is_along_the_order_or_refused_for_a_way_back_that_is_there(
            edges in proptest::collection::vec((0_i64..14, 0_i64..14), 0..60),
        ) {
            let mut kept = Kept::new(14);
            for (blocker, blocked) in edges {
                let before = kept.edges.clone();
                let back = dag::path(blocked, blocker, |id| {
                    before.iter().filter(|it| it.0 == id).map(|it| it.1).collect()
                });
                let admission = kept.link((blocker, blocked));
                prop_assert_eq!(matches!(admission, Admission::Cycle(_)), back.is_some());
                if let Admission::Cycle(way) = admission {
                    prop_assert_eq!((way.first(), way.last()), (Some(&blocked), Some(&blocker)));
                    prop_assert!(way.windows(2).all(|it| before.contains(&(it[0], it[1]))));
                }
                prop_assert!(kept.is_in_order());
            }
        }
    }
}
