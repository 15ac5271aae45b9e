//! `drover undo`.

use drover_testkit::TestEnv;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::env;

/// Every logged column of every portable row, so that "exactly as before" means that.
fn picture(env: &TestEnv) -> Vec<String> {
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let plain = Connection::open_with_flags(env.database(), flags).unwrap();
    let mut lines = Vec::new();
    for table in ["projects", "policy_values", "tasks", "edges", "notes", "evidence", "log_lines"] {
        // A reference is told by the uid of its row: keys are this database's own.
        let columns: Vec<String> = plain
            .prepare(
                "SELECT CASE name WHEN 'project_pk' THEN '(SELECT uid FROM projects WHERE pk=project_pk)'
                   WHEN 'task_pk' THEN '(SELECT uid FROM tasks WHERE pk=task_pk)'
                   WHEN 'blocker_pk' THEN '(SELECT uid FROM tasks WHERE pk=blocker_pk)'
                   WHEN 'blocked_pk' THEN '(SELECT uid FROM tasks WHERE pk=blocked_pk)' ELSE name END
                 FROM pragma_table_info(?1) WHERE name<>'pk'",
            )
            .unwrap()
            .query_map([table], |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let sql = format!("SELECT json_array({}) FROM {table} ORDER BY uid", columns.join(","));
        let mut statement = plain.prepare(&sql).unwrap();
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
        lines.extend(rows.map(|row| format!("{table} {}", row.unwrap())));
    }
    lines
}

fn newest_group(env: &TestEnv) -> String {
    let listed = env.drover(&["undo", "-n", "1", "--json"]).ok().data();
    listed["items"][0]["group"].as_str().unwrap().to_owned()
}

/// Does something, and returns the group of it.
fn act(env: &TestEnv, words: &[&str]) -> String {
    env.drover(words).ok();
    newest_group(env)
}

fn undo(env: &TestEnv, group: &str) -> Value {
    env.drover(&["undo", group, "--yes", "--json"]).ok().data()
}

fn project() -> TestEnv {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    env
}

fn plan() -> String {
    json!({ "tasks": [
        { "id": "p1", "title": "One", "note": "first" },
        { "id": "p2", "title": "Two", "blocked_by": ["p1"], "verify": "true" },
    ]})
    .to_string()
}

/// Does it, takes it back, does it again, takes it back again: the rows follow each time.
fn there_and_back(env: &TestEnv, what: &str, does: impl FnOnce()) {
    let before = picture(env);
    does();
    let (group, after) = (newest_group(env), picture(env));
    assert_ne!(before, after, "{what} changes something");
    let preview = env.drover(&["undo", &group, "--json"]).ok().json();
    assert_eq!(preview["outcome"], "preview");
    assert_eq!(picture(env), after, "a preview of {what} changes nothing");
    let undone = undo(env, &group);
    assert_eq!(preview["data"]["changes"]["count"], undone["changes"]["count"], "{what}");
    assert_eq!(picture(env), before, "{what} is taken back");
    let again = undo(env, undone["undo_group"].as_str().unwrap());
    assert_eq!(picture(env), after, "{what} is done again");
    undo(env, again["undo_group"].as_str().unwrap());
    assert_eq!(picture(env), before, "{what} is taken back again");
}

/// Fault G-14.
#[test]
fn must_show_01_11() {
    let env = project();
    for (id, title) in [("one", "One"), ("two", "Two"), ("three", "Three")] {
        env.drover(&["task", "add", title, "--id", id, "--note", "as it was"]).ok();
    }
    env.drover(&["task", "block", "two", "--by", "one"]).ok();
    env.drover(&["task", "block", "three", "--by", "two"]).ok();
    env.drover(&["task", "note", "two", "the same"]).ok();
    env.drover(&["task", "note", "two", "the same"]).ok();
    there_and_back(&env, "a claim", || {
        env.drover(&["task", "claim", "one"]).ok();
    });
    there_and_back(&env, "a close", || {
        env.drover(&["task", "close", "one", "--evidence", "seen"]).ok();
    });
    there_and_back(&env, "a delete with edges and notes", || {
        env.drover(&["task", "delete", "two", "--yes"]).ok();
    });
    there_and_back(&env, "a rename", || {
        env.drover(&["task", "rename", "two", "second"]).ok();
    });
    there_and_back(&env, "an import", || {
        env.drover_with_stdin(&["task", "import", "-"], plan()).ok();
    });
    refused_with_names(&env);
    let listed = env.drover(&["undo", "-n", "50", "--json"]).ok().data();
    println!(
        "must_show_01_11: 5 actions taken back, done again and taken back again, {} groups",
        listed["count"]
    );
}

/// What was changed since by somebody else is named, with the field, the group and the person.
fn refused_with_names(env: &TestEnv) {
    let claim = act(env, &["task", "claim", "one"]);
    let other = act(env, &["task", "release", "one", "--actor", "bob"]);
    let before = picture(env);
    let refused = env.drover(&["undo", &claim, "--yes", "--json"]).refused(4, "undo_superseded");
    let conflict = &refused["data"]["conflicts"]["items"][0];
    assert_eq!((&conflict["entity"], &conflict["subject"]), (&json!("task"), &json!("one")));
    assert_eq!((&conflict["group"], &conflict["actor"]), (&json!(other), &json!("user:bob")));
    assert!(conflict["fields"].as_array().unwrap().contains(&json!("claimed_by")), "{conflict}");
    assert_eq!(picture(env), before);
    let rename = act(env, &["task", "rename", "three", "third"]);
    env.drover(&["task", "add", "Takes the name", "--id", "three", "--actor", "bob"]).ok();
    let refused = env.drover(&["undo", &rename, "--yes", "--json"]).refused(4, "undo_superseded");
    let conflict = &refused["data"]["conflicts"]["items"][0];
    assert_eq!((&conflict["fields"], &conflict["actor"]), (&json!(["name"]), &json!("user:bob")));
    let delete = act(env, &["task", "delete", "two", "--yes"]);
    env.drover(&["task", "delete", "one", "--yes", "--actor", "bob"]).ok();
    let refused = env.drover(&["undo", &delete, "--yes", "--json"]).refused(4, "undo_superseded");
    let conflict = &refused["data"]["conflicts"]["items"][0];
    assert_eq!((&conflict["entity"], &conflict["actor"]), (&json!("edge"), &json!("user:bob")));
}

#[test]
fn a_preview_says_in_words_what_the_undo_does() {
    let env = project();
    env.drover(&["task", "add", "One", "--id", "one"]).ok();
    let claim = act(&env, &["task", "claim", "one"]);
    let shown = env.drover(&["undo", &claim[..8]]).ok().stdout;
    assert!(
        shown.contains("task `one`: status IN_PROGRESS → OPEN, claimed_by user:tester@"),
        "{shown}"
    );
    assert!(shown.contains(&format!("drover undo {} --yes", &claim[..8])), "{shown}");
    let import = {
        env.drover_with_stdin(&["task", "import", "-"], plan()).ok();
        newest_group(&env)
    };
    let shown = env.drover(&["undo", &import]).ok().stdout;
    for line in ["edge p1 blocks p2 removed", "note on `p1` removed", "task `p2` removed"] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
}

/// Fault G-14.
#[test]
fn what_was_taken_back_already_says_so_and_is_offered_again_after_the_redo() {
    let env = project();
    env.drover(&["task", "add", "One", "--id", "one"]).ok();
    let claim = act(&env, &["task", "claim", "one"]);
    let undone = undo(&env, &claim);
    let by = undone["undo_group"].as_str().unwrap();
    let again = env.drover(&["undo", &claim, "--yes", "--json"]).ok().json();
    assert_eq!(
        (&again["outcome"], &again["data"]["undone_by"]),
        (&json!("already_undone"), &json!(by))
    );
    let listed = env.drover(&["undo", "--json"]).ok().data();
    assert_eq!(
        (&listed["items"][1]["group"], &listed["items"][1]["undone_by"]),
        (&json!(claim), &json!(by))
    );
    undo(&env, by);
    let listed = env.drover(&["undo", "--json"]).ok().data();
    assert_eq!(listed["items"][2]["undone_by"], Value::Null);
    assert_eq!(env.drover(&["undo", &claim, "--yes", "--json"]).ok().json()["outcome"], "undone");
}

/// Faults G-14, G-17.
#[test]
fn an_unknown_or_ambiguous_group_is_refused_and_nothing_but_a_group_can_be_confirmed() {
    let env = project();
    env.drover(&["task", "add", "One"]).ok();
    env.drover(&["undo", "zzzz", "--json"]).refused(3, "group_unknown");
    env.drover(&["undo", "", "--json"]).refused(3, "group_unknown");
    env.drover(&["undo", "--yes", "--json"]).refused(2, "usage");
    env.drover(&["undo", "-n", "0", "--json"]).refused(2, "usage");
    env.drover(&["undo", "-n", "abc", "--json"]).refused(2, "usage");
    for number in 0..40 {
        env.drover(&["log", &format!("line {number}")]).ok();
    }
    let listed = env.drover(&["undo", "-n", "60", "--json"]).ok().data();
    let groups: Vec<&str> = listed["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["group"].as_str().unwrap())
        .collect();
    let mut firsts: Vec<&str> = groups.iter().map(|it| &it[..1]).collect();
    firsts.sort_unstable();
    let twice = firsts.windows(2).find(|it| it[0] == it[1]).unwrap()[0];
    env.drover(&["undo", twice, "--json"]).refused(4, "group_ambiguous");
}

#[test]
fn local_rows_are_left_alone_and_their_own_verb_is_named() {
    let env = env();
    let repository = env.repository("repo");
    let path = repository.path().to_str().unwrap();
    env.drover(&["project", "init", "web", "--repo", path]).ok();
    let init = newest_group(&env);
    let refused = env.drover(&["undo", &init, "--yes", "--json"]).refused(4, "undo_superseded");
    assert!(
        refused["error"].as_str().unwrap().contains("it still has a project repo"),
        "{refused}"
    );
    env.drover_with_stdin(&["task", "import", "-"], plan()).ok();
    env.drover(&["project", "trust", "--yes"]).ok();
    let trust = env.drover(&["log", "--intent", "project.trust", "--json"]).ok().data();
    let group = trust["items"][0]["group"].as_str().unwrap();
    let refused = env.drover(&["undo", group, "--yes", "--json"]).refused(3, "undo_local_only");
    let run = refused["data"]["local"]["items"][0]["run"].as_str().unwrap();
    let words: Vec<&str> = run.split(' ').skip(1).collect();
    env.drover(&words).ok();
    let listed = env.drover(&["project", "trust", "--list", "--json"]).ok().data();
    assert_eq!(listed["commands"]["count"], 0);
}

#[test]
fn a_keyed_undo_is_done_once_and_a_dry_run_changes_nothing() {
    let env = project();
    let add = act(&env, &["task", "add", "One", "--id", "one"]);
    let before = picture(&env);
    let dry = env.drover(&["undo", &add, "--yes", "--dry-run", "--json"]).ok().json();
    assert_eq!((&dry["dry_run"], &dry["outcome"]), (&json!(true), &json!("undone")));
    assert_eq!(picture(&env), before);
    let keyed = ["undo", &add, "--yes", "--key", "k", "--json"];
    let (first, second) = (env.drover(&keyed).ok().json(), env.drover(&keyed).ok().json());
    assert_eq!(first["data"], second["data"]);
    assert_eq!(second["deduplicated"], true);
    let preview = ["undo", &add, "--key", "p", "--json"];
    assert_eq!(env.drover(&preview).ok().json()["data"], env.drover(&preview).ok().json()["data"]);
}

#[test]
fn an_import_of_two_thousand_tasks_is_taken_back_whole() {
    let env = project();
    let tasks: Vec<Value> = (0..2_000)
        .map(|number| {
            let blocked_by = if number > 0 { vec![format!("t{}", number - 1)] } else { Vec::new() };
            json!({ "id": format!("t{number}"), "title": "T", "blocked_by": blocked_by, "note": "n" })
        })
        .collect();
    let before = picture(&env);
    env.drover_with_stdin(&["task", "import", "-"], json!({ "tasks": tasks }).to_string()).ok();
    let undone = undo(&env, &newest_group(&env));
    assert_eq!(undone["changes"]["count"], 5_999);
    assert_eq!(picture(&env), before);
}

/// Fault G-02: edges that an undo puts back are checked like any other.
#[test]
fn an_undo_never_puts_an_edge_back_that_closes_a_cycle_with_later_ones() {
    let env = project();
    for words in [&["a"][..], &["b", "-b", "a"], &["c", "-b", "b"]] {
        env.drover(&[&["task", "add"], words].concat()).ok();
    }
    let unblocked = act(&env, &["task", "unblock", "c", "--by", "b"]);
    let turned = act(&env, &["task", "block", "a", "--by", "c"]);
    let before = picture(&env);
    let refused =
        env.drover(&["undo", &unblocked, "--yes", "--json"]).refused(4, "undo_superseded");
    let conflict = &refused["data"]["conflicts"]["items"][0];
    let what = conflict["what"].as_str().unwrap();
    assert!(
        what.starts_with("it would close the cycle ") && what.matches('>').count() == 3,
        "{what}"
    );
    assert_eq!(conflict["group"], json!(turned));
    assert_eq!(picture(&env), before);
    undo(&env, &turned);
    undo(&env, &unblocked);

    let deleted = act(&env, &["task", "delete", "b", "--yes"]);
    let turned = act(&env, &["task", "block", "a", "--by", "c"]);
    let refused = env.drover(&["undo", &deleted, "--yes", "--json"]).refused(4, "undo_superseded");
    assert_eq!(refused["data"]["conflicts"]["items"][0]["group"], json!(turned));
    undo(&env, &turned);
    undo(&env, &deleted);
    let why = env.drover(&["task", "why", "c", "--json"]).ok().data();
    assert_eq!(why["act_on"], json!(["a"]));
}
