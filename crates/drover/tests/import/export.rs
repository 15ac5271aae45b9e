//! Drawings, and what every export holds.

use serde_json::json;

use super::{export, import, import_into, project, snapshot};

#[test]
fn drawings_name_every_task_and_edge() {
    let env = project();
    let plan = json!({ "tasks": [
        { "id": "end", "title": "A \"b\" \\ <c> #d;", "blocked_by": ["base"], "verify": "true" },
        { "id": "base", "title": "Base\nline\u{1b}[31m", "status": "IN_PROGRESS" },
        { "id": "old", "title": "Old", "status": "CLOSED" },
    ]});
    import(&env, &plan).ok();
    let dot = export(&env, "web", "dot");
    let expected = r##"digraph "web" {
  rankdir=LR;
  node [shape=box, style=filled];
  "base" [label="base\nBase line{1b}[31m", class="active", fillcolor="#a9d6e5"];
  "end" [label="end\nA \"b\" \\ <c> #d;", class="waiting", fillcolor="#ffffff"];
  "old" [label="old\nOld", class="done", fillcolor="#cccccc"];
  "base" -> "end";
}
"##;
    assert_eq!(dot, expected);
    let mermaid = export(&env, "web", "mermaid");
    let head: Vec<&str> = mermaid.lines().take(5).collect();
    let expected = [
        "flowchart LR",
        "  t0[\"base: Base line{1b}[31m\"]:::active",
        "  t1[\"end: A #34;b#34; #92; #60;c#62; #35;d#59;\"]:::waiting",
        "  t2[\"old: Old\"]:::done",
        "  t0 --> t1",
    ];
    assert_eq!(head, expected);
    let unfinished = ["task", "export", "--format", "dot", "--unfinished", "--json"];
    let data = env.drover(&unfinished).ok().data();
    assert_eq!((&data["tasks"], &data["edges"]), (&json!(2), &json!(1)));
    assert!(!data["text"].as_str().unwrap().contains("old"));
}

#[test]
fn our_own_plan_says_everything_and_marks_whose_notes_it_carries() {
    let env = project();
    let plan = json!({ "tasks": [
        { "id": "a", "title": "A \u{9b}31m \u{202e}", "impact": 7, "effort_days": 0.25, "owns": ["src/"],
          "labels": ["x"], "verify": "make", "status": "OPEN/triage", "created_at": "2020-01-02T03:04:05Z",
          "notes": [{ "text": "One", "author": "beads:ann", "at": "2021-01-02T03:04:05Z" }] },
        { "id": "b", "title": "B", "blocked_by": ["a"], "note": "Mine" },
    ]});
    import(&env, &plan).ok();
    let text = export(&env, "web", "json");
    assert!(
        text.lines().count() == 4 && text.chars().all(|it| it == '\n' || !it.is_control()),
        "{text}"
    );
    env.drover(&["project", "init", "second"]).ok();
    let data = import_into(&env, "second", &text);
    assert_eq!((&data["edges"], &data["notes"]), (&json!(1), &json!(2)));
    assert_eq!(snapshot(&env, "web"), snapshot(&env, "second"));
    let second = export(&env, "second", "json");
    assert!(
        second.contains("\"author\":\"beads:ann\",\"at\":\"2021-01-02T03:04:05.000Z\""),
        "{second}"
    );
    assert!(second.contains("\"author\":\"plan:user:"), "{second}");
    env.drover(&["project", "init", "third"]).ok();
    import_into(&env, "third", &second);
    assert_eq!(export(&env, "third", "json"), second);
}

#[test]
fn an_empty_project_has_empty_exports() {
    let env = project();
    assert_eq!(export(&env, "web", "json"), "{\"tasks\":[]}\n");
    assert_eq!(export(&env, "web", "markdown"), "");
    assert_eq!(export(&env, "web", "taskwarrior"), "[]\n");
    for format in ["json", "markdown", "dot", "mermaid", "taskwarrior"] {
        let data = env.drover(&["task", "export", "--format", format, "--json"]).ok().data();
        assert_eq!((&data["tasks"], &data["format"]), (&json!(0), &json!(format)));
    }
    env.drover(&["task", "export", "--key", "k", "--json"]).refused(2, "usage");
    env.drover(&["task", "export", "--format", "svg", "--json"]).refused(2, "usage");
}
