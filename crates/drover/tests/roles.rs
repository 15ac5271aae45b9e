//! What agents may do by their roles, what they are told when they may not, and what the log keeps of it.

use drover_testkit::TestEnv;
use serde_json::Value;

use crate::agent::{in_pane, pane, project, spawn};

/// An agent at its shell.
struct Shell<'a> {
    env: &'a TestEnv,
    pane: String,
}

impl<'a> Shell<'a> {
    fn new(env: &'a TestEnv, name: &str, role: &str) -> Self {
        let agent = spawn(env, name, &["--engine", "shell", "--role", role, "-p", "web"]);
        Self { env, pane: pane(&agent).to_owned() }
    }

    /// What a call of this agent answers.
    #[track_caller]
    fn call(&self, words: &str) -> Value {
        let line = format!("{} {words} --json", self.env.binary().display());
        let printed = in_pane(self.env, &self.pane, &line);
        serde_json::from_str(&printed).unwrap_or_else(|err| panic!("{words}: {err}: {printed}"))
    }

    #[track_caller]
    fn may(&self, words: &str) -> Value {
        let mut answer = self.call(words);
        assert_eq!(answer["ok"], true, "{words}: {answer}");
        answer["data"].take()
    }

    #[track_caller]
    fn may_not(&self, words: &str) -> Value {
        let answer = self.call(words);
        let refused = (&answer["outcome"], &answer["exit"]);
        assert_eq!(refused, (&"role_forbids".into(), &3.into()), "{words}: {answer}");
        answer
    }
}

/// The lines about what was refused, oldest first.
fn refused(env: &TestEnv) -> Vec<String> {
    let data = env.drover(&["log", "--kind", "refused", "-p", "web", "--json"]).ok().data();
    let items = data["items"].as_array().unwrap();
    items.iter().map(|it| it["words"].as_str().unwrap().to_owned()).collect()
}

/// What a worker's token does not let it do, whatever it tries, and the log that says so.
#[test]
fn must_show_02_9() {
    let env = crate::env();
    let repository = env.repository("repo");
    env.drover(&["project", "init", "web", "--repo", repository.path().to_str().unwrap()]).ok();
    for id in ["mine", "theirs"] {
        env.drover(&["task", "add", id]).ok();
    }
    let w1 = Shell::new(&env, "w1", "worker");
    Shell::new(&env, "w2", "worker");
    env.drover(&["task", "claim", "theirs", "--for", "w2"]).ok();
    w1.may("task claim mine");
    let tries = [
        "task delete mine --yes",
        "task close theirs --evidence done",
        "agent spawn w3 --engine shell",
        "workspace land w1",
    ];
    for words in tries {
        let answer = w1.may_not(words);
        let verb: Vec<&str> = words.split(' ').take(2).collect();
        assert_eq!(answer["data"]["verb"], verb.join(" "), "{answer}");
        assert_eq!(answer["data"]["role"], "worker");
        let way = answer["next"][0]["run"].as_str().unwrap();
        assert_eq!(way, "drover task note web/mine \"<text>\"");
    }
    let lines = refused(&env);
    assert_eq!(lines.len(), tries.len(), "{lines:?}");
    for (line, words) in lines.iter().zip(tries) {
        let verb: Vec<&str> = words.split(' ').take(2).collect();
        assert!(line.contains(&verb.join(" ")), "{line}");
    }
    let shown = env.drover(&["task", "show", "theirs", "--json"]).ok().data();
    assert_eq!(shown["task"]["status"], "IN_PROGRESS");
    w1.may("task close mine --evidence done");
}

#[test]
fn a_worker_works_in_its_project_and_asks_for_the_rest() {
    let env = project();
    env.drover(&["project", "init", "other"]).ok();
    for id in ["one", "two", "three"] {
        env.drover(&["task", "add", id, "-p", "web"]).ok();
    }
    env.drover(&["task", "add", "far", "-p", "other"]).ok();
    env.drover(&["task", "block", "two", "--by", "one", "-p", "web"]).ok();
    let w1 = Shell::new(&env, "w1", "worker");
    Shell::new(&env, "w2", "worker");

    for words in ["state", "task list", "task show three", "task why two", "agent list", "me"] {
        w1.may(words);
    }
    w1.may("task note three 'look here'");
    assert_eq!(w1.may("task add 'Something else'")["task"]["substate"], "triage");
    assert_eq!(w1.may("task next --claim")["task"]["id"], "one");
    assert_eq!(w1.call("task claim two")["outcome"], "task_blocked");
    w1.may("task release one");
    assert_eq!(w1.call("task release one")["outcome"], "unchanged");

    let beyond = [
        "task claim two --force",
        "task claim three --for w2",
        "task next --claim --for w2",
        "task close three",
        "task update three --impact 3",
        "task admit something-else",
        "task list -p other",
        "task show other/far",
        "state --all",
        "log --all",
        "project set wip 3",
        "agent send w2 hello",
        "agent close w2",
        "undo -p other",
        "dispatch",
        "run plan.json",
    ];
    for words in beyond {
        w1.may_not(words);
    }
    let lead = spawn(&env, "lead", &["--command", "cat", "--role", "coordinator", "-p", "web"]);
    assert_eq!(lead["role"], "coordinator");
    let answer = w1.may_not("agent kick w2");
    assert_eq!(answer["next"][0]["run"], "drover agent send web/lead \"<text>\"");
    assert_eq!(w1.call("agent send lead hello")["outcome"], "typed");
}

#[test]
fn a_worker_takes_back_only_what_it_did_itself() {
    let env = project();
    env.drover(&["task", "add", "one"]).ok();
    let w1 = Shell::new(&env, "w1", "worker");
    w1.may("task note one mine");
    env.drover(&["task", "note", "one", "yours"]).ok();
    let group = |verb: &str, by: &str| {
        let words = ["log", "--intent", verb, "--source", by, "--json"];
        let items = env.drover(&words).ok().data()["items"].take();
        items[0]["group"].as_str().unwrap().to_owned()
    };
    w1.may(&format!("undo {} --yes", group("task.note", "w1")));
    w1.may_not(&format!("undo {} --yes", group("task.note", "user:tester")));
    w1.may_not(&format!("undo {} --yes", group("role.refuse", "w1")));
}

#[test]
fn a_reviewer_rejects_its_own_review_task_and_closes_nothing_else() {
    let env = project();
    for id in ["review", "more", "open"] {
        env.drover(&["task", "add", id]).ok();
    }
    let reviewer = Shell::new(&env, "r1", "reviewer");
    for id in ["review", "more"] {
        env.drover(&["task", "claim", id, "--for", "r1"]).ok();
    }
    for words in [
        "task next --claim",
        "task claim open",
        "task close review",
        "task close open --as rejected --why bad",
        "me work",
    ] {
        reviewer.may_not(words);
    }
    reviewer.may("task next");
    reviewer.may("task note review 'the tests are missing'");
    reviewer.may("task close review --as rejected --why 'the tests are missing'");
    reviewer.may("task release more");
}

#[test]
fn a_coordinator_runs_the_project_and_leaves_to_people_what_is_theirs() {
    let env = project();
    env.drover(&["task", "add", "one"]).ok();
    let lead = Shell::new(&env, "lead", "coordinator");
    Shell::new(&env, "w1", "worker");
    env.drover(&["task", "claim", "one", "--for", "w1"]).ok();
    lead.may("task close one --evidence seen");
    lead.may("task delete one --yes");
    lead.may("agent close w1");
    for words in ["project teardown web --yes", "project trust --yes"] {
        let answer = lead.call(words);
        assert_eq!((&answer["outcome"], &answer["exit"]), (&"people_only".into(), &3.into()));
    }
    assert_eq!(refused(&env).len(), 2);
}

/// Fault X-04.
#[test]
fn nobody_is_another_by_saying_so() {
    let env = project();
    let w1 = Shell::new(&env, "w1", "worker");
    for words in ["--actor boss task add x", "--actor user:boss project teardown web --yes"] {
        let bare = format!(
            "env -u DROVER_TOKEN -u DROVER_AGENT {} {words} --json",
            env.binary().display()
        );
        for line in [bare, format!("{} {words} --json", env.binary().display())] {
            let answer: Value = serde_json::from_str(&in_pane(&env, &w1.pane, &line)).unwrap();
            assert_eq!(answer["outcome"], "usage", "{line}: {answer}");
        }
    }
    assert_eq!(env.drover(&["task", "list", "--json"]).ok().data()["count"], 0);
}

/// Fault C-06.
#[test]
fn a_sandbox_that_hides_the_agent_from_itself_is_named_and_nobody_is_taken_for_dead() {
    let env = project();
    let w1 = Shell::new(&env, "w1", "worker");
    env.drover(&["task", "add", "one"]).ok();
    w1.may("task claim one");
    let alone = "unshare -pf --mount-proc --map-root-user";
    let can = in_pane(&env, &w1.pane, &format!("{alone} echo yes"));
    if can != "yes\n" {
        println!("this system gives no processes of one's own: {can}");
        return;
    }
    for without in ["", "env -u DROVER_TOKEN"] {
        for words in ["state", "task close one --evidence done", "agent list"] {
            let line = format!("{alone} {without} {} {words} --json", env.binary().display());
            let answer: Value = serde_json::from_str(&in_pane(&env, &w1.pane, &line)).unwrap();
            let refused = (&answer["outcome"], &answer["exit"]);
            assert_eq!(refused, (&"sandbox_denies".into(), &5.into()), "{words}: {answer}");
        }
    }
    assert_eq!(w1.may("task show one")["task"]["status"], "IN_PROGRESS");
}

#[test]
fn an_agent_that_tries_for_ever_fills_no_log() {
    let env = project();
    let w1 = Shell::new(&env, "w1", "worker");
    for _ in 0..3 {
        w1.may_not("task delete same --yes");
    }
    assert_eq!(refused(&env).len(), 1);
    w1.may_not("task delete same --yes --dry-run");
    for number in 0..15 {
        env.drover(&["task", "add", "t", "--id", &format!("t{number}")]).ok();
        w1.may_not(&format!("task close t{number}"));
    }
    let lines = refused(&env);
    assert_eq!(lines.len(), 11, "{lines:?}");
    assert_eq!(lines[1], "refused: task close: nobody holds t0");
    assert_eq!(lines[10], "refused: task close: nobody holds t9; no more within the hour");
}

#[test]
fn a_refused_call_leaves_its_key_free() {
    let env = project();
    env.drover(&["task", "add", "one"]).ok();
    let w1 = Shell::new(&env, "w1", "worker");
    w1.may_not("task close one --key k");
    w1.may("task claim one --key k");
}

#[test]
fn an_agent_that_leads_asks_in_sql_and_changes_and_sees_no_secret() {
    let env = project();
    let lead = Shell::new(&env, "lead", "coordinator");
    let w1 = Shell::new(&env, "w1", "worker");
    env.drover(&["task", "add", "one"]).ok();
    w1.may_not("sql 'SELECT 1'");
    let asked = lead.may("sql 'SELECT name, token_hash, nonce FROM agents'");
    assert_eq!(
        asked["rows"]["items"][0],
        serde_json::json!({"name": "lead", "token_hash": null, "nonce": null})
    );
    let hidden = lead.may("sql 'SELECT count(*) AS n FROM agents WHERE token_hash IS NOT NULL'");
    assert_eq!(hidden["rows"]["items"][0]["n"], 0);
    for with in ["WITH x AS", "WITH x AS MATERIALIZED", "WITH RECURSIVE x AS"] {
        let named =
            lead.may(&format!("sql '{with} (SELECT token_hash AS s FROM agents) SELECT s FROM x'"));
        assert_eq!(named["rows"]["items"][0]["s"], serde_json::Value::Null, "{with}");
    }
    let logged = lead.may("sql 'SELECT count(new) + count(old) AS n FROM ops'");
    assert_eq!(logged["rows"]["items"][0]["n"], 0, "the log carries whole rows");
    let answer = lead.call("sql 'UPDATE tasks SET impact=1'");
    assert_eq!((&answer["outcome"], &answer["exit"]), (&"people_only".into(), &3.into()));
    let seen = env.drover(&["sql", "SELECT count(token_hash) AS n FROM agents", "--json"]).ok();
    assert_eq!(seen.data()["rows"]["items"][0]["n"], 2);
}
