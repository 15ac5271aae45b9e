//! Why a task is ready or not: the exact chain of blockers down to what can be acted on.

use std::collections::hash_map::Entry;

use super::ids::{IdMap, IdSet};
use super::state::State;

/// A task as its readiness sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhyTask {
    /// The task.
    pub id: i64,
    /// Its state.
    pub state: State,
    /// Who holds it, if anybody.
    pub owner: Option<String>,
    /// What blocks it, satisfied or not.
    pub blockers: Vec<i64>,
    /// Whether it is done and its work is known not to be on the trunk.
    pub unlanded: bool,
    /// Whether it has open blockers beyond those that are known here.
    pub has_more: bool,
}

/// What a task itself is waiting for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// For nothing: it can be claimed.
    Ready,
    /// For its holder.
    Held {
        /// Who holds it; none when it is in progress without a holder.
        owner: Option<String>,
    },
    /// For its blockers.
    Blocked,
    /// For somebody to unpark it.
    Parked,
    /// For somebody to admit it.
    Triage,
    /// For nothing: it is done.
    Done,
    /// For nothing that will come: it was closed otherwise, and satisfies no edge.
    ClosedOtherwise(State),
    /// It does not exist.
    Missing,
}

/// Whether a step of a chain stands for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// It appears for the first time; what blocks it follows.
    First,
    /// It stands further up, with what blocks it.
    Before,
    /// It stands further up on the same chain: the chain is a cycle.
    Cycle,
}

/// One unsatisfied blocker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The blocker.
    pub task: i64,
    /// What it blocks.
    pub blocks: i64,
    /// How far it is from the task that was asked about, from 1.
    pub depth: usize,
    /// What it itself is waiting for.
    pub standing: Standing,
    /// Whether it stands for itself.
    pub seen: Seen,
}

/// Why a task is ready or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why {
    /// The task.
    pub task: i64,
    /// What it is waiting for.
    pub standing: Standing,
    /// Its unsatisfied blockers and theirs, each behind what it blocks; every task is opened once.
    pub chain: Vec<Step>,
    /// The tasks of the chain that wait for something else than a blocker: acting on these moves
    /// the task on.
    pub roots: Vec<i64>,
    /// Its own blockers that are done and not on the trunk: it is ready, and dispatch waits.
    pub unlanded: Vec<i64>,
}

/// What a task waits for, given whether any of its blockers is unsatisfied.
pub fn standing(task: &WhyTask, has_open_blocker: bool) -> Standing {
    match task.state {
        State::Done => Standing::Done,
        State::Rejected | State::Wontfix | State::Duplicate | State::Superseded => {
            Standing::ClosedOtherwise(task.state)
        }
        State::Active => Standing::Held { owner: task.owner.clone() },
        State::Parked => Standing::Parked,
        State::Triage => Standing::Triage,
        State::Todo if has_open_blocker || task.has_more => Standing::Blocked,
        State::Todo if task.owner.is_some() => Standing::Held { owner: task.owner.clone() },
        State::Todo => Standing::Ready,
    }
}

/// Explains the task `id`; none if it does not exist. Each task is looked up once.
pub fn why<E>(
    id: i64,
    lookup: impl FnMut(i64) -> Result<Option<WhyTask>, E>,
) -> Result<Option<Why>, E> {
    let mut tasks = Tasks { lookup, known: IdMap::default() };
    let Some(task) = tasks.get(id)? else { return Ok(None) };
    let is_closed = task.state.is_closed();
    let mut unlanded = Vec::new();
    for blocker in task.blockers.clone() {
        if tasks.get(blocker)?.is_some_and(|it| it.state == State::Done && it.unlanded) {
            unlanded.push(blocker);
        }
    }
    let open = tasks.open_blockers(id)?;
    let standing = tasks.standing(id, &open)?;
    let mut why = Why { task: id, standing, chain: Vec::new(), roots: Vec::new(), unlanded };
    if !is_closed {
        walk(id, &open, &mut tasks, &mut why)?;
    }
    Ok(Some(why))
}

/// A place on the walk: a blocker to enter, or a task whose blockers are all behind us.
enum Visit {
    Enter { task: i64, blocks: i64, depth: usize },
    Leave(i64),
}

fn walk<E, L: FnMut(i64) -> Result<Option<WhyTask>, E>>(
    start: i64,
    open: &[i64],
    tasks: &mut Tasks<L>,
    why: &mut Why,
) -> Result<(), E> {
    let mut entered = IdSet::from_iter([start]);
    let mut on_chain = entered.clone();
    let mut stack = Vec::new();
    push(open, start, 1, &mut stack);
    while let Some(visit) = stack.pop() {
        let (id, blocks, depth) = match visit {
            Visit::Enter { task, blocks, depth } => (task, blocks, depth),
            Visit::Leave(task) => {
                on_chain.remove(&task);
                continue;
            }
        };
        let open = tasks.open_blockers(id)?;
        let standing = tasks.standing(id, &open)?;
        let seen = if on_chain.contains(&id) {
            Seen::Cycle
        } else if entered.insert(id) {
            Seen::First
        } else {
            Seen::Before
        };
        if seen == Seen::First {
            if standing != Standing::Blocked {
                why.roots.push(id);
            }
            on_chain.insert(id);
            stack.push(Visit::Leave(id));
            push(&open, id, depth + 1, &mut stack);
        }
        why.chain.push(Step { task: id, blocks, depth, standing, seen });
    }
    Ok(())
}

/// Pushes blockers so that the first comes off the stack first.
fn push(blockers: &[i64], blocks: i64, depth: usize, stack: &mut Vec<Visit>) {
    stack.extend(blockers.iter().rev().map(|&task| Visit::Enter { task, blocks, depth }));
}

/// The tasks that were looked up, so that none is looked up twice.
struct Tasks<L> {
    lookup: L,
    known: IdMap<Option<WhyTask>>,
}

impl<E, L: FnMut(i64) -> Result<Option<WhyTask>, E>> Tasks<L> {
    fn get(&mut self, id: i64) -> Result<Option<&WhyTask>, E> {
        let known = match self.known.entry(id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert((self.lookup)(id)?),
        };
        Ok(known.as_ref())
    }

    /// The unsatisfied blockers of a task; a closed one waits for none.
    fn open_blockers(&mut self, id: i64) -> Result<Vec<i64>, E> {
        let mut open = match self.get(id)? {
            Some(task) if !task.state.is_closed() => task.blockers.clone(),
            _ => Vec::new(),
        };
        let mut failure = None;
        open.retain(|&blocker| match self.get(blocker) {
            Ok(task) => !task.is_some_and(|task| task.state.satisfies_edge()),
            Err(err) => {
                failure.get_or_insert(err);
                false
            }
        });
        failure.map_or(Ok(open), Err)
    }

    fn standing(&mut self, id: i64, open: &[i64]) -> Result<Standing, E> {
        let task = self.get(id)?;
        Ok(task.map_or(Standing::Missing, |task| standing(task, !open.is_empty())))
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;

    fn task(id: i64, state: State, blockers: &[i64]) -> WhyTask {
        let owner = (state == State::Active).then(|| "w1@host".to_owned());
        WhyTask { id, state, owner, blockers: blockers.to_vec(), unlanded: false, has_more: false }
    }

    fn explain(tasks: &[WhyTask], id: i64) -> Why {
        why(id, |id| Ok::<_, Infallible>(tasks.iter().find(|it| it.id == id).cloned()))
            .unwrap()
            .unwrap()
    }

    fn steps(why: &Why) -> Vec<(i64, i64, usize)> {
        why.chain.iter().map(|step| (step.task, step.blocks, step.depth)).collect()
    }

    #[test]
    fn a_task_without_open_blockers_is_ready_and_names_what_has_not_landed() {
        let mut done = task(2, State::Done, &[]);
        done.unlanded = true;
        let why = explain(&[task(1, State::Todo, &[2]), done], 1);
        assert_eq!((why.standing, why.chain.len()), (Standing::Ready, 0));
        assert_eq!(why.unlanded, [2]);
    }

    #[test]
    fn the_chain_goes_down_to_what_can_be_acted_on() {
        let tasks = [
            task(1, State::Todo, &[2, 3, 6]),
            task(2, State::Todo, &[4]),
            task(3, State::Parked, &[]),
            task(4, State::Active, &[5]),
            task(5, State::Done, &[]),
            task(6, State::Rejected, &[7]),
            task(7, State::Todo, &[]),
        ];
        let why = explain(&tasks, 1);
        assert_eq!(why.standing, Standing::Blocked);
        assert_eq!(steps(&why), [(2, 1, 1), (4, 2, 2), (3, 1, 1), (6, 1, 1)]);
        assert_eq!(why.roots, [4, 3, 6]);
        assert_eq!(why.chain[1].standing, Standing::Held { owner: Some("w1@host".to_owned()) });
        assert_eq!(why.chain[3].standing, Standing::ClosedOtherwise(State::Rejected));
    }

    #[test]
    fn a_shared_blocker_is_opened_once() {
        let tasks = [
            task(1, State::Todo, &[2, 3]),
            task(2, State::Todo, &[4]),
            task(3, State::Todo, &[4]),
            task(4, State::Todo, &[]),
        ];
        let why = explain(&tasks, 1);
        assert_eq!(steps(&why), [(2, 1, 1), (4, 2, 2), (3, 1, 1), (4, 3, 2)]);
        assert_eq!(why.chain[3].seen, Seen::Before);
        assert_eq!(why.roots, [4]);
    }

    #[test]
    fn a_cycle_and_a_missing_blocker_are_named_as_such() {
        let tasks = [task(1, State::Todo, &[2]), task(2, State::Todo, &[1, 9])];
        let why = explain(&tasks, 1);
        let seen: Vec<(i64, Seen)> = why.chain.iter().map(|it| (it.task, it.seen)).collect();
        assert_eq!(seen, [(2, Seen::First), (1, Seen::Cycle), (9, Seen::First)]);
        assert_eq!((why.chain[2].standing.clone(), why.roots), (Standing::Missing, vec![9]));
    }

    #[test]
    fn a_closed_task_is_waiting_for_nothing() {
        let why = explain(&[task(1, State::Done, &[2]), task(2, State::Todo, &[])], 1);
        assert_eq!((why.standing, why.chain.len()), (Standing::Done, 0));
    }

    #[test]
    fn a_ladder_of_thirty_layers_and_a_chain_of_ten_thousand_are_explained() {
        let below = |id: i64| [(id / 2 + 1) * 2, (id / 2 + 1) * 2 + 1];
        let ladder = |id: i64| {
            Ok::<_, Infallible>(Some(if id < 60 {
                task(id, State::Todo, &below(id))
            } else {
                task(id, State::Todo, &[])
            }))
        };
        assert_eq!(why(0, ladder).unwrap().unwrap().roots, [60, 61]);
        let chain = |id: i64| {
            let blockers = [id + 1];
            let blockers: &[i64] = if id < 10_000 { &blockers } else { &[] };
            Ok::<_, Infallible>(Some(task(id, State::Todo, blockers)))
        };
        assert_eq!(why(0, chain).unwrap().unwrap().chain.len(), 10_000);
    }

    proptest! {
        /// Fault G-01.
        #[test]
        fn a_task_is_ready_exactly_when_its_chain_is_empty(
            states in proptest::collection::vec(0_usize..9, 10),
            edges in proptest::collection::vec((0_i64..10, 0_i64..10), 0..20),
        ) {
            let tasks: Vec<WhyTask> = (0..).zip(&states).map(|(id, state)| {
                let blockers: Vec<i64> =
                    edges.iter().filter(|(from, to)| *to == id && from < to).map(|it| it.0).collect();
                task(id, State::ALL[*state], &blockers)
            }).collect();
            for asked in tasks.iter().filter(|it| it.state == State::Todo) {
                let why = explain(&tasks, asked.id);
                prop_assert_eq!(why.standing == Standing::Ready, why.chain.is_empty());
                prop_assert_eq!(why.roots.is_empty(), why.chain.is_empty());
                prop_assert!(why.chain.iter().all(|step| step.seen != Seen::Cycle));
            }
        }
    }
}
