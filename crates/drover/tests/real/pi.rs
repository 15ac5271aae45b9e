//! What only pi does.

use drover_testkit::{Real, processes, wait_until};
use serde_json::Value;

use super::{Agent, LONG, World};

/// The directive that has pi's model run a command.
fn tool(command: &str) -> String {
    format!("TOOL {command}")
}

#[track_caller]
fn idle_after(agent: &Agent<'_>, text: &str) -> Value {
    agent.received(text);
    agent.wait_for_state("idle")
}

/// The conversation that an agent's row says it is in.
fn conversation(agent: &Agent<'_>) -> String {
    agent.show()["conversation"].as_str().unwrap().to_owned()
}

/// How many requests of the model begin with a text like this.
fn reminders(world: &World, text: &str) -> usize {
    let holds = |texts: &[String]| texts.iter().any(|it| it.contains(text));
    world.model.requests().iter().filter(|it| holds(&it.texts)).count()
}

/// Fault P-01.
#[test]
#[ignore = "needs the real programs: ./dev test"]
fn the_question_of_trust_is_told_before_there_is_a_session() {
    let world = World::new(&[Real::Pi]);
    world.repository.write(".pi/settings.json", "{}");
    let agent = world.spawn(Real::Pi, "w1", &[]);
    let asked = agent.wait_for_state("needs_input");
    assert_eq!(
        (asked["reason"].as_str(), asked["source"].as_str()),
        (Some("trust"), Some("control"))
    );
    agent.send(&["SAY hello"]).refused(7, "dialog_stands");
    agent.send(&["SAY later", "--when-idle"]).ok();
    world.env.tmux_server().keys(&agent.pane, &["Enter"]);
    wait_until("the message", LONG, || world.model.turns_of("SAY later") == 1);
    agent.wait_for_state("idle");
    assert_eq!(world.model.turns_of("SAY hello"), 0);
}

#[test]
#[ignore = "needs the real programs: ./dev test"]
fn a_workspace_of_ours_is_trusted_where_policy_says_so() {
    let world = World::new(&[Real::Pi]);
    world.repository.write(".pi/settings.json", "{}");
    world.repository.commit("what pi asks about");
    world.drover(&["project", "set", "trust_workspaces", "yes"]).ok();
    let words = ["agent", "spawn", "w1", "--engine", "pi", "--workspace"];
    let spawned = world.drover(&words).ok().data();
    let pane = spawned["agent"]["pane"]["id"].as_str().unwrap().to_owned();
    let agent = Agent { world: &world, name: "w1".to_owned(), pane };
    agent.wait_for_state("idle");
    assert!(!agent.screen().contains("Trust project folder"));
}

/// Fault D-14.
#[test]
#[ignore = "needs the real programs: ./dev test"]
fn a_pi_inside_a_pi_leaves_the_socket_of_the_outer_one_alone() {
    let world = World::new(&[Real::Pi]);
    let agent = world.ready(Real::Pi, "w1");
    let path = |name: &str| std::env::var(name).unwrap();
    let extension = world.env.state().join("extension/drover.ts");
    let (node, pi) = (path("DROVER_REAL_NODE"), path("DROVER_REAL_PI"));
    let nested = format!("{node} {pi} --offline -e {} -p 'SAY from inside'", extension.display());
    let after = idle_after(&agent, &tool(&nested));
    assert_eq!(world.model.turns_of("SAY from inside"), 1);
    assert_eq!(after["turn"], 1, "the turns of the inner one are not counted");
    assert_eq!(idle_after(&agent, "SAY still here")["turn"], 2);
}

#[test]
#[ignore = "needs the real programs: ./dev test"]
fn a_new_session_is_followed_and_keeps_the_count_of_turns() {
    let world = World::new(&[Real::Pi]);
    let agent = world.ready(Real::Pi, "w1");
    idle_after(&agent, "SAY one");
    let first = conversation(&agent);
    agent.received("/new");
    agent.wait_for_state("idle");
    let second = conversation(&agent);
    assert_ne!(second, first);
    assert_eq!(idle_after(&agent, "SAY two")["turn"], 2);
    let fresh = agent.send(&["SAY three", "--fresh"]).ok().data();
    assert_eq!(fresh["message"]["turn"], 3);
    agent.wait_for_state("idle");
    assert_ne!(conversation(&agent), second);
    agent.received("/reload");
    assert_eq!(agent.wait_for_state("idle")["turn"], 3);
}

#[test]
#[ignore = "needs the real programs: ./dev test"]
fn a_steered_text_joins_the_turn_and_an_interrupting_one_ends_it() {
    let world = World::new(&[Real::Pi]);
    let agent = world.ready(Real::Pi, "w1");
    agent.received("HOLD first");
    let steered = agent.send(&["SAY steered", "--steer"]).ok().data();
    assert_eq!(steered["message"]["turn"], 1);
    world.model.let_go("first");
    assert_eq!(agent.wait_for_state("idle")["turn"], 1);
    assert_eq!(world.model.turns_of("SAY steered"), 1);
    agent.received("HOLD second");
    let cut_in = agent.send(&["SAY instead", "--interrupt"]).ok().data();
    assert_eq!(cut_in["message"]["turn"], 3);
    assert_eq!(agent.wait_for_state("idle")["turn"], 3);
}

#[test]
#[ignore = "needs the real programs: ./dev test"]
fn a_pi_that_was_killed_comes_up_again_over_the_socket_that_it_left() {
    let world = World::new(&[Real::Pi]);
    let agent = world.ready(Real::Pi, "w1");
    processes::kill(agent.pid());
    agent.wait_for_state("exited");
    let again = world.drover(&["agent", "restart", "w1"]).ok().data();
    let pane = again["agent"]["pane"]["id"].as_str().unwrap().to_owned();
    let agent = Agent { pane, ..agent };
    agent.wait_for_state("idle");
    idle_after(&agent, "SAY and on it goes");
}

#[test]
#[ignore = "needs the real programs: ./dev test"]
fn a_worker_is_reminded_once_of_the_task_that_it_still_holds() {
    let world = World::new(&[Real::Pi]);
    let agent = world.ready(Real::Pi, "w1");
    world.drover(&["task", "add", "Mend the fence"]).ok();
    world.drover(&["task", "claim", "mend_the_fence", "--for", "w1"]).ok();
    let after = idle_after(&agent, "SAY done");
    assert_eq!(after["turn"], 1, "the reminder belongs to the same turn");
    let reminder = "you still hold mend_the_fence";
    let reminded = || reminders(&world, reminder);
    assert_eq!(reminded(), 1);
    // Stopped by hand: nobody is to be pushed on.
    agent.received("HOLD for-ever");
    world.drover(&["agent", "abort", "w1"]).ok();
    agent.wait_for_state("idle");
    assert_eq!(reminded(), 1);
    world.drover(&["task", "close", "mend_the_fence", "--evidence", "seen"]).ok();
    idle_after(&agent, "SAY nothing held");
    assert_eq!(reminded(), 1);
}

#[test]
#[ignore = "needs the real programs: ./dev test"]
fn whoever_hands_work_out_is_reminded_of_the_crew_that_is_at_it() {
    let world = World::new(&[Real::Pi]);
    let worker = world.ready(Real::Pi, "w1");
    let boss = world.spawn(Real::Pi, "boss", &["--role", "coordinator"]);
    boss.wait_for_state("idle");
    let program = world.env.binary().display().to_string();
    idle_after(&boss, &tool(&format!("{program} agent send w1 'HOLD crew'")));
    let reminder = "Your turn ends while web/w1 is working for you";
    assert_eq!(reminders(&world, reminder), 1);
    world.model.let_go("crew");
    worker.wait_for_state("idle");
}
