//! How SQLite means to answer each statement: nothing walks a table that grows without bounds, but for a reason.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use regex::Regex;
use rusqlite::Connection;

/// Tables that may have millions of rows.
const LARGE: &str = "tasks|task_derived|edges|notes|evidence|ops";

/// Statements that walk, each by a part of its text, with the reason.
const WALKS: &[(&str, &str)] = &[
    ("INSERT INTO edges_unordered SELECT", "a migration orders all tasks"),
    (
        "SELECT blocker_pk, blocked_pk FROM edges",
        "a migration, or a large import, orders all tasks",
    ),
    (
        "SELECT task_pk FROM task_derived ORDER BY",
        "a migration, or a large import, orders all tasks",
    ),
    ("UPDATE task_derived SET closed=1", "a migration"),
    ("INSERT INTO task_counts SELECT", "a migration"),
    ("INSERT INTO projects(", "read only where a transaction owes a reference"),
    (
        "SELECT (SELECT count(*) FROM tasks WHERE project_pk=?1), ",
        "a project is shown with all it has",
    ),
    ("INDEXED BY tasks_active", "the index holds what is in progress"),
    ("INDEXED BY task_ready", "the index holds what is ready"),
    ("kind='failed' AND subject='task' AND NOT EXISTS", "the index holds what failed"),
    ("INDEXED BY tasks_lost", "the index holds what was lost"),
    ("FROM edges e JOIN tasks t ON t.pk=e.", "the whole graph is asked for"),
    ("AND NOT(t.status='CLOSED' AND t.substate='done')", "a schedule of all that is not done"),
    ("SELECT pk, status, substate FROM tasks", "the tracks of a whole project"),
    ("SELECT pk FROM tasks INDEXED BY tasks_state", "the edges of a whole project"),
    ("SELECT task_pk FROM task_derived WHERE project_pk", "the tracks of a whole project"),
    ("SELECT o.grp FROM ops o", "left as soon as enough groups are found"),
];

/// Verbs that are asked for everything; what only they ask may walk.
const WHOLE: &[&str] = &["db compact", "doctor", "rebuild", "sql", "task export"];

/// The statements that read a whole large table, or all of a project in one, with the verbs that ask each.
pub(crate) fn walks(
    database: &Path,
    statements: &BTreeMap<String, BTreeSet<String>>,
) -> Vec<String> {
    let conn = Connection::open(database).unwrap();
    let mut found = Vec::new();
    let mut known: Vec<_> = WALKS.iter().map(|it| (it, false)).collect();
    for (sql, verbs) in statements {
        let text = sql.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_plain = ["SELECT", "WITH", "INSERT", "UPDATE", "DELETE"];
        if !is_plain.iter().any(|it| text.starts_with(it)) {
            continue;
        }
        if let Some(known) = known.iter_mut().find(|it| text.contains(it.0.0)) {
            known.1 = true;
            continue;
        }
        if verbs.iter().all(|it| WHOLE.contains(&it.as_str())) {
            continue;
        }
        let verb = verbs.first().map_or("", String::as_str);
        for step in plan(&conn, sql) {
            if is_walk(&text, &step) {
                found.push(format!("{verb}: {step}\n    {text}"));
            }
        }
    }
    // Where a build does not tell its statements there are none, and nothing to say.
    let unused = known.iter().filter(|it| !it.1 && !statements.is_empty());
    found.extend(unused.map(|it| format!("no statement has {:?} ({}) any more", it.0.0, it.0.1)));
    found
}

fn plan(conn: &Connection, sql: &str) -> Vec<String> {
    // What a verb makes for itself, such as a table of its own, is not there any more.
    let Ok(mut statement) = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}")) else {
        return Vec::new();
    };
    let mut rows = statement.raw_query();
    let mut steps = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        steps.push(row.get(3).unwrap());
    }
    steps
}

/// Whether a step reads all rows of a large table, or all of a project, and does not stop by a limit.
fn is_walk(sql: &str, step: &str) -> bool {
    let read = Regex::new(r"^(SCAN|SEARCH) (\w+)(?: USING (.*))?$").unwrap();
    let Some(read) = read.captures(step) else { return false };
    let is_large = Regex::new(&format!(r"\b(?:{LARGE})(?: AS)? {}\b", &read[2])).unwrap();
    let named = Regex::new(&format!("^(?:{LARGE})$")).unwrap();
    if !is_large.is_match(sql) && !named.is_match(&read[2]) {
        return false;
    }
    let how = read.get(3).map_or("", |it| it.as_str());
    let is_whole = &read[1] == "SCAN" || how.ends_with("(project_pk=?)");
    // An index in the order that is asked for is left as soon as there is enough.
    let stops = sql.contains(" LIMIT ") && how.contains("INDEX");
    is_whole && !stops
}

#[test]
fn a_walk_is_found_whatever_the_table_is_called() {
    let whole = "SELECT t.pk FROM tasks t WHERE t.title=?1";
    assert!(is_walk(whole, "SCAN t"));
    assert!(is_walk("SELECT count(*) FROM ops", "SCAN ops USING COVERING INDEX ops_group"));
    assert!(is_walk(whole, "SEARCH t USING INDEX tasks_state (project_pk=?)"));
    assert!(!is_walk(whole, "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)"));
    assert!(!is_walk("SELECT name FROM agents a", "SCAN a"));
    let first =
        "SELECT d.handle FROM task_derived d WHERE d.project_pk=?1 ORDER BY d.handle LIMIT 1";
    assert!(!is_walk(first, "SEARCH d USING INDEX sqlite_autoindex_task_derived_1 (project_pk=?)"));
}
