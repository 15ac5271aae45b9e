//! Agents that have other agents work.

use drover_testkit::Real;
use serde_json::{Value, json};

use super::World;

/// The line that has the model call a tool.
fn call(tool: &str, arguments: &Value) -> String {
    format!("CALL {tool} {arguments}\n")
}

/// A coordinator in a real pi has two workers answer, through Drover's tools and nothing else.
#[expect(clippy::print_stdout, reason = "what came of it is shown")]
fn a_coordinator_collects_two_answers() {
    let world = World::new(&[Real::Pi]);
    world.drover(&["link", "pi"]).ok();
    let boss = world.spawn(Real::Pi, "boss", &["--role", "coordinator"]);
    boss.wait_for_state("idle");
    let mut orders = "Have two workers answer.\n".to_owned();
    for name in ["w1", "w2"] {
        orders +=
            &call("agent_spawn", &json!({"name": name, "engine": "pi", "no_workspace": true}));
    }
    for (name, text) in [("w1", "SAY one of two"), ("w2", "SAY two of two")] {
        orders += &call("agent_send", &json!({"name": name, "text": text}));
    }
    orders += &call("agent_wait", &json!({"names": ["w1", "w2"], "after_runs": 0}));
    boss.received(&orders);
    let words = ["agent", "wait", "boss", "--after-runs", "0", "--timeout", "2m"];
    let waited = world.drover(&words).ok().data();
    let requests = world.model.requests();
    let results = requests.iter().map(|it| &it.results).max_by_key(|it| it.len()).unwrap();
    assert_eq!(results.len(), 5, "{results:#?}\n{waited}");
    let collected: Value = serde_json::from_str(&results[4]).unwrap();
    let items = collected["data"]["agents"]["items"].as_array().unwrap();
    let texts: Vec<&str> = items.iter().filter_map(|it| it["last_text"].as_str()).collect();
    assert_eq!(texts, ["one of two", "two of two"]);
    println!("a coordinator in pi collected {texts:?}");
}

/// Three real pis work off a plan; their turns edit, commit and close.
#[expect(clippy::print_stdout, reason = "what came of it is shown")]
fn three_pis_work_off_a_plan() {
    let world = World::new(&[Real::Pi]);
    let task = |id: &str, blocked_by: &[&str]| json!({"id": id, "title": format!("Write {id}"), "blocked_by": blocked_by, "verify": format!("test -s {id}.txt")});
    let tasks = [task("a", &[]), task("b", &[]), task("c", &["a"]), task("d", &["a", "b"])];
    let plan = json!({ "tasks": tasks }).to_string();
    let import = world.env.drover_call(&["task", "import", "-", "-p", "web"]);
    import.stdin(plan).run().ok();
    for id in ["a", "b", "c", "d"] {
        let order = format!(
            "TOOL echo {id} >{id}.txt && git add -A && git commit -qm 'write {id}' && drover task close web/{id} --verify"
        );
        world.drover(&["task", "note", id, &order]).ok();
    }
    let words =
        ["run", "-p", "web", "--engine", "pi", "--workers", "3", "--trust", "--timeout", "3m"];
    let answer = world.drover(&words).ok().json();
    assert_eq!(answer["outcome"], "all_done", "{answer}");
    let trunk = answer["data"]["trunk"].as_str().unwrap_or("drover/web/trunk").to_owned();
    for id in ["a", "b", "c", "d"] {
        assert_eq!(world.repository.git(&["show", &format!("{trunk}:{id}.txt")]), id);
    }
    let commits = world.repository.git(&["log", "--format=%s", &trunk]);
    println!("three pis: {}", commits.lines().collect::<Vec<_>>().join(", "));
}

#[test]
#[ignore = "needs the real programs: ./dev test"]
fn must_show_02_8() {
    if !Real::installed().contains(&Real::Pi) {
        println!("left out: there is no pi");
        return;
    }
    a_coordinator_collects_two_answers();
    three_pis_work_off_a_plan();
}
