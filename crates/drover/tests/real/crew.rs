//! What all three do alike, and what they do together.

use std::time::{Duration, Instant};

use drover_testkit::{Real, processes, wait_for, wait_until};
use serde_json::Value;

use super::{Agent, LONG, World};

/// How soon a failure of the provider must be seen.
const FAILURE_SEEN: Duration = Duration::from_secs(5);
/// How soon the way of a death is known.
const SOON: Duration = Duration::from_secs(5);
/// How soon a death must be seen.
const DEATH_SEEN: Duration = Duration::from_secs(1);

#[test]
#[ignore = "needs the real programs: ./dev test"]
fn each_takes_a_turn_of_the_model_in_its_private_home() {
    for program in Real::installed() {
        let world = World::new(&[program]);
        let agent = world.spawn(program, "w1", &[]);
        wait_until("its composer", LONG, || agent.screen().contains("fake-1"));
        let tmux = world.env.tmux_server();
        tmux.paste(&agent.pane, b"SAY hello there");
        wait_until("the text", LONG, || agent.screen().contains("SAY hello there"));
        tmux.keys(&agent.pane, &["Enter"]);
        wait_until("the turn", LONG, || world.model.turns_of("SAY hello there") == 1);
        wait_until("the answer", LONG, || {
            agent.screen().lines().any(|it| it.trim_matches([' ', '●', '•']) == "hello there")
        });
    }
}

/// The states of each real program, as they happen, and everything a message to it can meet.
/// Fault D-08.
#[test]
#[ignore = "needs the real programs: ./dev test"]
fn must_show_02_1() {
    for program in Real::installed() {
        let world = World::new(&[program]);
        let agent = begins(&world, program);
        works(&world, program, &agent);
        calls_a_tool(&world, &agent);
        meets_a_limit(&agent);
        is_refused_by_the_provider(&agent);
        is_stopped(&world, &agent);
        asks(&world, program, &agent);
        dies(&agent);
        println!("{}: every state as it happened", program.engine());
    }
}

/// Starting, then idle, and nothing else in between.
fn begins(world: &World, program: Real) -> Agent<'_> {
    let agent = world.spawn(program, "w1", &[]);
    let mut seen: Vec<String> = Vec::new();
    wait_until("it is idle", LONG, || {
        let state = agent.show()["state"].as_str().unwrap().to_owned();
        if seen.last() != Some(&state) {
            seen.push(state);
        }
        seen.last().is_some_and(|it| it == "idle")
    });
    assert_eq!(seen, ["starting", "idle"], "{}", program.engine());
    agent
}

/// Working for as long as the model takes, then idle; the receipt proves more than that it was typed.
fn works(world: &World, program: Real, agent: &Agent<'_>) {
    let receipt = agent.received("HOLD first");
    let proof = match program {
        Real::Pi => &receipt["turn"],
        Real::Codex => &receipt["turn_id"],
        Real::Claude => &receipt["sha256"],
    };
    assert!(!proof.is_null(), "{receipt}");
    assert_eq!(agent.show()["state"], "working");
    wait_until("the request", LONG, || world.model.turns_of("HOLD first") == 1);
    world.model.let_go("first");
    agent.wait_for_state("idle");
}

fn calls_a_tool(world: &World, agent: &Agent<'_>) {
    agent.received("TOOL echo the-answer-is-$((40 + 2))");
    agent.wait_for_state("idle");
    let results: Vec<String> =
        world.model.requests().iter().flat_map(|it| it.results.clone()).collect();
    assert!(results.iter().any(|it| it.contains("the-answer-is-42")), "{results:?}");
}

/// A prompt that makes the program ask a person, and then make this file.
fn dangerous(program: Real, file: &str) -> String {
    match program {
        Real::Pi => format!("TOOL touch {file} # danger"),
        Real::Claude => format!("TOOL touch {file}"),
        Real::Codex => format!(
            r#"CALL exec_command {{"cmd":"touch {file}","sandbox_permissions":"require_escalated","justification":"it is wanted"}}"#
        ),
    }
}

/// The dialog that stands: a program may say that it asks before its screen shows what.
fn standing(world: &World) -> Value {
    wait_for("the dialog", LONG, || {
        let shown = world.drover(&["agent", "approve", "w1"]);
        (shown.exit == 7).then(|| shown.refused(7, "dialog_stands")["data"]["dialog"].take())
    })
}

/// A permission dialog is seen, answered by its digest, and an answer to one that is gone is refused.
fn asks(world: &World, program: Real, agent: &Agent<'_>) {
    let made = world.repository.path().join("made.txt");
    agent.received(&dangerous(program, "made.txt"));
    agent.wait_for_state("needs_permission");
    let dialog = standing(world);
    assert_eq!(dialog["label"], "permission", "{dialog}");
    assert!(dialog["text"].as_str().unwrap().contains("touch made.txt"), "{dialog}");
    assert!(!made.exists());
    let approve = ["agent", "approve", "w1", "--digest", dialog["digest"].as_str().unwrap()];
    world.drover(&approve).ok();
    agent.wait_for_state("idle");
    assert!(made.exists());
    agent.received(&dangerous(program, "again.txt"));
    agent.wait_for_state("needs_permission");
    standing(world);
    world.drover(&approve).refused(4, "dialog_changed");
    assert!(!world.repository.path().join("again.txt").exists());
    let digest = standing(world)["digest"].as_str().unwrap().to_owned();
    world.drover(&["agent", "approve", "w1", "--deny", "--digest", &digest]).ok();
    agent.wait_for_state("idle");
    assert!(!world.repository.path().join("again.txt").exists());
}

/// Waits for a failure of the provider to be shown: never as done.
#[track_caller]
fn wait_for_reason(agent: &Agent<'_>, allowed: &[&str]) -> Value {
    let begun = Instant::now();
    let seen = wait_for("the failure", LONG, || {
        let now = agent.show();
        let is_seen = allowed.iter().any(|it| now["reason"].as_str() == Some(it));
        assert!(is_seen || now["state"] != "idle", "{now}");
        is_seen.then_some(now)
    });
    assert!(begun.elapsed() < FAILURE_SEEN, "{:?}: {seen}", begun.elapsed());
    seen
}

fn meets_a_limit(agent: &Agent<'_>) {
    agent.received("ERR 429 2");
    wait_for_reason(agent, &["retrying"]);
    agent.wait_for_state("idle");
}

fn is_refused_by_the_provider(agent: &Agent<'_>) {
    agent.received("ERR 401");
    wait_for_reason(agent, &["login", "retrying"]);
    agent.world.drover(&["agent", "abort", "w1"]);
}

/// An interrupted turn is not left working.
fn is_stopped(world: &World, agent: &Agent<'_>) {
    agent.received("HOLD for-ever");
    agent.wait_for_state("working");
    world.drover(&["agent", "abort", "w1"]).ok();
    agent.wait_for_state("idle");
    agent.received("SAY and on it goes");
    agent.wait_for_state("idle");
}

fn dies(agent: &Agent<'_>) {
    processes::kill(agent.pid());
    let begun = Instant::now();
    agent.wait_for_state("exited");
    assert!(begun.elapsed() < DEATH_SEEN, "{:?}", begun.elapsed());
    // tmux may tell of the end before it tells of the signal.
    wait_until("the signal", SOON, || agent.show()["exit_signal"] == 9);
}
