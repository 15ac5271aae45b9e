//! The JSON lines of beads.

use std::collections::{BTreeSet, HashMap, HashSet};

use drover_testkit::TestEnv;
use serde_json::{Value, json};

use super::{fixture, import, project, ready, strings};

/// An issue on a line.
fn line(issue: &Value) -> String {
    format!("{issue}\n")
}

fn issue(id: &str, more: &Value) -> Value {
    let mut issue =
        json!({ "id": id, "title": format!("Issue {id}"), "status": "open", "priority": 2 });
    for (key, value) in more.as_object().unwrap() {
        issue[key] = value.clone();
    }
    issue
}

fn shown(env: &TestEnv, id: &str) -> Value {
    env.drover(&["task", "show", id, "--json"]).ok().data()["task"].take()
}

fn notes(env: &TestEnv, id: &str) -> Vec<String> {
    let noted = env.drover(&["task", "notes", id, "--json"]).ok().data();
    strings(&noted["items"], "text")
}

/// A graph worked out from the file alone.
struct Graph {
    /// What blocks each issue.
    blockers: HashMap<String, Vec<String>>,
    closed: HashSet<String>,
    ids: Vec<String>,
}

impl Graph {
    fn read(text: &str) -> Self {
        let issues: Vec<Value> = text.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
        let id = |it: &Value| it["id"].as_str().unwrap().to_owned();
        let mut blockers: HashMap<String, Vec<String>> = HashMap::new();
        for it in issues.iter().flat_map(|it| it["dependencies"].as_array().into_iter().flatten()) {
            let word = |key: &str| it[key].as_str().unwrap().to_owned();
            match it["type"].as_str().unwrap() {
                "blocks" => {
                    blockers.entry(word("issue_id")).or_default().push(word("depends_on_id"));
                }
                "parent" | "parent-child" => {
                    blockers.entry(word("depends_on_id")).or_default().push(word("issue_id"));
                }
                _ => {}
            }
        }
        let is_closed = |it: &&Value| it["status"] == "closed" || it["status"] == "done";
        let closed = issues.iter().filter(is_closed).map(id).collect();
        Self { blockers, closed, ids: issues.iter().map(id).collect() }
    }

    /// Every open blocker behind an open issue, each with what it blocks.
    fn chain(&self, id: &str) -> BTreeSet<(String, String)> {
        let mut chain = BTreeSet::new();
        let mut open = vec![id.to_owned()];
        open.retain(|it| !self.closed.contains(it));
        while let Some(blocked) = open.pop() {
            for blocker in self.blockers.get(&blocked).into_iter().flatten() {
                if !self.closed.contains(blocker)
                    && chain.insert((blocker.clone(), blocked.clone()))
                {
                    open.push(blocker.clone());
                }
            }
        }
        chain
    }
}

/// Imports a stored export twice and compares every chain with the one of the file.
fn hold(name: &str, [tasks, edges, relations, can_start]: [usize; 4]) {
    let env = project();
    let path = fixture(name);
    let words = ["task", "import", path.to_str().unwrap(), "--json"];
    let data = env.drover(&words).ok().json();
    assert_eq!(data["outcome"], "imported");
    let data = &data["data"];
    let found = [&data["added"]["count"], &data["edges"], &data["relations"], &data["present"]];
    assert_eq!(found, [&json!(tasks), &json!(edges), &json!(relations), &json!(0)]);
    assert_eq!(data["left_out"]["count"], 0);
    let ready: HashSet<String> = ready(&env).into_iter().collect();
    assert_eq!(ready.len(), can_start);
    let again = env.drover(&words).ok().json();
    assert_eq!(again["outcome"], "unchanged");
    let data = &again["data"];
    let found = [&data["present"], &data["edges_present"], &data["differs"]["count"]];
    assert_eq!(found, [&json!(tasks), &json!(edges), &json!(0)]);
    assert_eq!([&data["added"]["count"], &data["edges"], &data["notes"]], [&json!(0); 3]);

    let graph = Graph::read(&std::fs::read_to_string(path).unwrap());
    let as_here = |it: &str| it.replace('.', "_");
    for id in graph.ids.iter().filter(|it| !ready.contains(&as_here(it))) {
        let why = env.drover(&["task", "why", id, "--json"]).ok().data();
        let items = &why["chain"]["items"];
        let chain: BTreeSet<(String, String)> =
            strings(items, "id").into_iter().zip(strings(items, "blocks")).collect();
        let expected: BTreeSet<(String, String)> =
            graph.chain(id).into_iter().map(|it| (as_here(&it.0), as_here(&it.1))).collect();
        assert_eq!(chain, expected, "{id}");
        assert_ne!(why["standing"], "ready", "{id}");
    }
}

#[test]
fn must_show_03_1() {
    hold("beads-274.jsonl", [274, 195, 10, 96]);
    hold("beads-191.jsonl", [191, 305, 0, 41]);
    let env = project();
    let text = std::fs::read_to_string(fixture("beads-191.jsonl")).unwrap();
    let broken: String = text
        .lines()
        .enumerate()
        .map(
            |(number, it)| {
                if number == 99 { format!("{}\n", &it[..40]) } else { format!("{it}\n") }
            },
        )
        .collect();
    let refused = import(&env, &broken).refused(2, "plan_invalid");
    assert_eq!(refused["data"]["line"], 100);
    // One issue of the file that is blocked is made to block what blocks it.
    let cyclic =
        text + &line(&issue(
            "x-1",
            &json!({ "dependencies": [
            { "issue_id": "x-1", "depends_on_id": "x-2", "type": "blocks" }] }),
        )) + &line(&issue(
            "x-2",
            &json!({ "dependencies": [
            { "issue_id": "x-2", "depends_on_id": "x-1", "type": "blocks" }] }),
        ));
    let refused = import(&env, &cyclic).refused(3, "cycle");
    let path: BTreeSet<&str> =
        refused["data"]["path"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    assert_eq!(path, BTreeSet::from(["x-1", "x-2"]));
    assert_eq!(env.drover(&["task", "list", "--json"]).ok().data()["count"], 0);
}

#[test]
fn states_priorities_and_estimates_are_mapped_and_what_is_not_known_is_named() {
    let env = project();
    let blocks = json!([{ "issue_id": "a-2", "depends_on_id": "a-1", "type": "blocks" }]);
    let text = [
        issue("a-1", &json!({ "priority": 0, "estimated_minutes": 240 })),
        issue("a-2", &json!({ "status": "blocked", "priority": 1, "dependencies": blocks })),
        issue("a-3", &json!({ "status": "blocked", "priority": 3 })),
        issue("a-4", &json!({ "status": "deferred", "priority": 4, "estimated_minutes": 0 })),
        issue("a-5", &json!({ "status": "in_progress" })),
        issue("a-6", &json!({ "status": "pinned", "priority": 9, "estimated_minutes": -1 })),
        json!({ "id": "a-7", "title": "Bare" }),
        json!({ "_type": "memory", "id": "m", "text": "?" }),
    ];
    let data = import(&env, &text.iter().map(line).collect::<String>()).ok().data();
    let check = |id: &str, state: &str, impact: u8, effort: f64| {
        let task = shown(&env, id);
        let found = (&task["substate"], &task["impact"], &task["effort_days"]);
        assert_eq!(found, (&json!(state), &json!(impact), &json!(effort)), "{id}");
        assert_eq!(task["claimed_by"], Value::Null, "{id}");
    };
    check("a-1", "todo", 100, 0.5);
    check("a-2", "todo", 80, 1.0);
    check("a-3", "parked", 30, 1.0);
    check("a-4", "parked", 10, 1.0);
    check("a-5", "active", 50, 1.0);
    check("a-6", "triage", 50, 1.0);
    check("a-7", "todo", 50, 1.0);
    assert!(notes(&env, "a-3")[0].contains("blocked"));
    let named = strings(&data["substituted"]["items"], "what");
    let expected =
        ["the status \"pinned\"", "the priority 9", "the estimate -1", "the status \"blocked\""];
    assert_eq!(named, expected);
    assert_eq!(data["left_out"]["items"][0]["place"], "line 8");
}

#[test]
fn every_text_of_an_issue_is_a_note_and_its_ids_are_found() {
    let env = project();
    let text = issue(
        "Web-1.2",
        &json!({
            "description": "What it is", "design": "How", "acceptance_criteria": "When", "notes": "So far",
            "comments": [{ "author": "ann", "text": "I say", "created_at": "2026-02-15T15:45:42Z" }, { "text": " " }],
            "labels": ["api", "ünï"], "issue_type": "epic", "assignee": "bob", "updated_at": "2026-02-15T15:45:42Z",
            "created_at": "2025-11-02T18:05:52.590801-08:00",
            "dependencies": [{ "depends_on_id": "Web-9", "type": "discovered-from" }],
        }),
    );
    let data = import(&env, &line(&text)).ok().data();
    assert_eq!((&data["relations"], &data["notes"]), (&json!(1), &json!(7)));
    assert_eq!(data["left_out"]["items"][0]["what"], "a comment");
    let task = shown(&env, "Web-1.2");
    assert_eq!((&task["id"], &task["labels"]), (&json!("web-1_2"), &json!(["api", "ünï"])));
    assert_eq!((&task["source"], &task["source_id"]), (&json!("beads"), &json!("Web-1.2")));
    assert_eq!(task["created_at"], "2025-11-03T02:05:52.590Z");
    let noted = env.drover(&["task", "notes", "web-1_2", "--json"]).ok().data();
    let comment = noted["items"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(
        (&comment["author"], &comment["created_at"]),
        (&json!("beads:ann"), &json!("2026-02-15T15:45:42.000Z"))
    );
    let texts = strings(&noted["items"], "text");
    assert_eq!(texts[..2], ["What it is", "Design:\nHow"]);
    assert!(texts.iter().any(|it| it == "Relation in beads: discovered-from Web-9"));
    assert!(texts.iter().any(|it| it.contains("issue_type: epic\nassignee: bob")));
}

#[test]
fn what_was_changed_here_stays_and_is_listed() {
    let env = project();
    let first = [issue("a-1", &json!({})), issue("a-2", &json!({}))];
    import(&env, &first.iter().map(line).collect::<String>()).ok();
    env.drover(&["task", "close", "a-1", "--evidence", "seen"]).ok();
    env.drover(&["task", "rename", "a-2", "other"]).ok();
    let later = [
        issue("a-1", &json!({ "priority": 0 })),
        issue("a-2", &json!({ "description": "New" })),
        issue("a-3", &json!({ "dependencies": [{ "depends_on_id": "a-2", "type": "blocks" }] })),
    ];
    let data = import(&env, &later.iter().map(line).collect::<String>()).ok().data();
    assert_eq!((&data["added"]["items"], &data["edges"]), (&json!(["a-3"]), &json!(1)));
    let differs: Vec<String> = strings(&data["differs"]["items"], "field");
    assert_eq!(differs, ["status", "impact", "note"]);
    assert_eq!(shown(&env, "a-1")["substate"], "done");
    assert_eq!(shown(&env, "a-2")["id"], "other");
}

/// Fault G-02.
#[test]
fn a_child_that_waits_for_its_parent_is_a_cycle_and_one_the_parent_waits_for_is_not() {
    let env = project();
    let child =
        |kind: &str, of: &str| json!({ "dependencies": [{ "depends_on_id": of, "type": kind }] });
    let fine = [
        issue(
            "p",
            &json!({ "dependencies": [
            { "depends_on_id": "c1", "type": "blocks" }, { "depends_on_id": "c2", "type": "blocks" }] }),
        ),
        issue("c1", &child("parent-child", "p")),
        issue("c2", &child("parent", "p")),
    ];
    let data = import(&env, &fine.iter().map(line).collect::<String>()).ok().data();
    // Each edge is said twice.
    assert_eq!((&data["edges"], &data["edges_present"]), (&json!(2), &json!(2)));
    assert_eq!(ready(&env), ["c1", "c2"]);
    let wrong = [issue(
        "d",
        &json!({ "dependencies": [
        { "depends_on_id": "p", "type": "parent-child" }, { "depends_on_id": "p", "type": "blocks" }] }),
    )];
    let refused = import(&env, &wrong.iter().map(line).collect::<String>()).refused(3, "cycle");
    assert_eq!(refused["data"]["path"].as_array().unwrap().len(), 3);
    assert_eq!(ready(&env), ["c1", "c2"]);
}

#[test]
fn a_reference_that_leads_nowhere_and_an_id_twice() {
    let env = project();
    let dangling = issue(
        "a-1",
        &json!({ "dependencies": [
        { "depends_on_id": "gone-1", "type": "blocks" }, { "depends_on_id": "gone-2", "type": "parent" },
        { "issue_id": "b", "depends_on_id": "a-1", "type": "blocks" }] }),
    );
    let data = import(&env, &line(&dangling)).ok().data();
    let left_out = strings(&data["left_out"]["items"], "what");
    assert_eq!(left_out.len(), 3);
    assert!(left_out.iter().any(|it| it.contains("gone-1")), "{left_out:?}");
    let twice = line(&issue("b-1", &json!({}))) + "\n" + &line(&issue("b-1", &json!({})));
    let refused = import(&env, &twice).refused(2, "plan_invalid");
    let problem = &refused["data"]["problems"]["items"][0];
    assert_eq!(
        (&problem["path"], &problem["what"]),
        (&json!("line 3: id"), &json!("b-1 is the id of line 1 too"))
    );
    assert_eq!(ready(&env), ["a-1"]);
}
