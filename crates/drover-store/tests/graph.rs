//! The kept counts, the views and the walks against a plain model, under any mix of changes.

use std::collections::{BTreeMap, BTreeSet};

use drover_core::task::State;
use drover_store::graph::{self, Walk};
use drover_store::{Store, WriteTx, check, edges, tasks};
use proptest::prelude::*;

use crate::harness::{open, project, task, write};

/// One change to a graph of at most eight tasks.
#[derive(Debug, Clone)]
enum Change {
    State(usize, usize),
    Link(usize, usize),
    Unlink(usize, usize),
    Delete(usize),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        3 => (0_usize..8, 0_usize..9).prop_map(|(task, state)| Change::State(task, state)),
        4 => (0_usize..8, 0_usize..8).prop_map(|(from, to)| Change::Link(from, to)),
        1 => (0_usize..8, 0_usize..8).prop_map(|(from, to)| Change::Unlink(from, to)),
        1 => (0_usize..8).prop_map(Change::Delete),
    ]
}

/// What there should be: states by task and edges from a lower to a higher one.
#[derive(Debug, Default)]
struct Model {
    states: BTreeMap<usize, State>,
    edges: BTreeSet<(usize, usize)>,
}

impl Model {
    /// Makes the change here and in the database.
    fn make(&mut self, tx: &WriteTx<'_>, keys: &[i64], change: &Change) {
        match *change {
            Change::State(task, state) => {
                if let Some(held) = self.states.get_mut(&task) {
                    *held = State::ALL[state];
                    tasks::set_state(tx, keys[task], State::ALL[state]).unwrap();
                }
            }
            Change::Link(from, to) => {
                let both = self.states.contains_key(&from) && self.states.contains_key(&to);
                if from < to && both {
                    assert_eq!(
                        edges::insert(tx, keys[from], keys[to]).unwrap(),
                        self.edges.insert((from, to))
                    );
                }
            }
            Change::Unlink(from, to) => {
                let gone = edges::delete(tx, keys[from], keys[to]).unwrap();
                assert_eq!(gone, self.edges.remove(&(from, to)));
            }
            Change::Delete(task) => {
                tasks::delete(tx, keys[task]).unwrap();
                self.states.remove(&task);
                self.edges.retain(|edge| edge.0 != task && edge.1 != task);
            }
        }
    }

    fn open_blockers(&self, task: usize) -> usize {
        let blockers = self.edges.iter().filter(|edge| edge.1 == task);
        blockers.filter(|edge| !self.states[&edge.0].satisfies_edge()).count()
    }

    fn before(&self, task: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::from([task]);
        loop {
            let more: Vec<usize> = self
                .edges
                .iter()
                .filter(|edge| found.contains(&edge.1) && !found.contains(&edge.0))
                .map(|edge| edge.0)
                .collect();
            if more.is_empty() {
                return found;
            }
            found.extend(more);
        }
    }
}

fn named(store: &Store, view: &str) -> BTreeSet<String> {
    let plain = rusqlite::Connection::open(store.file()).unwrap();
    let mut statement = plain.prepare(&format!("SELECT handle FROM {view}")).unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

fn ids(of: impl Iterator<Item = usize>) -> BTreeSet<String> {
    of.map(|it| format!("t{it}")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Fault G-01.
    #[test]
    fn ready_blocked_counts_and_walks_follow_any_mix_of_changes(
        changes in proptest::collection::vec(change(), 1..40),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut store = open(folder.path()).unwrap();
        let project = project(&mut store);
        let mut model = Model::default();
        let keys: Vec<i64> = write(&mut store, ("user:ann", "task.import", "g-all"), |tx| {
            (0..8).map(|it| task(tx, project, &format!("t{it}"))).collect()
        });
        model.states.extend((0..8).map(|it| (it, State::Todo)));
        for change in &changes {
            write(&mut store, ("user:ann", "task.update", "g-one"), |tx| model.make(tx, &keys, change));
        }
        let is_ready =
            |it: &usize| model.states[it] == State::Todo && model.open_blockers(*it) == 0;
        prop_assert_eq!(named(&store, "ready"), ids(model.states.keys().copied().filter(is_ready)));
        let is_blocked = |it: &usize| {
            model.states[it].status().as_str() == "OPEN" && model.open_blockers(*it) > 0
        };
        prop_assert_eq!(named(&store, "blocked"), ids(model.states.keys().copied().filter(is_blocked)));
        for task in model.states.keys() {
            let around = graph::around(&store.read(), keys[*task], Walk::Blockers, None).unwrap();
            let near = graph::around(&store.read(), keys[*task], Walk::Blockers, Some(2)).unwrap();
            prop_assert_eq!(near.nodes.len(), around.nodes.len().min(2));
            prop_assert!(near.nodes.iter().all(|it| around.nodes.contains(it)));
            let walked: BTreeSet<String> = around.nodes.iter().map(|it| it.id.clone()).collect();
            prop_assert_eq!(walked, ids(model.before(*task).into_iter()));
        }
        prop_assert_eq!(check::defects(&store.read()).unwrap(), []);
    }
}
