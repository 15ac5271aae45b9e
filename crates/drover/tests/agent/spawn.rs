//! `drover agent spawn`.

use super::{at_once, names, pane, panes, pid, project, show, spawn};
use drover_testkit::{CommandOutput, TestEnv, processes, wait_until};

/// Ten calls at once, each with its own name or all with one.
fn ten_spawns(env: &TestEnv, name: impl Fn(usize) -> String) -> Vec<CommandOutput> {
    let words = |number| {
        ["agent", "spawn", &name(number), "--engine", "shell", "--json"].map(str::to_owned).to_vec()
    };
    at_once(env, &(0..10).map(words).collect::<Vec<_>>())
}

/// Ten calls for one name: one winner, nine refusals, one pane.
fn ten_spawns_of_one_name(env: &TestEnv) {
    let outputs = ten_spawns(env, |_| "w1".to_owned());
    let (won, lost): (Vec<_>, Vec<_>) = outputs.into_iter().partition(|it| it.exit == 0);
    assert_eq!(won.len(), 1);
    for output in lost {
        output.refused(4, "agent_exists");
    }
    assert_eq!((names(env), panes(env)), (vec!["w1".to_owned()], 1));
}

/// Ten calls for ten names on a fresh state directory: ten agents in one session.
fn ten_spawns_of_ten_names(env: &TestEnv) {
    for output in ten_spawns(env, |number| format!("w{number}")) {
        output.ok();
    }
    assert_eq!((names(env).len(), panes(env)), (10, 10));
    let sessions = env.tmux(&["list-sessions", "-F", "#{session_name} #{@drover_project}"]).ok();
    assert_eq!(sessions.stdout.lines().count(), 1, "{sessions}");
    assert!(sessions.stdout.starts_with("drover-web "), "{sessions}");
}

#[test]
fn ten_spawns_of_one_name_make_one_agent_in_one_pane() {
    ten_spawns_of_one_name(&project());
}

#[test]
fn ten_spawns_of_ten_names_on_a_fresh_state_directory_make_ten_in_one_session() {
    ten_spawns_of_ten_names(&project());
}

/// Fault P-20.
#[test]
fn must_show_01_3() {
    crate::claims::fifty_claimers(&crate::env());
    ten_spawns_of_one_name(&project());
    ten_spawns_of_ten_names(&project());
    println!("50 processes, 200 tasks: 200 claims, no error, log and tables agree");
    println!("10 spawns of one name: 1 agent, 9 exit 4, 1 pane; of ten names: 10 agents");
}

#[test]
fn a_shell_agent_is_bound_to_its_pane_and_idle() {
    let env = project();
    let agent = spawn(&env, "w1", &["--engine", "shell", "--work", "make 'all of it'"]);
    assert_eq!((&agent["state"], &agent["source"]), (&"idle".into(), &"foreground".into()));
    assert_eq!(agent["work"], serde_json::json!(["make", "all of it"]));
    let tmux = env.tmux_server();
    assert_eq!(tmux.format(pane(&agent), "#{@drover_uid}"), agent["uid"].as_str().unwrap());
    assert_eq!(tmux.format(pane(&agent), "#{pane_pid}"), pid(&agent).to_string());
    assert_eq!(processes::command_line(pid(&agent)), ["/bin/sh"]);
}

#[test]
fn windows_and_panes_that_count_from_one_change_nothing() {
    let env = project();
    env.tmux_server().start_pane(&["sleep", "1000"]);
    env.tmux(&["set-option", "-g", "base-index", "1"]).ok();
    env.tmux(&["set-window-option", "-g", "pane-base-index", "1"]).ok();
    let agent = spawn(&env, "w1", &["--engine", "shell"]);
    env.tmux(&["new-window", "-t", "drover-web:", "sleep", "1000"]).ok();
    assert_eq!(show(&env, "w1")["state"], "idle");
    env.drover(&["agent", "read", "w1"]).ok();
    env.drover(&["agent", "close", "w1"]).ok();
    assert!(!processes::is_running(pid(&agent)));
    assert_eq!(panes(&env), 2);
}

#[test]
fn a_taken_name_is_refused_and_the_next_free_one_found() {
    let env = project();
    spawn(&env, "w1", &["--engine", "shell"]);
    let words = ["agent", "spawn", "w1", "--engine", "shell", "--json"];
    let refused = env.drover(&words).refused(4, "agent_exists");
    assert_eq!(refused["data"]["lifecycle"], "running");
    assert_eq!(spawn(&env, "w1", &["--engine", "shell", "--next-free"])["name"], "w1-2");
    assert_eq!(spawn(&env, "w1", &["--engine", "shell", "--next-free"])["name"], "w1-3");
}

#[test]
fn what_cannot_be_started_is_refused_before_anything_happens() {
    let env = project();
    let file = env.home().join("file");
    std::fs::write(&file, "").unwrap();
    let file = file.to_str().unwrap();
    let spawn = |words: &[&str]| {
        let all = ["agent", "spawn", "w1", "--json"].iter().chain(words).copied();
        env.drover(&all.collect::<Vec<_>>())
    };
    spawn(&["--engine", "no-such-program"]).refused(3, "engine_missing");
    spawn(&["--command", "no-such-program -x"]).refused(3, "engine_missing");
    spawn(&["--engine", "shell", "--cwd", "/no/such/directory"]).refused(3, "directory_unusable");
    spawn(&["--engine", "shell", "--cwd", file]).refused(3, "directory_unusable");
    spawn(&["--engine", "shell", "--workspace"]).refused(3, "no_repository");
    spawn(&["--engine", "shell", "--env", "A"]).refused(2, "usage");
    spawn(&["--engine", "shell", "--env", "DROVER_TOKEN=x"]).refused(2, "usage");
    spawn(&["--engine", "shell", "--inherit", "NOT_SET_HERE"]).refused(2, "usage");
    spawn(&["--engine", "shell", "--role", "boss"]).refused(2, "usage");
    spawn(&["--engine", "shell", "--command", "sleep 'x"]).refused(2, "usage");
    spawn(&["--command", "sleep 1000", "--work", "true"]).refused(2, "usage");
    env.drover(&["agent", "spawn", "W 1", "--engine", "shell", "--json"])
        .refused(2, "invalid_name");
    assert_eq!((names(&env).len(), panes(&env)), (0, 0));
}

#[test]
fn a_directory_that_vanishes_meanwhile_leaves_neither_row_nor_pane() {
    let env = project();
    let directory = env.root().join("gone");
    std::fs::create_dir(&directory).unwrap();
    let tmux = env.call("sh", &["-c", "command -v tmux"]).run().ok().stdout;
    env.shim(
        "tmux",
        &format!(
            "#!/bin/sh\ncase \"$*\" in *new-session*) rmdir '{}' ;; esac\nexec {} \"$@\"\n",
            directory.display(),
            tmux.trim()
        ),
    );
    let words = ["agent", "spawn", "w1", "--engine", "shell", "--json", "--cwd"];
    let output = env.drover_call(&words).argument(&directory).run();
    let refused = output.refused(6, "not_started");
    assert!(refused["error"].as_str().unwrap().contains("the pane began in"), "{refused}");
    assert_eq!((names(&env).len(), panes(&env)), (0, 0));
    assert_eq!(std::fs::read_dir(env.state().join("run")).unwrap().count(), 0);
}

#[test]
fn a_dry_run_makes_nothing_and_says_what_it_would() {
    let env = project();
    let words = ["agent", "spawn", "w1", "--engine", "shell", "--dry-run", "--json"];
    let answer = env.drover(&words).ok().json();
    assert!(answer["effects"][0].as_str().unwrap().contains("w1"), "{answer}");
    assert_eq!((names(&env).len(), panes(&env)), (0, 0));
}

#[test]
fn a_repeated_key_starts_one_agent() {
    let env = project();
    let words = ["agent", "spawn", "w1", "--engine", "shell", "--key", "k", "--json"];
    let (first, second) = (env.drover(&words).ok().json(), env.drover(&words).ok().json());
    assert_eq!(first["data"]["agent"]["uid"], second["data"]["agent"]["uid"]);
    assert_eq!((&second["deduplicated"], panes(&env)), (&true.into(), 1));
}

#[test]
fn one_key_over_several_launches_starts_an_agent_for_each() {
    let env = project();
    env.repository("shop");
    let words = ["run", "-p", "web", "--repo", "../shop", "--command", "sleep 1000"];
    let more = ["--workers", "2", "--keep-agents", "--key", "k", "--json"];
    let words: Vec<&str> = words.into_iter().chain(more).collect();
    env.drover(&words).ok();
    assert_eq!((names(&env), panes(&env)), (vec!["w1".to_owned(), "w2".to_owned()], 2));
    assert_eq!(env.drover(&words).ok().json()["deduplicated"], true);
    assert_eq!((names(&env).len(), panes(&env)), (2, 2));
}

#[test]
fn a_caller_killed_half_way_is_undone_by_the_next_call_and_finished_by_the_same_key() {
    let env = project();
    let tmux = env.call("sh", &["-c", "command -v tmux"]).run().ok().stdout;
    let mark = env.root().join("tmp").join("launching");
    // The pane is made, and the caller never hears of it.
    let stuck = format!(
        "#!/bin/sh\ncase \"$*\" in *new-session*) {} \"$@\"; touch {}; exec sleep 1000 ;; esac\nexec {0} \"$@\"\n",
        tmux.trim(),
        mark.display()
    );
    let shim = env.shim("tmux", &stuck);
    let words = ["agent", "spawn", "w1", "--engine", "shell", "--key", "k", "--json"];
    let caller = env.drover_in_background(&words);
    wait_until("the pane is made", super::LONG, || mark.exists());
    caller.signal(drover_testkit::Signal::KILL);
    caller.wait();
    std::fs::remove_file(shim).unwrap();
    let agent = env.drover(&words).ok().data()["agent"].take();
    assert_eq!(show(&env, "w1")["pane"], agent["pane"]);
    assert_eq!((names(&env).len(), panes(&env)), (1, 1));
}

#[test]
fn a_person_with_a_session_of_that_name_keeps_it() {
    let env = project();
    env.tmux(&["new-session", "-d", "-s", "drover-web", "sleep", "1000"]).ok();
    let agent = spawn(&env, "w1", &["--engine", "shell"]);
    let name = env.tmux_server().format(pane(&agent), "#{session_name}");
    assert_eq!((name.as_str(), panes(&env)), ("drover-web-2", 2));
}

#[test]
fn a_flag_that_the_command_line_does_not_carry_is_named() {
    let env = project();
    let words = ["agent", "spawn", "w1", "--engine", "shell", "--model", "big", "--json"];
    let answer = env.drover(&words).ok().json();
    assert!(answer["warnings"][0].as_str().unwrap().starts_with("--model"), "{answer}");
    assert_eq!(show(&env, "w1")["model"], "big");
}

#[test]
fn an_engine_is_found_by_flag_then_variable_then_configuration() {
    let mut env = project();
    let directory = env.config().join("drover");
    std::fs::create_dir_all(&directory).unwrap();
    let text = "[engine.mine]\ncommand = \"sleep 1001\"\ntakes_work = \"message\"\n";
    std::fs::write(directory.join("config.toml"), text).unwrap();
    let command = |env: &TestEnv, name: &str, words: &[&str]| {
        let words: Vec<&str> = ["--engine", "mine"].iter().chain(words).copied().collect();
        let agent = spawn(env, name, &words);
        (agent["command"][1].as_str().unwrap().to_owned(), agent["takes_work"].clone())
    };
    assert_eq!(command(&env, "a", &[]), ("1001".to_owned(), "message".into()));
    env.set("DROVER_ENGINE_MINE", "sleep 1002");
    assert_eq!(command(&env, "b", &[]).0, "1002");
    assert_eq!(command(&env, "c", &["--command", "sleep 1003"]).0, "1003");
}

#[test]
fn a_missing_or_old_multiplexer_is_named_before_anything_is_written() {
    let env = project();
    let words = ["agent", "spawn", "w1", "--command", "/bin/sleep 1000", "--json"];
    let empty = env.root().join("empty");
    std::fs::create_dir(&empty).unwrap();
    env.drover_call(&words).variable("PATH", &empty).run().refused(5, "mux_missing");
    env.shim("tmux", "#!/bin/sh\necho tmux 2.6\n");
    let refused = env.drover(&words).refused(5, "mux_too_old");
    assert_eq!(refused["data"]["found"], "2.6");
    let unknown = env.drover_call(&words).variable("DROVER_MUX", "screen").run();
    unknown.refused(2, "usage");
    std::fs::remove_file(env.root().join("bin").join("tmux")).unwrap();
    assert_eq!((names(&env).len(), panes(&env)), (0, 0));
}
