//! What every backend must do, as functions over the trait.

use drover_host::mux::{Capture, Key, Mux, MuxError, PaneId, Paste, ServerState};
use drover_host::proc;

use super::server::{lines_of, script, session, wait_until};

const READY: &str = "stty raw -echo; echo ready; cat > got";

fn ready(mux: &dyn Mux, pane: &PaneId) {
    wait_until("the program is ready", || {
        mux.capture(pane, Capture::Visible).unwrap().contains("ready").then_some(())
    });
}

pub(crate) fn no_server_means_no_panes(mux: &dyn Mux) {
    assert_eq!(mux.server().unwrap(), ServerState::NoServer);
    let listing = mux.panes().unwrap();
    assert_eq!((listing.server, listing.panes), (ServerState::NoServer, Vec::new()));
    assert_eq!(mux.sessions().unwrap(), []);
    assert_eq!(mux.clients().unwrap(), []);
    assert_eq!(mux.death_hooks().unwrap(), []);
    let pane = PaneId::parse("%0").unwrap();
    assert!(matches!(mux.key(&pane, Key::Enter), Err(MuxError::NoServer { .. })));
}

pub(crate) fn a_new_pane_is_listed_with_its_process_and_marks(mux: &dyn Mux) {
    let ids = session(mux, "one", "exec sleep 1000");
    mux.set_pane_options(&ids.pane, &[("@drover_uid", "u-1"), ("@drover_state", "s-1")]).unwrap();
    let listing = mux.panes().unwrap();
    let ServerState::Running(server) = &listing.server else { panic!("{:?}", listing.server) };
    assert!(proc::is_alive(server));
    let pane = listing.pane(&ids.pane).unwrap();
    assert_eq!((pane.pid, &pane.window, &pane.session), (ids.pid, &ids.window, &ids.session));
    assert_eq!((pane.uid.as_deref(), pane.state.as_deref()), (Some("u-1"), Some("s-1")));
    assert_eq!((pane.death, pane.in_mode, pane.attached), (None, false, 0));
    assert!(pane.start_command.contains("sleep 1000"));
    assert_eq!(mux.pane_option(&ids.pane, "@drover_uid").unwrap().as_deref(), Some("u-1"));
    assert_eq!(mux.pane_option(&ids.pane, "@drover_none").unwrap(), None);
}

/// Fault P-04.
pub(crate) fn a_session_is_found_by_its_mark_and_not_by_its_name(mux: &dyn Mux) {
    let ids = session(mux, "a1", "exec sleep 1000");
    session(mux, "a10", "exec sleep 1000");
    assert_eq!(mux.find_session("p-1").unwrap(), None);
    mux.set_session_option(&ids.session, "@drover_project", "p-1").unwrap();
    assert_eq!(mux.find_session("p-1").unwrap().unwrap().id, ids.session);
    let error = mux.new_session("a1", None, &script(mux, "true", &[])).unwrap_err();
    assert!(matches!(error, MuxError::SessionExists { .. }));
}

/// Faults S-09, S-10.
pub(crate) fn arguments_and_variables_arrive_as_they_are(mux: &dyn Mux) {
    let ids = session(mux, "args", "exec sleep 1000");
    let words = ["a;", ";", "a\\;", "#(touch pwned)", "$HOME", "-x", "", "two words", "ü"];
    let mut pane = script(mux, "printf '%s|' \"$@\" \"$MINE\" > out; echo >> out; cat", &words);
    pane.program.env = vec![("MINE".to_owned(), "x;".into())];
    mux.new_window(&ids.session, &pane).unwrap();
    let out = lines_of(&pane.program.cwd.join("out"));
    assert_eq!(out, "a;|;|a\\;|#(touch pwned)|$HOME|-x||two words|ü|x;|\n");
    assert!(!pane.program.cwd.join("pwned").exists());
}

/// Faults.
pub(crate) fn names_and_directories_are_never_run(mux: &dyn Mux) {
    let ids = session(mux, "names", "exec sleep 1000");
    let mut pane = script(mux, "pwd > out; exec sleep 1000", &[]);
    let cwd = pane.program.cwd.join("x #(touch pwned) #{pane_id} %H;");
    std::fs::create_dir(&cwd).unwrap();
    pane.program.cwd.clone_from(&cwd);
    "-w #(touch pwned);".clone_into(&mut pane.window_name);
    let ids = mux.new_window(&ids.session, &pane).unwrap();
    let pwd = lines_of(&cwd.join("out"));
    assert_eq!(pwd.trim_end_matches('\n'), cwd.to_str().unwrap());
    mux.rename_window(&ids.window, "-y #(touch pwned);").unwrap();
    let pwned = wait_until("files are listed", || std::fs::read_dir(&cwd).ok()).count();
    assert_eq!(pwned, 1);
}

/// Fault P-21.
pub(crate) fn a_directory_that_does_not_exist_is_refused(mux: &dyn Mux) {
    let mut pane = script(mux, "true", &[]);
    pane.program.cwd = "/drover/no/such".into();
    assert!(matches!(mux.new_session("nope", None, &pane), Err(MuxError::NoDirectory { .. })));
    assert_eq!(mux.server().unwrap(), ServerState::NoServer);
}

/// Faults S-09, S-12.
pub(crate) fn a_large_text_arrives_byte_for_byte_once(mux: &dyn Mux) {
    let ids = session(mux, "paste", READY);
    ready(mux, &ids.pane);
    let mut text = "-x; #(touch pwned) $HOME \\; ü\tdone;\n".repeat(30_000).into_bytes();
    text.truncate(1024 * 1024);
    mux.paste(&ids.pane, "drover-1", &text, Paste::Bracketed).unwrap();
    let path = mux.socket().parent().unwrap().join("got");
    let got = wait_until("the text arrives", || {
        std::fs::read(&path).ok().filter(|it| it.len() >= text.len())
    });
    assert!(got == text, "{} bytes of {}", got.len(), text.len());
}

/// Faults S-09, S-10.
pub(crate) fn a_typed_line_arrives_with_its_enter(mux: &dyn Mux) {
    let ids = session(mux, "type", READY);
    ready(mux, &ids.pane);
    for line in ["-a b;", ";", "a\\;", "'q' me work"] {
        mux.type_line(&ids.pane, line).unwrap();
    }
    mux.key(&ids.pane, Key::Digit(7)).unwrap();
    let expected = "-a b;\r;\ra\\;\r'q' me work\r7";
    let path = mux.socket().parent().unwrap().join("got");
    let got = wait_until("the lines arrive", || {
        std::fs::read_to_string(&path).ok().filter(|it| it.len() >= expected.len())
    });
    assert_eq!(got, expected);
    assert!(mux.type_line(&ids.pane, "two\nlines").is_err());
}

pub(crate) fn a_missing_pane_is_told_from_a_missing_server(mux: &dyn Mux) {
    session(mux, "missing", "exec sleep 1000");
    let pane = PaneId::parse("%99").unwrap();
    let is_missing = |result: Result<(), MuxError>| {
        assert!(matches!(result, Err(MuxError::NoPane { .. })), "{result:?}");
    };
    is_missing(mux.key(&pane, Key::Enter));
    is_missing(mux.type_line(&pane, "x"));
    is_missing(mux.paste(&pane, "drover-1", b"x", Paste::Plain));
    is_missing(mux.capture(&pane, Capture::Full).map(|_| ()));
    is_missing(mux.leave_copy_mode(&pane).map(|_| ()));
    is_missing(mux.set_pane_options(&pane, &[("@drover_uid", "x")]));
    is_missing(mux.respawn(&pane, &script(mux, "true", &[]).program));
    mux.kill_pane(&pane).unwrap();
}

/// Fault S-26.
pub(crate) fn a_dead_pane_is_kept_refuses_input_and_can_be_used_again(mux: &dyn Mux) {
    session(mux, "keep", "exec sleep 1000");
    let ids = session(mux, "dead", "read line; exit 7");
    mux.set_pane_options(&ids.pane, &[("remain-on-exit", "on")]).unwrap();
    mux.key(&ids.pane, Key::Enter).unwrap();
    let death = wait_until("the pane dies", || {
        mux.panes().unwrap().pane(&ids.pane)?.death.filter(|it| it.status.is_some())
    });
    assert_eq!((death.status, death.signal), (Some(7), None));
    let is_dead = |result: Result<(), MuxError>| {
        assert!(matches!(result, Err(MuxError::DeadPane { .. })), "{result:?}");
    };
    is_dead(mux.paste(&ids.pane, "drover-1", b"x", Paste::Bracketed));
    is_dead(mux.key(&ids.pane, Key::Enter));
    is_dead(mux.type_line(&ids.pane, "x"));
    assert!(matches!(mux.server().unwrap(), ServerState::Running(_)));
    mux.respawn(&ids.pane, &script(mux, "exec sleep 1000", &[]).program).unwrap();
    assert_eq!(mux.panes().unwrap().pane(&ids.pane).unwrap().death, None);
    mux.kill_pane(&ids.pane).unwrap();
    mux.kill_pane(&ids.pane).unwrap();
}

pub(crate) fn a_capture_joins_wrapped_lines_and_cuts_to_the_last(mux: &dyn Mux) {
    let text = "i=0; while [ $i -lt 300 ]; do i=$((i+1)); printf '%0250d\\n' $i; done; echo end";
    let ids = session(mux, "capture", &format!("{text}; exec sleep 1000"));
    wait_until("the output is there", || {
        mux.capture(&ids.pane, Capture::Visible).unwrap().ends_with("end").then_some(())
    });
    let full = mux.capture(&ids.pane, Capture::Full).unwrap();
    assert_eq!(full.lines().count(), 301);
    let last = mux.capture(&ids.pane, Capture::Last(2)).unwrap();
    assert_eq!(last, format!("{:0>250}\nend", 300));
}

pub(crate) fn many_screens_are_read_in_one_call_and_one_that_is_gone_is_left_out(mux: &dyn Mux) {
    let say = |name: &str, text: &str| {
        session(mux, name, &format!("printf '{text}'; exec sleep 1000")).pane
    };
    let panes = [say("one", "a\\nb\\n"), say("two", "  c"), say("three", "")];
    wait_until("the texts are there", || {
        let shown = mux.captures(&panes, Capture::Last(2)).unwrap();
        let texts: Vec<&str> = panes.iter().map(|it| shown.get(it).unwrap().as_str()).collect();
        (texts == ["a\nb", "  c", ""]).then_some(())
    });
    mux.kill_pane(&panes[1]).unwrap();
    let shown = mux.captures(&panes, Capture::Visible).unwrap();
    assert_eq!(shown.keys().collect::<Vec<_>>(), [&panes[0], &panes[2]]);
    assert!(mux.captures(&[], Capture::Visible).unwrap().is_empty());
    // More than one call of a client can name.
    let many = vec![panes[0].clone(); 1000];
    assert_eq!(mux.captures(&many, Capture::Last(2)).unwrap().get(&panes[0]).unwrap(), "a\nb");
}

pub(crate) fn a_label_stands_beside_the_title_and_goes_again(mux: &dyn Mux) {
    let ids = session(mux, "label", "printf '\\033]2;mine\\007'; exec sleep 1000");
    let pane = || mux.panes().unwrap().pane(&ids.pane).cloned().unwrap();
    wait_until("it has a title", || (pane().title == "mine").then_some(()));
    mux.label_pane(&ids.pane, "w1 · build_it; -x").unwrap();
    assert_eq!(pane().label.as_deref(), Some("w1 · build_it; -x"));
    assert_eq!(pane().title, "mine");
    mux.show_labels(&ids.pane, "w1").unwrap();
    assert_eq!((pane().title, pane().session_name), ("w1".to_owned(), "label".to_owned()));
    mux.unset_pane_options(&ids.pane, &["@drover_label", "@drover_uid"]).unwrap();
    assert_eq!(pane().label, None);
    for text in ["#[bg=red]", "a\nb"] {
        assert!(mux.label_pane(&ids.pane, text).is_err(), "{text:?}");
        assert!(mux.show_labels(&ids.pane, text).is_err(), "{text:?}");
    }
}
