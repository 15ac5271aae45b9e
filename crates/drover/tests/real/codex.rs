//! What only Codex does.

use drover_testkit::{Real, processes, wait_until};
use serde_json::Value;

use super::{Agent, LONG, World};

/// A world with Codex alone; none where it is not installed, which `./dev test` says.
fn world() -> Option<World> {
    Real::installed().contains(&Real::Codex).then(|| World::new(&[Real::Codex]))
}

/// Whatever an agent has started, by its mark, wherever it went.
fn processes_of(uid: &str) -> Vec<u32> {
    let is_its = |pid: &u32| {
        processes::environment(*pid).get(std::ffi::OsStr::new("DROVER_AGENT_UID"))
            == Some(&uid.into())
    };
    processes::all().into_iter().map(|it| it.pid).filter(is_its).collect()
}

fn files_of(world: &World, uid: &str) -> Vec<String> {
    let run = world.env.state().join("run");
    let names = std::fs::read_dir(run).into_iter().flatten().flatten();
    let names = names.map(|it| it.file_name().to_string_lossy().into_owned());
    names.filter(|it| it.starts_with(uid)).collect()
}

fn text(agent: &Value, field: &str) -> String {
    agent[field].as_str().unwrap_or_else(|| panic!("no {field} in {agent}")).to_owned()
}

/// Faults P-12, P-17.
#[test]
#[ignore = "needs the real programs: ./dev test"]
fn two_in_one_directory_come_back_each_into_its_own_conversation() {
    let Some(world) = world() else { return };
    let one = world.spawn(Real::Codex, "w1", &["--sandbox", "read-only", "--unattended"]);
    let two = world.ready(Real::Codex, "w2");
    one.wait_for_state("idle");
    let take = |agent: &Agent<'_>, text: &str| {
        agent.received(text);
        wait_until("its turn", LONG, || world.model.turns_of(text) == 1);
        agent.wait_for_state("idle")
    };
    let before = [take(&one, "SAY apple"), take(&two, "SAY pear")];
    let conversations = before.each_ref().map(|it| text(it, "conversation"));
    assert_ne!(conversations[0], conversations[1]);
    world.env.tmux_server().kill_server();
    one.wait_for_state("exited");
    two.wait_for_state("exited");
    world.drover(&["agent", "restore", "--all"]).ok();
    for (agent, before) in [&one, &two].into_iter().zip(&before) {
        let now = agent.wait_for_state("idle");
        for field in ["conversation", "turn", "cwd", "command", "unattended", "uid"] {
            assert_eq!(now[field], before[field], "{field}");
        }
        assert_eq!(agent.received("SAY and now")["turn"], 2);
    }
    // What it may not do came back as well.
    one.wait_for_state("idle");
    one.received("TOOL touch made.txt");
    one.wait_for_state("idle");
    let said = |it: &str| it.contains("Read-only file system");
    let requests = world.model.requests();
    assert!(requests.iter().flat_map(|it| &it.results).any(|it| said(it)));
    assert!(!world.repository.path().join("made.txt").exists());
}

/// Fault P-06.
#[test]
#[ignore = "needs the real programs: ./dev test"]
fn neither_process_nor_file_is_left_of_one_that_is_killed_or_closed() {
    let Some(world) = world() else { return };
    let killed = world.ready(Real::Codex, "w1");
    killed.received("SAY hello");
    let uid = text(&killed.show(), "uid");
    assert!(processes_of(&uid).len() >= 3, "terminal, app-server, and what watches over both");
    assert!(!files_of(&world, &uid).is_empty());
    processes::kill(killed.pid());
    wait_until("the end of all that it started", LONG, || processes_of(&uid).is_empty());
    assert_eq!(files_of(&world, &uid), [""; 0]);
    let closed = world.ready(Real::Codex, "w2");
    let uid = text(&closed.show(), "uid");
    let closing = world.drover(&["agent", "close", "w2"]).ok().data();
    assert_eq!(closing["left"], serde_json::json!([]), "{closing}");
    wait_until("the end of all that it started", LONG, || processes_of(&uid).is_empty());
    assert_eq!(files_of(&world, &uid), [""; 0]);
    // The server that the person's own terminals share was never started.
    let shared = world.env.home().join(".codex/app-server-control/app-server-control.sock");
    assert!(!shared.exists());
}

#[test]
#[ignore = "needs the real programs: ./dev test"]
fn a_text_joins_its_turn_stops_it_or_waits_for_its_end_as_it_was_sent() {
    let Some(world) = world() else { return };
    let agent = world.ready(Real::Codex, "w1");
    let first = agent.received("HOLD first");
    let sent = |words: &[&str]| agent.send(words).ok().data()["message"].take();
    let joined = sent(&["SAY joined", "--steer"]);
    assert_eq!(
        (&joined["turn_id"], &joined["level"]),
        (&first["turn_id"], &Value::from("received"))
    );
    let stopped = sent(&["HOLD second", "--interrupt"]);
    assert_eq!((&stopped["turn"], &stopped["level"]), (&2.into(), &Value::from("received")));
    wait_until("the second", LONG, || world.model.turns_of("HOLD second") == 1);
    for number in ["SAY third", "SAY fourth"] {
        assert_eq!(sent(&[number, "--when-idle"])["level"], "queued");
    }
    agent.send(&["x", "--fresh"]).refused(3, "mode_unprovable");
    // From here on nobody calls: the end of the turn itself has what is due delivered, one a turn.
    world.model.let_go("second");
    wait_until("the last", LONG, || world.model.turns_of("SAY fourth") == 1);
    assert_eq!(world.model.turns_of("SAY third"), 1);
    assert_eq!(agent.wait_for_state("idle")["turn"], 4);
}

/// Fault S-01.
#[test]
#[ignore = "needs the real programs: ./dev test"]
fn an_enter_behind_typed_text_is_an_enter() {
    let Some(world) = world() else { return };
    let agent = world.ready(Real::Codex, "w1");
    for number in 0..10 {
        let text = format!("SAY typed {number}");
        let answer = agent.send(&[&text, "--via", "mux"]).ok().data();
        assert_eq!(answer["message"]["level"], "submitted", "{answer}");
        wait_until("its turn", LONG, || world.model.turns_of(&text) == 1);
        agent.wait_for_state("idle");
    }
}
