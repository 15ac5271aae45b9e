//! The kept order against a plain search, whatever way edges come in and however little room there is.

use std::collections::BTreeSet;

use drover_core::task::dag;
use drover_store::{Store, check, edges, order, tasks};
use proptest::prelude::*;

use crate::harness::{open, project, task, write};

const BLOCK: (&str, &str, &str) = ("user:ann", "task.block", "g-block");

fn keys(store: &mut Store, count: usize) -> Vec<i64> {
    let project = project(store);
    write(store, BLOCK, |tx| (0..count).map(|it| task(tx, project, &format!("t{it}"))).collect())
}

fn unordered(store: &Store) -> i64 {
    let plain = rusqlite::Connection::open(store.file()).unwrap();
    plain.query_row("SELECT count(*) FROM edges_unordered", [], |row| row.get(0)).unwrap()
}

/// Leaves no room between the places of any two tasks.
fn crowd(store: &Store) {
    let plain = rusqlite::Connection::open(store.file()).unwrap();
    plain
        .execute_batch(
            "UPDATE task_derived SET topo=n.place FROM (SELECT task_pk, row_number() OVER (ORDER BY topo) AS place
               FROM task_derived) n WHERE n.task_pk=task_derived.task_pk",
        )
        .unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn an_edge_is_refused_exactly_when_there_is_a_way_back_and_the_order_holds_after_it(
        links in proptest::collection::vec((0_usize..9, 0_usize..9), 1..50),
        is_crowded in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut store = open(folder.path()).unwrap();
        let keys = keys(&mut store, 9);
        let mut made: BTreeSet<(i64, i64)> = BTreeSet::new();
        for (from, to) in links {
            let (from, to) = (keys[from], keys[to]);
            if is_crowded {
                crowd(&store);
            }
            let way = write(&mut store, BLOCK, |tx| {
                let way = order::admit(tx, from, to).unwrap();
                if way.is_none() {
                    edges::insert(tx, from, to).unwrap();
                }
                way
            });
            let back = dag::path(to, from, |it| {
                made.iter().filter(|edge| edge.0 == it).map(|edge| edge.1).collect()
            });
            prop_assert_eq!(way.is_some(), back.is_some());
            if let Some(way) = way {
                prop_assert_eq!((way.first(), way.last()), (Some(&to), Some(&from)));
                prop_assert!(way.windows(2).all(|it| made.contains(&(it[0], it[1]))));
            } else {
                made.insert((from, to));
            }
            prop_assert_eq!(unordered(&store), 0);
            prop_assert_eq!(check::defects(&store.read()).unwrap(), []);
        }
    }

    #[test]
    fn edges_that_come_in_against_the_order_are_named_and_brought_into_line(
        links in proptest::collection::vec((0_usize..9, 0_usize..9), 1..30),
        gone in 0_usize..9,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut store = open(folder.path()).unwrap();
        let keys = keys(&mut store, 9);
        let backwards: BTreeSet<(usize, usize)> =
            links.into_iter().filter(|(from, to)| from > to).collect();
        write(&mut store, BLOCK, |tx| {
            for (from, to) in &backwards {
                edges::insert(tx, keys[*from], keys[*to]).unwrap();
            }
        });
        prop_assert_eq!(unordered(&store), i64::try_from(backwards.len()).unwrap());
        write(&mut store, BLOCK, |tx| tasks::delete(tx, keys[gone]).unwrap());
        let left = backwards.iter().filter(|it| it.0 != gone && it.1 != gone).count();
        prop_assert_eq!(unordered(&store), i64::try_from(left).unwrap());
        write(&mut store, BLOCK, |tx| order::settle(tx).unwrap());
        prop_assert_eq!(unordered(&store), 0);
        prop_assert_eq!(check::defects(&store.read()).unwrap(), []);
    }
}

#[test]
fn a_plan_written_back_to_front_is_brought_into_line() {
    for count in [400, 1200] {
        let folder = tempfile::tempdir().unwrap();
        let mut store = open(folder.path()).unwrap();
        let keys = keys(&mut store, count);
        write(&mut store, BLOCK, |tx| {
            for pair in keys.windows(2) {
                edges::insert(tx, pair[1], pair[0]).unwrap();
            }
            order::settle(tx).unwrap();
        });
        assert_eq!(unordered(&store), 0);
        assert_eq!(check::defects(&store.read()).unwrap(), []);
    }
}

#[test]
fn an_edge_on_a_cycle_stays_named_and_the_search_still_finds_every_way_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path()).unwrap();
    let keys = keys(&mut store, 4);
    // As two machines may each add one half of it.
    write(&mut store, BLOCK, |tx| {
        for (from, to) in [(0, 1), (1, 2), (2, 0)] {
            edges::insert(tx, keys[from], keys[to]).unwrap();
        }
        order::settle(tx).unwrap();
    });
    assert_eq!(unordered(&store), 1);
    let way = write(&mut store, BLOCK, |tx| {
        assert_eq!(order::admit(tx, keys[2], keys[3]).unwrap(), None);
        edges::insert(tx, keys[2], keys[3]).unwrap();
        order::admit(tx, keys[3], keys[1]).unwrap()
    });
    assert_eq!(way, Some(vec![keys[1], keys[2], keys[3]]));
}
