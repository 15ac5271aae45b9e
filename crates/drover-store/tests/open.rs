//! Opening: first, raced, foreign, older, newer.

use std::fs;
use std::path::Path;

use drover_store::{StoreError, identity, projects};

use crate::harness::{open, open_with, project};

const LATER: &str =
    "-- Adds a column, for the tests of migration.\nALTER TABLE projects ADD COLUMN colour TEXT;";

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_new_database_is_whole_and_leaves_no_private_file() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).unwrap();
    assert_eq!(identity::read(&store.read()).unwrap().machine_name, "here");
    drop(store);
    let names = names(folder.path());
    assert!(names.contains(&"drover.db".to_owned()));
    assert!(!names.iter().any(|it| it.contains(".new-")), "{names:?}");
}

#[test]
fn what_a_first_open_that_was_cut_off_left_behind_goes_with_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()).unwrap());
    let (file, private) =
        (folder.path().join("drover.db"), folder.path().join("drover.db.new-as-it-was-built"));
    fs::hard_link(&file, &private).unwrap();
    drop(open(folder.path()).unwrap());
    assert!(file.exists() && !private.exists());
}

#[test]
fn thirty_first_opens_at_once_meet_in_one_database() {
    let folder = tempfile::tempdir().unwrap();
    let machines: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..30)
            .map(|_| {
                scope.spawn(|| {
                    identity::read(&open(folder.path()).unwrap().read()).unwrap().machine_uid
                })
            })
            .collect();
        threads.into_iter().map(|it| it.join().unwrap()).collect()
    });
    assert!(machines.iter().all(|it| *it == machines[0]));
}

#[test]
fn a_file_that_is_not_ours_is_named_and_left_as_it_was() {
    let sqlite = tempfile::tempdir().unwrap();
    rusqlite::Connection::open(sqlite.path().join("drover.db"))
        .unwrap()
        .execute_batch("CREATE TABLE x(y)")
        .unwrap();
    let (empty, text) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(empty.path().join("drover.db"), "").unwrap();
    fs::write(text.path().join("drover.db"), "hello, this is no database at all, it is a letter")
        .unwrap();
    for folder in [sqlite, empty, text] {
        let file = folder.path().join("drover.db");
        let before = fs::read(&file).unwrap();
        let err = open(folder.path()).unwrap_err();
        assert!(matches!(err, StoreError::Foreign { .. }), "{err}");
        assert!(err.to_string().contains("drover.db"));
        assert_eq!(fs::read(&file).unwrap(), before);
    }
}

/// Faults G-13, I-06.
#[test]
fn an_older_database_is_backed_up_and_migrated_and_then_refused_by_the_older_program() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path()).unwrap();
    project(&mut store);
    drop(store);
    // As a migration leaves it that was cut off in its backup.
    fs::create_dir(folder.path().join("backups")).unwrap();
    fs::write(folder.path().join("backups/.drover.db.v3-20260101T000000000.7.part"), "half")
        .unwrap();
    let store = open_with(folder.path(), &[LATER]).unwrap();
    assert_eq!(projects::list(&store.read()).unwrap().len(), 1);
    drop(store);
    let backups = names(&folder.path().join("backups"));
    assert_eq!(backups, ["drover.db.v3-20260102T030405000"]);
    let err = open(folder.path()).unwrap_err();
    assert!(matches!(err, StoreError::Newer { found: 4, known: 3, .. }), "{err}");
}

/// Fault C-10.
#[test]
fn a_write_notices_that_the_schema_moved() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path()).unwrap();
    open_with(folder.path(), &[LATER]).unwrap();
    let writer = drover_store::Writer {
        actor: "a".to_owned(),
        intent: "i".to_owned(),
        group: "g".to_owned(),
        at: "2026-01-02T03:04:06Z".parse().unwrap(),
    };
    let err = store.begin(&writer).unwrap_err();
    assert!(matches!(err, StoreError::Moved { was: 3, now: 4 }), "{err}");
    assert!(!store.is_writing());
}

#[test]
fn a_copy_put_in_place_of_the_database_is_opened_with_its_write_ahead_log() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path()).unwrap();
    project(&mut store);
    let copy = folder.path().join("copy");
    let plain = rusqlite::Connection::open(store.file()).unwrap();
    plain.execute("VACUUM INTO ?1", [copy.to_str().unwrap()]).unwrap();
    drop((store, plain));
    fs::rename(&copy, folder.path().join("drover.db")).unwrap();
    let store = open(folder.path()).unwrap();
    assert_eq!(projects::list(&store.read()).unwrap().len(), 1);
    let plain = rusqlite::Connection::open(store.file()).unwrap();
    let mode: String = plain.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
    assert_eq!(mode, "wal");
}
