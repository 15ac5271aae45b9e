//! The launcher that ends at any step: the agent runs, or it is known that it does not.

use drover_testkit::{TestEnv, wait_until};
use serde_json::Value;

use super::world::World;
use crate::stage::SOON;

/// A home with a server whose panes end their launcher at a step.
fn home(step: u32) -> TestEnv {
    let env = super::repository();
    env.tmux_server().start_pane(&["sleep", "1000"]);
    env.tmux(&["set-environment", "-g", "DROVER_CRASH_AT", &step.to_string()]).ok();
    env
}

fn agents(env: &TestEnv) -> Vec<Value> {
    let data = env.drover(&["agent", "list", "--json"]).ok().data();
    data["items"].as_array().unwrap().clone()
}

fn spawn(env: &TestEnv, key: &str) -> drover_testkit::CommandOutput {
    env.drover(&["agent", "spawn", "w1", "--engine", "shell", "--key", key, "--json"])
}

/// Whether the launcher has become the agent's program.
fn is_a_shell(agent: &Value) -> bool {
    std::fs::read(format!("/proc/{}/cmdline", agent["pane"]["pid"]))
        .is_ok_and(|it| it == b"/bin/sh\0")
}

/// Whether the variable of this test has come through to the agent's own program.
fn has_variable(agent: &Value) -> bool {
    let environ = std::fs::read(format!("/proc/{}/environ", agent["pane"]["pid"])).unwrap();
    environ.split(|it| *it == 0).any(|it| it.starts_with(b"DROVER_CRASH_AT="))
}

#[test]
fn a_launcher_that_ends_at_any_step_leaves_no_agent_or_one_that_is_known_to_have_ended() {
    let undisturbed = home(10_000);
    spawn(&undisturbed, "one").ok();
    let expected = World::of(&undisturbed);
    drop(undisturbed);
    let mut ends = Vec::new();
    for step in 1.. {
        let env = home(step);
        let first = spawn(&env, "one");
        let is_bound = first.exit == 0;
        if is_bound {
            let ended = || agents(&env)[0]["state"] == "exited";
            let runs = || is_a_shell(&agents(&env)[0]);
            wait_until("the agent runs or is known to have ended", SOON, || ended() || runs());
            if !ended() {
                assert!(!has_variable(&agents(&env)[0]));
                break;
            }
        } else {
            first.refused(6, "not_started");
            assert_eq!(agents(&env), [] as [Value; 0], "step {step}");
        }
        ends.push(if is_bound { "ended" } else { "none" });
        env.tmux(&["set-environment", "-g", "-u", "DROVER_CRASH_AT"]).ok();
        if is_bound {
            env.drover(&["agent", "restart", "w1"]).ok();
        } else {
            spawn(&env, "two").ok();
        }
        assert_eq!(World::of(&env).things, expected.things, "step {step}");
    }
    println!("launcher: {} steps: {}", ends.len(), ends.join(" "));
}
