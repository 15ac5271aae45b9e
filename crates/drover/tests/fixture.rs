//! Databases of released versions, as they were left: each later version opens and reads them.

use std::fs;
use std::path::Path;

use crate::env;

/// Fault I-06.
#[test]
fn a_stored_database_of_the_demo_is_opened_read_and_found_whole() {
    for version in ["v1", "v2"] {
        check(version);
    }
}

/// The database that the demo left behind at this version of the schema.
fn check(version: &str) {
    let env = env();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let fixture = fixtures.join(format!("demo-{version}.db"));
    // The first call makes the state directory, and then finds a database of its own.
    env.drover(&["project", "list"]).ok();
    for file in ["drover.db", "drover.db-wal", "drover.db-shm"] {
        let _ = fs::remove_file(env.state().join(file));
    }
    fs::copy(fixture, env.database()).unwrap();
    let tasks = env.drover(&["task", "list", "-p", "demo", "--json"]).ok().data();
    assert_eq!(tasks["count"], 4);
    let all_closed = tasks["items"].as_array().unwrap().iter().all(|it| it["status"] == "CLOSED");
    assert!(all_closed, "{tasks}");
    env.drover(&["task", "show", "calc", "-p", "demo", "--proof", "--json"]).ok();
    assert!(!env.drover(&["log", "-p", "demo"]).ok().stdout.is_empty());
    assert!(!env.drover(&["undo", "-p", "demo"]).ok().stdout.is_empty());
    env.drover(&["task", "add", "One more", "-p", "demo"]).ok();
    let report = env.drover(&["doctor", "--json"]).json();
    let checks = report["data"]["checks"]["items"].as_array().unwrap().clone();
    let is_defect =
        |it: &serde_json::Value| it["section"] == "database" && it["severity"] == "fail";
    assert!(!checks.iter().any(is_defect), "{report}");
}
