//! Undo on random histories: each group taken back, newest first, gives back the rows of before.

use drover_core::task::State;
use drover_core::text::Text;
use drover_store::drift::drift;
use drover_store::notes::Evidence;
use drover_store::rebuild::{Present, rebuild};
use drover_store::tasks::Changes;
use drover_store::{Store, WriteTx, check, edges, log, notes, projects, shrink, tasks, undo};
use proptest::prelude::*;

use crate::harness::{open, project, task, write};

/// One action: which verb, and which tasks it is about.
type Action = (u8, u8, u8);

/// Every logged column of every portable row.
fn picture(store: &Store) -> Vec<String> {
    let plain = rusqlite::Connection::open(store.file()).unwrap();
    let mut lines = Vec::new();
    for table in ["projects", "policy_values", "tasks", "edges", "notes", "evidence", "log_lines"] {
        // A reference is told by the uid of its row: keys are this database's own.
        let columns: Vec<String> = plain
            .prepare(
                "SELECT CASE name WHEN 'project_pk' THEN '(SELECT uid FROM projects WHERE pk=project_pk)'
                   WHEN 'task_pk' THEN '(SELECT uid FROM tasks WHERE pk=task_pk)'
                   WHEN 'blocker_pk' THEN '(SELECT uid FROM tasks WHERE pk=blocker_pk)'
                   WHEN 'blocked_pk' THEN '(SELECT uid FROM tasks WHERE pk=blocked_pk)' ELSE name END
                 FROM pragma_table_info(?1) WHERE name<>'pk'",
            )
            .unwrap()
            .query_map([table], |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let sql = format!("SELECT json_array({}) FROM {table} ORDER BY uid", columns.join(","));
        let mut statement = plain.prepare(&sql).unwrap();
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
        lines.extend(rows.map(|row| format!("{table} {}", row.unwrap())));
    }
    lines
}

/// Carries out one action; one that has nothing to be about does nothing.
fn act(tx: &WriteTx<'_>, project: i64, number: usize, (verb, one, other): Action) {
    let ids = tasks::ids(tx, project).unwrap();
    let key = |it: u8| {
        let id = ids.get(usize::from(it) % ids.len().max(1))?;
        tasks::key(tx, project, id).unwrap()
    };
    let fresh = format!("n{number}");
    let (Some(first), Some(second)) = (key(one), key(other)) else {
        task(tx, project, &fresh);
        return;
    };
    let text = Text::new(&fresh);
    match verb % 13 {
        0 | 1 => {
            task(tx, project, &fresh);
        }
        2 => tasks::rename(tx, first, &fresh).unwrap(),
        3 => {
            tasks::claim(tx, first, "w@here", Some("u")).unwrap();
        }
        4 => tasks::release(tx, first, State::Todo).unwrap(),
        5 => tasks::set_state(tx, first, State::ALL[usize::from(other) % 9]).unwrap(),
        6 => {
            let changes = Changes {
                title: Some(text),
                effort_days: Some(0.1 + f64::from(one)),
                ..Changes::default()
            };
            tasks::update(tx, first, &changes).unwrap();
        }
        // Older tasks block newer ones, so that there is no cycle.
        7 | 8 if first != second => {
            edges::insert(tx, first.min(second), first.max(second)).unwrap();
        }
        9 => {
            edges::delete(tx, first.min(second), first.max(second)).unwrap();
        }
        10 => {
            notes::insert(tx, first, "w", &text).unwrap();
        }
        11 => delete(tx, first, other % 2 == 0),
        12 => {
            projects::set_policy(tx, project, "wip", Some(&fresh)).unwrap();
            let evidence = Evidence {
                kind: "said".to_owned(),
                verb: "close".to_owned(),
                text: Some(text),
                ..Evidence::default()
            };
            let uid = tasks::by_pk(tx, first).unwrap().unwrap().uid;
            notes::insert_evidence(tx, project, &uid, &evidence).unwrap();
        }
        _ => {}
    }
}

/// Deletes a task, its edges first by hand or all by its trigger: both orders of the cascade.
fn delete(tx: &WriteTx<'_>, pk: i64, children_first: bool) {
    if children_first {
        for it in edges::blockers(tx, pk).unwrap() {
            edges::delete(tx, it.pk, pk).unwrap();
        }
        for it in edges::dependents(tx, pk).unwrap() {
            edges::delete(tx, pk, it.pk).unwrap();
        }
    }
    tasks::delete(tx, pk).unwrap();
}

fn take_back(store: &mut Store, group: &str, as_group: &str) {
    let intent = undo::intent(group);
    let undone =
        write(store, ("user:ann", &intent, as_group), |tx| undo::reverse(tx, group).unwrap());
    assert_eq!(undone.conflicts, [], "{group}");
}

/// The rows are what the log says, before and after it is made smaller, and are written anew from it.
fn check_log_tells_all(store: &mut Store) {
    let at = "2026-01-02T03:04:06Z".parse().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let drifted = |store: &Store| drift(store.file(), folder.path(), at).unwrap();
    let everything = |store: &Store| log::read(&store.read(), &log::Filter::default()).unwrap();
    assert!(drifted(store).is_none(), "{:?}", drifted(store));
    let (before, repeated) = (everything(store), shrink::twice(&store.read()).unwrap());
    let taken = write(store, ("w", "db.compact", "compact"), |tx| shrink::compact(tx).unwrap());
    assert_eq!(taken, repeated);
    assert_eq!(everything(store), before);
    assert_eq!(shrink::twice(&store.read()).unwrap().deletions, 0);
    assert!(drifted(store).is_none());
    let target = folder.path().join("drover.db");
    let rebuilt = rebuild(store.file(), &target, Present::Keep, at).unwrap();
    assert_eq!(rebuilt.replayed.applied, before.len());
    let anew = open(folder.path()).unwrap();
    assert_eq!(picture(&anew), picture(store));
    assert_eq!(check::defects(&anew.read()).unwrap(), []);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn groups_taken_back_newest_first_and_done_again_give_the_rows_of_each_moment(
        groups in proptest::collection::vec(proptest::collection::vec(any::<Action>(), 1..4), 4..16),
        depth in 1_usize..8,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut store = open(folder.path()).unwrap();
        let project = project(&mut store);
        let mut pictures = vec![picture(&store)];
        for (number, actions) in groups.iter().enumerate() {
            let group = format!("g{number}");
            write(&mut store, ("w", "test", &group), |tx| {
                for (place, action) in actions.iter().enumerate() {
                    act(tx, project, number * 10 + place, *action);
                }
            });
            pictures.push(picture(&store));
        }
        let oldest = groups.len().saturating_sub(depth);
        for number in (oldest..groups.len()).rev() {
            take_back(&mut store, &format!("g{number}"), &format!("undo-{number}"));
            prop_assert_eq!(&picture(&store), &pictures[number]);
        }
        prop_assert_eq!(check::defects(&store.read()).unwrap(), []);
        for number in oldest..groups.len() {
            take_back(&mut store, &format!("undo-{number}"), &format!("redo-{number}"));
            prop_assert_eq!(&picture(&store), &pictures[number + 1]);
        }
        prop_assert_eq!(check::defects(&store.read()).unwrap(), []);
        check_log_tells_all(&mut store);
        for number in (oldest..groups.len()).rev() {
            take_back(&mut store, &format!("redo-{number}"), &format!("again-{number}"));
            prop_assert_eq!(&picture(&store), &pictures[number]);
        }
    }
}
