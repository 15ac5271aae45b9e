//! What only Claude Code does.

use drover_testkit::{Real, wait_until};

use super::{LONG, World};

#[test]
#[ignore = "needs the real programs: ./dev test"]
fn every_way_to_send_is_proven_by_the_hook_that_names_its_turn() {
    let world = World::new(&[Real::Claude]);
    let agent = world.ready(Real::Claude, "w1");
    assert_eq!(agent.received("HOLD one")["turn"], 1);
    let sent = |words: &[&str]| {
        let message = agent.send(words).ok().data()["message"].take();
        assert_eq!(message["level"], "received", "{message}");
        message["turn"].as_i64().unwrap()
    };
    // The turn that is stopped has ended by then, and counts.
    assert_eq!(sent(&["--interrupt", "--", "SAY two"]), 2);
    agent.wait_for_state("idle");
    let before = agent.show()["conversation"].clone();
    assert_eq!(sent(&["--fresh", "--", "SAY three"]), 3);
    assert_ne!(agent.show()["conversation"], before);
    agent.send(&["--steer", "--", "x"]).refused(3, "mode_unprovable");
}

#[test]
#[ignore = "needs the real programs: ./dev test"]
fn a_text_that_it_would_run_is_sent_as_a_text_or_not_at_all() {
    let world = World::new(&[Real::Claude]);
    let agent = world.ready(Real::Claude, "w1");
    let marker = world.repository.path().join("marker");
    agent.received(&format!("!touch {}", marker.display()));
    agent.received("it ends with a backslash \\");
    agent.received("\tone\ttab, /clear, and space at the end  ");
    for text in ["/clear", " /quit", "exit", "/compact\nnow"] {
        agent.send(&["--", text]).refused(3, "taken_for_command");
    }
    assert_eq!(agent.wait_for_state("idle")["turn"], 3);
    assert!(!marker.exists());
}

#[test]
#[ignore = "needs the real programs: ./dev test"]
fn what_a_person_has_begun_to_write_is_left_alone() {
    let world = World::new(&[Real::Claude]);
    let agent = world.ready(Real::Claude, "w1");
    let tmux = world.env.tmux_server();
    tmux.paste(&agent.pane, b"half a draft");
    wait_until("the draft", LONG, || agent.screen().contains("half a draft"));
    agent.send(&["--", "x"]).refused(4, "draft_stands");
    agent.send(&["--interrupt", "--", "x"]).refused(4, "draft_stands");
    assert!(agent.screen().contains("half a draft"));
    tmux.keys(&agent.pane, &["C-u"]);
    wait_until("no draft", LONG, || !agent.screen().contains("half a draft"));
    agent.received("SAY x");
}

/// Fault P-01.
#[test]
#[ignore = "needs the real programs: ./dev test"]
fn nothing_is_typed_into_the_question_whether_a_directory_is_trusted() {
    let world = World::new(&[Real::Claude]);
    let elsewhere = world.env.root().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let directory = elsewhere.to_str().unwrap();
    let words = ["agent", "spawn", "w1", "--engine", "claude", "--cwd", directory];
    world.drover(&words).ok();
    let show = || world.drover(&["agent", "show", "w1", "-n", "0"]).ok().data()["agent"].take();
    wait_until("the question", LONG, || show()["reason"] == "trust");
    assert_eq!(show()["state"], "needs_input");
    world
        .drover(&["agent", "send", "w1", "--timeout", "1s", "--", "x"])
        .refused(7, "dialog_stands");
    let digest = show()["dialog"]["digest"].as_str().unwrap().to_owned();
    let approve = ["agent", "approve", "w1", "--digest", &digest];
    world.drover(&approve).refused(7, "dialog_not_answerable");
    assert_eq!(show()["reason"], "trust");
}
