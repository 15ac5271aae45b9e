//! `drover agent attach` on real terminals: from outside, from within another server, from within its own.

use drover_testkit::{PrivateTmux, TestEnv, wait_until};

use super::{LONG, in_pane, pane, project, spawn};

/// Another server, whose panes are terminals in which a person sits.
fn terminal(env: &TestEnv) -> (PrivateTmux, String) {
    let other = env.other_tmux("t");
    let place = other.start_pane(&["sh"]);
    (other, place)
}

/// Types a line into a terminal as a person does.
fn run(terminal: &PrivateTmux, place: &str, line: &str) {
    terminal.run(&["send-keys", "-t", place, "-l", "--", line]).ok();
    terminal.keys(place, &["Enter"]);
}

#[test]
fn a_terminal_in_another_server_or_in_none_shows_the_agent() {
    let env = project();
    let agent = spawn(&env, "w1", &["--engine", "shell"]);
    in_pane(&env, pane(&agent), "true");
    run(env.tmux_server(), pane(&agent), "echo the agent says hello");
    for unset in ["", "env -u TMUX -u TMUX_PANE "] {
        let (terminal, place) = terminal(&env);
        run(&terminal, &place, &format!("{unset}{} agent attach w1", env.binary().display()));
        wait_until("it is shown", LONG, || {
            terminal.screen(&place).contains("the agent says hello")
        });
        // Whoever leaves it is where they were.
        terminal.keys(&place, &["C-b", "d"]);
        wait_until("it is left", LONG, || terminal.screen(&place).contains("[detached"));
    }
}

#[test]
fn a_terminal_in_the_agents_own_server_is_switched_to_it() {
    let env = project();
    let agent = spawn(&env, "w1", &["--engine", "shell"]);
    spawn(&env, "w2", &["--engine", "shell"]);
    env.tmux(&["new-session", "-d", "-s", "mine", "sh"]).ok();
    let (terminal, place) = terminal(&env);
    let socket = env.tmux_server().socket().display().to_string();
    run(&terminal, &place, &format!("env -u TMUX tmux -S {socket} attach -t mine"));
    let client = || {
        let format = "#{client_session} #{pane_id}";
        env.tmux(&["list-clients", "-F", format]).ok().stdout.trim().to_owned()
    };
    wait_until("it is attached", LONG, || client().starts_with("mine "));
    // The server was started by us, and without what says where we keep things.
    let (state, drover) = (env.state(), env.binary());
    let line = format!("DROVER_STATE_DIR={} {} agent attach w1", state.display(), drover.display());
    run(&terminal, &place, &line);
    let wanted = format!("drover-web {}", pane(&agent));
    wait_until("it is switched", LONG, || client() == wanted);
}
