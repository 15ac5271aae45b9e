//! State directories and databases that cannot be used: each is named, with its exit code, and left as it was.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use drover_testkit::{CommandOutput, TestEnv};
use rusqlite::Connection;
use serde_json::Value;

use crate::env;

/// A state directory with a project and a task.
fn used() -> TestEnv {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    env.drover(&["task", "add", "One", "--id", "one"]).ok();
    env
}

fn with_database(bytes: &[u8]) -> TestEnv {
    let env = env();
    fs::create_dir(env.state()).unwrap();
    fs::set_permissions(env.state(), fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(env.database(), bytes).unwrap();
    env
}

/// Reading and writing verbs are refused alike, doctor says the same as a finding, and nothing is touched.
fn refused_everywhere(env: &TestEnv, exit: i32, outcome: &str) -> Value {
    let before = fs::read(env.database()).unwrap();
    let mut last = Value::Null;
    for words in [
        &["project", "list", "--json"][..],
        &["task", "add", "x", "-p", "web", "--json"],
        &["undo", "--json"],
    ] {
        last = env.drover(words).refused(exit, outcome);
        assert!(last["error"].as_str().unwrap().contains("drover.db"), "{last}");
    }
    let doctor = env.drover(&["doctor", "--json"]);
    assert_eq!(doctor.exit, 5, "{doctor}");
    let found = doctor.json();
    assert_eq!(found["outcome"], "defects_found");
    let checks = found["data"]["checks"]["items"].as_array().unwrap();
    let failure = checks.iter().find(|it| it["severity"] == "fail").unwrap();
    assert_eq!((&failure["section"], &failure["name"]), (&"database".into(), &outcome.into()));
    assert!(checks.iter().any(|it| it["name"] == "git"), "the rest is looked at all the same");
    assert_eq!(fs::read(env.database()).unwrap(), before, "the file is left as it was");
    last
}

/// Fault G-21.
#[test]
fn an_empty_file_is_never_an_empty_project() {
    refused_everywhere(&with_database(b""), 4, "database_foreign");
}

#[test]
fn a_file_of_another_program_is_refused() {
    refused_everywhere(
        &with_database(b"Dear diary, this is certainly not a database file."),
        4,
        "database_foreign",
    );
    let env = with_database(b"");
    fs::remove_file(env.database()).unwrap();
    Connection::open(env.database()).unwrap().execute_batch("CREATE TABLE theirs(x)").unwrap();
    refused_everywhere(&env, 4, "database_foreign");
}

/// Fault G-13.
#[test]
fn a_newer_database_is_refused_by_version_and_can_be_copied() {
    let env = used();
    Connection::open(env.database()).unwrap().execute_batch("PRAGMA user_version=99").unwrap();
    let refused = refused_everywhere(&env, 4, "database_newer");
    let known = i64::try_from(drover_store::SCHEMA_VERSION).unwrap();
    assert_eq!((&refused["data"]["found"], &refused["data"]["known"]), (&99.into(), &known.into()));
    let copy = env.root().join("copy.db");
    let path = copy.to_str().unwrap();
    let copied = env.drover(&["db", "backup", path, "--json"]).ok().data();
    assert_eq!(copied["version"], 99);
    let rows: i64 = Connection::open(&copy)
        .unwrap()
        .query_row("SELECT count(*) FROM tasks", [], |row| row.get(0))
        .unwrap();
    assert_eq!(rows, 1);
    env.drover(&["db", "backup", path, "--json"]).refused(4, "file_exists");
}

/// Fault G-13.
#[test]
fn an_older_database_that_cannot_be_migrated_is_backed_up_first_and_left_as_it_was() {
    let env = used();
    Connection::open(env.database()).unwrap().execute_batch("PRAGMA user_version=0").unwrap();
    let before = fs::read(env.database()).unwrap();
    env.drover(&["project", "list", "--json"]).refused(1, "failed");
    assert_eq!(fs::read(env.database()).unwrap(), before);
    let backup = fs::read_dir(env.state().join("backups")).unwrap().next().unwrap().unwrap().path();
    let rows: i64 = Connection::open(backup)
        .unwrap()
        .query_row("SELECT count(*) FROM tasks", [], |row| row.get(0))
        .unwrap();
    assert_eq!(rows, 1);
}

#[test]
fn a_damaged_database_is_named_with_its_newest_backup() {
    let env = used();
    let mut bytes = fs::read(env.database()).unwrap();
    bytes[4096..].fill(0x5a);
    fs::write(env.database(), &bytes).unwrap();
    let backup = env.state().join("backups/drover.db.v1-20260101T000000000");
    fs::create_dir_all(backup.parent().unwrap()).unwrap();
    fs::write(&backup, "kept").unwrap();
    let refused = refused_everywhere(&env, 5, "database_damaged");
    assert_eq!(refused["data"]["backup"], backup.to_str().unwrap());
    let target = env.root().join("copy.db");
    env.drover(&["db", "backup", target.to_str().unwrap(), "--json"])
        .refused(5, "database_damaged");
    assert!(!target.exists());
}

#[test]
fn a_damaged_row_page_is_found_by_doctor_when_the_rest_can_be_read() {
    let env = used();
    let root: i64 = {
        let plain = Connection::open(env.database()).unwrap();
        plain
            .query_row("SELECT rootpage FROM sqlite_schema WHERE name='notes'", [], |row| {
                row.get(0)
            })
            .unwrap()
    };
    let mut bytes = fs::read(env.database()).unwrap();
    let start = usize::try_from(root - 1).unwrap() * 4096;
    bytes[start..start + 4096].fill(0xff);
    fs::write(env.database(), &bytes).unwrap();
    let doctor = env.drover(&["doctor", "--json"]);
    assert_eq!((doctor.exit, &doctor.json()["outcome"]), (5, &"defects_found".into()));
    env.drover(&["task", "add", "Two", "--note", "n", "--json"]).refused(5, "database_damaged");
}

#[test]
fn a_state_directory_behind_a_link_of_ours_is_used_and_other_ends_of_links_are_refused() {
    let mut env = used();
    let real = env.root().join("real");
    fs::rename(env.state(), &real).unwrap();
    symlink(&real, env.state()).unwrap();
    assert_eq!(env.drover(&["project", "list", "--json"]).ok().data()["count"], 1);
    let link = env.root().join("link");
    for (target, what) in
        [("gitconfig", "a file"), ("nowhere/at/all", "nothing"), ("link", "itself")]
    {
        let _ = fs::remove_file(&link);
        symlink(env.root().join(target), &link).unwrap();
        env.set("DROVER_STATE_DIR", link.as_os_str());
        let refused = env.drover(&["project", "list", "--json"]).refused(5, "state_unusable");
        assert!(
            refused["error"].as_str().unwrap().contains(link.to_str().unwrap()),
            "{what}: {refused}"
        );
    }
    env.set("DROVER_STATE_DIR", "relative/path");
    env.drover(&["project", "list", "--json"]).refused(5, "state_unusable");
}

#[test]
fn a_link_of_somebody_else_is_refused() {
    let env = used();
    let real = env.root().join("real");
    fs::rename(env.state(), &real).unwrap();
    symlink(&real, env.state()).unwrap();
    if std::os::unix::fs::lchown(env.state(), Some(65_534), None).is_err() {
        println!(
            "only root can give a link away; the unit tests of the state directory hold the rule"
        );
        return;
    }
    let refused = env.drover(&["project", "list", "--json"]).refused(5, "state_unusable");
    assert!(refused["error"].as_str().unwrap().contains("belongs to user 65534"), "{refused}");
}

#[test]
fn a_state_directory_that_others_can_write_is_refused() {
    let env = used();
    fs::set_permissions(env.state(), fs::Permissions::from_mode(0o777)).unwrap();
    let refused = env.drover(&["project", "list", "--json"]).refused(5, "state_unusable");
    assert!(refused["error"].as_str().unwrap().contains("writable by others"), "{refused}");
}

/// Runs a script in a mount namespace of its own, in which `$D` is the binary; `None` where the system gives none.
fn in_own_mounts(env: &TestEnv, script: &str) -> Option<CommandOutput> {
    let binary = env.binary().to_str().unwrap();
    ["-m", "-rm"]
        .iter()
        .find(|flag| env.call("unshare", &[**flag, "true"]).run().exit == 0)
        .map(|flag| env.call("unshare", &[*flag, "sh", "-c", script]).variable("D", binary).run())
}

/// The answers and exit codes that a script printed, each answer a line followed by `exit n`.
fn answers(output: &CommandOutput) -> Vec<(Value, String)> {
    let lines: Vec<&str> = output.stdout.lines().collect();
    lines.chunks(2).map(|it| (serde_json::from_str(it[0]).unwrap(), it[1].to_owned())).collect()
}

/// Fault C-06.
#[test]
fn a_read_only_state_directory_is_named() {
    let env = used();
    let before = fs::read(env.database()).unwrap();
    let script = "mount --bind \"$DROVER_STATE_DIR\" \"$DROVER_STATE_DIR\" && \
        mount -o remount,ro,bind \"$DROVER_STATE_DIR\" || exit 9
        for words in 'project list' 'task add x' doctor; do $D $words --json; echo \"exit $?\"; done
        export DROVER_AGENT=w1
        for words in 'task list' 'task add x' doctor; do $D $words --json; echo \"exit $?\"; done";
    let Some(output) = in_own_mounts(&env, script).filter(|it| it.exit != 9) else {
        println!("this system gives no mounts of its own");
        return;
    };
    let answers = answers(&output);
    for (answer, exit) in &answers[..2] {
        assert_eq!((&answer["outcome"], exit.as_str()), (&"state_unusable".into(), "exit 5"));
        assert!(answer["error"].as_str().unwrap().contains("read-only file system"), "{answer}");
    }
    assert_eq!(
        (&answers[2].0["outcome"], answers[2].1.as_str()),
        (&"defects_found".into(), "exit 5")
    );
    for (answer, exit) in &answers[3..] {
        assert_eq!((&answer["outcome"], exit.as_str()), (&"sandbox_denies".into(), "exit 5"));
        assert!(answer["error"].as_str().unwrap().contains("use the MCP tools"), "{answer}");
    }
    assert_eq!(answers.len(), 6);
    assert_eq!(fs::read(env.database()).unwrap(), before);
}

/// Fault G-21.
#[test]
fn a_full_disk_refuses_what_needs_room_loses_nothing_and_works_again_with_room() {
    let env = env();
    fs::create_dir(env.state()).unwrap();
    let script = "mount -t tmpfs -o size=1500k,mode=700 tmpfs \"$DROVER_STATE_DIR\" || exit 9
        $D project init web --json; echo \"exit $?\"
        $D task add One --id one --json; echo \"exit $?\"
        dd if=/dev/zero of=\"$DROVER_STATE_DIR/filler\" bs=4k 2>/dev/null
        head -c 65536 /dev/zero | tr '\\0' x > \"$TMPDIR/long\"
        $D log --file \"$TMPDIR/long\" --json; echo \"exit $?\"
        rm \"$DROVER_STATE_DIR/filler\"
        $D log --file \"$TMPDIR/long\" --json; echo \"exit $?\"
        $D task next --json; echo \"exit $?\"
        $D doctor --json; echo \"exit $?\"";
    let Some(output) = in_own_mounts(&env, script).filter(|it| it.exit != 9) else {
        println!("this system gives no mounts of its own");
        return;
    };
    let answers = answers(&output);
    let (full, exit) = &answers[2];
    assert_eq!((&full["outcome"], exit.as_str()), (&"disk_full".into(), "exit 5"), "{full}");
    assert_eq!(answers[3].0["outcome"], "appended");
    assert_eq!(answers[4].0["data"]["items"][0]["id"], "one");
    assert_eq!(answers[5].0["outcome"], "examined", "{}", answers[5].0);
}

/// Fault G-21.
#[test]
fn a_limit_of_file_sizes_is_an_answer_and_not_a_signal() {
    let env = used();
    let before = fs::read(env.database()).unwrap();
    let script = "ulimit -f 8; exec \"$0\" \"$@\"";
    let binary = env.binary().to_str().unwrap();
    let limited = env.call("sh", &["-c", script, binary, "task", "add", "Two", "--json"]).run();
    let refused = limited.refused(5, "state_unusable");
    assert!(refused["error"].as_str().unwrap().contains("drover.db"), "{refused}");
    assert_eq!(fs::read(env.database()).unwrap(), before);
    assert_eq!(env.drover(&["task", "next", "-n", "0", "--json"]).ok().data()["count"], 1);
    let empty = self::env();
    let first = empty.call("sh", &["-c", script, binary, "project", "list", "--json"]).run();
    assert_eq!(first.exit, 5, "{first}");
    assert!(!Path::new(&empty.database()).exists());
    assert_eq!(empty.drover(&["project", "list", "--json"]).ok().data()["count"], 0);
}
