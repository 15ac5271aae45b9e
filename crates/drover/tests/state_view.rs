//! `drover state`: everything that can wait on a person, made for real, each with the command that answers it.

use drover_testkit::{processes, wait_until};
use serde_json::{Value, json};

use crate::field::{Field, LONG};
use crate::stage::Stage;

/// The one need of a kind, in JSON and in text, where the answering command stands below it.
#[track_caller]
fn shown(env: &drover_testkit::TestEnv, kind: &str) -> Value {
    let output = env.drover(&["state", "-p", "web", "--check", "--json"]);
    assert_eq!(output.exit, 7, "{output}");
    let data = output.data();
    let needs = data["projects"]["items"][0]["needs_you"]["items"].as_array().unwrap().clone();
    let found = needs.iter().find(|it| it["kind"] == kind);
    let need = found.unwrap_or_else(|| panic!("nothing of the kind {kind} in {needs:?}")).clone();
    let answer = need["next"][0]["run"].as_str().unwrap();
    let text = env.drover(&["state", "-p", "web"]).ok().stdout;
    let mut lines = text.lines().skip_while(|it| !it.starts_with(kind));
    let (line, below) = (lines.next().unwrap(), lines.next().unwrap());
    assert!(line.contains(need["about"].as_str().unwrap()), "{text}");
    assert!(below.ends_with(answer), "{text}");
    need
}

fn what(need: &Value) -> &str {
    need["what"].as_str().unwrap()
}

#[test]
fn a_project_in_which_all_is_well_needs_nobody() {
    let field = Field::new();
    field.init();
    let worker = field.worker("w1");
    field.drover(&["task", "add", "One", "--id", "one", "-p", "web"]).ok();
    let checked = field.drover(&["state", "-p", "web", "--check"]).ok().data();
    assert_eq!((&checked["needs_you"], &checked["projects"]["count"]), (&0.into(), &1.into()));
    let project = &checked["projects"]["items"][0];
    assert_eq!(project["agents"]["items"][0]["name"], worker["name"]);
    assert_eq!(project["ready"]["items"][0]["id"], "one");
    assert_eq!(project["tasks"], json!({ "OPEN/todo": 1 }));
    let text = field.env.drover(&["state"]).ok().stdout;
    assert!(text.starts_with("Needs you\n  nothing\n"), "{text}");
}

/// Fault H-01.
#[test]
fn dialogs_questions_and_limits_are_told_with_what_they_say() {
    let stage = Stage::new();
    for (name, switches, kind) in [
        ("asks", &["--dialog", "permission"][..], "permission"),
        ("wonders", &["--dialog", "question"], "question"),
        ("over", &["--dialog", "limit"], "limit"),
    ] {
        stage.agent(name, switches);
        wait_until("it is seen", LONG, || {
            stage.env.drover(&["state", "-p", "web"]).ok().stdout.contains(name)
                && stage.env.drover(&["state", "-p", "web", "--check"]).exit == 7
        });
        let need = shown(&stage.env, kind);
        assert_eq!(need["about"], name);
        let first = need["next"][0]["run"].as_str().unwrap();
        assert_eq!(first, format!("drover agent approve web/{name}"));
        stage.env.drover(&["agent", "close", name, "-p", "web"]).ok();
    }
}

/// Fault P-09.
#[test]
fn an_agent_that_died_is_told_with_its_signal_and_what_it_lost() {
    let field = Field::new();
    field.init();
    field.worker("w1");
    field.drover(&["task", "add", "One", "--id", "one", "-p", "web"]).ok();
    field.drover(&["task", "claim", "one", "--for", "w1", "-p", "web"]).ok();
    processes::kill(field.pid("w1"));
    wait_until("it is reaped", LONG, || field.needs().len() == 1);
    let need = shown(&field.env, "dead");
    assert_eq!(what(&need), "ended by signal 9; it lost one");
    field.paste(need["next"][0]["run"].as_str().unwrap()).ok();
    field.drover(&["state", "-p", "web", "--check"]).ok();
    processes::kill(field.pid("w1"));
    wait_until("it is reaped", LONG, || field.needs().len() == 1);
    field.paste(shown(&field.env, "dead")["next"][1]["run"].as_str().unwrap()).ok();
    field.drover(&["state", "-p", "web", "--check"]).ok();
}

#[test]
fn a_failed_check_stands_until_it_is_made_good() {
    let field = Field::new();
    field.init();
    field.drover(&["task", "add", "One", "--id", "one", "-p", "web"]).ok();
    field.drover(&["task", "claim", "one", "-p", "web"]).ok();
    let close = ["task", "close", "one", "-p", "web", "--verify=echo why; exit 3"];
    field.drover(&close).refused(3, "verify_failed");
    let need = shown(&field.env, "failed");
    assert!(what(&need).contains("failed at closing"), "{need}");
    let log = field.paste(&need["next"][1]["run"].as_str().unwrap().replace("less", "cat"));
    assert_eq!(log.ok().stdout, "why\n");
    field.paste(need["next"][0]["run"].as_str().unwrap()).ok();
    field.drover(&["task", "close", "one", "-p", "web", "--verify=true"]).ok();
    assert!(!field.needs().iter().any(|it| it.0 == "failed"));
}

#[test]
fn a_task_that_was_tried_too_often_is_told_and_can_be_tried_again() {
    let field = Field::new();
    field.init();
    let pane = field.worker("w1")["pane"]["id"].as_str().unwrap().to_owned();
    field.drover(&["task", "add", "One", "--id", "one", "-p", "web"]).ok();
    field.drover(&["project", "set", "attempts", "1", "-p", "web"]).ok();
    field.order("one", "exit 1");
    let work = format!("{} me work", field.env.binary().display());
    crate::agent::in_pane(&field.env, &pane, &work);
    let need = shown(&field.env, "attempts_spent");
    assert_eq!((what(&need), &need["about"]), ("was tried once in vain", &"one".into()));
    field.paste(need["next"][0]["run"].as_str().unwrap()).ok();
    field.paste(need["next"][1]["run"].as_str().unwrap()).ok();
    field.drover(&["state", "-p", "web", "--check"]).ok();
}

#[test]
fn commands_that_wait_for_trust_are_told_once() {
    let field = Field::new();
    field.init();
    let plan = field.plan(&[("a", &[]), ("b", &[])]);
    field.drover(&["task", "import", plan.to_str().unwrap(), "-p", "web"]).ok();
    assert_eq!(field.needs().len(), 1);
    let need = shown(&field.env, "trust");
    assert!(what(&need).contains("a, b"), "{need}");
    let look = need["next"][0]["run"].as_str().unwrap();
    let seen = field.paste(look);
    assert!(
        seen.stdout.contains("test -s a.txt") || seen.stderr.contains("test -s a.txt"),
        "{seen}"
    );
    field.paste(&format!("{look} --yes")).ok();
    assert_eq!(field.needs(), []);
}

#[test]
fn a_workspace_that_cannot_take_a_task_and_work_that_is_not_landed_are_told() {
    let field = Field::new();
    field.init();
    field.worker("w1");
    field.worker("w2");
    std::fs::write(field.checkout("w1").join("mine.txt"), "mine").unwrap();
    let need = shown(&field.env, "workspace");
    assert!(what(&need).contains("mine.txt"), "{need}");
    field.paste(need["next"][0]["run"].as_str().unwrap()).ok();
    field.paste(need["next"][1]["run"].as_str().unwrap()).ok();
    let git =
        |words: &[&str]| field.env.call("git", words).directory(field.checkout("w2")).run().ok();
    git(&["commit", "--quiet", "--allow-empty", "--message", "mine"]);
    let need = shown(&field.env, "unlanded");
    assert_eq!(need["about"], "w2");
    field.paste(need["next"][1]["run"].as_str().unwrap()).ok();
    field.paste(need["next"][0]["run"].as_str().unwrap()).ok();
    assert_eq!(field.needs(), []);
}

#[test]
fn a_message_that_waits_and_an_agent_that_does_nothing_with_its_task_are_told() {
    let stage = Stage::new();
    let agent = stage.agent("w1", &["--turn-ms", "60000"]);
    agent.send(&["go"]).ok();
    agent.send(&["later", "--when-idle"]).ok();
    let need = shown(&stage.env, "undelivered");
    assert!(what(&need).starts_with("message 2 of 5 bytes"), "{need}");
    stage.env.drover(&["agent", "queue", "web/w1", "--all"]).ok();
    let config = stage.env.config().join("drover").join("config.toml");
    let program = stage.env.fake_agent().display().to_string();
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(
        &config,
        format!("[engine.fake-agent]\ncommand = \"{program}\"\ntakes_work = \"message\"\n\n{text}"),
    )
    .unwrap();
    stage.env.drover(&["agent", "close", "w1"]).ok();
    stage.env.drover(&["agent", "spawn", "w2", "--engine", "fake-agent"]).ok();
    stage.env.drover(&["task", "add", "One", "--id", "one"]).ok();
    stage.env.drover(&["task", "claim", "one", "--for", "w2"]).ok();
    stage.env.drover(&["state", "--check"]).ok();
    let plain = rusqlite::Connection::open(stage.env.database()).unwrap();
    plain.execute("UPDATE task_derived SET updated_at='2020-01-01T00:00:00.000Z'", []).unwrap();
    wait_until("it is idle", LONG, || stage.env.drover(&["state", "--check"]).exit == 7);
    assert_eq!(what(&shown(&stage.env, "stalled")), "is idle and holds one");
}

#[test]
fn a_proposed_task_waits_to_be_admitted_or_turned_down() {
    let field = Field::new();
    field.init();
    for id in ["one", "two"] {
        field.drover(&["task", "add", id, "--id", id, "--triage", "-p", "web"]).ok();
    }
    let need = shown(&field.env, "triage");
    assert_eq!(need["about"], "one");
    field.paste(need["next"][0]["run"].as_str().unwrap()).ok();
    let need = shown(&field.env, "triage");
    field.paste(&need["next"][1]["run"].as_str().unwrap().replace("<reason>", "no")).ok();
    field.drover(&["state", "-p", "web", "--check"]).ok();
}

#[test]
fn without_words_a_terminal_is_shown_the_state_and_a_pipe_the_help() {
    let field = Field::new();
    field.init();
    let help = field.env.drover::<&str>(&[]).ok().stdout;
    assert!(help.contains("Usage: drover"), "{help}");
    let done = field.env.root().join("done");
    let line =
        format!("{}; touch {}; exec sleep 1000", field.env.binary().display(), done.display());
    let pane = field.env.tmux_server().start_pane(&["sh", "-c", &line]);
    wait_until("it has answered", LONG, || done.exists());
    assert!(field.env.tmux_server().screen(&pane).starts_with("Needs you\n"));
}

/// Every project is shown where none is meant, and only its own needs stand in each.
#[test]
fn every_project_is_shown_where_none_is_meant() {
    let field = Field::new();
    field.init();
    field.drover(&["project", "init", "other"]).ok();
    field.drover(&["task", "add", "One", "--triage", "-p", "other"]).ok();
    let all = field.drover(&["state"]).ok().data();
    assert_eq!((&all["projects"]["count"], &all["needs_you"]), (&2.into(), &1.into()));
    let of = |name: &str| {
        let items = all["projects"]["items"].as_array().unwrap();
        items.iter().find(|it| it["project"] == name).unwrap()["needs_you"]["count"].clone()
    };
    assert_eq!((of("other"), of("web")), (1.into(), 0.into()));
    field.drover(&["state", "-p", "wbe"]).refused(3, "project_unknown");
    field.drover(&["state", "--key", "k"]).refused(2, "usage");
}

/// What lies on the disk is shown beside the rows: workspaces, what is left over, and the trunk.
#[test]
fn workspaces_what_is_left_over_and_the_trunk_are_shown() {
    let field = Field::new();
    field.init();
    field.worker("w1");
    let project =
        |field: &Field| field.drover(&["state"]).ok().data()["projects"]["items"][0].clone();
    let shown = project(&field);
    let workspace = &shown["workspaces"]["items"][0];
    assert_eq!(
        (&workspace["agent"], &workspace["kind"], &workspace["there"]),
        (&"w1".into(), &"git".into(), &true.into())
    );
    assert_eq!(workspace["path"], field.checkout("w1").to_str().unwrap());
    assert_eq!(shown["workspace_orphans"]["count"], 0);
    assert_eq!(shown["commits"]["count"], 0, "what was there before is no news");
    let message = ["commit", "--quiet", "--allow-empty", "--message", "mine"];
    field.env.call("git", &message).directory(field.checkout("w1")).run().ok();
    field.drover(&["workspace", "land", "w1"]).ok();
    let subjects: Vec<Value> = project(&field)["commits"]["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["subject"].clone())
        .collect();
    assert!(subjects.len() == 2 && subjects.contains(&"mine".into()), "{subjects:?}");
    std::fs::rename(field.checkout("w1"), field.checkout("w9")).unwrap();
    let shown = project(&field);
    let left: Vec<(&str, &str)> = shown["workspace_orphans"]["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["kind"].as_str().unwrap(), it["agent"].as_str().unwrap()))
        .collect();
    assert_eq!(left, [("row", "w1"), ("directory", "w9")]);
    assert_eq!(shown["workspaces"]["items"][0]["there"], false);
    let card = field.env.drover(&["state"]).ok().stdout;
    assert!(card.contains("\nLeft over\n") && card.contains("\nOn the trunk\n"), "{card}");
}

#[test]
fn tracks_proposals_and_what_happened_lately_are_shown() {
    let env = crate::env();
    env.drover(&["project", "init", "web"]).ok();
    for words in [
        &["schema"][..],
        &["page", "-b", "schema"],
        &["api", "-b", "schema"],
        &["guide"],
        &["idea", "--triage"],
    ] {
        env.drover(&[&["task", "add"], words].concat()).ok();
    }
    env.drover(&["task", "park", "guide", "--why", "later"]).ok();
    let state = env.drover(&["state", "--events", "2", "--json"]).ok().data();
    let web = &state["projects"]["items"][0];
    let tracks = serde_json::json!([
        { "goals": ["api", "page"], "goal_count": 2, "tasks": 3, "ready": 1, "parked": false },
        { "goals": ["guide"], "goal_count": 1, "tasks": 1, "ready": 0, "parked": true },
        { "goals": ["idea"], "goal_count": 1, "tasks": 1, "ready": 0, "parked": false }
    ]);
    assert_eq!((&web["tracks"]["items"], &web["tracks"]["total"]), (&tracks, &3.into()));
    assert_eq!(
        (&web["triage"]["items"][0]["id"], &web["triage"]["count"]),
        (&"idea".into(), &1.into())
    );
    assert_eq!(web["recent"]["count"], 2);
    assert_eq!(web["recent"]["items"][1]["intent"], "task.park");
    let text = env.drover(&["state"]).ok().stdout;
    for line in [
        "Tracks",
        "  api, page",
        "Triage",
        "Lately",
        "note on `guide` added: user:tester: PARK: later",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert!(!env.drover(&["state", "--events", "0"]).ok().stdout.contains("Lately"));
}
