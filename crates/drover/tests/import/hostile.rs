//! Files that are too long, too odd, or in no text that we know.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use drover_testkit::{CommandOutput, TestEnv};
use serde_json::{Value, json};

use super::{import, json_lines, project, ready, strings};

/// Imports a file with so many MiB of memory in reach.
#[track_caller]
fn import_within(env: &TestEnv, mebibytes: usize, file: &Path) -> CommandOutput {
    let limit = format!("ulimit -v {}; exec \"$@\"", mebibytes << 10);
    let binary = env.binary().display().to_string();
    let file = file.to_str().unwrap();
    let words = ["-c", &limit, "sh", &binary, "task", "import", file, "--json"];
    env.call("sh", &words).time_limit(Duration::from_mins(5)).run()
}

fn count(env: &TestEnv) -> Value {
    env.drover(&["task", "list", "-n", "1", "--json"]).ok().data()["total"].take()
}

#[test]
fn a_hundred_mebibytes_are_imported_in_a_bounded_memory() {
    let env = project();
    let file = env.root().join("long.jsonl");
    let words = "Words about it. ".repeat(60 << 10);
    let issue = |number| json!({ "id": format!("a-{number}"), "title": "A", "description": words });
    let lines = json_lines((0..110).map(issue));
    assert!(lines.len() > 100 << 20);
    std::fs::write(&file, lines).unwrap();
    let data = import_within(&env, 450, &file).ok().data();
    assert_eq!((&data["added"]["count"], &data["notes"]), (&json!(110), &json!(110)));
}

#[test]
fn a_million_lines_are_refused_for_their_last_one_in_a_bounded_memory() {
    let env = project();
    let file = env.root().join("many.jsonl");
    let mut lines = String::new();
    for number in 1..1_000_000 {
        let _ = writeln!(lines, "{{\"id\":\"a-{number}\",\"title\":\"Issue {number}\"}}");
    }
    lines.push_str("{\"id\":\"a-0\",\"title\":\"Issue\n");
    std::fs::write(&file, lines).unwrap();
    let refused = import_within(&env, 900, &file).refused(2, "plan_invalid");
    assert_eq!(refused["data"]["line"], 1_000_000);
    assert!(ready(&env).is_empty());
}

#[test]
fn a_file_in_another_encoding_is_named_with_its_line() {
    let env = project();
    let file = env.root().join("plan.md");
    let check = |bytes: &[u8], line: usize, words: &str| {
        std::fs::write(&file, bytes).unwrap();
        let call = ["task", "import", file.to_str().unwrap(), "--json"];
        let refused = env.drover(&call).refused(2, "plan_invalid");
        assert_eq!(refused["data"]["line"], line, "{refused}");
        assert!(refused["error"].as_str().unwrap().contains(words), "{refused}");
    };
    check(b"- [ ] caf\xc3\xa9\n- [ ] caf\xe9\n", 2, "UTF-8");
    check(b"\xff\xfe-\0 \0[\0", 1, "UTF-16");
    check(b"\xfe\xff\0-\0 ", 1, "UTF-16");
    check(b"- [ ] \xf0\x9f\x91\n", 1, "UTF-8");
    assert!(ready(&env).is_empty());
    std::fs::write(&file, b"\xef\xbb\xbf- [ ] With a mark\r\n- [ ] And without\r\n").unwrap();
    env.drover(&["task", "import", file.to_str().unwrap()]).ok();
    assert_eq!(ready(&env), ["with_a_mark", "and_without"]);
}

#[test]
fn nul_lone_surrogates_depth_and_words_that_are_no_file_of_tasks() {
    let env = project();
    let deep =
        format!("{{\"id\":\"a\",\"title\":\"A\",\"x\":{}1{}}}\n", "[".repeat(500), "]".repeat(500));
    let long = format!("{}\n", json!({ "id": "a", "title": "x".repeat(70 << 10) }));
    let texts = [
        ("{\"id\":\"a\",\"title\":\"A\\u0000\"}\n", "NUL"),
        ("{\"id\":\"a\\u0000\",\"title\":\"A\"}\n", "control character"),
        ("{\"id\":\"a\",\"title\":\"A\\ud800\"}\n", "hex escape"),
        ("{\"id\":\"a\",\"title\":\"A\0\"}\n", "control character"),
        ("{\"id\":1,\"title\":\"A\"}\n", "1 is no text"),
        ("{\"id\":\"a\",\"title\":\"A\",\"dependencies\":{}}\n", "is no list"),
        ("{\"id\":\"a\",\"title\":\"A\",\"dependencies\":[7]}\n", "is no object"),
        ("{\"id\":\"a\"}\n", "missing or blank"),
        ("{\"id\":\"a\",\"title\":\"A\"} {}\n", "trailing characters"),
        ("{\"id\":\"a\",\"title\":\"A\"}\n7\n", "invalid type"),
        (&deep, "recursion limit"),
        (&long, "bytes"),
        ("", "form"),
        ("Words alone.\n", "form"),
        ("\u{1b}[31m", "form"),
    ];
    for (text, words) in texts {
        let refused = import(&env, &text).refused(2, "plan_invalid");
        assert!(refused.to_string().contains(words), "{words}: {refused}");
    }
    env.drover(&["task", "import", "/", "--json"]).refused(5, "file_failed");
    env.drover(&["task", "import", "-", "--format", "csv", "--json"]).refused(2, "usage");
    assert!(ready(&env).is_empty());
    // A thousand things are named, and not a million.
    let wrong = "{\"id\":\"\",\"title\":\"\"}\n".repeat(5000);
    let refused = import(&env, &wrong).refused(2, "plan_invalid");
    assert_eq!(refused["data"]["problems"]["count"], 1000);
}

#[test]
fn dates_of_the_first_year_and_the_last_are_kept_or_named() {
    let env = project();
    let dates = [
        ("a", "0001-01-01T00:00:00Z", None),
        ("b", "0001-06-01T00:00:00Z", Some("0001-06-01T00:00:00.000Z")),
        ("c", "9999-12-30T00:00:00Z", Some("9999-12-30T00:00:00.000Z")),
        ("d", "9999-12-31T23:59:59Z", None),
        ("e", "yesterday", None),
        ("f", "-000044-03-15T00:00:00Z", None),
        ("g", "10000-01-01T00:00:00Z", None),
    ];
    let issue = |it: &(&str, &str, _)| json!({ "id": it.0, "title": "A", "created_at": it.1 });
    let lines = json_lines(dates.iter().map(issue));
    let data = import(&env, &lines).ok().data();
    let named = strings(&data["substituted"]["items"], "place");
    assert_eq!(named, ["line 4", "line 5", "line 6", "line 7"]);
    for (id, _, kept) in dates {
        let task = env.drover(&["task", "show", id, "--json"]).ok().data()["task"].take();
        let made = task["created_at"].as_str().unwrap();
        assert!(kept.map_or(made.starts_with("20"), |it| it == made), "{id}: {made}");
    }
    let listed = env.drover(&["task", "list", "--sort", "age", "--json"]).ok().data();
    assert_eq!(strings(&listed["items"], "id")[0], "b");
    env.drover(&["task", "list", "--sort", "age"]).ok();
    for id in ["b", "c"] {
        env.drover(&["task", "show", id]).ok();
        env.drover(&["task", "notes", id]).ok();
    }
    for format in ["json", "taskwarrior"] {
        env.drover(&["task", "export", "--format", format]).ok();
    }
    assert_eq!(count(&env), 7);
}

/// Fault X-06.
#[test]
fn secrets_reach_no_row_by_any_form() {
    let env = project();
    let secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    let files = [
        format!("{}\n", json!({ "id": "a-1", "title": secret, "description": secret, "x": secret, "labels": [secret],
            "comments": [{ "text": secret, "author": "ann" }] })),
        format!("- [ ] {secret}\n  - {secret}\n"),
        json!([{ "uuid": "u", "description": secret, "annotations": [{ "description": secret }], "project": secret }])
            .to_string(),
    ];
    for file in files {
        let answer = import(&env, &file).ok().json();
        assert!(answer["warnings"][0].as_str().unwrap().starts_with("redacted: "), "{answer}");
        assert!(!answer.to_string().contains(secret), "{answer}");
    }
    let id = format!("{}\n", json!({ "id": secret, "title": "A" }));
    import(&env, &id).refused(2, "plan_invalid");
    env.drover(&["db", "backup", "copy.db"]).ok();
    for entry in std::fs::read_dir(env.state()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            let found = bytes.windows(secret.len()).any(|it| it == secret.as_bytes());
            assert!(!found, "{}", path.display());
        }
    }
}
