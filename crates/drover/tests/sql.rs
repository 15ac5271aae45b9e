//! `drover sql`.

use drover_testkit::TestEnv;
use serde_json::{Value, json};

use crate::env;

/// A project with two tasks, the second behind the first.
fn two_tasks() -> TestEnv {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    env.drover(&["task", "add", "Design it", "--id", "design", "--note", "n"]).ok();
    env.drover(&["task", "add", "Build it", "--id", "build", "--blocked-by", "design"]).ok();
    env
}

fn rows(env: &TestEnv, query: &str) -> Value {
    env.drover(&["sql", query, "--json"]).ok().data()["rows"]["items"].clone()
}

fn changes(env: &TestEnv) -> Value {
    env.drover(&["log", "--all", "-n", "0", "--json"]).ok().data()["count"].clone()
}

#[test]
fn a_question_is_answered_in_columns_and_in_json() {
    let env = two_tasks();
    let query =
        "SELECT handle, open_blockers, NULL AS none, x'0a' AS bytes, 1.5 AS half, 1e999 AS endless
        FROM task_derived ORDER BY handle";
    let answer = env.drover(&["sql", query, "--json"]).ok();
    assert_eq!(answer.json()["outcome"], "queried");
    let data = answer.data();
    assert_eq!(
        data["columns"],
        json!(["handle", "open_blockers", "none", "bytes", "half", "endless"])
    );
    assert_eq!(
        data["rows"]["items"][0],
        json!({"handle": "build", "open_blockers": 1, "none": null, "bytes": "x'0a'", "half": 1.5, "endless": "inf"})
    );
    assert_eq!(
        (&data["more"], &data["changed"], &data["statements"]),
        (&json!(false), &Value::Null, &json!(1))
    );
    let card = env.drover(&["sql", "SELECT handle, NULL FROM task_derived ORDER BY 1"]).ok().stdout;
    assert_eq!(card, "handle  NULL\nbuild   NULL\ndesign  NULL\n");
    assert_eq!(rows(&env, "SELECT 1 AS a, 2 AS a"), json!([{"a": 1, "a:2": 2}]));
    assert!(env.drover(&["sql", "SELECT 1 WHERE 0"]).ok().stdout.contains("No rows."));
}

#[test]
fn a_text_may_begin_with_a_comment_and_come_from_anywhere() {
    let env = two_tasks();
    assert_eq!(rows(&env, "-- how many\nSELECT count(*) AS n FROM tasks"), json!([{"n": 2}]));
    let piped =
        env.drover_with_stdin(&["sql", "-", "--json"], "SELECT 1 AS one; -- the end\n").ok();
    assert_eq!(piped.data()["rows"]["items"], json!([{"one": 1}]));
    std::fs::write(env.home().join("ask.sql"), "SELECT 2 AS two").unwrap();
    let filed = env.drover(&["sql", "--file", "ask.sql", "--json"]).ok();
    assert_eq!(filed.data()["rows"]["items"], json!([{"two": 2}]));
}

#[test]
fn rows_beyond_the_count_are_not_answered_and_that_is_said() {
    let env = env();
    let many =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 5000) SELECT i FROM n";
    let answer = env.drover(&["sql", many, "--json"]).ok();
    let data = answer.data();
    assert_eq!((&data["rows"]["count"], &data["more"]), (&json!(1000), &json!(true)));
    assert!(answer.json()["warnings"][0].as_str().unwrap().contains("more rows than the 1000"));
    let all = env.drover(&["sql", many, "-n", "0", "--json"]).ok().data();
    assert_eq!((&all["rows"]["count"], &all["more"]), (&json!(5000), &json!(false)));
}

#[test]
fn a_change_is_logged_as_one_group_and_can_be_taken_back() {
    let env = two_tasks();
    let script = "UPDATE tasks SET impact=90 WHERE name='design'; UPDATE tasks SET title='Build all' WHERE name='build' RETURNING title;";
    let answer = env.drover(&["sql", script, "--json"]).ok();
    assert_eq!(answer.json()["outcome"], "written");
    let data = answer.data();
    assert_eq!((&data["changed"], &data["statements"]), (&json!(2), &json!(2)));
    assert_eq!(data["rows"]["items"], json!([{"title": "Build all"}]));
    let logged = env.drover(&["log", "--intent", "sql.write", "--json"]).ok().data();
    assert_eq!(logged["count"], 2);
    assert_eq!(logged["items"][0]["actor"], "user:tester");
    let group = logged["items"][0]["group"].as_str().unwrap();
    assert_eq!(logged["items"][1]["group"], group);
    env.drover(&["undo", group, "--yes"]).ok();
    assert_eq!(
        rows(&env, "SELECT impact, title FROM tasks ORDER BY name"),
        json!([{"impact": 50, "title": "Build it"}, {"impact": 50, "title": "Design it"}])
    );
}

#[test]
fn what_follows_from_a_change_follows_from_one_made_in_sql() {
    let env = two_tasks();
    env.drover(&["sql", "UPDATE tasks SET status='CLOSED', substate='done' WHERE name='design'"])
        .ok();
    let next = env.drover(&["task", "next", "--json"]).ok().data();
    assert_eq!(next["items"][0]["id"], "build");
    env.drover(&["sql", "DELETE FROM tasks WHERE name='design'"]).ok();
    assert_eq!(
        rows(&env, "SELECT (SELECT count(*) FROM notes) AS n, (SELECT count(*) FROM edges) AS e"),
        json!([{"n": 0, "e": 0}])
    );
    let doctor = env.drover(&["doctor", "--json"]).ok().data();
    assert_eq!(doctor["failed"], 0, "{doctor}");
}

#[test]
fn a_count_that_is_said_must_be_met() {
    let env = two_tasks();
    let before = changes(&env);
    let update = "UPDATE tasks SET impact=1";
    let refused =
        env.drover(&["sql", update, "--confirm-rows", "1", "--json"]).refused(2, "rows_differ");
    assert_eq!(refused["data"], json!({"confirmed": 1, "found": 2}));
    assert_eq!(changes(&env), before);
    env.drover(&["sql", "SELECT 1", "--confirm-rows", "1", "--json"]).refused(2, "usage");
    let done = env.drover(&["sql", update, "--confirm-rows", "2", "--json"]).ok().data();
    assert_eq!((&done["changed"], &done["confirmed"]), (&json!(2), &json!(2)));
}

#[test]
fn a_dry_run_and_a_key_hold_as_for_every_verb() {
    let env = two_tasks();
    let before = changes(&env);
    let update = "UPDATE tasks SET impact=impact+1 WHERE name='design' RETURNING impact";
    let dry = env.drover(&["sql", update, "--dry-run", "--json"]).ok();
    assert_eq!(dry.data()["rows"]["items"], json!([{"impact": 51}]));
    assert_eq!(changes(&env), before);
    let once = env.drover(&["sql", update, "--key", "k", "--json"]).ok();
    let twice = env.drover(&["sql", update, "--key", "k", "--json"]).ok();
    assert_eq!(once.data(), twice.data());
    assert_eq!(twice.json()["deduplicated"], true);
    assert_eq!(rows(&env, "SELECT impact FROM tasks WHERE name='design'"), json!([{"impact": 51}]));
}

#[test]
fn the_fence_keeps_out_what_is_no_change_of_a_logged_row() {
    let env = two_tasks();
    let before = (changes(&env), rows(&env, "SELECT * FROM sqlite_schema"));
    let outside = env.root().join("stolen.db");
    let vacuum = format!("VACUUM INTO '{}'", outside.display());
    let attach = format!("ATTACH '{}' AS other", outside.display());
    for refused in [
        "DROP TABLE tasks",
        "CREATE TABLE mine(x)",
        "CREATE TEMP TABLE mine(x)",
        "CREATE TEMP TRIGGER t AFTER INSERT ON notes BEGIN SELECT 1; END",
        "ALTER TABLE tasks ADD COLUMN x",
        "DELETE FROM ops",
        "UPDATE ops SET actor='me'",
        "UPDATE writer SET mode='compact'",
        "INSERT INTO writer SELECT * FROM writer",
        "UPDATE task_derived SET open_blockers=0",
        "DELETE FROM evidence",
        "UPDATE identity SET machine_name='x'",
        "DELETE FROM call_keys",
        "INSERT INTO log_entry VALUES('task','u','put',NULL,'{}','portable')",
        "UPDATE tasks SET uid='x'",
        "UPDATE tasks SET name='x'",
        "UPDATE tasks SET project_pk=1",
        "INSERT INTO edges(uid,created_at,blocker_pk,blocked_pk) VALUES('u','t',2,1)",
        "UPDATE edges SET blocker_pk=2",
        "DELETE FROM projects",
        "DELETE FROM agents",
        "PRAGMA user_version=9",
        "PRAGMA writable_schema=1",
        "PRAGMA foreign_keys=0",
        "PRAGMA journal_mode=DELETE",
        "BEGIN",
        "COMMIT",
        "SAVEPOINT s",
        "ANALYZE",
        "REINDEX",
        "VACUUM",
        vacuum.as_str(),
        attach.as_str(),
        "SELECT load_extension('x')",
        "UPDATE tasks SET impact=1; DROP TABLE notes",
        "UPDATE tasks SET impact=1000",
        "UPDATE tasks SET status='CLOSED'",
        "UPDATE tasks SET owns='src'",
        "UPDATE tasks SET title=' '",
        "REPLACE INTO tasks SELECT * FROM tasks",
    ] {
        env.drover(&["sql", refused, "--json"]).refused(3, "sql_refused");
    }
    assert!(!outside.exists());
    assert_eq!((changes(&env), rows(&env, "SELECT * FROM sqlite_schema")), before);
    let made = env.drover(&["sql", "DELETE FROM projects", "--json"]).refused(3, "sql_refused");
    assert_eq!(made["next"][0]["run"], "drover project teardown --help");
    assert_eq!(env.drover(&["doctor", "--json"]).ok().data()["failed"], 0);
}

#[test]
fn what_cannot_be_read_says_where() {
    let env = two_tasks();
    let refused =
        env.drover(&["sql", "SELECT nope FROM tasks", "--json"]).refused(2, "sql_invalid");
    assert_eq!(refused["data"]["at"], 7);
    for refused in
        ["SELEC 1", "SELECT", "SELECT 'open", "SELECT 1; SELECT (", "SELECT * FROM \u{1b}[31m"]
    {
        env.drover(&["sql", refused, "--json"]).refused(2, "sql_invalid");
    }
    for blank in ["", "  ", "-- nothing", ";;"] {
        env.drover(&["sql", blank, "--json"]).refused(2, "usage");
    }
    env.drover(&["sql", "--json"]).refused(2, "usage");
    env.drover_with_stdin(&["sql", "-", "--json"], "SELECT 1\0; DROP TABLE tasks")
        .refused(2, "usage");
    env.drover(&["sql", "SELECT 1", "--timeout", "soon", "--json"]).refused(2, "usage");
}

#[test]
fn a_statement_without_end_or_bounds_is_ended() {
    let env = two_tasks();
    let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n";
    env.drover(&["sql", endless, "--timeout", "0.2s", "--json"]).refused(5, "timed_out");
    let update = format!("UPDATE tasks SET impact=({endless})");
    env.drover(&["sql", &update, "--timeout", "0.2s", "--json"]).refused(5, "timed_out");
    env.drover(&["task", "add", "The lock is free"]).ok();
    let huge = "SELECT hex(zeroblob(900000000)) AS x";
    env.drover(&["sql", huge, "--json"]).refused(5, "sql_too_large");
}

#[test]
fn a_secret_in_a_statement_does_not_reach_the_log() {
    let env = two_tasks();
    let secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    let answer =
        env.drover(&["sql", &format!("UPDATE tasks SET title='use {secret}'"), "--json"]).ok();
    assert_eq!(answer.json()["warnings"], json!(["redacted: 1"]));
    assert_eq!(
        rows(&env, "SELECT DISTINCT title FROM tasks"),
        json!([{"title": "use [redacted]"}])
    );
}
