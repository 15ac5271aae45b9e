//! Real programs that a person has started by hand, and that become agents.

use drover_testkit::{Real, wait_until};
use serde_json::json;

use super::{Agent, LONG, World};

/// The line that starts a program by hand, as the configuration of this home has it.
fn line(world: &World, program: Real) -> String {
    let text = std::fs::read_to_string(world.env.config().join("drover/config.toml")).unwrap();
    let table = text.split(&format!("[engine.{}]\n", program.engine())).nth(1).unwrap();
    let command = table.lines().find_map(|it| it.strip_prefix("command = \"")).unwrap();
    command.trim_end_matches('"').to_owned()
}

fn run(world: &World, pane: &str, line: &str) {
    world.env.tmux(&["send-keys", "-t", pane, "-l", "--", line]).ok();
    world.env.tmux_server().keys(pane, &["Enter"]);
}

/// A shell of a person's in the project's session, in the repository.
fn persons_pane(world: &World) -> String {
    world.drover(&["agent", "spawn", "first", "--engine", "shell"]).ok();
    let words = ["new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "drover-web:", "-c"];
    let more = [world.directory(), "bash", "--norc"];
    let words: Vec<&str> = words.into_iter().chain(more).collect();
    world.env.tmux(&words).ok().stdout.trim().to_owned()
}

/// Waits until the program is seen without a row, and adopts it by the command that is shown.
fn adopt<'a>(world: &'a World, program: Real, pane: &str) -> Agent<'a> {
    let orphan = || {
        let listed = world.drover(&["agent", "list"]).ok().json();
        let orphan = listed["data"]["orphans"]["items"][0].clone();
        (orphan["engine"] == program.engine() && orphan["pane"] == pane)
            .then(|| listed["next"][0]["run"].as_str().unwrap().to_owned())
    };
    wait_until("it is seen", LONG, || orphan().is_some());
    let run = orphan().unwrap();
    let words: Vec<&str> = run.split(' ').skip(1).collect();
    world.drover(&words).ok();
    Agent { world, name: program.engine().to_owned(), pane: pane.to_owned() }
}

#[test]
#[ignore = "needs the real programs: ./dev test"]
fn a_claude_that_was_started_by_hand_says_what_it_does_and_takes_texts() {
    let world = World::new(&[Real::Claude]);
    let pane = persons_pane(&world);
    run(&world, &pane, &line(&world, Real::Claude));
    let agent = adopt(&world, Real::Claude, &pane);
    agent.wait_for_state("idle");
    // No hook of ours is in it, so the composer that emptied is all the proof there is.
    let sent = agent.send(&["--", "SAY adopted and well"]).ok().json();
    assert_eq!(sent["data"]["message"]["level"], "submitted", "{sent}");
    wait_until("its answer", LONG, || agent.screen().contains("adopted and well"));
    agent.wait_for_state("idle");
    run(&world, &pane, "/exit");
    assert_eq!(agent.wait_for_state("exited")["lifecycle"], "exited");
}

#[test]
#[ignore = "needs the real programs: ./dev test"]
fn a_pi_that_is_started_by_the_line_that_was_shown_is_spoken_to_exactly() {
    let world = World::new(&[Real::Pi]);
    let pane = persons_pane(&world);
    let own = line(&world, Real::Pi);
    run(&world, &pane, &own);
    let agent = adopt(&world, Real::Pi, &pane);
    assert_eq!(agent.show()["channel"]["state"], "missing");
    agent.send(&["--", "x"]).refused(5, "channel_silent");
    let repeat = world.drover(&["agent", "adopt", &pane, "--name", "pi"]).ok().json();
    let better = repeat["data"]["by_hand"].as_str().unwrap().to_owned();
    wait_until("it ends", LONG, || {
        // A shell does nothing at this.
        world.env.tmux_server().keys(&pane, &["C-c"]);
        agent.show()["state"] == "exited"
    });
    run(&world, &pane, &better.replace(" pi -e", &format!(" {own} -e")));
    let agent = adopt(&world, Real::Pi, &pane);
    agent.wait_for_state("idle");
    assert_eq!(agent.show()["channel"]["state"], json!("ok"));
    let turn = agent.received("SAY spoken to")["turn"].as_i64().unwrap();
    let after = (turn - 1).to_string();
    let waited = world.drover(&["agent", "wait", "pi", "--after-runs", &after]).ok().data();
    assert_eq!(waited["agents"]["items"][0]["last_text"], "spoken to");
}
