//! The beginning of an agent: where it stands, what it is told first, and who else may begin it.

use drover_testkit::{Recorded, Signal, TestEnv, processes, wait_until};
use serde_json::{Value, json};

use super::{LONG, in_pane, names, pane, panes, pid, project, show, spawn};
use crate::habits::StandIns;
use crate::stage::Stage;

/// `agent spawn` with these words, in JSON.
fn spawned(env: &TestEnv, words: &[&str]) -> Value {
    let all: Vec<&str> = ["agent", "spawn", "--json"].iter().chain(words).copied().collect();
    env.drover(&all).json()
}

#[test]
fn an_agent_is_sent_its_first_text_once_it_is_up() {
    let stage = Stage::new();
    let record = stage.env.root().join("record");
    let program = stage.env.fake_agent();
    let slow = format!("{} --boot-delay 0.5 --record {}", program.display(), record.display());
    let words = ["w1", "--command", &slow, "--send", "begin here", "--key", "k"];
    let answer = spawned(&stage.env, &words);
    assert_eq!((&answer["outcome"], &answer["ok"]), (&json!("spawned"), &json!(true)), "{answer}");
    assert_eq!(answer["data"]["message"]["level"], "submitted");
    let again = spawned(&stage.env, &words);
    assert_eq!(again["deduplicated"], true);
    let recorded = Recorded::read(&record);
    assert_eq!(
        (recorded.of("submit").len(), &recorded.of("submit")[0]["text"]),
        (1, &json!("begin here"))
    );
}

#[test]
fn a_first_text_that_does_not_arrive_leaves_the_agent_and_decides_the_exit_code() {
    let stage = Stage::new();
    let program = stage.env.fake_agent();
    let asking = format!("{} --dialog trust", program.display());
    let words = ["agent", "spawn", "w1", "--command", &asking, "--send", "begin", "--json"];
    let output = stage.env.drover(&words);
    let answer = output.json();
    assert_eq!((output.exit, &answer["outcome"]), (7, &json!("dialog_stands")), "{output}");
    assert_eq!((&answer["exit"], &answer["ok"]), (&json!(7), &json!(false)));
    assert_eq!(answer["data"]["agent"]["name"], "w1");
    assert_eq!(answer["data"]["message"]["level"], "refused");
    assert_eq!(answer["data"]["reason"], "dialog_stands");
    assert_eq!(show(&stage.env, "w1")["lifecycle"], "running");
    let shell =
        stage.env.drover(&["agent", "spawn", "w2", "--engine", "shell", "--send", "ls", "--json"]);
    assert_eq!((shell.exit, shell.json()["outcome"].clone()), (3, json!("shell_runs")));
    assert_eq!(show(&stage.env, "w2")["state"], "idle");
}

#[test]
fn a_text_that_cannot_be_sent_at_all_starts_nothing() {
    let env = project();
    let missing =
        ["agent", "spawn", "w1", "--engine", "shell", "--json", "--send-file", "/no/such"];
    assert_ne!(env.drover(&missing).exit, 0);
    let empty = ["agent", "spawn", "w1", "--engine", "shell", "--json", "--send", ""];
    env.drover(&empty).refused(2, "usage");
    let dry = [
        "agent",
        "spawn",
        "w1",
        "--engine",
        "shell",
        "--run",
        "--send",
        "ls",
        "--dry-run",
        "--json",
    ];
    let effects = env.drover(&dry).ok().json()["effects"].clone();
    assert!(
        effects.as_array().unwrap().iter().any(|it| it.as_str().unwrap().contains("first message"))
    );
    assert_eq!((names(&env).len(), panes(&env)), (0, 0));
}

#[test]
fn a_workspace_begins_from_the_revision_that_is_named() {
    let env = crate::env();
    let repository = env.repository("repo");
    repository.write("file", "one\n");
    let first = repository.commit("one");
    repository.git(&["tag", "v1"]);
    repository.write("file", "two\n");
    let second = repository.commit("two");
    env.drover(&["project", "init", "web", "--repo", repository.path().to_str().unwrap()]).ok();
    let base = |words: &[&str]| {
        let words: Vec<&str> = [words, &["--engine", "shell"]].concat();
        let answer = spawned(&env, &words);
        answer["data"]["workspace"]["base"].clone()
    };
    assert_eq!(base(&["w1"]), json!(second.trim()));
    assert_eq!(base(&["w2", "--from", "v1"]), json!(first.trim()));
    let cwd = show(&env, "w2")["cwd"].as_str().unwrap().to_owned();
    assert_eq!(std::fs::read_to_string(format!("{cwd}/file")).unwrap(), "one\n");
    let before = panes(&env);
    for bad in ["no-such-branch", "", "--all", "-x", "HEAD:file"] {
        let from = format!("--from={bad}");
        let output = env.drover(&["agent", "spawn", "w3", "--engine", "shell", "--json", &from]);
        assert_eq!(
            (output.exit, output.json()["outcome"].clone()),
            (3, json!("revision_unknown")),
            "{bad}"
        );
    }
    env.drover(&[
        "agent",
        "spawn",
        "w3",
        "--engine",
        "shell",
        "--no-workspace",
        "--from",
        "v1",
        "--json",
    ])
    .refused(2, "usage");
    assert_eq!((names(&env).len(), panes(&env)), (2, before));
    env.drover(&["project", "init", "bare"]).ok();
    env.drover(&["agent", "spawn", "bare/w1", "--engine", "shell", "--from", "v1", "--json"])
        .refused(2, "usage");
}

/// A tmux that stops in the middle of making a pane, until the mark is taken away.
fn slow_tmux(env: &TestEnv) -> std::path::PathBuf {
    let tmux = env.call("sh", &["-c", "command -v tmux"]).run().ok().stdout;
    let mark = env.root().join("tmp").join("making");
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *new-session*) touch {0}; while [ -e {0} ]; do sleep 0.05; done ;; esac\nexec {1} \"$@\"\n",
        mark.display(),
        tmux.trim()
    );
    env.shim("tmux", &script);
    mark
}

/// Fault P-10.
#[test]
fn whoever_looks_while_an_agent_is_being_made_starts_no_second_one() {
    let env = project();
    env.drover(&["task", "add", "one"]).ok();
    let mark = slow_tmux(&env);
    let making = env.drover_in_background(&[
        "agent", "spawn", "w1", "--engine", "shell", "--work", "true", "--json",
    ]);
    wait_until("its row is there and its pane is not", LONG, || mark.exists());
    let listed = env.drover(&["agent", "list", "--json"]).ok().data();
    assert_eq!(listed["items"][0]["state"], "starting", "{listed}");
    assert_eq!(listed["items"][0]["lifecycle"], "launching");
    for look in [&["state"][..], &["doctor"], &["dispatch"], &["agent", "show", "w1"]] {
        env.drover(look);
        assert_eq!(show(&env, "w1")["lifecycle"], "launching", "{look:?}");
    }
    // Those that act on it wait for its launch or refuse; none makes another.
    let words = ["agent", "spawn", "w1", "--engine", "shell", "--json"];
    env.drover(&words).refused(4, "agent_exists");
    let restart = env.drover_in_background(&["agent", "restart", "w1", "--json"]);
    assert!(restart.is_running());
    std::fs::remove_file(&mark).unwrap();
    let made = making.wait().ok().data()["agent"].take();
    restart.wait().ok();
    assert_eq!((names(&env), panes(&env)), (vec!["w1".to_owned()], 1));
    assert_eq!(show(&env, "w1")["pane"]["id"], made["pane"]["id"]);
}

#[test]
fn a_launch_whose_caller_is_gone_is_taken_back_by_one_of_many_that_look() {
    let env = project();
    let mark = slow_tmux(&env);
    let making = env.drover_in_background(&["agent", "spawn", "w1", "--engine", "shell", "--json"]);
    wait_until("its row is there", LONG, || mark.exists());
    making.signal(Signal::KILL);
    making.wait();
    std::fs::remove_file(&mark).unwrap();
    let list = || ["agent", "list", "--json"].map(str::to_owned).to_vec();
    for output in super::at_once(&env, &vec![list(); 8]) {
        output.ok();
    }
    wait_until("nothing is left of it", LONG, || names(&env).is_empty() && panes(&env) == 0);
}

/// Fault P-24.
#[test]
fn an_agent_works_in_its_own_checkout_and_nothing_of_it_lands_in_its_parents() {
    let env = crate::env();
    let repository = env.repository("repo");
    repository.write("file", "one\n");
    let base = repository.commit("one");
    env.drover(&["project", "init", "web", "--repo", repository.path().to_str().unwrap()]).ok();
    // The caller stands in the parent's checkout, and so does nothing that it starts.
    let words =
        ["agent", "spawn", "w1", "--engine", "shell", "--json", "--run", "--send", "pwd -P > seen"];
    let answer = env.drover_call(&words).directory(repository.path()).run().ok().data();
    let cwd = answer["workspace"]["path"].as_str().unwrap().to_owned();
    let agent = &answer["agent"];
    assert_eq!(
        std::fs::read_link(format!("/proc/{}/cwd", pid(agent))).unwrap(),
        std::path::Path::new(&cwd)
    );
    let seen = format!("{cwd}/seen");
    wait_until("its first text has run", LONG, || {
        std::fs::read_to_string(&seen).is_ok_and(|it| it.ends_with('\n'))
    });
    assert_eq!(std::fs::read_to_string(&seen).unwrap().trim(), cwd);
    in_pane(&env, pane(agent), "git add seen && git commit -qm seen");
    assert_eq!(repository.git(&["rev-parse", "HEAD"]).trim(), base.trim());
    assert_eq!(repository.git(&["status", "--porcelain"]), "");
    let branch = repository.git(&["log", "-1", "--format=%s", "drover/web/w1"]);
    assert_eq!(branch.trim(), "seen");
    assert!(processes::is_running(pid(agent)));
}

/// Fault P-25.
#[test]
fn a_question_that_comes_only_outside_a_repository_is_foretold_and_never_answered() {
    let stand_ins = StandIns::new();
    let env = &stand_ins.stage.env;
    let record = env.root().join("record");
    let script = format!(
        "#!/bin/sh\necho \"$@\" > {0}.words\nexec '{1}' --record '{0}' --dialog trust\n",
        record.display(),
        env.fake_agent().display()
    );
    let program = env.shim("asking", &script);
    for (number, place) in [env.home(), "/".into()].iter().enumerate() {
        let name = format!("w{number}");
        let words = [
            "agent",
            "spawn",
            &name,
            "--engine",
            "claude",
            "--json",
            "--cwd",
            place.to_str().unwrap(),
        ];
        let call = |more: &[&str]| {
            let all: Vec<&str> = words.iter().chain(more).copied().collect();
            env.drover_call(&all).variable("DROVER_ENGINE_CLAUDE", &program).run().ok().json()
        };
        let foretold = |answer: &Value| {
            let warnings = answer["warnings"].as_array().unwrap();
            warnings.iter().any(|it| it.as_str().unwrap().contains("whether it is trusted"))
        };
        // Before anything is made, and when it is.
        assert!(foretold(&call(&["--dry-run"])));
        assert!(foretold(&call(&[])));
        wait_until("it asks", LONG, || show(env, &name)["state"] == "needs_input");
        assert_eq!(show(env, &name)["reason"], "trust");
        assert!(Recorded::read(&record).of("dialog_answered").is_empty());
        let given = std::fs::read_to_string(format!("{}.words", record.display())).unwrap();
        assert!(!given.contains("bypassPermissions") && !given.contains("--approve"), "{given}");
    }
    let repository = env.repository("repo");
    let inside = spawn(
        env,
        "w9",
        &["--command", "sleep 1000", "--cwd", repository.path().to_str().unwrap()],
    );
    assert_eq!(inside["lifecycle"], "running");
}

/// Fault S-18.
#[test]
fn after_an_interrupt_a_text_is_pasted_seen_and_submitted_or_said_to_be_lost() {
    let stage = Stage::new();
    let deaf = stage.agent("w1", &["--deaf-after-escape", "--draft", "two\nlines"]);
    stage.env.tmux_server().keys(&deaf.pane, &["C-u", "Escape"]);
    deaf.wait_for("keys", 2);
    stage.env.tmux(&["send-keys", "-t", &deaf.pane, "-l", "--", "typed"]).ok();
    deaf.wait_for("typed_lost", 1);
    let sent = deaf.send(&["several\nlines of text"]).ok();
    assert_eq!(sent.data()["message"]["level"], "submitted");
    assert_eq!(deaf.recorded().of("submit")[0]["text"], "several\nlines of text");
    // Where the paste is lost too, that is what the receipt says.
    let gone = stage.agent("w2", &["--deaf-after-escape", "--drop-paste", "1"]);
    stage.env.tmux_server().keys(&gone.pane, &["Escape"]);
    gone.wait_for("keys", 1);
    gone.send(&["lost"]).refused(6, "paste_lost");
    assert!(gone.recorded().of("submit").is_empty());
}
