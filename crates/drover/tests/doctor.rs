//! `drover doctor` and `drover db`.

use std::fs;
use std::time::{Duration, UNIX_EPOCH};

use drover_testkit::TestEnv;
use rusqlite::Connection;
use serde_json::Value;

use crate::env;

fn checks(env: &TestEnv) -> Vec<Value> {
    env.drover(&["doctor", "--json"]).json()["data"]["checks"]["items"].as_array().unwrap().clone()
}

fn find<'a>(checks: &'a [Value], section: &str, name: &str) -> &'a Value {
    let found = checks.iter().find(|it| it["section"] == section && it["name"] == name);
    found.unwrap_or_else(|| panic!("no {section} {name} in {checks:#?}"))
}

fn age(path: &std::path::Path) {
    let old = UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let file = fs::File::open(path).unwrap();
    file.set_modified(old).unwrap();
}

#[test]
fn a_healthy_state_directory_is_described_and_exits_0() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    let answer = env.drover(&["doctor", "--json"]).ok().json();
    assert_eq!((&answer["outcome"], &answer["data"]["failed"]), (&"examined".into(), &0.into()));
    let checks = checks(&env);
    for (section, name) in [
        ("environment", "state directory"),
        ("environment", "git"),
        ("environment", "configuration"),
        ("environment", "waking"),
        ("policy", "wip"),
        ("database", "schema"),
        ("database", "checks"),
        ("kept", "backups"),
        ("kept", "trash"),
        ("kept", "logs"),
        ("kept", "outbox"),
        ("kept", "keys"),
        ("kept", "rescues"),
    ] {
        assert_eq!(find(&checks, section, name)["severity"], "ok", "{section} {name}");
    }
    let card = env.drover(&["doctor"]).ok().stdout;
    assert!(card.contains("database\n  ok   file: "), "{card}");
}

#[test]
fn each_policy_value_is_shown_with_where_it_comes_from() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    env.drover(&["project", "set", "wip", "3"]).ok();
    fs::create_dir_all(env.config().join("drover")).unwrap();
    fs::write(
        env.config().join("drover/config.toml"),
        "[policy]\nwip = 7\ntracks = \"exclusive\"\n",
    )
    .unwrap();
    let found = checks(&env);
    for (name, detail) in [
        ("wip", "3 (web)"),
        ("tracks", "exclusive (config.toml)"),
        ("verify_timeout", "10m (default)"),
        ("verify", "nothing (default)"),
    ] {
        assert_eq!(find(&found, "policy", name)["detail"], detail);
    }
    fs::write(env.config().join("drover/config.toml"), "[polcy]\n").unwrap();
    assert_eq!(find(&checks(&env), "environment", "configuration")["severity"], "fail");
}

/// Fault I-02.
#[test]
fn a_missing_or_old_program_is_a_warning() {
    let env = env();
    env.shim("git", "#!/bin/sh\necho 'git version 2.20.1'\n");
    env.shim("tmux", "#!/bin/sh\necho 'tmux 2.6'\n");
    env.drover(&["doctor"]).ok();
    let checks = checks(&env);
    assert_eq!(find(&checks, "environment", "git")["severity"], "warn");
    let tmux = find(&checks, "environment", "tmux");
    assert!(
        tmux["detail"].as_str().unwrap().starts_with("tmux 3.0 or newer is needed, found 2.6"),
        "{tmux}"
    );
}

#[test]
fn a_row_that_the_log_does_not_know_is_a_failure() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    env.drover(&["task", "add", "One", "--id", "one"]).ok();
    Connection::open(env.database())
        .unwrap()
        .execute_batch("UPDATE task_derived SET open_blockers=3")
        .unwrap();
    let answer = env.drover(&["doctor", "--json"]);
    assert_eq!((answer.exit, &answer.json()["outcome"]), (5, &"defects_found".into()));
    assert_eq!(find(&checks(&env), "database", "counts")["severity"], "fail");
}

#[test]
fn what_is_over_is_named_and_tidied_and_what_is_not_stays() {
    let env = env();
    env.drover(&["project", "init", "web", "--key", "old"]).ok();
    env.drover(&["log", "new", "--key", "new"]).ok();
    let stray = env.state().join("workspaces/web/w9");
    fs::create_dir_all(&stray).unwrap();
    let mut old = Vec::new();
    for path in [
        "trash/t1/file",
        "logs/verify-1.log",
        "backups/drover.db.v1-1",
        "backups/drover.db.v1-2",
        "drover.db.new-1",
    ] {
        let path = env.state().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "old").unwrap();
        age(&path);
        old.push(path);
    }
    age(&env.state().join("trash/t1"));
    let young = env.state().join("logs/verify-2.log");
    fs::write(&young, "young").unwrap();
    let plain = Connection::open(env.database()).unwrap();
    plain
        .execute_batch("UPDATE call_keys SET at='2001-01-01T00:00:00.000Z' WHERE key='old'")
        .unwrap();
    plain.execute_batch("INSERT INTO call_keys VALUES('cut','d','task add','t','pending',1,'gone',NULL,NULL,'2001-01-01T00:00:00.000Z')").unwrap();
    let found = checks(&env);
    for (section, name) in
        [("kept", "trash"), ("kept", "logs"), ("kept", "backups"), ("calls", "key cut")]
    {
        assert_eq!(find(&found, section, name)["severity"], "warn", "{name}");
    }
    assert_eq!(
        find(&found, "workspaces", stray.to_str().unwrap())["fix"],
        "drover workspace orphans"
    );
    let dry = env.drover(&["doctor", "--tidy", "--dry-run", "--json"]).ok().json();
    assert_eq!(dry["effects"].as_array().unwrap().len(), 4);
    assert!(old.iter().all(|it| it.exists()));
    let tidied = env.drover(&["doctor", "--tidy", "--json"]).ok().data();
    assert_eq!(tidied["tidied"]["count"], 5, "{tidied}");
    let left: Vec<bool> = old.iter().map(|it| it.exists()).collect();
    assert_eq!(left, [false, false, false, true, false], "the newest backup stays");
    assert!(young.exists() && stray.exists());
    let keys: Vec<String> = plain
        .prepare("SELECT key FROM call_keys ORDER BY key")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(keys, ["cut", "new"], "a pending key is never expired by age");
}

#[test]
fn a_copy_is_whole_private_and_replaces_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    let copied = env.drover(&["db", "backup", "copy.db", "--json"]).ok().data();
    let copy = env.home().join("copy.db");
    assert_eq!(copied["to"], copy.to_str().unwrap());
    assert_eq!(fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
    env.drover(&["db", "backup", "copy.db", "--json"]).refused(4, "file_exists");
    env.drover(&["db", "backup", "no/such/folder/copy.db", "--json"]).refused(5, "state_unusable");
    env.drover(&["db", "backup", "other.db", "--dry-run"]).ok();
    assert!(!env.home().join("other.db").exists());
    fs::create_dir_all(env.root().join("second")).unwrap();
    fs::set_permissions(env.root().join("second"), fs::Permissions::from_mode(0o700)).unwrap();
    fs::copy(&copy, env.root().join("second/drover.db")).unwrap();
    let listed = env
        .drover_call(&["project", "list", "--json"])
        .variable("DROVER_STATE_DIR", env.root().join("second"))
        .run()
        .ok()
        .data();
    assert_eq!(listed["items"][0]["name"], "web");
}

/// Makes it so that nothing of a project has changed for `days`.
fn rest(env: &TestEnv, project: &str, days: u64) {
    let then = std::time::SystemTime::now() - Duration::from_secs(days * 86_400);
    let at = jiff::Timestamp::try_from(then).unwrap();
    Connection::open(env.database())
        .unwrap()
        .execute(
            "UPDATE task_derived SET updated_at=?1 WHERE project_pk=(SELECT pk FROM projects WHERE name=?2)",
            [format!("{at:.3}"), project.to_owned()],
        )
        .unwrap();
}

#[test]
fn projects_that_rest_are_named_unless_they_hold_something_or_are_meant() {
    let env = env();
    for project in ["done", "left", "fresh", "meant"] {
        env.drover(&["project", "init", project]).ok();
        env.drover(&["task", "add", "one", "-p", project]).ok();
    }
    env.drover(&["task", "claim", "done/one"]).ok();
    env.drover(&["task", "close", "done/one", "--evidence", "seen"]).ok();
    for (project, days) in [("done", 15), ("left", 61), ("fresh", 13), ("meant", 99)] {
        rest(&env, project, days);
    }
    let found = env.drover(&["doctor", "-p", "meant", "--json"]).ok().data();
    let found = found["checks"]["items"].as_array().unwrap();
    let projects: Vec<(&str, &str)> = found
        .iter()
        .filter(|it| it["section"] == "projects")
        .map(|it| (it["name"].as_str().unwrap(), it["severity"].as_str().unwrap()))
        .collect();
    assert_eq!(projects, [("meant", "ok"), ("left", "warn"), ("done", "warn")]);
    let left = find(found, "projects", "left");
    assert!(left["detail"].as_str().unwrap().starts_with("abandoned: 1 tasks are open"), "{left}");
    assert_eq!(left["fix"], "drover project archive left");
    let detail = find(found, "projects", "meant")["detail"].as_str().unwrap();
    assert_eq!(detail, "1 OPEN; 0 blocked; 0 agents live, 0 dead");
    rest(&env, "meant", 1);
    rest(&env, "done", 13);
    rest(&env, "left", 59);
    let found = checks(&env);
    assert!(!found.iter().any(|it| it["section"] == "projects"), "{found:#?}");
}

#[test]
fn the_disk_is_counted_and_measured_where_that_is_asked_for() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    let repository = env.repository("shop");
    env.drover(&["project", "init", "shop", "--repo", repository.path().to_str().unwrap()]).ok();
    fs::create_dir_all(env.state().join("workspaces/web/w9")).unwrap();
    let counted = checks(&env);
    assert_eq!(
        find(&counted, "disk", "checkouts")["detail"],
        "0 known, 1 directories, 1 of them empty"
    );
    let space = find(&counted, "disk", "space")["detail"].as_str().unwrap();
    assert!(space.ends_with(" bytes are free"), "{space}");
    assert!(!counted.iter().any(|it| it["name"] == "state directory" && it["section"] == "disk"));
    let measured = env.drover(&["doctor", "--disk", "--json"]).ok().data();
    let measured = measured["checks"]["items"].as_array().unwrap();
    let whole = find(measured, "disk", "state directory")["detail"].as_str().unwrap();
    let bytes: u64 = whole.split(' ').next().unwrap().parse().unwrap();
    assert!(bytes >= fs::metadata(env.database()).unwrap().len(), "{whole}");
    assert_eq!(find(measured, "database", "handling")["detail"], "journal wal, references held");
}
