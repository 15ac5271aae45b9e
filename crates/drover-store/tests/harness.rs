//! A database in a private folder, and short ways to fill it.

use std::path::Path;

use drover_core::task::State;
use drover_core::text::Text;
use drover_store::tasks::NewTask;
use drover_store::{
    Durability, Opening, Store, StoreError, WriteTx, Writer, edges, projects, tasks,
};
use jiff::Timestamp;

/// Opens the database of a folder as tests do.
pub(crate) fn open(directory: &Path) -> Result<Store, StoreError> {
    open_with(directory, &[])
}

/// Opens the database of a folder with further migrations.
pub(crate) fn open_with(directory: &Path, later: &[&str]) -> Result<Store, StoreError> {
    Store::open(&Opening {
        directory,
        machine_name: "here",
        at: "2026-01-02T03:04:05Z".parse().unwrap(),
        durability: Durability::Process,
        later,
    })
}

/// One write transaction by `actor`, committed.
pub(crate) fn write<T>(
    store: &mut Store,
    (actor, intent, group): (&str, &str, &str),
    change: impl FnOnce(&WriteTx<'_>) -> T,
) -> T {
    let at: Timestamp = "2026-01-02T03:04:06Z".parse().unwrap();
    let writer =
        Writer { actor: actor.to_owned(), intent: intent.to_owned(), group: group.to_owned(), at };
    assert!(store.begin(&writer).unwrap());
    let changed = change(&store.write().unwrap());
    store.commit().unwrap();
    changed
}

/// Adds a project and returns its key.
pub(crate) fn project(store: &mut Store) -> i64 {
    write(store, ("user:ann", "project.init", "g-project"), |tx| {
        projects::insert(tx, "p-uid", "demo", 1, "Demo").unwrap()
    })
}

/// Adds a task and returns its key.
pub(crate) fn task(tx: &WriteTx<'_>, project: i64, id: &str) -> i64 {
    let title = Text::new(id);
    let new = NewTask {
        id,
        title: &title,
        state: State::Todo,
        impact: 50,
        effort_days: 1.0,
        owns: "[]",
        labels: "[]",
        verify: None,
        source: None,
    };
    tasks::insert(tx, project, &new).unwrap()
}

/// Adds tasks `a` blocks `b` blocks `c` and returns their keys.
pub(crate) fn chain(store: &mut Store, project: i64) -> [i64; 3] {
    write(store, ("user:ann", "task.import", "g-chain"), |tx| {
        let keys = ["a", "b", "c"].map(|id| task(tx, project, id));
        edges::insert(tx, keys[0], keys[1]).unwrap();
        edges::insert(tx, keys[1], keys[2]).unwrap();
        keys
    })
}
