//! Many processes, several servers and several versions of the program on one state directory.

use std::fs;
use std::os::unix::fs::symlink;

use drover_testkit::{CommandOutput, Signal, TestEnv, wait_until};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::env;
use crate::field::{Field, LONG};

/// Callers at one time, and the rounds of each.
const CALLERS: usize = 30;
const ROUNDS: usize = 8;

/// One caller: what it was told is written. Some of its calls are killed wherever they are.
fn call_often(env: &TestEnv, number: usize) -> Vec<String> {
    let mut written = Vec::new();
    for round in 0..ROUNDS {
        let id = format!("t{number}_{round}");
        env.drover(&["task", "add", "One", "--id", &id, "-p", "web"]).ok();
        written.push(id.clone());
        if number.is_multiple_of(3) {
            let words = ["task", "note", &id, "perhaps", "-p", "web"];
            env.drover_in_background(&words).signal(Signal::KILL);
        }
        match round % 3 {
            0 => drop(env.drover(&["task", "next", "-p", "web"]).ok()),
            1 => drop(env.drover(&["task", "claim", &id, "-p", "web"]).ok()),
            _ => drop(env.drover(&["log", "-n", "5", "-p", "web"]).ok()),
        }
    }
    written
}

/// Fault C-02.
#[test]
fn thirty_callers_some_of_them_killed_and_a_compaction_lose_and_damage_nothing() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    let (written, compacted) = std::thread::scope(|scope| {
        let env = &env;
        let callers: Vec<_> =
            (0..CALLERS).map(|number| scope.spawn(move || call_often(env, number))).collect();
        let compacting = scope.spawn(move || {
            let mut done = 0;
            for number in 0..6 {
                let id = format!("short_{number}");
                env.drover(&["task", "add", "Short", "--id", &id, "-p", "web"]).ok();
                env.drover(&["task", "delete", &id, "--yes", "-p", "web"]).ok();
                let answer = env.drover(&["db", "compact", "--yes", "--json"]);
                // Thirty writers may keep it waiting for longer than anybody waits; it says so, and that is all.
                assert!(
                    answer.exit == 0 || answer.json()["outcome"] == "database_busy",
                    "{answer}"
                );
                done += usize::from(answer.exit == 0);
            }
            done
        });
        let written: Vec<String> = callers.into_iter().flat_map(|it| it.join().unwrap()).collect();
        (written, compacting.join().unwrap())
    });
    assert!(compacted > 0, "at least one compaction found its turn");
    let listed = env.drover(&["task", "list", "-p", "web", "-n", "0", "--json"]).ok().data();
    let there: Vec<&str> =
        listed["items"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect();
    assert_eq!(written.len(), CALLERS * ROUNDS);
    assert!(written.iter().all(|it| there.contains(&it.as_str())), "a write was lost");
    let answer = env.drover(&["doctor", "--deep", "--json"]).ok().json();
    assert_eq!(answer["data"]["failed"], 0, "{answer}");
}

/// A project with a dispatcher at work, and the ways to call a second one.
fn served() -> (Field, drover_testkit::Background) {
    let field = Field::new();
    field.init();
    field.drover(&["task", "add", "a", "--id", "a", "-p", "web"]).ok();
    field.order("a", &field.hold("a"));
    field.worker("w1");
    let watching = field.env.drover_in_background(&["dispatch", "-p", "web", "--watch", "--json"]);
    field.wait_for_begun(1);
    crate::wait::until_watching(&watching);
    (field, watching)
}

/// The same program under another path, on the same state directory by way of a link.
fn elsewhere(field: &Field, words: &[&str]) -> CommandOutput {
    let copy = field.env.root().join("another drover");
    if !copy.exists() {
        fs::copy(field.env.binary(), &copy).unwrap();
        symlink(field.env.state(), field.env.root().join("linked")).unwrap();
    }
    let call = field.env.call(&copy, words).argument("--json");
    call.variable("DROVER_STATE_DIR", field.env.root().join("linked")).time_limit(LONG).run()
}

/// Fault C-04.
#[test]
fn a_second_server_of_one_project_is_refused_however_it_is_called_and_no_write_is_lost() {
    let (field, watching) = served();
    let words = ["dispatch", "-p", "web"];
    let refused = field.drover(&words).refused(4, "dispatch_running");
    assert_eq!(elsewhere(&field, &words).refused(4, "dispatch_running")["error"], refused["error"]);
    std::thread::scope(|scope| {
        for number in 0..8 {
            let field = &field;
            scope.spawn(move || {
                let text = format!("note {number}");
                field.drover(&["task", "note", "a", &text, "-p", "web"]).ok();
                elsewhere(field, &["task", "note", "a", &text, "-p", "web"]).ok();
            });
        }
    });
    let notes = field.notes("a");
    for number in 0..8 {
        assert_eq!(notes.matches(&format!("note {number}\n")).count(), 2, "{notes}");
    }
    // A killed server holds nothing: the kernel lets go of its lock, at the latest when a child of it that had
    // not yet become another program is that program.
    watching.signal(Signal::KILL);
    watching.wait();
    wait_until("its lock is free", LONG, || elsewhere(&field, &words).exit == 0);
    field.let_go("a");
}

/// Fault C-09.
#[test]
fn two_tasks_on_the_same_ground_never_run_at_once_and_a_killed_holder_keeps_nothing() {
    let field = Field::new();
    field.init();
    let owned = [("all", "src/"), ("part", "src/a.rs"), ("twin", "src/"), ("other", "src2/")];
    for (id, path) in owned {
        field.drover(&["task", "add", id, "--id", id, "--owns", path, "-p", "web"]).ok();
        field.order(id, &field.hold(id));
    }
    let globs = ["task", "add", "glob", "--id", "glob", "--owns", "src/**", "-p", "web"];
    assert_ne!(field.drover(&globs).exit, 0, "what is no path or directory owns nothing");
    for agent in ["w1", "w2", "w3"] {
        field.worker(agent);
    }
    let pass = || -> Vec<Value> {
        let data = field.drover(&["dispatch", "-p", "web"]).ok().data();
        let handed = data["pass"]["handed"]["items"].as_array().unwrap().iter();
        handed.map(|it| it["task"].clone()).collect()
    };
    assert_eq!(pass(), ["all", "other"]);
    field.wait_for_begun(2);
    assert!(pass().is_empty());
    let (holder, _) = field
        .begun()
        .into_iter()
        .find(|it| it.0 == "all")
        .map(|(task, agent)| (agent, task))
        .unwrap();
    field.env.call("kill", &["-9", &field.pid(&holder).to_string()]).run().ok();
    wait_until("the task of the killed agent is open again", LONG, || {
        field.drover(&["agent", "list", "-p", "web"]).ok();
        field.tasks().contains(&("all".to_owned(), "todo".to_owned()))
    });
    assert_eq!(pass().len(), 1, "one of those that own the ground goes next");
    assert!(pass().is_empty());
    let locks = || fs::read_dir(field.env.state().join("locks")).unwrap().count();
    let before = locks();
    for _ in 0..5 {
        pass();
    }
    assert_eq!(locks(), before, "locks are as many as what they lock");
}

/// Fault C-10.
#[test]
fn another_version_of_the_program_is_refused_by_the_file_itself() {
    let (field, watching) = served();
    elsewhere(&field, &["dispatch", "-p", "web"]).refused(4, "dispatch_running");
    let plain = Connection::open(field.env.database()).unwrap();
    let version: i64 = plain.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    plain.execute_batch(&format!("PRAGMA user_version={}", version + 1)).unwrap();
    for words in [&["task", "list", "-p", "web"][..], &["task", "add", "b", "-p", "web"]] {
        let refused = field.drover(words).refused(4, "database_newer");
        assert_eq!(refused["data"]["known"], json!(version));
    }
    plain.execute_batch(&format!("PRAGMA user_version={version}")).unwrap();
    field.let_go("a");
    assert_eq!(watching.wait().json()["outcome"], "all_done");
}
