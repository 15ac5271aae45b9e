//! The reaper against a real database and made-up bindings.

use drover_core::agent::Lifecycle;
use drover_host::env::Env;
use drover_store::agents::{Binding, NewAgent, Process, Profile};
use drover_store::notes;

use super::*;
use crate::Options;
use crate::projects::{Init, init};
use crate::tasks::{Add, Claim, add, claim};

const GONE: i64 = 4_194_303;

fn process(pid: i64) -> Process {
    Process { pid, started: format!("{}:1", proc::boot_id()) }
}

/// A context of its own with the agent `w1`, who holds the task `one` and runs on `server`.
fn with_agent(server: Process) -> (tempfile::TempDir, Ctx, Agent) {
    let directory = tempfile::tempdir().unwrap();
    let mut env = Env::default();
    env.set("DROVER_STATE_DIR", directory.path().join("state"));
    env.set("USER", "tester");
    let mut ctx = Ctx::open(env, Options::default()).unwrap();
    init(&mut ctx, &Init { name: "web".to_owned(), title: None, repository: None, kind: None })
        .unwrap();
    add(&mut ctx, &task()).unwrap();
    let profile = Profile {
        role: "worker".to_owned(),
        engine: "shell".to_owned(),
        command: "[\"sh\"]".to_owned(),
        work: None,
        takes_work: "run".to_owned(),
        env_names: "[]".to_owned(),
        model: None,
        thinking: None,
        unattended: false,
        skills: "[]".to_owned(),
        permission: None,
        sandbox: None,
        cwd: "/".to_owned(),
    };
    let socket = directory.path().join("no-socket").display().to_string();
    let new = NewAgent {
        project_pk: 1,
        name: "w1",
        nonce: "n",
        deadline_at: "2026-01-01T00:00:00.000Z",
        profile: &profile,
        server: ("tmux", &socket),
        tab: None,
    };
    let binding = Binding {
        mux: "tmux".to_owned(),
        mux_socket: socket.clone(),
        server,
        session_id: "$0".to_owned(),
        window_id: "@0".to_owned(),
        pane_id: "%0".to_owned(),
        pane: process(GONE),
    };
    let agent = ctx
        .step("test", |tx| {
            let (pk, uid) = agents::insert(tx, &new)?;
            assert!(agents::bind(tx, &uid, "n", &binding, "hash")?);
            Ok(agents::by_pk(tx, pk)?.unwrap())
        })
        .unwrap();
    let request =
        Claim { id: "one".to_owned(), for_agent: Some("w1".to_owned()), ..Claim::default() };
    claim(&mut ctx, &request).unwrap();
    ctx.commit().unwrap();
    (directory, ctx, agent)
}

fn task() -> Add {
    Add {
        title: "one".to_owned(),
        id: None,
        impact: 50,
        effort_days: 1.0,
        blocked_by: Vec::new(),
        note: None,
        owns: Vec::new(),
        labels: Vec::new(),
        verify: None,
        triage: false,
    }
}

/// What is left: the agent's lifecycle, whether the task is held, and the notes on it.
fn after(ctx: &mut Ctx, agent: &Agent) -> (Lifecycle, bool, Vec<String>) {
    reconcile(ctx).unwrap();
    let tx = ctx.read();
    let task = tasks::find(&tx, 1, "one").unwrap().unwrap();
    let notes = notes::of_task(&tx, task.pk).unwrap().into_iter().map(|it| it.text).collect();
    let lifecycle = agents::by_pk(&tx, agent.pk).unwrap().unwrap().lifecycle;
    (lifecycle, task.claimed_uid.as_ref() == Some(&agent.uid), notes)
}

fn own(ctx: &Ctx) -> Process {
    ctx.own_process().unwrap()
}

#[test]
fn a_server_that_is_gone_takes_its_agents_with_it() {
    let (_directory, mut ctx, agent) = with_agent(process(GONE));
    let (lifecycle, is_held, notes) = after(&mut ctx, &agent);
    assert_eq!((lifecycle, is_held), (Lifecycle::Exited, false));
    assert_eq!(notes.len(), 1);
    assert!(notes[0].starts_with("[reaper] w1 "), "{notes:?}");
    assert_eq!(after(&mut ctx, &agent).2.len(), 1, "a second look does nothing");
}

#[test]
fn a_server_that_lives_and_does_not_answer_keeps_its_agents() {
    let me = proc::own_identity().unwrap();
    let server = Process { pid: i64::from(me.pid), started: me.start };
    let (_directory, mut ctx, agent) = with_agent(server);
    assert_eq!(after(&mut ctx, &agent), (Lifecycle::Running, true, Vec::new()));
}

#[test]
fn work_that_was_killed_gives_its_task_back_and_the_agent_goes_on() {
    let me = proc::own_identity().unwrap();
    let server = Process { pid: i64::from(me.pid), started: me.start };
    let (_directory, mut ctx, agent) = with_agent(server);
    let alive = own(&ctx);
    ctx.step("test", |tx| Ok(agents::set_work(tx, agent.pk, Some(&alive))?)).unwrap();
    assert!(after(&mut ctx, &agent).1, "its work still runs");
    let gone = process(GONE);
    ctx.step("test", |tx| Ok(agents::set_work(tx, agent.pk, Some(&gone))?)).unwrap();
    let (lifecycle, is_held, notes) = after(&mut ctx, &agent);
    assert_eq!((lifecycle, is_held), (Lifecycle::Running, false));
    assert!(notes[0].contains("me work"), "{notes:?}");
    assert_eq!(agents::by_pk(&ctx.read(), agent.pk).unwrap().unwrap().work, None);
}

#[test]
fn a_machine_that_was_restarted_takes_its_agents_with_it() {
    let me = proc::own_identity().unwrap();
    let server = Process { pid: i64::from(me.pid), started: me.start };
    let (_directory, mut ctx, agent) = with_agent(server);
    let mut binding = agent.binding.clone().unwrap();
    binding.pane.started = "ffffffff:1".to_owned();
    ctx.step("test", |tx| {
        agents::relaunch(tx, agent.pk, "m", "2026-01-01T00:00:00.000Z")?;
        assert!(agents::bind(tx, &agent.uid, "m", &binding, "hash")?);
        Ok(())
    })
    .unwrap();
    assert_eq!(after(&mut ctx, &agent).0, Lifecycle::Exited);
}
