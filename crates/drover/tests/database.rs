//! `drover rebuild`, `doctor --deep`, `db compact` and `db forget`: the log and the rows say the same, however it is stored.

use std::fs;
use std::path::Path;

use drover_testkit::TestEnv;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::env;

/// A database in which most kinds of rows came, changed and went.
fn lived_in() -> TestEnv {
    let env = env();
    let repository = env.repository("shop");
    let path = repository.path().to_str().unwrap().to_owned();
    env.drover(&["project", "init", "web", "--repo", &path]).ok();
    env.drover(&["project", "set", "wip", "3", "-p", "web"]).ok();
    for (id, more) in [("one", "7.000000000000001"), ("two", "0.30000000000000004"), ("three", "2")]
    {
        let words =
            ["task", "add", "A task", "--id", id, "-e", more, "--note", "as it was", "-p", "web"];
        env.drover(&words).ok();
    }
    env.drover(&["task", "block", "two", "--by", "one", "-p", "web", "--key", "kept"]).ok();
    env.drover(&["task", "claim", "one", "-p", "web"]).ok();
    env.drover(&["task", "note", "one", "half way — “quoted”\n\u{1F980}", "-p", "web"]).ok();
    env.drover(&["task", "close", "one", "--evidence", "seen", "-p", "web"]).ok();
    env.drover(&["task", "rename", "two", "second", "-p", "web"]).ok();
    env.drover(&["task", "update", "second", "--title", "Changed", "--owns", "src/", "-p", "web"])
        .ok();
    env.drover(&["task", "update", "second", "--title", "Changed again", "-p", "web"]).ok();
    env.drover(&["log", "a line", "-p", "web"]).ok();
    env.drover(&["agent", "spawn", "w1", "--engine", "shell", "--env", "A=B", "-p", "web"]).ok();
    env.drover(&["agent", "close", "web/w1"]).ok();
    env.drover(&["task", "delete", "three", "--yes", "-p", "web"]).ok();
    env.drover(&["project", "init", "gone"]).ok();
    env.drover(&["task", "add", "Old", "--id", "old", "--note", "a secret plan", "-p", "gone"])
        .ok();
    env.drover(&["task", "note", "old", "more of it", "-p", "gone"]).ok();
    env.drover(&["agent", "spawn", "w2", "--engine", "shell", "-p", "gone"]).ok();
    env.drover(&["project", "teardown", "gone", "--yes"]).ok();
    env
}

/// Every row of every table but for keys that a file gives, and what belongs to one file alone.
fn picture(file: &Path) -> Vec<String> {
    let plain = Connection::open(file).unwrap();
    let mut lines = Vec::new();
    let tables: Vec<String> = plain
        .prepare(
            "SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite%'
            AND name NOT IN('identity','writer','edges_unordered') ORDER BY name",
        )
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    for table in tables {
        let columns: Vec<String> = plain
            .prepare("SELECT name FROM pragma_table_info(?1) WHERE name NOT IN('pk','topo') ORDER BY name")
            .unwrap()
            .query_map([&table], |row| row.get::<_, String>(0))
            .unwrap()
            .map(|it| match it.unwrap().as_str() {
                "project_pk" => "(SELECT uid FROM projects WHERE pk=project_pk)".to_owned(),
                "agent_pk" => "(SELECT uid FROM agents WHERE pk=agent_pk)".to_owned(),
                "message_pk" => "(SELECT uid FROM messages WHERE pk=message_pk)".to_owned(),
                "delegate_pk" => "(SELECT uid FROM delegates WHERE pk=delegate_pk)".to_owned(),
                it if it.ends_with("_pk") => format!("(SELECT uid FROM tasks WHERE pk={it})"),
                it => it.to_owned(),
            })
            .collect();
        let sql =
            format!("SELECT json_array({}) AS row FROM {table} ORDER BY row", columns.join(","));
        let mut statement = plain.prepare(&sql).unwrap();
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
        lines.extend(rows.map(|row| format!("{table} {}", row.unwrap())));
    }
    lines
}

fn deep(env: &TestEnv) -> Value {
    let answer = env.drover(&["doctor", "--deep", "--json"]).json();
    let checks = answer["data"]["checks"]["items"].as_array().unwrap();
    checks.iter().filter(|it| it["section"] == "log").cloned().collect()
}

#[track_caller]
fn check_agrees(env: &TestEnv) {
    let found = deep(env);
    assert!(found.as_array().unwrap().iter().all(|it| it["severity"] == "ok"), "{found}");
}

#[test]
fn a_rebuilt_database_has_the_same_rows_and_goes_on_where_this_one_stands() {
    let mut env = lived_in();
    check_agrees(&env);
    let target = env.root().join("it's rebuilt.db");
    let target_text = target.to_str().unwrap();
    let dry = env.drover(&["rebuild", target_text, "--dry-run", "--json"]).ok().json();
    assert_eq!((dry["effects"].as_array().unwrap().len(), target.exists()), (1, false));
    let before = picture(&env.database());
    let answer = env.drover(&["rebuild", target_text, "--json"]).ok().json();
    let rebuilt = &answer["data"]["rebuilt"];
    assert_eq!((&rebuilt["changes"], &rebuilt["misfits"]), (&rebuilt["applied"], &json!(0)));
    assert_eq!(rebuilt["lost"]["count"], 0);
    assert!(rebuilt["machine"].as_str().unwrap().ends_with(".2"), "{rebuilt}");
    let mode = |path: &Path| {
        std::os::unix::fs::PermissionsExt::mode(&fs::metadata(path).unwrap().permissions())
    };
    assert_eq!(mode(&target) & 0o777, 0o600);
    assert_eq!(picture(&target), before);
    assert_eq!(picture(&env.database()), before);
    let beside = fs::read_dir(env.root()).unwrap().filter(|it| {
        let name = it.as_ref().unwrap().file_name().into_string().unwrap();
        name.contains("rebuilt")
    });
    assert_eq!(beside.count(), 1);
    // The command that the answer names puts it in place, and work goes on.
    let swap = answer["next"][1]["run"].as_str().unwrap().to_owned();
    env.call("sh", &["-c", &swap]).run().ok();
    assert!(env.state().join("drover.db.before").exists() && !target.exists());
    check_agrees(&env);
    let again = env
        .drover(&["task", "block", "two", "--by", "one", "-p", "web", "--key", "kept", "--json"]);
    assert_eq!(again.ok().json()["deduplicated"], true);
    env.drover(&["task", "claim", "second", "-p", "web"]).ok();
    env.drover(&["project", "init", "gone"]).ok();
    let shown = env.drover(&["project", "show", "gone", "--json"]).ok().data();
    assert_eq!(shown["project"]["generation"], 2);
    check_agrees(&env);
    env.set("DROVER_STATE_DIR", env.root().join("another"));
    env.drover(&["doctor", "--deep"]).ok();
}

#[test]
fn databases_of_earlier_versions_are_rebuilt_from_their_logs_too() {
    for version in ["v1", "v2"] {
        let env = env();
        env.drover(&["project", "list"]).ok();
        for file in ["drover.db", "drover.db-wal", "drover.db-shm"] {
            let _ = fs::remove_file(env.state().join(file));
        }
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        fs::copy(fixtures.join(format!("demo-{version}.db")), env.database()).unwrap();
        check_agrees(&env);
        let target = env.root().join("rebuilt.db");
        env.drover(&["rebuild", target.to_str().unwrap()]).ok();
        assert_eq!(picture(&target), picture(&env.database()), "{version}");
    }
}

#[test]
fn a_rebuild_replaces_only_a_closed_database_of_ours_and_only_when_told() {
    let env = lived_in();
    let refuse = |path: &Path, force: bool, exit: i32, outcome: &str| {
        let mut words = vec!["rebuild", path.to_str().unwrap(), "--json"];
        words.extend(force.then_some("--force"));
        env.drover(&words).refused(exit, outcome);
    };
    let target = env.root().join("there.db");
    fs::write(&target, "mine").unwrap();
    refuse(&target, false, 4, "file_exists");
    refuse(&target, true, 4, "database_foreign");
    assert_eq!(fs::read_to_string(&target).unwrap(), "mine");
    fs::remove_file(&target).unwrap();
    refuse(&env.database(), true, 4, "file_exists");
    let link = env.root().join("link.db");
    std::os::unix::fs::symlink(env.database(), &link).unwrap();
    refuse(&link, true, 4, "file_exists");
    refuse(&env.root().join("none/there.db"), false, 5, "state_unusable");
    env.drover(&["rebuild", target.to_str().unwrap()]).ok();
    refuse(&target, false, 4, "file_exists");
    let open = Connection::open(&target).unwrap();
    open.execute_batch("PRAGMA journal_mode=WAL; UPDATE clock SET hlc=hlc+1").unwrap();
    refuse(&target, true, 4, "file_in_use");
    drop(open);
    env.drover(&["rebuild", target.to_str().unwrap(), "--force"]).ok();
}

#[test]
fn rows_that_drifted_from_the_log_are_named_and_a_rebuild_has_them_as_the_log_does() {
    let env = lived_in();
    let good = picture(&env.database());
    // A write that leaves the log out, as no writer of ours makes it.
    let around = |change: &str| {
        let plain = Connection::open(env.database()).unwrap();
        plain.execute_batch("PRAGMA foreign_keys=OFF; PRAGMA recursive_triggers=ON").unwrap();
        plain
            .execute_batch(&format!(
                "BEGIN; INSERT INTO writer VALUES(1,'x','x','x','x',0,'2026-01-01T00:00:00.000Z','apply');
                 {change}; DELETE FROM writer; COMMIT"
            ))
            .unwrap();
    };
    around("UPDATE tasks SET title='Another', impact=1 WHERE name='second'");
    around("DELETE FROM notes WHERE pk=(SELECT min(pk) FROM notes)");
    around(
        "INSERT INTO notes(uid,created_at,task_pk,author,text) SELECT 'stray','x',pk,'x','x' FROM tasks LIMIT 1",
    );
    let answer = env.drover(&["doctor", "--deep", "--json"]);
    assert_eq!((answer.exit, &answer.json()["outcome"]), (5, &json!("defects_found")));
    let found = deep(&env);
    let detail = |name: &str| {
        let check = found.as_array().unwrap().iter().find(|it| it["name"] == name).unwrap();
        assert_eq!(check["severity"], "fail");
        check["detail"].as_str().unwrap().to_owned()
    };
    assert!(detail("replay").ends_with("3 rows differ, 0 changes find no row"), "{found}");
    assert!(detail("tasks").ends_with("second in title, impact"), "{found}");
    assert!(detail("notes").contains("stray is not in the log"), "{found}");
    assert!(detail("notes").contains("is in the log and not there"), "{found}");
    env.drover(&["db", "compact", "--yes", "--json"]).refused(5, "defects_found");
    env.drover(&["db", "forget", "gone", "--yes", "--json"]).refused(5, "defects_found");
    let target = env.root().join("rebuilt.db");
    env.drover(&["rebuild", target.to_str().unwrap()]).ok();
    let kept = |lines: Vec<String>| -> Vec<String> {
        lines.into_iter().filter(|it| !it.starts_with("task_derived ")).collect()
    };
    assert_eq!(kept(picture(&target)), kept(good));
    let leftovers = fs::read_dir(env.state()).unwrap().map(|it| it.unwrap().file_name());
    assert!(leftovers.into_iter().all(|it| !it.to_string_lossy().starts_with(".drover-deep")));
}

fn log(env: &TestEnv) -> Value {
    env.drover(&["log", "--all", "-n", "0", "--json"]).ok().data()
}

#[test]
fn a_compacted_log_reads_as_before_and_its_deletions_are_taken_back_whole() {
    let env = lived_in();
    let group = |intent: &str| {
        let words = ["log", "--all", "-n", "1", "--intent", intent, "--json"];
        env.drover(&words).ok().data()["items"][0]["group"].as_str().unwrap().to_owned()
    };
    let groups = [group("task.delete"), group("project.teardown")];
    let (before, rows) = (log(&env), picture(&env.database()));
    let preview = env.drover(&["db", "compact", "--json"]).ok().json();
    assert_eq!((&preview["outcome"], &preview["data"]["done"]), (&json!("preview"), &json!(false)));
    assert_eq!(picture(&env.database()), rows, "a preview changes nothing");
    let dry = env.drover(&["db", "compact", "--yes", "--dry-run", "--json"]).ok().json();
    assert_eq!(dry["effects"].as_array().unwrap().len(), 2, "{dry}");
    assert_eq!(picture(&env.database()), rows, "nor does a dry run");
    let answer = env.drover(&["db", "compact", "--yes", "--json"]).ok().json();
    assert_eq!(
        (&answer["outcome"], &answer["data"]["deletions"]),
        (&json!("compacted"), &preview["data"]["deletions"])
    );
    assert!(answer["data"]["deletions"].as_u64().unwrap() >= 6, "{answer}");
    let file = &answer["data"]["file"];
    assert_eq!(picture(Path::new(file["backup"].as_str().unwrap())), rows);
    assert_eq!(file["shrunk"], true);
    assert_ne!(picture(&env.database()), rows);
    assert_eq!(log(&env), before, "it reads as before");
    check_agrees(&env);
    let again = env.drover(&["db", "compact", "--yes", "--json"]).ok().json();
    assert_eq!(again["outcome"], "unchanged");
    env.drover(&["undo", &groups[0], "--yes"]).ok();
    let notes = env.drover(&["task", "notes", "three", "-p", "web", "--json"]).ok().data();
    assert_eq!(notes["items"][0]["text"], "as it was");
    env.drover(&["undo", &groups[1], "--yes"]).ok();
    let notes = env.drover(&["task", "notes", "old", "-p", "gone", "--json"]).ok().data();
    assert_eq!(notes["items"][1]["text"], "more of it");
    check_agrees(&env);
}

#[test]
fn a_forgotten_project_is_nowhere_but_in_the_copy() {
    let env = lived_in();
    env.drover(&["project", "init", "gone"]).ok();
    env.drover(&["task", "add", "New", "--id", "new", "-p", "gone"]).ok();
    env.drover(&["db", "forget", "web", "--json"]).refused(3, "project_not_torn_down");
    env.drover(&["db", "forget", "gon", "--json"]).refused(3, "project_not_torn_down");
    env.drover(&["db", "forget", "--yes", "--json"]).refused(2, "usage");
    let listed = env.drover(&["db", "forget", "--json"]).ok().json();
    assert_eq!(
        (&listed["outcome"], &listed["data"]["projects"]["count"]),
        (&json!("listed"), &json!(1))
    );
    let rows = picture(&env.database());
    let preview = env.drover(&["db", "forget", "gone", "--json"]).ok().json();
    assert_eq!((&preview["outcome"], picture(&env.database()) == rows), (&json!("preview"), true));
    let answer = env.drover(&["db", "forget", "gone", "--yes", "--json"]).ok().json();
    assert_eq!(answer["outcome"], "forgotten");
    assert!(answer["data"]["projects"]["items"][0]["changes"].as_u64().unwrap() > 5, "{answer}");
    let now = picture(&env.database()).join("\n");
    assert!(!now.contains("a secret plan") && !now.contains("w2"), "{now}");
    let bytes = fs::read(env.database()).unwrap();
    assert!(!bytes.windows(13).any(|it| it == b"a secret plan"), "the file holds it nowhere");
    let backup = answer["data"]["file"]["backup"].as_str().unwrap();
    assert!(picture(Path::new(backup)).join("\n").contains("a secret plan"));
    // The project that has the name now is another one.
    env.drover(&["task", "show", "new", "-p", "gone"]).ok();
    check_agrees(&env);
    let none = env.drover(&["db", "forget", "--json"]).ok().data();
    assert_eq!(none["projects"]["count"], 0);
    let target = env.root().join("rebuilt.db");
    env.drover(&["rebuild", target.to_str().unwrap()]).ok();
    assert_eq!(picture(&target), picture(&env.database()));
}
