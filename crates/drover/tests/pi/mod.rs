//! Agents that run pi, against a scripted peer on their control socket.

mod peer;

use std::ffi::OsStr;
use std::time::{Duration, Instant};

use drover_testkit::{processes, wait_until};
use rusqlite::Connection;
use serde_json::json;

use crate::stage::{SOON, level};
use peer::{Reply, Stage};

fn well_behaved() -> Stage {
    Stage::new(|_, _| None)
}

#[test]
fn pi_is_launched_with_our_extension_its_socket_and_a_conversation_of_our_choice() {
    let stage = Stage::unserved(|_, _| None);
    let words = stage.command_line();
    let behind = |flag: &str| {
        let at = words.iter().position(|it| it == flag).unwrap();
        words[at + 1].clone()
    };
    let extension = std::fs::read_to_string(behind("-e")).unwrap();
    assert!(extension.starts_with("// drover-extension "));
    assert_eq!((behind("--session-id").len(), behind("--name").as_str()), (36, "w1"));
    assert!(!words.contains(&"--approve".to_owned()));
    let pid = stage.pi.lock().unwrap().pid;
    let environment = processes::environment(pid);
    let variable = |name: &str| environment[OsStr::new(name)].to_str().unwrap().to_owned();
    assert!(variable("DROVER_CONTROL").starts_with(stage.env.state().to_str().unwrap()));
    assert_eq!(variable("DROVER_BINARY"), stage.env.binary().to_str().unwrap());
    assert_eq!(variable("DROVER_ROLE"), "worker");
}

/// Fault P-16.
#[test]
fn an_agent_that_an_agent_in_pi_starts_gets_nothing_of_the_outer_socket() {
    let stage = Stage::unserved(|_, _| None);
    let pid = |spawned: serde_json::Value| {
        u32::try_from(spawned["agent"]["pane"]["pid"].as_u64().unwrap()).unwrap()
    };
    let outer = [
        ("DROVER_CONTROL", "/outer/socket"),
        ("DROVER_ROLE", "coordinator"),
        ("DROVER_REMINDERS", "0"),
        ("PI_SESSION_ID", "outer"),
        ("PI_CODING_AGENT", "true"),
    ];
    let spawn = |words: &[&str]| {
        let call = stage.env.drover_call(words);
        let call = outer.iter().fold(call, |call, it| call.variable(it.0, it.1));
        processes::environment(pid(call.run().ok().data()))
    };
    let shell = spawn(&["agent", "spawn", "w2", "--command", "sleep 1000", "--json"]);
    let inner = spawn(&["agent", "spawn", "w3", "--engine", "pi", "--json"]);
    for name in ["DROVER_CONTROL", "DROVER_ROLE", "PI_SESSION_ID", "PI_CODING_AGENT"] {
        assert!(!shell.contains_key(OsStr::new(name)), "{name}");
    }
    assert_ne!(inner[OsStr::new("DROVER_CONTROL")], "/outer/socket");
    assert_eq!(inner[OsStr::new("DROVER_ROLE")], "worker");
    assert_eq!(inner[OsStr::new("DROVER_REMINDERS")], "0", "a person's switch is passed on");
}

#[test]
fn a_restart_begins_another_conversation() {
    let stage = Stage::unserved(|_, _| None);
    let session = |stage: &Stage| {
        let words = stage.command_line();
        let at = words.iter().position(|it| it == "--session-id").unwrap();
        words[at + 1].clone()
    };
    let before = session(&stage);
    let again = stage.env.drover(&["agent", "restart", "w1", "--json"]).ok().data();
    let pid = again["agent"]["pane"]["pid"].as_u64().unwrap();
    stage.pi.lock().unwrap().pid = u32::try_from(pid).unwrap();
    assert_ne!(session(&stage), before);
}

#[test]
fn model_thinking_and_skills_are_passed_on_and_what_pi_has_no_flag_for_is_said() {
    let stage = Stage::unserved(|_, _| None);
    let mut words = vec!["agent", "spawn", "w2", "--engine", "pi", "--json"];
    words.extend(["--model", "p/m", "--thinking", "low", "--skill", "/s/one", "--unattended"]);
    words.extend(["--permission", "auto"]);
    let spawned = stage.env.drover(&words).ok().json();
    let pid = spawned["data"]["agent"]["pane"]["pid"].as_u64().unwrap();
    let line = processes::command_line(u32::try_from(pid).unwrap()).join(" ");
    for part in ["--model p/m", "--thinking low", "--skill /s/one"] {
        assert!(line.contains(part), "{line}");
    }
    let warnings = spawned["warnings"].as_array().unwrap();
    let begins = |it: usize, words: &str| warnings[it].as_str().unwrap().contains(words);
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(begins(0, "is in no repository: pi may ask"), "{warnings:?}");
    assert!(begins(1, "--permission is recorded"), "{warnings:?}");
}

/// Fault S-20.
#[test]
fn a_text_is_received_in_the_turn_that_took_it() {
    let stage = well_behaved();
    stage.set(|pi| pi.turns = 4);
    let sent = stage.send(&["do \"this\"\nand that"]).ok().json();
    assert_eq!((level(&sent), &sent["data"]["message"]["turn"]), ("received", &json!(5)));
    let requests = stage.requests("send");
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0]["text"], "do \"this\"\nand that");
    assert_eq!(requests[0]["message"], sent["data"]["message"]["id"]);
    assert_eq!(requests[0]["mode"], "none");
    assert_eq!(stage.screen().trim(), "", "nothing is typed");
}

#[test]
fn each_mode_is_its_own_operation() {
    let stage = well_behaved();
    stage.set(|pi| pi.state = "busy");
    for (flag, op, mode) in [
        ("--steer", "send", "steer"),
        ("--interrupt", "interrupt", "none"),
        ("--fresh", "fresh", "none"),
    ] {
        let sent = stage.send(&["text", flag]).ok().json();
        assert_eq!(level(&sent), "received", "{flag}");
        let request = stage.requests(op).pop().unwrap();
        assert_eq!((&request["op"], &request["mode"]), (&json!(op), &json!(mode)));
    }
}

#[test]
fn what_is_for_the_turn_itself_is_not_held_up_by_what_waits_for_its_end() {
    let stage = well_behaved();
    stage.set(|pi| pi.state = "busy");
    assert_eq!(level(&stage.send(&["later", "--when-idle"]).ok().json()), "queued");
    stage.send(&["now", "--steer"]).ok();
    let texts: Vec<_> = stage.requests("send").iter().map(|it| it["text"].clone()).collect();
    assert_eq!(texts, ["now"]);
}

#[test]
fn a_text_waits_until_pi_is_idle_and_the_oldest_goes_first() {
    let stage = well_behaved();
    stage.set(|pi| pi.state = "busy");
    stage.send(&["one", "--when-idle"]).ok();
    stage.send(&["two", "--timeout", "0"]).refused(5, "still_queued");
    assert!(stage.requests("send").is_empty());
    let words = ["agent", "send", "w1", "three", "--json", "--timeout", "30s"];
    let third = stage.env.drover_in_background(&words);
    stage.set(|pi| pi.state = "idle");
    assert_eq!(level(&third.wait().ok().json()), "received");
    let texts: Vec<_> = stage.requests("send").iter().map(|it| it["text"].clone()).collect();
    assert_eq!(texts, ["one", "two", "three"]);
}

#[test]
fn a_turn_that_began_between_the_look_and_the_text_costs_nothing_but_time() {
    let mut refusals = 0;
    let stage = Stage::new(move |_, request| {
        (request["op"] == "send" && refusals < 2).then(|| {
            refusals += 1;
            Reply::Fields(json!({"ok": false, "error": "busy", "detail": "a turn is running"}))
        })
    });
    assert_eq!(level(&stage.send(&["text"]).ok().json()), "received");
    assert_eq!(stage.requests("send").len(), 3);
}

#[test]
fn a_lost_answer_is_asked_for_again_under_the_same_identity() {
    let mut is_lost = false;
    let stage = Stage::new(move |pi, request| {
        if request["op"] != "send" {
            return None;
        }
        if !std::mem::replace(&mut is_lost, true) {
            return Some(Reply::Bytes(b"{\"v\":1,"));
        }
        let mut taken = pi.taken(request);
        taken["repeated"] = true.into();
        Some(Reply::Fields(taken))
    });
    assert_eq!(level(&stage.send(&["text"]).ok().json()), "received");
    let requests = stage.requests("send");
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0], requests[1]);
}

#[test]
fn a_lost_answer_of_a_program_that_ended_stays_uncertain() {
    let mut is_lost = false;
    let stage = Stage::new(move |pi, request| {
        if request["op"] != "send" {
            return None;
        }
        if !std::mem::replace(&mut is_lost, true) {
            pi.instance = "second";
            return Some(Reply::Bytes(b""));
        }
        Some(Reply::Fields(
            json!({"ok": false, "error": "other_instance", "detail": "it has ended"}),
        ))
    });
    let refused = stage.send(&["text"]).refused(6, "not_taken");
    assert_eq!(level(&refused), "uncertain");
    let known: Vec<_> = stage.requests("send").iter().map(|it| it["instance"].clone()).collect();
    assert_eq!(known, ["first", "first"], "it is not given to another life of the program");
}

#[test]
fn what_became_of_a_text_whose_sender_was_killed_is_asked_of_pi() {
    for is_known in [true, false] {
        let stage = Stage::new(move |pi, request| {
            let is_first = request["op"] == "send" && pi.requests.len() == 1;
            match request["op"].as_str() {
                _ if is_first => Some(Reply::Nothing),
                Some("recall") if is_known => Some(Reply::Fields(pi.taken(request))),
                Some("recall") => {
                    Some(Reply::Fields(json!({"ok": false, "error": "unknown_message"})))
                }
                _ => None,
            }
        });
        let sender = stage.env.drover_in_background(&["agent", "send", "w1", "one", "--json"]);
        wait_until("the text", SOON, || stage.requests("send").len() == 1);
        processes::kill(sender.pid());
        sender.wait();
        assert_eq!(level(&stage.send(&["two"]).ok().json()), "received");
        let all = stage.env.drover(&["agent", "queue", "w1", "--all", "--json"]).ok().data();
        let expected = if is_known { "received" } else { "uncertain" };
        assert_eq!(all["items"][0]["level"], expected);
        let texts: Vec<_> = stage.requests("send").iter().map(|it| it["text"].clone()).collect();
        assert_eq!(texts, ["one", "two"], "it is never given twice");
    }
}

#[test]
fn what_pi_was_given_and_never_showed_is_uncertain() {
    let stage = Stage::new(|_, request| {
        let fields =
            json!({"ok": false, "error": "not_taken", "detail": "pi began no turn with it"});
        (request["op"] == "send").then_some(Reply::Fields(fields))
    });
    let refused = stage.send(&["text"]).refused(6, "not_taken");
    assert!(refused["error"].as_str().unwrap().contains("pi began no turn with it"), "{refused}");
    let all = stage.env.drover(&["agent", "queue", "w1", "--all", "--json"]).ok().data();
    assert_eq!(all["items"][0]["level"], "uncertain");
}

#[test]
fn an_answer_about_another_text_proves_nothing() {
    let stage = Stage::new(|pi, request| {
        let mut taken = pi.taken(request);
        taken["message"] = "another".into();
        (request["op"] == "send").then_some(Reply::Fields(taken))
    });
    assert_eq!(level(&stage.send(&["text"]).refused(6, "not_taken")), "uncertain");
}

#[test]
fn a_dialog_keeps_every_text_out_and_is_named() {
    let stage = well_behaved();
    stage.set(|pi| pi.state = "dialog");
    assert_eq!(stage.show()["state"], "needs_permission");
    let refused = stage.send(&["text"]).refused(7, "dialog_stands");
    assert!(refused["error"].as_str().unwrap().contains("Allow?"), "{refused}");
    assert_eq!(level(&stage.send(&["text", "--when-idle"]).ok().json()), "queued");
    assert!(stage.requests("send").is_empty());
    assert_eq!(stage.screen().trim(), "");
}

/// Fault S-20.
#[test]
fn commands_are_carried_out_and_no_word_with_a_slash_is_sent_as_talk() {
    let stage = well_behaved();
    assert_eq!(level(&stage.send(&["/new"]).ok().json()), "received");
    assert_eq!(level(&stage.send(&["/compact keep the plan"]).ok().json()), "received");
    let commands = stage.requests("command");
    assert_eq!((&commands[0]["name"], &commands[1]["name"]), (&json!("new"), &json!("compact")));
    assert_eq!(commands[1]["instructions"], "keep the plan");
    let refused = stage.send(&["/quit"]).refused(3, "text_refused");
    assert!(refused["error"].as_str().unwrap().contains("/new, /reload and /compact"), "{refused}");
    stage.send(&["/new", "--steer"]).refused(3, "text_refused");
    assert!(stage.requests("send").is_empty());
    assert_eq!(level(&stage.send(&["/tmp/x is full"]).ok().json()), "received");
    assert_eq!(stage.requests("send").len(), 1);
}

#[test]
fn the_conversation_that_pi_changed_to_is_recorded_and_those_before_stay_known() {
    let stage = well_behaved();
    let id = |stage: &Stage| texts(stage, "SELECT conversation_id FROM agents").pop().unwrap();
    let chosen = id(&stage);
    stage.set(|pi| pi.session = "s-2");
    stage.show();
    assert_eq!(id(&stage), "s-2");
    let known = texts(&stage, "SELECT conversation_id FROM conversations ORDER BY pk");
    assert_eq!(known, [chosen, "s-2".to_owned()]);
}

/// What a query of one column finds.
fn texts(stage: &Stage, query: &str) -> Vec<String> {
    let plain = Connection::open(stage.env.database()).unwrap();
    let mut statement = plain.prepare(query).unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}

#[test]
fn a_socket_of_another_agent_says_nothing_about_this_one() {
    let stage = well_behaved();
    stage.set(|pi| pi.agent = "somebody".to_owned());
    let seen = stage.show();
    assert_eq!((&seen["state"], &seen["source"]), (&json!("unknown"), &json!("control")));
    stage.send(&["text"]).refused(5, "channel_silent");
    assert!(stage.requests("send").is_empty());
}

/// Faults D-01, S-25.
#[test]
fn a_socket_that_answers_garbage_half_a_line_another_version_or_nothing_is_unknown_with_the_reason()
{
    let cases: [(&'static [u8], &str); 4] = [
        (b"what?\n", "what?"),
        (b"{\"v\":1,\"ok\":tr", "closed after"),
        (b"{\"v\":7,\"ok\":true}\n", "version 7"),
        (b"", "closed after 0 bytes"),
    ];
    for (bytes, reason) in cases {
        let stage = Stage::new(move |_, _| Some(Reply::Bytes(bytes)));
        let seen = stage.show();
        assert_eq!((&seen["state"], &seen["source"]), (&json!("unknown"), &json!("control")));
        assert!(seen["reason"].as_str().unwrap().contains(reason), "{seen}");
        let begun = Instant::now();
        let refused = stage.send(&["text"]).refused(5, "channel_silent");
        assert!(refused["error"].as_str().unwrap().contains(reason), "{refused}");
        assert!(begun.elapsed() < Duration::from_secs(10));
        assert_eq!(level(&stage.send(&["text", "--when-idle"]).ok().json()), "queued");
        assert_eq!(stage.screen().trim(), "", "nothing is typed");
    }
}

#[test]
fn a_silent_socket_costs_its_second_and_nothing_is_lost() {
    let stage = Stage::new(|pi, _| (pi.state == "idle").then_some(Reply::Nothing));
    let begun = Instant::now();
    let seen = stage.show();
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
    assert_eq!(seen["state"], "unknown");
    assert!(seen["reason"].as_str().unwrap().contains("did not answer within 1s"), "{seen}");
    let late = stage.send(&["text", "--timeout", "1s"]).refused(5, "still_queued");
    assert_eq!(level(&late), "queued");
    stage.set(|pi| pi.state = "busy");
    stage.show();
    assert!(stage.requests("send").is_empty());
}

#[test]
fn a_pi_that_has_just_been_launched_is_starting_and_gets_its_message_when_it_is_up() {
    let stage = Stage::unserved(|_, _| None);
    assert_eq!(stage.show()["state"], "starting");
    stage.send(&["early", "--when-idle"]).ok();
    let words = ["agent", "send", "w1", "second", "--json", "--timeout", "30s"];
    let second = stage.env.drover_in_background(&words);
    stage.serve();
    stage.set(|_| {});
    assert_eq!(level(&second.wait().ok().json()), "received");
    let texts: Vec<_> = stage.requests("send").iter().map(|it| it["text"].clone()).collect();
    assert_eq!(texts, ["early", "second"]);
}

#[test]
fn a_pi_that_says_that_it_is_idle_is_given_what_is_due() {
    let stage = well_behaved();
    stage.set(|pi| pi.state = "busy");
    stage.send(&["due", "--when-idle"]).ok();
    let uid = stage.pi.lock().unwrap().agent.clone();
    stage.set(|pi| pi.state = "idle");
    stage.env.drover(&["agent-idle", &uid]).ok();
    wait_until("the message", SOON, || stage.requests("send").len() == 1);
}
