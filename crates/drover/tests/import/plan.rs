//! Our own JSON plan.

use serde_json::{Value, json};

use super::{import, project, ready};

fn diamond() -> Value {
    json!({ "tasks": [
        { "id": "ship", "title": "Ship it", "blocked_by": ["left", "right"] },
        { "id": "left", "title": "Left", "blocked_by": ["base"], "owns": ["src/left/"], "labels": ["a"] },
        { "id": "right", "title": "Right", "blocked_by": ["base"], "verify": "make test", "note": "mind the gap" },
        { "id": "base", "title": "Base", "impact": 90, "effort_days": 0.5 },
    ]})
}

#[test]
fn a_plan_in_any_order_becomes_tasks_edges_and_notes() {
    let env = project();
    let data = import(&env, &diamond()).ok().data();
    assert_eq!(data["added"]["items"], json!(["ship", "left", "right", "base"]));
    assert_eq!(
        (&data["edges"], &data["notes"], &data["present"]),
        (&json!(4), &json!(1), &json!(0))
    );
    assert_eq!(ready(&env), ["base"]);
    let base = env.drover(&["task", "next", "--json"]).ok().data();
    assert_eq!(
        (&base["items"][0]["impact"], &base["items"][0]["effort_days"]),
        (&json!(90), &json!(0.5))
    );
}

#[test]
fn a_second_import_adds_what_is_new_and_only_lists_what_differs() {
    let env = project();
    import(&env, &diamond()).ok();
    let mut changed = diamond();
    changed["tasks"][3]["title"] = json!("Base, better");
    changed["tasks"][3]["impact"] = json!(10);
    changed["tasks"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "id": "late", "title": "Late", "blocked_by": ["base"] }));
    changed["tasks"][1]["blocked_by"] = json!(["base", "late"]);
    let data = import(&env, &changed).ok().data();
    assert_eq!(data["added"]["items"], json!(["late"]));
    assert_eq!((&data["present"], &data["edges"]), (&json!(4), &json!(2)));
    let differs = data["differs"]["items"].as_array().unwrap();
    assert_eq!(
        differs[0],
        json!({ "task": "base", "field": "title", "plan": "Base, better", "here": "Base" })
    );
    assert_eq!(differs[1]["field"], "impact");
    assert_eq!(differs.len(), 2);
    let again = import(&env, &changed).ok().data();
    assert_eq!((&again["added"]["count"], &again["edges"]), (&json!(0), &json!(0)));
}

#[test]
fn everything_that_is_wrong_is_named_with_its_place_and_nothing_is_written() {
    let env = project();
    let plan = json!({ "tasks": [
        { "id": "ok", "title": "Fine" },
        { "id": "Bad Id", "title": " ", "impact": 101, "effort_days": 0 },
        { "id": "ok", "title": "Twice", "owns": ["src/", "../out"], "labels": [""] },
    ]});
    let refused = import(&env, &plan).refused(2, "plan_invalid");
    let paths: Vec<&str> = refused["data"]["problems"]["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["path"].as_str().unwrap())
        .collect();
    assert_eq!(
        paths,
        [
            "tasks[1].id",
            "tasks[1].title",
            "tasks[1].impact",
            "tasks[1].effort_days",
            "tasks[2].owns[1]",
            "tasks[2].labels[0]",
            "tasks[2].id",
        ]
    );
    let unknown = json!({ "tasks": [{ "id": "a", "title": "A", "blocked_by": ["b"] }, { "id": "bb", "title": "B" }] });
    let refused = import(&env, &unknown).refused(2, "plan_invalid");
    assert_eq!(refused["data"]["problems"]["items"][0]["path"], "tasks[0].blocked_by[0]");
    assert!(ready(&env).is_empty());
}

#[test]
fn an_unknown_key_and_broken_json_are_named_with_their_line() {
    let env = project();
    let texts = [
        (
            "{\"tasks\":[\n {\"id\":\"a\",\"title\":\"A\",\"depends\":[]}]}",
            2,
            "unknown field `depends`",
        ),
        (
            "{\"tasks\":[\n\n {\"id\":\"a\",\"title\":\"A\",\"title\":\"B\"}]}",
            3,
            "duplicate field `title`",
        ),
        ("{\"tasks\":[\n {\"id\":\"a\",\"title\":7}]}", 2, "invalid type: integer `7`"),
        ("{\"tasks\":[\n", 2, "EOF while parsing"),
        ("{\"tasks\":[],\"name\":1}", 1, "unknown field `name`"),
    ];
    for (text, line, words) in texts {
        let refused = env
            .drover_with_stdin(&["task", "import", "-", "--json"], text)
            .refused(2, "plan_invalid");
        assert_eq!(refused["data"]["line"], line, "{refused}");
        assert!(refused["error"].as_str().unwrap().contains(words), "{refused}");
    }
}

#[test]
fn a_cycle_is_refused_with_its_path_also_when_the_project_holds_half_of_it() {
    let env = project();
    let plan = json!({ "tasks": [
        { "id": "a", "title": "A", "blocked_by": ["c"] },
        { "id": "b", "title": "B", "blocked_by": ["a"] },
        { "id": "c", "title": "C", "blocked_by": ["b"] },
    ]});
    let refused = import(&env, &plan).refused(3, "cycle");
    let path = refused["data"]["path"].as_array().unwrap();
    assert_eq!((path.len(), &path[0]), (4, &path[3]));
    import(&env, &json!({ "tasks": [{ "id": "a", "title": "A" }, { "id": "b", "title": "B", "blocked_by": ["a"] }] })).ok();
    let back = json!({ "tasks": [{ "id": "a", "title": "A", "blocked_by": ["new"] }, { "id": "new", "title": "N", "blocked_by": ["b"] }] });
    import(&env, &back).refused(3, "cycle");
    import(&env, &json!({ "tasks": [{ "id": "x", "title": "X", "blocked_by": ["x"] }] }))
        .refused(3, "cycle");
    assert_eq!(ready(&env), ["a"]);
}

#[test]
fn an_id_that_a_hand_made_task_has_is_refused_and_may_be_a_blocker() {
    let env = project();
    env.drover(&["task", "add", "Mine", "--id", "mine"]).ok();
    let refused = import(&env, &json!({ "tasks": [{ "id": "mine", "title": "Other" }] }))
        .refused(4, "task_exists");
    assert_eq!(refused["data"]["tasks"], json!(["mine"]));
    import(&env, &json!({ "tasks": [{ "id": "next", "title": "Next", "blocked_by": ["mine"] }] }))
        .ok();
    assert_eq!(ready(&env), ["mine"]);
}

#[test]
fn a_dry_run_shows_what_would_be_and_a_key_knows_the_contents_of_the_file() {
    let env = project();
    let file = env.root().join("plan.json");
    let path = file.to_str().unwrap();
    std::fs::write(&file, diamond().to_string()).unwrap();
    let dry = env.drover(&["task", "import", path, "--dry-run", "--json"]).ok().json();
    assert_eq!((&dry["dry_run"], &dry["data"]["added"]["count"]), (&json!(true), &json!(4)));
    assert!(ready(&env).is_empty());
    let keyed = ["task", "import", path, "--key", "k", "--json"];
    env.drover(&keyed).ok();
    assert_eq!(env.drover(&keyed).ok().json()["deduplicated"], true);
    std::fs::write(&file, json!({ "tasks": [] }).to_string()).unwrap();
    env.drover(&keyed).refused(4, "key_conflict");
    env.drover(&["task", "import", "/no/such/plan", "--json"]).refused(5, "file_failed");
}

/// Fault G-05.
#[test]
fn ten_thousand_tasks_are_imported_in_one_go() {
    let env = project();
    let tasks: Vec<Value> = (0..10_000)
        .map(|number| {
            let blockers: Vec<String> =
                [1, 7].iter().filter(|it| **it <= number).map(|it| format!("t{}", number - it)).collect();
            json!({ "id": format!("t{number}"), "title": format!("Task {number}"), "blocked_by": blockers })
        })
        .collect();
    let data = import(&env, &json!({ "tasks": tasks })).ok().data();
    assert_eq!((&data["added"]["count"], &data["edges"]), (&json!(10_000), &json!(19_992)));
    assert_eq!(ready(&env), ["t0"]);
}

/// Fault X-06.
#[test]
fn secrets_of_a_plan_do_not_reach_the_rows() {
    let env = project();
    let secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    let plan = json!({ "tasks": [{ "id": "a", "title": format!("rotate {secret}"), "note": secret, "labels": [secret] }] });
    let answer = import(&env, &plan).ok().json();
    assert_eq!(answer["warnings"], json!(["redacted: 3"]));
    let verify = json!({ "tasks": [{ "id": "b", "title": "B", "verify": format!("curl -u x:{secret} host") }] });
    import(&env, &verify).refused(2, "plan_invalid");
}
