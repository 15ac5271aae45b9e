//! Undo: rows exactly as before, or a refusal that names who changed them.

use drover_core::task::State;
use drover_core::text::Text;
use drover_store::undo::{self, Undone};
use drover_store::{Store, check, edges, notes, tasks};

use crate::harness::{chain, open, project, write};

fn undo(store: &mut Store, group: &str, as_group: &str) -> Undone {
    let intent = undo::intent(group);
    write(store, ("user:ann", &intent, as_group), |tx| undo::reverse(tx, group).unwrap())
}

type Change = fn(&drover_store::WriteTx<'_>, i64, i64);

/// Every logged column of every row, so that "exactly as before" means that.
fn picture(store: &Store) -> Vec<String> {
    let plain = rusqlite::Connection::open(store.file()).unwrap();
    let mut lines = Vec::new();
    for sql in [
        "SELECT json_array(uid,created_at,name,title,status,substate,impact,effort_days,claimed_by,claimed_uid,attempt)
         FROM tasks ORDER BY uid",
        "SELECT json_array(uid,created_at) FROM edges ORDER BY uid",
        "SELECT json_array(uid,created_at,author,text) FROM notes ORDER BY uid",
    ] {
        let mut statement = plain.prepare(sql).unwrap();
        lines.extend(statement.query_map([], |row| row.get::<_, String>(0)).unwrap().map(Result::unwrap));
    }
    lines
}

/// Fault G-14.
#[test]
fn a_claim_a_close_and_a_delete_with_edges_and_notes_are_taken_back_and_forth() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path()).unwrap();
    let project = project(&mut store);
    let [a, b, _] = chain(&mut store, project);
    write(&mut store, ("user:ann", "task.note", "g-note"), |tx| {
        notes::insert(tx, b, "ann", &Text::new("one")).unwrap();
        notes::insert(tx, b, "ann", &Text::new("one")).unwrap();
    });
    let changes: [(&str, Change); 3] = [
        ("claim", |tx, a, _| assert!(tasks::claim(tx, a, "w@here", Some("u")).unwrap())),
        ("close", |tx, a, _| tasks::set_state(tx, a, State::Done).unwrap()),
        ("delete", |tx, _, b| tasks::delete(tx, b).unwrap()),
    ];
    for (name, change) in changes {
        let before = picture(&store);
        write(&mut store, ("w", name, name), |tx| change(tx, a, b));
        let after = picture(&store);
        assert_ne!(before, after);
        let (once, twice) = (format!("{name}-undo"), format!("{name}-redo"));
        assert_eq!(undo(&mut store, name, &once).conflicts, []);
        assert_eq!(picture(&store), before, "{name}");
        assert_eq!(undo::undone_by(&store.read(), name).unwrap(), Some(once.clone()));
        assert_eq!(undo(&mut store, &once, &twice).conflicts, []);
        assert_eq!(picture(&store), after, "{name} again");
        assert_eq!(undo(&mut store, &twice, &format!("{name}-end")).conflicts, []);
        assert_eq!(picture(&store), before, "{name} at the end");
        assert_eq!(check::defects(&store.read()).unwrap(), []);
    }
}

/// Fault G-14.
#[test]
fn an_undo_names_who_changed_the_same_field_since() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path()).unwrap();
    let project = project(&mut store);
    let [a, ..] = chain(&mut store, project);
    write(&mut store, ("w1", "task.claim", "g1"), |tx| {
        assert!(tasks::claim(tx, a, "w1@here", Some("u1")).unwrap());
    });
    write(&mut store, ("bob", "task.release", "g2"), |tx| {
        tasks::release(tx, a, State::Todo).unwrap();
    });
    let undone = undo(&mut store, "g1", "g3");
    assert_eq!(undone.conflicts.len(), 1);
    assert_eq!(undone.conflicts[0].actor.as_deref(), Some("bob"));
    assert_eq!(undone.conflicts[0].group.as_deref(), Some("g2"));
}

/// Fault G-14.
#[test]
fn a_note_since_does_not_stand_in_the_way_of_undoing_a_claim() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path()).unwrap();
    let project = project(&mut store);
    let [a, ..] = chain(&mut store, project);
    write(&mut store, ("w1", "task.claim", "g1"), |tx| {
        assert!(tasks::claim(tx, a, "w1@here", Some("u1")).unwrap());
    });
    write(&mut store, ("bob", "task.note", "g2"), |tx| {
        notes::insert(tx, a, "bob", &Text::new("hm")).unwrap()
    });
    assert_eq!(undo(&mut store, "g1", "g3").conflicts, []);
}

#[test]
fn an_added_task_that_got_a_note_or_an_edge_since_is_not_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path()).unwrap();
    let project = project(&mut store);
    let [a, ..] = chain(&mut store, project);
    let new = write(&mut store, ("ann", "task.add", "g-add"), |tx| {
        crate::harness::task(tx, project, "late")
    });
    write(&mut store, ("bob", "task.block", "g-block"), |tx| edges::insert(tx, a, new).unwrap());
    let undone = undo(&mut store, "g-add", "g-undo");
    assert!(undone.conflicts[0].what.contains("edge"), "{undone:?}");
}

#[test]
fn an_import_is_taken_back_whole() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path()).unwrap();
    let project = project(&mut store);
    chain(&mut store, project);
    let before = picture(&store);
    assert_eq!(undo(&mut store, "g-chain", "g-undo").conflicts, []);
    assert!(picture(&store).is_empty());
    assert_eq!(undo(&mut store, "g-undo", "g-redo").conflicts, []);
    assert_eq!(picture(&store), before);
}

#[test]
fn a_name_that_was_given_away_since_and_a_parent_that_is_gone_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path()).unwrap();
    let project = project(&mut store);
    let [a, b, _] = chain(&mut store, project);
    write(&mut store, ("ann", "task.rename", "g-rename"), |tx| tasks::rename(tx, a, "z").unwrap());
    write(&mut store, ("bob", "task.add", "g-add"), |tx| crate::harness::task(tx, project, "a"));
    let undone = undo(&mut store, "g-rename", "g1");
    assert_eq!(undone.conflicts[0].what, "the name a was given to another task");
    assert_eq!(undone.conflicts[0].actor.as_deref(), Some("bob"));
    write(&mut store, ("ann", "task.unblock", "g-unblock"), |tx| {
        assert!(edges::delete(tx, a, b).unwrap());
    });
    write(&mut store, ("bob", "task.delete", "g-delete"), |tx| tasks::delete(tx, b).unwrap());
    let undone = undo(&mut store, "g-unblock", "g2");
    assert_eq!(undone.conflicts[0].what, "the task it belongs to was deleted");
    assert_eq!(undone.conflicts[0].group.as_deref(), Some("g-delete"));
}

#[test]
fn a_group_is_undone_only_as_long_as_its_undo_stands() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path()).unwrap();
    let project = project(&mut store);
    let [a, ..] = chain(&mut store, project);
    let claim =
        |tx: &drover_store::WriteTx<'_>| assert!(tasks::claim(tx, a, "w", Some("u")).unwrap());
    write(&mut store, ("w", "task.claim", "first"), claim);
    undo(&mut store, "first", "undo");
    write(&mut store, ("w", "task.claim", "second"), claim);
    undo(&mut store, "second", "undo-2");
    let undone = |store: &Store, group: &str| undo::undone_by(&store.read(), group).unwrap();
    assert_eq!(undone(&store, "first").as_deref(), Some("undo"));
    assert_eq!(undone(&store, "second").as_deref(), Some("undo-2"));
    undo(&mut store, "undo-2", "redo");
    assert_eq!(undone(&store, "second"), None);
    assert_eq!(undone(&store, "undo-2").as_deref(), Some("redo"));
    undo(&mut store, "redo", "undo-3");
    assert_eq!(undone(&store, "second").as_deref(), Some("undo-2"));
}

#[test]
fn the_log_tells_whose_project_a_row_was_when_all_rows_are_gone() {
    use drover_store::log::{self, Filter};
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path()).unwrap();
    let project = project(&mut store);
    let [a, ..] = chain(&mut store, project);
    write(&mut store, ("w", "task.note", "g-note"), |tx| {
        notes::insert(tx, a, "w", &Text::new("n")).unwrap();
    });
    write(&mut store, ("w", "project.delete", "g-delete"), |tx| {
        drover_store::projects::delete(tx, project).unwrap();
    });
    let all = log::read(&store.read(), &Filter::default()).unwrap();
    let mine = Filter { project: Some("p-uid".to_owned()), ..Filter::default() };
    assert_eq!(log::read(&store.read(), &mine).unwrap(), all);
    assert!(all.iter().all(|it| it.project.as_deref() == Some("p-uid")));
    assert_eq!(log::name_of(&store.read(), "project", "p-uid").unwrap().as_deref(), Some("demo"));
    let groups = log::recent_groups(&store.read(), Some("p-uid"), 2).unwrap();
    let ids: Vec<&str> = groups.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ids, ["g-delete", "g-note"]);
}
