//! The contract on tmux, and what is true of tmux alone.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Instant;

use drover_host::env::Env;
use drover_host::mux::tmux::Tmux;
use drover_host::mux::{Capture, HookIndex, Key, Mux, MuxError, ServerState};
use drover_host::process::Command;

use super::contract;
use super::server::{Server, lines_of, script, session, wait_until};

macro_rules! contract {
    ($($name:ident),* $(,)?) => {
        $(#[test]
        fn $name() {
            contract::$name(&Server::new().mux);
        })*
    };
}

contract!(
    no_server_means_no_panes,
    a_new_pane_is_listed_with_its_process_and_marks,
    a_session_is_found_by_its_mark_and_not_by_its_name,
    arguments_and_variables_arrive_as_they_are,
    names_and_directories_are_never_run,
    a_directory_that_does_not_exist_is_refused,
    a_large_text_arrives_byte_for_byte_once,
    a_typed_line_arrives_with_its_enter,
    a_missing_pane_is_told_from_a_missing_server,
    a_dead_pane_is_kept_refuses_input_and_can_be_used_again,
    a_capture_joins_wrapped_lines_and_cuts_to_the_last,
    many_screens_are_read_in_one_call_and_one_that_is_gone_is_left_out,
    a_label_stands_beside_the_title_and_goes_again,
);

#[test]
fn a_window_is_shared_until_it_has_no_room() {
    let server = Server::new();
    let ids = session(&server.mux, "shared", "exec sleep 1000");
    server.tmux(&["resize-window", "-t", ids.window.as_str(), "-x", "40", "-y", "10"]);
    let program = script(&server.mux, "exec sleep 1000", &[]).program;
    let mut made = Vec::new();
    while let Some(beside) = server.mux.split_window(&ids.window, &program).unwrap() {
        made.push(beside);
        assert!(made.len() < 100, "a window has an end");
    }
    assert!(made.len() > 2, "{} panes", made.len());
    let listing = server.mux.panes().unwrap();
    assert_eq!(listing.panes.len(), made.len() + 1);
    for beside in made {
        assert_eq!((&beside.session, &beside.window), (&ids.session, &ids.window));
        assert_eq!(listing.pane(&beside.pane).unwrap().pid, beside.pid);
    }
}

#[test]
fn labels_are_shown_in_our_windows_and_a_persons_own_lines_stay() {
    let server = Server::new();
    let ids = session(&server.mux, "ours", "exec sleep 1000");
    server.mux.show_labels(&ids.pane, "w1").unwrap();
    let of =
        |option: &str| server.tmux(&["show-options", "-wv", "-t", ids.window.as_str(), option]);
    assert_eq!(of("pane-border-status").trim(), "top");
    assert!(of("pane-border-format").contains("@drover_label"));
    server.tmux(&["set-option", "-gw", "pane-border-status", "bottom"]);
    let mine = session(&server.mux, "mine", "exec sleep 1000");
    server.mux.show_labels(&mine.pane, "w1").unwrap();
    let own = server.tmux(&["show-options", "-w", "-t", mine.window.as_str()]);
    assert!(!own.contains("pane-border"), "{own}");
}

/// Fault P-22.
#[test]
fn a_server_without_sessions_runs_and_has_no_panes() {
    let server = Server::new();
    let ids = session(&server.mux, "only", "exec sleep 1000");
    server.tmux(&["set-option", "-s", "exit-empty", "off"]);
    server.mux.kill_pane(&ids.pane).unwrap();
    let listing = server.mux.panes().unwrap();
    assert!(matches!(listing.server, ServerState::Running(_)), "{:?}", listing.server);
    assert_eq!(listing.panes, []);
    assert_eq!(server.mux.sessions().unwrap(), []);
    let key = server.mux.key(&ids.pane, Key::Enter);
    assert!(matches!(key, Err(MuxError::NoPane { .. })), "{key:?}");
    server.mux.kill_pane(&ids.pane).unwrap();
}

#[test]
fn the_first_pane_of_a_machine_makes_the_directory_of_the_default_socket() {
    let directory = tempfile::tempdir().unwrap();
    let mut env: Env = Env::capture().for_program();
    env.set("TMUX_TMPDIR", directory.path());
    env.set("HOME", directory.path());
    let mux = Tmux::from_env(&env);
    assert!(mux.socket().starts_with(directory.path()), "{}", mux.socket().display());
    let mut pane = script(&mux, "exec sleep 1000", &[]);
    pane.program.cwd = directory.path().to_owned();
    mux.new_session("first", None, &pane).unwrap();
    let ServerState::Running(_) = mux.server().unwrap() else { panic!("no server") };
    let kill = ["-S".into(), mux.socket().as_os_str().to_owned(), "kill-server".into()];
    Command::new("tmux", "/").args(kill).run_ok().unwrap();
}

#[test]
fn a_default_directory_that_is_open_to_all_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let mut env: Env = Env::capture().for_program();
    env.set("TMUX_TMPDIR", directory.path());
    let mux = Tmux::from_env(&env);
    let parent = mux.socket().parent().unwrap();
    std::fs::create_dir(parent).unwrap();
    std::fs::set_permissions(parent, std::fs::Permissions::from_mode(0o777)).unwrap();
    let refused = mux.new_session("first", None, &script(&mux, "exec sleep 1000", &[]));
    assert!(matches!(refused, Err(MuxError::NoAnswer { .. })), "{refused:?}");
}

/// Fault P-22.
#[test]
fn a_server_that_does_not_answer_is_not_a_server_without_panes() {
    let server = Server::new();
    session(&server.mux, "only", "exec sleep 1000");
    let ServerState::Running(process) = server.mux.server().unwrap() else { panic!("no server") };
    let signal = |name: &str| {
        Command::new("kill", "/").args([name, &process.pid.to_string()]).run_ok().unwrap();
    };
    signal("-STOP");
    let started = Instant::now();
    let listing = server.mux.panes().unwrap();
    let took = started.elapsed();
    signal("-CONT");
    assert!(matches!(listing.server, ServerState::NoAnswer { .. }), "{:?}", listing.server);
    assert!(took.as_secs() < 10, "{took:?}");
    assert!(matches!(server.mux.server().unwrap(), ServerState::Running(_)));
}

/// Fault P-22.
#[test]
fn a_stale_socket_is_no_server() {
    let server = Server::new();
    session(&server.mux, "only", "exec sleep 1000");
    let ServerState::Running(process) = server.mux.server().unwrap() else { panic!("no server") };
    Command::new("kill", "/").args(["-9", &process.pid.to_string()]).run_ok().unwrap();
    wait_until("the server is gone", || {
        (server.mux.server().unwrap() == ServerState::NoServer).then_some(())
    });
    assert!(server.path("s").exists());
    contract::no_server_means_no_panes(&server.mux);
}

/// Fault P-16.
#[test]
fn a_server_started_by_an_agent_knows_nothing_of_it() {
    let secrets = [("DROVER_TOKEN", "secret"), ("CLAUDECODE", "1"), ("MINE", "kept")];
    let server = Server::with_env(&secrets);
    session(&server.mux, "only", "exec sleep 1000");
    let environment = server.tmux(&["show-environment", "-g"]);
    assert!(environment.lines().any(|it| it == "MINE=kept"), "{environment}");
    for name in ["DROVER_", "CLAUDECODE"] {
        assert!(!environment.contains(name), "{environment}");
    }
}

#[test]
fn copy_mode_is_left_and_said_to_have_been_left() {
    let server = Server::new();
    let ids = session(&server.mux, "only", "exec sleep 1000");
    assert!(!server.mux.leave_copy_mode(&ids.pane).unwrap());
    server.tmux(&["copy-mode", "-t", ids.pane.as_str()]);
    assert!(server.mux.panes().unwrap().pane(&ids.pane).unwrap().in_mode);
    assert!(server.mux.leave_copy_mode(&ids.pane).unwrap());
    server.tmux(&["choose-tree", "-t", ids.pane.as_str()]);
    server.mux.leave_copy_mode(&ids.pane).unwrap();
    assert!(!server.mux.panes().unwrap().pane(&ids.pane).unwrap().in_mode);
}

#[test]
fn a_death_hook_fires_for_our_panes_only_and_leaves_the_persons_hooks_alone() {
    let server = Server::new();
    let mux = &server.mux;
    let keep = session(mux, "keep", "exec sleep 1000");
    server.tmux(&["set-hook", "-g", "pane-died[0]", "set-option -g @theirs yes"]);
    let log = server.path("died #1 'x'");
    let line = format!("echo \"$1\" >> '{}'", log.display().to_string().replace('\'', "'\\''"));
    let argv = ["sh", "-c", &line, "sh"].map(str::to_owned);
    let index = HookIndex(10_042);
    mux.install_death_hook(index, "state-1", &argv).unwrap();
    mux.install_death_hook(index, "state-1", &argv).unwrap();
    assert_eq!(mux.death_hooks().unwrap().len(), 2);

    let die = |state: &str| {
        let ids = mux.new_window(&keep.session, &script(mux, "read line", &[])).unwrap();
        let marks = [("@drover_state", state), ("remain-on-exit", "on")];
        mux.set_pane_options(&ids.pane, &marks).unwrap();
        mux.type_line(&ids.pane, "x").unwrap();
        wait_until("the pane dies", || mux.panes().unwrap().pane(&ids.pane)?.death);
        ids.pane
    };
    die("state-2");
    let ours = die("state-1");
    // A death that the server missed is found with the next child of its that ends.
    server.tmux(&["run-shell", "true"]);
    assert_eq!(lines_of(&log), format!("{ours}\n"));
    assert!(server.tmux(&["show-options", "-gv", "@theirs"]).contains("yes"));

    mux.remove_death_hook(index).unwrap();
    mux.remove_death_hook(index).unwrap();
    let left = mux.death_hooks().unwrap();
    assert_eq!(left.iter().map(|it| it.index).collect::<Vec<_>>(), [HookIndex(0)]);
}

#[test]
fn a_program_beside_the_panes_gets_its_words_whole_and_stands_in_nobodys_way() {
    let server = Server::new();
    session(&server.mux, "only", "exec sleep 1000");
    let log = server.path("log");
    let script = format!("pwd > '{0}'; printf '%s\\n' \"$@\" >> '{0}'", log.display());
    let words = ["sh", "-c", &script, "sh", "#(touch x)", "it's; $(touch x)", "end"];
    server.mux.run_beside(&words.map(str::to_owned)).unwrap();
    let text = wait_until("it has run", || {
        std::fs::read_to_string(&log).ok().filter(|it| it.ends_with("end\n"))
    });
    assert_eq!(text, "/\n#(touch x)\nit's; $(touch x)\nend\n");
    server.mux.look_for_ends().unwrap();
}

#[test]
fn a_pane_shown_in_two_sessions_is_listed_once() {
    let server = Server::new();
    let ids = session(&server.mux, "one", "exec sleep 1000");
    server.tmux(&["new-session", "-d", "-s", "two", "-t", "one"]);
    let listing = server.mux.panes().unwrap();
    assert_eq!(listing.panes.len(), 1);
    assert_eq!(listing.panes.first().unwrap().id, ids.pane);
}

#[test]
fn an_attached_client_is_seen_on_the_pane_it_looks_at() {
    let server = Server::new();
    let mux = &server.mux;
    let ids = session(mux, "seen", "exec sleep 1000");
    let other = mux.new_window(&ids.session, &script(mux, "exec sleep 1000", &[])).unwrap();
    assert_eq!(mux.attached_clients(&ids.pane).unwrap(), []);
    // A second server gives the client a terminal.
    let outer = Server::new();
    let argv: Vec<_> = mux.attach_command(&other).argv();
    let mut pane = script(&outer.mux, "exec \"$@\"", &[]);
    pane.program.argv.extend(argv);
    pane.program.env = vec![("TERM".to_owned(), "screen".into())];
    outer.mux.new_session("outer", None, &pane).unwrap();
    wait_until("the client attaches", || {
        (!mux.attached_clients(&other.pane).unwrap().is_empty()).then_some(())
    });
    assert_eq!(mux.attached_clients(&ids.pane).unwrap(), []);
    let listing = mux.panes().unwrap();
    assert!(listing.pane(&other.pane).unwrap().is_watched);
    assert!(!listing.pane(&ids.pane).unwrap().is_watched);
}

#[test]
fn a_program_cannot_forge_a_listed_pane() {
    let server = Server::new();
    let name = "x\n<0000000000000000>1|0000000000000000|%7";
    let pane = script(&server.mux, "exec sleep 1000", &[name]);
    let ids = server.mux.new_session("forged", None, &pane).unwrap();
    let listing = server.mux.panes().unwrap();
    assert_eq!(listing.panes.len(), 1);
    assert_eq!(listing.panes.first().unwrap().id, ids.pane);
}

#[test]
fn the_installed_version_will_do_and_text_beyond_ascii_is_kept() {
    let server = Server::new();
    server.mux.version().unwrap();
    let ids = session(&server.mux, "ünicode", "printf 'größe ✓\\n'; exec sleep 1000");
    let text = wait_until("the text is there", || {
        Some(server.mux.capture(&ids.pane, Capture::Visible).unwrap()).filter(|it| !it.is_empty())
    });
    assert_eq!(text, "größe ✓");
    assert_eq!(server.mux.sessions().unwrap().first().unwrap().name, "ünicode");
}

/// Fault P-22.
#[test]
fn a_socket_in_a_missing_directory_is_no_server() {
    let mut env = Env::capture().for_program();
    env.set("DROVER_TMUX_SOCKET", "/drover/no/such/s");
    let mux = Tmux::from_env(&env);
    assert_eq!(mux.server().unwrap(), ServerState::NoServer);
    let pane = script(&mux, "true", &[]);
    assert!(matches!(mux.new_session("x", None, &pane), Err(MuxError::NoDirectory { .. })));
}

#[test]
fn a_terminal_in_line_mode_is_told_from_a_raw_one() {
    let server = Server::new();
    let line = session(&server.mux, "line", "exec sleep 1000");
    let raw = session(&server.mux, "raw", "stty raw; exec sleep 1000");
    let is_line_mode = |pane| {
        let listing = server.mux.panes().unwrap();
        drover_host::tty::is_line_mode(&listing.pane(pane).unwrap().tty).unwrap()
    };
    assert!(is_line_mode(&line.pane));
    wait_until("the terminal is raw", || (!is_line_mode(&raw.pane)).then_some(()));
}
