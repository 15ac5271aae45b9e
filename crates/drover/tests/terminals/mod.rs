//! Drover among the terminals, shells and multiplexers that people have.

mod crowd;
mod looked_at;
mod multiplexers;
mod pauses;
mod shells;
mod thin;

use std::time::Duration;

use drover_testkit::TestEnv;

/// Longer than anything here takes on a busy machine.
const LONG: Duration = Duration::from_mins(1);

/// Puts a script before the real multiplexer; `TMUX_` in it is the real one's path.
fn before_tmux(env: &TestEnv, script: &str) {
    // What stands there from before is not the real one.
    let _ = std::fs::remove_file(env.root().join("bin/tmux"));
    let real = env.call("sh", &["-c", "command -v tmux"]).run().ok().stdout;
    env.shim("tmux", &format!("#!/bin/sh\n{}", script.replace("TMUX_", real.trim())));
}

/// Where a program is installed; says so where it is not, for a test that is left out then.
#[expect(clippy::print_stdout, reason = "what is left out is said")]
fn installed(env: &TestEnv, program: &str) -> Option<String> {
    let found = env.call("sh", &["-c", "command -v \"$1\"", "sh", program]).run();
    if found.exit != 0 {
        println!("skipped: {program} is not installed");
        return None;
    }
    Some(found.stdout.trim().to_owned())
}

/// Counts the calls of the multiplexer, anew after each time it is asked.
fn counted_calls(env: &TestEnv) -> impl Fn() -> usize + use<> {
    let calls = env.root().join("calls");
    before_tmux(env, &format!("echo \"$*\" >>'{}'\nexec TMUX_ \"$@\"\n", calls.display()));
    move || {
        let made = std::fs::read_to_string(&calls).unwrap_or_default().lines().count();
        let _ = std::fs::remove_file(&calls);
        made
    }
}
