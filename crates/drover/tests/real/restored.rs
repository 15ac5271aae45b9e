//! Conversations that go on after everything was lost.

use drover_testkit::{Real, processes, wait_until};
use serde_json::{Value, json};

use super::{Agent, LONG, World};

/// What must be the same afterwards.
fn profile(agent: &Value) -> Value {
    let names = ["conversation", "command", "model", "thinking", "cwd", "role", "env_names"];
    names
        .iter()
        .map(|it| ((*it).to_owned(), agent[*it].clone()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// The permission mode as the program itself shows it, where it shows one.
fn mode(agent: &Agent<'_>) -> bool {
    agent.screen().contains("manual mode on")
}

/// The last text of the turn that takes a text.
#[track_caller]
fn answer(agent: &Agent<'_>, text: &str) -> String {
    let before = agent.show()["turn"].as_i64().unwrap_or(0);
    agent.received(text);
    let after = before.to_string();
    let words = ["agent", "wait", &agent.name, "--after-runs", &after, "--timeout", "1m"];
    let waited = agent.world.drover(&words).ok().data();
    waited["agents"]["items"][0]["last_text"].as_str().unwrap_or_default().to_owned()
}

/// The server and all agents are killed; each goes on with its conversation and knows what was said.
/// Faults P-12, P-17.
#[test]
#[ignore = "needs the real programs: ./dev test"]
fn must_show_02_7() {
    let programs = Real::installed();
    let world = World::new(&programs);
    let agents: Vec<Agent<'_>> =
        programs.iter().map(|it| world.spawn(*it, it.engine(), &["--env", "MARK=kept"])).collect();
    let mut before = Vec::new();
    for agent in &agents {
        agent.wait_for_state("idle");
        let word = format!("the word is larch-{}", agent.name);
        assert_eq!(answer(agent, &format!("SAY {word}")), word);
        before.push((profile(&agent.wait_for_state("idle")), mode(agent)));
    }
    let pids: Vec<u32> = agents.iter().map(Agent::pid).collect();
    world.env.tmux_server().kill_server();
    for pid in &pids {
        processes::kill(*pid);
    }
    wait_until("their ends", LONG, || !pids.iter().any(|it| processes::is_running(*it)));
    for agent in &agents {
        assert_eq!(agent.show()["state"], "exited");
    }
    let restored = world.drover(&["agent", "restore", "--all"]).ok().data();
    println!("{restored}");
    for (agent, (profile_before, mode_before)) in agents.iter().zip(before) {
        let agent = agent.again();
        let now = agent.wait_for_state("idle");
        assert_eq!(profile(&now), profile_before);
        assert_eq!(mode(&agent), mode_before);
        let environment = processes::environment(agent.pid());
        assert_eq!(environment.get(std::ffi::OsStr::new("MARK")).unwrap(), "kept");
        let said = answer(&agent, "RECALL larch");
        assert_eq!(said, format!("recalled: SAY the word is larch-{}", agent.name));
        println!("{}: {said}", agent.name);
    }
    assert_eq!(json!(agents.len()), world.drover(&["agent", "list"]).ok().data()["count"]);
}
