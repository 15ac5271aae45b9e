//! Markdown checklists, read and written.

use drover_testkit::TestEnv;
use serde_json::{Value, json};

use super::{export, import, import_into, project, ready, snapshot, strings};

/// A plan as people write them, with what only a comment can say.
pub(super) const PLAN: &str = r#"# Big plan

Some words.

- [ ] Ship *it* <!-- drover {"id":"ship","impact":90,"labels":["api"],"verify":"make test","owns":["src/"]} -->
  - [x] Build the `core`

    First note, with
    two lines.

    > quoted note
    >   kept
  - [ ] Write the docs
    - plain detail
    - another
    - [/] Outline
1. [-] Dropped thing
   and more of its title
2. [>] Aside <!-- drover {"blocked_by":["ship"],"effort_days":0.5} -->
- [ ] Proposed <!-- drover {"status":"OPEN/triage"} -->
- Group
  - [ ] Ünï — "quoted" & <b>bold</b>
"#;

/// A checklist, its export and the export's export say the same, and so do the rows.
pub(super) fn round_trip(env: &TestEnv, plan: &str) {
    import(env, &plan).ok();
    let exported = export(env, "web", "markdown");
    env.drover(&["project", "init", "second"]).ok();
    let again = import_into(env, "second", &exported);
    assert_eq!(again["left_out"]["count"], 0);
    assert_eq!(export(env, "second", "markdown"), exported);
    assert_eq!(snapshot(env, "web"), snapshot(env, "second"));
    // The first file still finds all it made, and nothing else to do.
    let first = import_into(env, "web", plan);
    assert_eq!((&first["added"]["count"], &first["edges"]), (&json!(0), &json!(0)));
    assert_eq!(first["differs"]["count"], 0);
    let second = import_into(env, "second", &exported);
    assert_eq!(second["added"]["count"], 0);
}

#[test]
fn a_checklist_and_its_export_say_the_same() {
    let env = project();
    round_trip(&env, PLAN);
    let tasks = env.drover(&["task", "list", "-p", "web", "--json"]).ok().data();
    let task = |id: &str| {
        let items = tasks["items"].as_array().unwrap();
        items
            .iter()
            .find(|it| it["id"] == id)
            .unwrap_or_else(|| panic!("no {id} in {tasks}"))
            .clone()
    };
    let state = |id: &str| task(id)["substate"].as_str().unwrap().to_owned();
    assert_eq!(state("build_the_core"), "done");
    assert_eq!(state("outline"), "active");
    assert_eq!(state("dropped_thing_and_more_of_its_title"), "wontfix");
    assert_eq!(state("aside"), "parked");
    assert_eq!(state("proposed"), "triage");
    assert_eq!(
        (&task("ship")["impact"], &task("ship")["verify"]),
        (&json!(90), &json!("make test"))
    );
    assert_eq!(task("ship")["open_blockers"], 1);
    let notes = env.drover(&["task", "notes", "web/build_the_core", "--json"]).ok().data();
    let expected = ["First note, with\ntwo lines.", "quoted note\n  kept"];
    assert_eq!(strings(&notes["items"], "text"), expected);
}

#[test]
fn what_a_checklist_cannot_say_plainly_goes_through_its_comment() {
    let env = project();
    let plan = json!({ "tasks": [
        { "id": "a", "title": "- [ ] <!-- drover {} --> \u{1b}[31m two\nlines", "blocked_by": ["c", "b"] },
        { "id": "b", "title": "# x --> y", "blocked_by": ["c"],
          "notes": [{ "text": "esc \u{1b} here" }, { "text": "  > - [ ] no task\n\n```\nx\n\n" }] },
        { "id": "c", "title": "1. [x] *\u{202e}*", "labels": ["-->", "--"], "status": "closed/duplicate",
          "notes": [{ "text": "    code\n\ttab\n\n" }, { "text": "<!--" }, { "text": "> > quoted" }] },
    ]});
    import(&env, &plan).ok();
    let exported = export(&env, "web", "markdown");
    assert!(exported.chars().all(|it| it == '\n' || it == '\t' || !it.is_control()), "{exported}");
    env.drover(&["project", "init", "second"]).ok();
    import_into(&env, "second", &exported);
    assert_eq!(snapshot(&env, "web"), snapshot(&env, "second"));
}

#[test]
fn a_deep_chain_is_written_in_short_lines() {
    let env = project();
    let tasks: Vec<Value> = (0..300)
        .map(|number| {
            let blockers: Vec<String> =
                (number + 1..(number + 3).min(300)).map(|it| format!("t{it}")).collect();
            json!({ "id": format!("t{number}"), "title": format!("Task {number}"), "blocked_by": blockers })
        })
        .collect();
    import(&env, &json!({ "tasks": tasks })).ok();
    let exported = export(&env, "web", "markdown");
    assert!(exported.lines().all(|it| it.len() < 120));
    env.drover(&["project", "init", "second"]).ok();
    let data = import_into(&env, "second", &exported);
    assert_eq!((&data["added"]["count"], &data["edges"]), (&json!(300), &json!(597)));
}

#[test]
fn a_box_that_was_ticked_in_an_export_wins_over_its_comment() {
    let env = project();
    let text = "- [x] A <!-- drover {\"id\":\"a\",\"status\":\"OPEN/parked\"} -->\n- [ ] B <!-- drover {\"id\":\"b\",\"status\":\"CLOSED/wontfix\"} -->\n";
    import(&env, &text).ok();
    assert_eq!(ready(&env), ["b"]);
}

#[test]
fn equal_titles_are_told_apart_by_what_they_stand_under() {
    let env = project();
    let text = "- [ ] A\n  - [ ] Test\n- [ ] B\n  - [ ] Test\n  - [ ] Test\n";
    let data = import(&env, &text).ok().data();
    assert_eq!(data["added"]["items"], json!(["a", "test", "b", "test_2", "test_3"]));
    // Put before the others, it takes nobody's place.
    let more = format!("- [ ] New\n  - [ ] Test\n{text}");
    let data = import(&env, &more).ok().data();
    assert_eq!((&data["added"]["items"], &data["edges"]), (&json!(["new", "test_4"]), &json!(1)));
}

#[test]
fn what_is_wrong_in_a_comment_is_named_with_its_line() {
    let env = project();
    let check = |text: &str, path: &str, words: &str| {
        let refused = import(&env, &text).refused(2, "plan_invalid");
        let problem = &refused["data"]["problems"]["items"][0];
        assert_eq!(problem["path"], path);
        assert!(problem["what"].as_str().unwrap().contains(words), "{problem}");
    };
    check("- [ ] A\n- [ ] B <!-- drover {\"id\":} -->\n", "line 2: the comment", "expected value");
    check("- [ ] A <!-- drover {\"effort\":1} -->\n", "line 1: the comment", "unknown field");
    check("- [ ] A <!-- drover {\"id\":\"A b\"} -->\n", "line 1: id", "task id");
    check("- [ ] A <!-- drover {\"impact\":0} -->\n", "line 1: impact", "1 to 100");
    check("- [ ] A\n- [ ] \n", "line 2: title", "blank");
    check("- [ ] A <!-- drover {\"blocked_by\":[\"shp\"]} -->\n", "line 1: blocked_by[0]", "shp");
    let twice = "- [ ] A <!-- drover {\"id\":\"a\"} -->\n- [ ] B <!-- drover {\"id\":\"a\"} -->\n";
    check(twice, "line 2: id", "line 1");
    assert!(ready(&env).is_empty());
}

/// A note may end in what Markdown reads on from; it stays one note, and those behind it stay theirs.
#[test]
fn a_note_that_ends_in_markdown_does_not_swallow_the_next() {
    let env = project();
    let endings = [
        "1. a\n\n2. ",
        "- ",
        "- a\n- ",
        "```\nopen",
        "<!-- open",
        "> deep",
        "    code",
        "| a |",
        "[x]:",
    ];
    for (number, ending) in endings.iter().enumerate() {
        let id = format!("t{number}");
        env.drover(&["task", "add", &format!("Task {number}"), "--id", &id, "-p", "web"]).ok();
        for text in [ending, "behind it"] {
            env.drover(&["task", "note", &format!("web/{id}"), &format!("--text={text}")]).ok();
        }
    }
    let exported = export(&env, "web", "markdown");
    env.drover(&["project", "init", "second"]).ok();
    let again = import_into(&env, "second", &exported);
    assert_eq!(
        (&again["left_out"]["count"], &again["notes"]),
        (&json!(0), &json!(18)),
        "{exported}"
    );
    assert_eq!(export(&env, "second", "markdown"), exported);
}
