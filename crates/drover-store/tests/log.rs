//! The log: what is recorded, by whom, and what it refuses.

use drover_core::task::State;
use drover_core::text::Text;
use drover_store::log::{self, Filter};
use drover_store::{check, edges, notes, tasks};

use crate::harness::{chain, open, project, write};

#[test]
fn every_change_is_recorded_with_its_actor_and_only_the_changed_columns() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path()).unwrap();
    let project = project(&mut store);
    let [a, ..] = chain(&mut store, project);
    write(&mut store, ("w1", "task.claim", "g-claim"), |tx| {
        assert!(tasks::claim(tx, a, "w1@here", Some("u1")).unwrap());
    });
    let ops = log::of_group(&store.read(), "g-claim").unwrap();
    assert_eq!(ops.len(), 1);
    let op = &ops[0];
    assert_eq!(
        (op.actor.as_str(), op.intent.as_str(), op.entity.as_str()),
        ("w1", "task.claim", "task")
    );
    assert_eq!(
        op.old.as_deref(),
        Some(r#"{"status":"OPEN","substate":"todo","claimed_by":null,"claimed_uid":null}"#)
    );
    assert_eq!(
        op.new.as_deref(),
        Some(
            r#"{"status":"IN_PROGRESS","substate":"active","claimed_by":"w1@here","claimed_uid":"u1"}"#
        )
    );
    assert_eq!((op.scope.as_str(), op.at.as_str()), ("portable", "2026-01-02T03:04:06.000Z"));
}

#[test]
fn a_change_that_changes_nothing_is_not_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path()).unwrap();
    let project = project(&mut store);
    let [a, ..] = chain(&mut store, project);
    let before = log::last_seq(&store.read()).unwrap();
    write(&mut store, ("user:ann", "task.open", "g"), |tx| {
        tasks::set_state(tx, a, State::Todo).unwrap();
    });
    assert_eq!(log::last_seq(&store.read()).unwrap(), before);
}

#[test]
fn a_stray_writer_is_refused_and_the_log_cannot_be_rewritten() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path()).unwrap();
    let project = project(&mut store);
    chain(&mut store, project);
    let stray = rusqlite::Connection::open(store.file()).unwrap();
    for sql in [
        "UPDATE tasks SET title='x'",
        "DELETE FROM tasks",
        "UPDATE ops SET actor='x'",
        "DELETE FROM ops",
    ] {
        let err = stray.execute_batch(sql).unwrap_err().to_string();
        assert!(err.contains("no writer") || err.contains("append-only"), "{sql}: {err}");
    }
    assert_eq!(tasks::ids(&store.read(), project).unwrap(), ["a", "b", "c"]);
}

/// Fault G-06.
#[test]
fn counts_follow_closing_opening_and_deleting() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path()).unwrap();
    let project = project(&mut store);
    let [a, b, c] = chain(&mut store, project);
    let ready = |store: &drover_store::Store| {
        let tasks = tasks::ready(&store.read(), project, None).unwrap();
        tasks.into_iter().map(|it| it.id).collect::<Vec<_>>()
    };
    assert_eq!(ready(&store), ["a"]);
    write(&mut store, ("w", "task.close", "g1"), |tx| {
        tasks::set_state(tx, a, State::Done).unwrap();
    });
    assert_eq!(ready(&store), ["b"]);
    write(&mut store, ("w", "task.close", "g2"), |tx| {
        tasks::set_state(tx, a, State::Rejected).unwrap();
    });
    assert!(ready(&store).is_empty());
    write(&mut store, ("w", "task.delete", "g3"), |tx| {
        notes::insert(tx, b, "w", &Text::new("n")).unwrap();
        tasks::delete(tx, b).unwrap();
    });
    assert_eq!(ready(&store), ["c"]);
    assert!(edges::blockers(&store.read(), c).unwrap().is_empty());
    assert_eq!(check::defects(&store.read()).unwrap(), []);
}

/// Fault Z-02.
#[test]
fn what_is_next_is_read_from_the_index() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).unwrap();
    let plain = rusqlite::Connection::open(store.file()).unwrap();
    let sql = "EXPLAIN QUERY PLAN SELECT t.pk FROM task_derived d JOIN tasks t ON t.pk=d.task_pk
        WHERE d.project_pk=1 AND d.startable AND d.open_blockers=0 ORDER BY d.roi DESC, d.effort_days, d.task_pk LIMIT 1";
    let mut statement = plain.prepare(sql).unwrap();
    let plan: Vec<String> =
        statement.query_map([], |row| row.get(3)).unwrap().map(Result::unwrap).collect();
    assert!(plan.iter().any(|it| it.contains("USING INDEX task_ready")), "{plan:?}");
    assert!(!plan.iter().any(|it| it.contains("TEMP B-TREE")), "{plan:?}");
}

#[test]
fn a_filter_narrows_and_keeps_the_order() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path()).unwrap();
    let project = project(&mut store);
    chain(&mut store, project);
    let edges = log::read(
        &store.read(),
        &Filter { entities: vec!["edge".to_owned()], ..Filter::default() },
    )
    .unwrap();
    assert_eq!(edges.len(), 2);
    assert!(edges[0].seq < edges[1].seq);
    let last = log::read(&store.read(), &Filter { limit: Some(1), ..Filter::default() }).unwrap();
    assert_eq!(last[0].seq, log::last_seq(&store.read()).unwrap());
    let first =
        log::read(&store.read(), &Filter { after: Some(0), limit: Some(1), ..Filter::default() })
            .unwrap();
    assert_eq!(first[0].entity, "project");
}

#[test]
fn the_schema_stays_cheap_to_open() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).unwrap();
    let bytes = check::sizes(&store.read()).unwrap().schema_bytes;
    assert!(bytes <= 64 * 1024, "{bytes} bytes of schema");
}
