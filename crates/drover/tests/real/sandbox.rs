//! A worker whose commands run in Codex's sandbox, in a linked checkout.

use drover_testkit::{Real, wait_for};
use serde_json::Value;

use super::{Agent, LONG, World};

/// Starts a sandboxed worker in a workspace of its own; returns what was warned of.
fn sandboxed<'a>(world: &'a World, name: &str) -> (Agent<'a>, Vec<String>) {
    let words = ["agent", "spawn", name, "--engine", "codex", "--sandbox", "workspace-write"];
    let answer = world.drover(&words).ok().json();
    let pane = answer["data"]["agent"]["pane"]["id"].as_str().unwrap().to_owned();
    let warnings = answer["warnings"].as_array().unwrap();
    let warnings = warnings.iter().map(|it| it.as_str().unwrap().to_owned()).collect();
    let agent = Agent { world, name: name.to_owned(), pane };
    agent.wait_for_state("idle");
    (agent, warnings)
}

/// One turn with one call of a tool; returns what its tool said.
fn turn(agent: &Agent<'_>, prompt: &str) -> String {
    let before = agent.world.model.requests().len();
    agent.received(prompt);
    wait_for("what its tool said", LONG, || {
        let requests = agent.world.model.requests();
        requests[before..].iter().flat_map(|it| it.results.clone()).last()
    })
}

fn task(world: &World, id: &str) -> Value {
    world.drover(&["task", "show", id]).ok().data()
}

/// Fault C-06.
#[test]
#[ignore = "needs the real programs: ./dev test"]
fn a_sandboxed_worker_commits_and_closes_its_task_and_is_told_what_will_fail() {
    if Real::Codex.path().is_none() {
        println!("codex is not installed");
        return;
    }
    let world = World::new(&[Real::Codex]);
    for id in ["mine", "theirs"] {
        world.drover(&["task", "add", id]).ok();
    }
    let (c1, warnings) = sandboxed(&world, "c1");
    assert!(!warnings.iter().any(|it| it.contains("sandbox")), "{warnings:?}");
    world.drover(&["task", "claim", "mine", "--for", "c1"]).ok();

    let commit = "TOOL echo new > new.txt && git add new.txt && git commit -qm new && git log --format=%s -1";
    let said = turn(&c1, commit);
    assert!(said.contains("new"), "{said}");
    let commits = world.drover(&["workspace", "commits", "c1"]).ok().data();
    assert_eq!(commits["items"][0]["subject"], "new", "{commits}");
    let inside = format!("TOOL {} task list --json", world.env.binary().display());
    let said = turn(&c1, &inside);
    assert!(said.contains("sandbox_denies") && said.contains("use the MCP tools"), "{said}");
    let said = turn(&c1, r#"CALL task_close {"id":"mine","evidence":"committed"}"#);
    assert_eq!(task(&world, "mine")["task"]["status"], "CLOSED", "{said}");
    let used = task(&world, "mine")["usage"]["tokens"]["total"].as_u64().unwrap();
    assert!(used > 0, "what it used while it held the task is known");

    let said = turn(&c1, r#"CALL task_close {"id":"theirs","evidence":"none"}"#);
    assert!(said.contains("role_forbids"), "{said}");
    let log = world.drover(&["log", "--kind", "refused"]).ok().data();
    assert_eq!(log["items"][0]["words"], "refused: task close: nobody holds theirs", "{log}");

    let config = world.env.config().join("drover/config.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    let withheld = text.replace("[engine.codex]\n", "[engine.codex]\nwritable_roots = false\n");
    assert_ne!(withheld, text);
    std::fs::write(config, withheld).unwrap();
    let (c2, warnings) = sandboxed(&world, "c2");
    let told = warnings.iter().find(|it| it.contains("git commit will fail"));
    assert!(told.is_some_and(|it| it.contains("writable_roots is false")), "{warnings:?}");
    let said = turn(&c2, commit);
    assert!(said.contains("Read-only file system"), "{said}");
}
