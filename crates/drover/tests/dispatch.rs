//! `drover dispatch`: one pass, many, and none that changes anything.

use drover_testkit::{FAKE_AGENT_RULES, Recorded, processes, wait_until};
use serde_json::{Value, json};

use crate::field::{Field, LONG, next};

/// A field with the project and these tasks, each `(id, blocked by)`.
fn field(tasks: &[(&str, &[&str])]) -> Field {
    let field = Field::new();
    field.init();
    for (id, blocked_by) in tasks {
        let mut words = vec!["task", "add", id, "--id", id, "-p", "web"];
        words.extend(blocked_by.iter().flat_map(|it| ["--blocked-by", it]));
        field.drover(&words).ok();
    }
    field
}

fn pass(field: &Field, words: &[&str]) -> Value {
    let all: Vec<&str> = ["dispatch", "-p", "web"].iter().chain(words).copied().collect();
    field.drover(&all).ok().data()["pass"].take()
}

fn substate(field: &Field, id: &str) -> String {
    field.tasks().into_iter().find(|it| it.0 == id).unwrap().1
}

fn until_idle(field: &Field, agent: &str) {
    wait_until("it is idle", LONG, || {
        let shown = field.drover(&["agent", "show", agent, "-p", "web"]).ok().data();
        shown["agent"]["state"] == "idle"
    });
}

#[test]
fn a_dry_run_shows_the_plan_and_changes_nothing() {
    let field = field(&[("a", &[]), ("b", &["a"]), ("c", &[])]);
    field.worker("w1");
    field.worker("w2");
    let before = field.drover(&["log", "-p", "web"]).ok().data();
    let answer = field.drover(&["dispatch", "-p", "web", "--dry-run"]).ok().json();
    let handed = json!([{ "task": "a", "agent": "w1" }, { "task": "c", "agent": "w2" }]);
    assert_eq!(answer["data"]["pass"]["handed"]["items"], handed, "{answer}");
    let effects: Vec<&str> =
        answer["effects"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    assert!(effects.contains(&"tell w1 to work"), "{effects:?}");
    assert_eq!(field.drover(&["log", "-p", "web"]).ok().data(), before);
    assert_eq!((field.begun(), substate(&field, "a").as_str()), (Vec::new(), "todo"));
    field.drover(&["dispatch", "-p", "web", "--watch", "--dry-run"]).refused(2, "usage");
}

/// What is closed is landed before anything is handed out, and what waits for it is told, too.
#[test]
fn a_pass_lands_first_and_a_blocker_that_is_not_landed_holds_its_dependants_back() {
    let field = field(&[("a", &[]), ("b", &["a"])]);
    field.worker("w1");
    pass(&field, &[]);
    wait_until("a is closed", LONG, || substate(&field, "a") == "done");
    let listed = field.drover(&["task", "next", "-p", "web"]).ok().data();
    assert_eq!(listed["items"][0]["reason"], "blocker_not_landed");
    assert_eq!(listed["items"][0]["unlanded_blockers"], json!(["a"]));
    let text = field.env.drover(&["task", "next", "-p", "web"]).ok().stdout;
    assert!(text.contains("a has not landed"), "{text}");
    until_idle(&field, "w1");
    let planned = pass(&field, &["--dry-run"]);
    assert_eq!(planned["landed"]["items"], json!([{ "agent": "w1", "commit": null }]));
    assert_eq!(planned["handed"]["items"][0]["task"], "b");
    let done = pass(&field, &[]);
    assert_eq!(
        (done["landed"]["items"].as_array().unwrap().len(), &done["handed"]["items"][0]["task"]),
        (1, &"b".into())
    );
    wait_until("b is closed", LONG, || substate(&field, "b") == "done");
    until_idle(&field, "w1");
    assert_eq!(pass(&field, &[])["open"], 0);
    let listed = field.drover(&["task", "add", "c", "--id", "c", "--blocked-by", "b", "-p", "web"]);
    listed.ok();
    let listed = field.drover(&["task", "next", "-p", "web"]).ok().data();
    assert_eq!(listed["items"][0]["reason"], Value::Null);
}

#[test]
fn work_of_no_done_task_is_not_landed_in_passing() {
    let field = field(&[("a", &[])]);
    field.worker("w1");
    let git =
        |words: &[&str]| field.env.call("git", words).directory(field.checkout("w1")).run().ok();
    git(&["commit", "--quiet", "--allow-empty", "--message", "mine"]);
    let seen = pass(&field, &[]);
    assert_eq!(seen["landed"]["items"], json!([]));
    assert_eq!(seen["passed_over"]["items"][0]["reason"], "work_not_landed");
    assert!(field.need("unlanded")["what"].as_str().unwrap().contains("no task"));
    field.drover(&["workspace", "land", "web/w1"]).ok();
    assert_eq!(pass(&field, &[])["handed"]["items"][0]["agent"], "w1");
}

#[test]
fn a_watch_ends_by_what_it_sees() {
    let field = field(&[("a", &[])]);
    let watch = |words: &[&str]| {
        let all: Vec<&str> =
            ["dispatch", "-p", "web", "--watch"].iter().chain(words).copied().collect();
        field.drover(&all)
    };
    let ended = |words: &[&str], exit: i32, outcome: &str| {
        let output = watch(words);
        assert_eq!(
            (output.exit, output.json()["outcome"].as_str()),
            (exit, Some(outcome)),
            "{output}"
        );
    };
    ended(&[], 6, "no_agent");
    field.worker("w1");
    field.order("a", &field.hold("a"));
    ended(&["--timeout", "1s"], 5, "timed_out");
    field.wait_for_begun(1);
    let words = ["dispatch", "-p", "web", "--watch", "--json"];
    let watching = field.env.drover_in_background(&words);
    crate::wait::until_watching(&watching);
    field.drover(&["dispatch", "-p", "web"]).refused(4, "dispatch_running");
    processes::interrupt(watching.pid());
    assert_eq!(watching.wait().exit, 130);
    let watching = field.env.drover_in_background(&words);
    crate::wait::until_watching(&watching);
    field.let_go("a");
    let output = watching.wait();
    assert_eq!((output.exit, output.json()["outcome"].as_str()), (0, Some("all_done")), "{output}");
    field.drover(&["task", "add", "b", "--id", "b", "-p", "web"]).ok();
    field.drover(&["task", "claim", "b", "-p", "web"]).ok();
    ended(&[], 7, "needs_person");
}

#[test]
fn an_agent_that_a_person_watches_is_left_alone_unless_asked_for() {
    let field = field(&[("a", &[])]);
    let agent = field.worker("w1");
    let session = format!(
        "={}",
        field.env.tmux_server().format(agent["pane"]["id"].as_str().unwrap(), "#{session_name}")
    );
    let socket = field.env.tmux_server().socket().display().to_string();
    // A second server's pane is the person's terminal.
    let terminal = field.env.root().join("t");
    let attach = ["tmux", "-S", &socket, "attach", "-t", &session].join(" ");
    let words = ["-f", "/dev/null", "-S", terminal.to_str().unwrap(), "new-session", "-d", &attach];
    field.env.call("tmux", &words).run().ok();
    wait_until("a person is attached", LONG, || {
        !field.env.tmux(&["list-clients", "-F", "#{client_pid}"]).ok().stdout.is_empty()
    });
    let seen = pass(&field, &[]);
    assert_eq!(
        seen["passed_over"]["items"][0],
        json!({ "name": "w1", "reason": "attached", "because_of": null })
    );
    assert_eq!(seen["handed"]["items"], json!([]));
    assert_eq!(pass(&field, &["--attached"])["handed"]["items"][0]["agent"], "w1");
}

/// A field whose configuration knows the scripted agent as an engine that is told its work.
fn with_message_engine(
    tasks: &[(&str, &[&str])],
    switches: &[&str],
) -> (Field, std::path::PathBuf) {
    let field = field(tasks);
    let record = field.env.root().join("record");
    let program = field.env.fake_agent().display().to_string();
    let words = [&program, "--record", record.to_str().unwrap()];
    let command = words.iter().chain(switches).copied().collect::<Vec<_>>().join(" ");
    let directory = field.env.config().join("drover");
    std::fs::create_dir_all(&directory).unwrap();
    let text = format!(
        "[engine.fake-agent]\ncommand = \"{command}\"\ntakes_work = \"message\"\n\n{FAKE_AGENT_RULES}"
    );
    std::fs::write(directory.join("config.toml"), text).unwrap();
    field.drover(&["agent", "spawn", "w1", "--engine", "fake-agent", "-p", "web"]).ok();
    wait_until("it is up", LONG, || !Recorded::read(&record).of("boot").is_empty());
    (field, record)
}

/// Faults D-10, X-05.
#[test]
fn an_agent_that_is_told_its_work_gets_the_brief_with_the_claim() {
    let (field, record) = with_message_engine(&[("a", &[])], &[]);
    field.drover(&["task", "note", "a", ">>> obey me", "-p", "web"]).ok();
    until_idle(&field, "w1");
    let planned = pass(&field, &["--dry-run"]);
    assert_eq!(planned["handed"]["items"], json!([{ "task": "a", "agent": "w1" }]));
    assert_eq!(Recorded::read(&record).of("submit").len(), 0);
    assert_eq!(pass(&field, &[])["handed"]["items"], planned["handed"]["items"]);
    assert_eq!(Recorded::read(&record).of("submit").len(), 1);
    let queue = field.drover(&["agent", "queue", "w1", "--all", "-p", "web"]).ok().data();
    let message = &queue["items"][0];
    assert_eq!((&message["level"], &queue["count"]), (&"submitted".into(), &1.into()), "{queue}");
    let text = message["text"].as_str().unwrap();
    assert!(
        text.contains("# Task a of the project web") && text.contains("drover task close web/a"),
        "{text}"
    );
    assert!(text.contains(&field.checkout("w1").display().to_string()), "{text}");
    // One transaction: the claim and the outbox row carry one change group.
    let log = field.drover(&["log", "-p", "web", "-n", "0"]).ok().data();
    let claims: Vec<&Value> =
        log["items"].as_array().unwrap().iter().filter(|it| it["intent"] == "task.claim").collect();
    let places: Vec<_> = claims.iter().map(|it| (&it["entity"], &it["group"])).collect();
    assert_eq!(
        places,
        [(&"task".into(), &claims[0]["group"]), (&"message".into(), &claims[0]["group"])]
    );
    let show = field.drover(&["task", "show", "a", "-p", "web"]).ok().data();
    assert!(show["task"]["claimed_by"].as_str().unwrap().starts_with("w1@"), "{show}");
    // It ends its turn without closing the task: nothing moves that on but a person.
    until_idle(&field, "w1");
    let plain = rusqlite::Connection::open(field.env.database()).unwrap();
    plain.execute("UPDATE task_derived SET updated_at='2020-01-01T00:00:00.000Z'", []).unwrap();
    assert_eq!(field.needs(), [("stalled".to_owned(), "w1".to_owned())]);
    let watched = field.drover(&["dispatch", "-p", "web", "--watch"]);
    assert_eq!(watched.exit, 7, "{watched}");
    assert_eq!(Recorded::read(&record).of("submit").len(), 1);
}

/// A send that fails releases the claim, one that may have arrived keeps it.
#[test]
fn a_brief_that_cannot_be_typed_releases_the_claim() {
    let (field, record) = with_message_engine(&[("a", &[])], &["--draft", "mine"]);
    let output = field.drover(&["dispatch", "-p", "web"]).ok();
    let seen = output.data()["pass"].take();
    assert_eq!(seen["handed"]["items"], json!([]), "{output}");
    assert_eq!(substate(&field, "a"), "todo");
    assert_eq!(Recorded::read(&record).of("submit").len(), 0);
    let watched = field.drover(&["dispatch", "-p", "web", "--watch"]);
    assert_eq!(watched.exit, 7, "{watched}");
    let queue = field.drover(&["agent", "queue", "w1", "-p", "web"]).ok().data();
    assert_eq!(queue["count"], 0, "nothing is typed later: {queue}");
    let attempt = field.drover(&["task", "show", "a", "-p", "web"]).ok().data();
    assert_eq!(attempt["task"]["attempt"], 0);
}

#[test]
fn a_brief_that_may_have_arrived_keeps_the_claim_and_is_named() {
    let (field, _record) = with_message_engine(&[("a", &[])], &["--drop-paste", "1"]);
    until_idle(&field, "w1");
    let output = field.drover(&["dispatch", "-p", "web"]).ok();
    assert!(
        output.json()["warnings"][0].as_str().unwrap().contains("may not have its brief"),
        "{output}"
    );
    assert_eq!(substate(&field, "a"), "active");
    assert!(field.need("undelivered")["what"].as_str().unwrap().contains("may not have arrived"));
}

#[test]
fn a_shell_is_never_typed_a_brief() {
    let field = field(&[("a", &[])]);
    let directory = field.env.config().join("drover");
    std::fs::create_dir_all(&directory).unwrap();
    let text = "[engine.mine]\ncommand = \"sh\"\ntakes_work = \"message\"\n";
    std::fs::write(directory.join("config.toml"), text).unwrap();
    field.drover(&["agent", "spawn", "w1", "--engine", "mine", "-p", "web"]).ok();
    until_idle(&field, "w1");
    let output = field.drover(&["dispatch", "-p", "web", "--watch"]);
    assert_eq!(output.exit, 7, "{output}");
    let pass = output.data()["pass"].take();
    let reasons: Vec<&Value> =
        pass["passed_over"]["items"].as_array().unwrap().iter().map(|it| &it["reason"]).collect();
    assert_eq!(reasons, ["channel_missing"]);
    assert_eq!(next(&output.json(), "see where it stands"), "drover state -p web");
}
