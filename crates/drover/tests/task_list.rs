//! `drover task list` and `task show`.

use drover_store::agents::{self, NewAgent, Profile};
use drover_store::notes::{self, Evidence};
use drover_store::{projects, tasks};
use serde_json::{Value, json};

use crate::env;
use crate::graphs::{Sketch, fill, write};

fn ids(listed: &Value) -> Vec<&str> {
    listed["items"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect()
}

#[test]
fn every_filter_narrows_and_every_order_orders() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    for (id, impact) in [("b", "10"), ("a", "90"), ("c", "50")] {
        env.drover(&["task", "add", id, "-i", impact]).ok();
    }
    env.drover(&["task", "claim", "c", "--actor", "ann"]).ok();
    env.drover(&["task", "park", "a", "--why", "later"]).ok();
    let list = |words: &[&str]| {
        let mut call = vec!["task", "list", "--json"];
        call.extend(words);
        env.drover(&call).ok().data()
    };
    assert_eq!(ids(&list(&[])), ["a", "b", "c"]);
    assert_eq!(ids(&list(&["--status", "open"])), ["a", "b"]);
    assert_eq!(
        ids(&list(&["--status", "open, IN_PROGRESS", "--substate", "todo,active"])),
        ["b", "c"]
    );
    assert_eq!(ids(&list(&["--substate", "parked"])), ["a"]);
    assert_eq!(ids(&list(&["--sort", "roi"])), ["a", "c", "b"]);
    assert_eq!(ids(&list(&["--sort", "age"])), ["b", "a", "c"]);
    assert_eq!(ids(&list(&["--sort", "recency"])), ["a", "c", "b"]);
    assert_eq!(ids(&list(&["--owned-by", "user:ann"])), ["c"]);
    assert_eq!(ids(&list(&["--mine", "--actor", "ann"])), ["c"]);
    assert_eq!(ids(&list(&["--mine"])), Vec::<&str>::new());
}

/// Fault G-17.
#[test]
fn a_word_that_is_not_known_is_refused_and_never_lists_more() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    for words in [
        ["--status", "OPEN, "],
        ["--status", ""],
        ["--status", "done"],
        ["--substate", "todo,bogus"],
        ["--sort", "size"],
        ["-n", "-1"],
        ["--owned-by", " "],
    ] {
        let [flag, value] = words;
        env.drover(&["task", "list", &format!("{flag}={value}"), "--json"]).refused(2, "usage");
    }
    env.drover(&["task", "list", "--owned-by", "nobody", "--json"]).refused(3, "agent_unknown");
    env.drover(&["task", "list", "--mine", "--owned-by", "x", "--json"]).refused(2, "usage");
}

#[test]
fn a_long_listing_says_how_much_it_left_out() {
    let env = env();
    fill(&env, "web", &vec![Sketch::todo(&[]); 120]);
    let cut = env.drover(&["task", "list", "--json"]).ok().json();
    assert_eq!((&cut["data"]["count"], &cut["data"]["total"]), (&json!(100), &json!(120)));
    assert_eq!(cut["next"][1]["run"], "drover task list -p web -n 0");
    assert!(env.drover(&["task", "list"]).ok().stdout.contains("… and 20 more\n"));
    assert_eq!(env.drover(&["task", "list", "-n", "0", "--json"]).ok().data()["count"], 120);
}

#[test]
fn an_agents_tasks_are_listed_by_its_name_and_a_note_on_them_is_not_seen_by_itself() {
    let env = env();
    fill(&env, "web", &vec![Sketch::todo(&[]); 2]);
    write(&env, |tx| {
        let project = projects::find(tx, "web").unwrap().unwrap();
        let profile = Profile {
            role: "worker".to_owned(),
            engine: "cat".to_owned(),
            command: "[\"cat\"]".to_owned(),
            work: None,
            takes_work: "none".to_owned(),
            env_names: "[]".to_owned(),
            model: None,
            thinking: None,
            unattended: false,
            skills: "[]".to_owned(),
            permission: None,
            sandbox: None,
            cwd: "/".to_owned(),
        };
        let new = NewAgent {
            project_pk: project.pk,
            name: "w1",
            profile: &profile,
            nonce: "n",
            deadline_at: "2026-01-02T03:05:05.000Z",
            server: ("tmux", "/tmp/none"),
            tab: None,
        };
        agents::insert(tx, &new).unwrap();
    });
    env.drover(&["task", "claim", "t0", "--for", "w1"]).ok();
    let listed = env.drover(&["task", "list", "--owned-by", "w1", "--json"]).ok().data();
    assert_eq!(ids(&listed), ["t0"]);
    let noted = env.drover(&["task", "note", "t0", "look", "--json"]).ok().json();
    assert!(noted["data"]["unseen_by"].as_str().unwrap().starts_with("w1@"));
    assert_eq!(noted["next"][0]["run"], "drover agent send w1 \"<text>\" -p web");
}

/// Fault E-02.
#[test]
fn show_splits_blockers_and_proof_tells_stale_evidence_from_fresh() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    for id in ["done", "open"] {
        env.drover(&["task", "add", id]).ok();
    }
    env.drover(&["task", "add", "mine", "-b", "done,open"]).ok();
    env.drover(&["task", "close", "done"]).ok();
    env.drover(&["task", "claim", "mine", "--force"]).ok();
    env.drover(&["task", "note", "mine", "read the spec"]).ok();
    write(&env, |tx| {
        let project = projects::find(tx, "web").unwrap().unwrap();
        let task = tasks::find(tx, project.pk, "mine").unwrap().unwrap();
        for (kind, commit) in [("verified", "aaa"), ("verified", "bbb"), ("landed", "ccc")] {
            let evidence = Evidence {
                kind: kind.to_owned(),
                verb: "close".to_owned(),
                command: Some("make test".to_owned()),
                exit: Some(0),
                commit_oid: Some(commit.to_owned()),
                said_by: "w1".to_owned(),
                ..Evidence::default()
            };
            notes::insert_evidence(tx, project.pk, &task.uid, &evidence).unwrap();
        }
    });
    let shown = env.drover(&["task", "show", "mine", "--json"]).ok().data();
    assert_eq!(shown["blockers"]["satisfied"]["items"][0]["id"], "done");
    assert_eq!(shown["blockers"]["gating"]["items"][0]["id"], "open");
    let proof = env.drover(&["task", "show", "mine", "--proof", "--json"]).ok().data();
    let stale: Vec<&Value> =
        proof["evidence"]["items"].as_array().unwrap().iter().map(|it| &it["stale"]).collect();
    assert_eq!(stale, [&json!(true), &json!(false)]);
    assert_eq!(proof["commits"]["items"], json!(["aaa", "bbb", "ccc"]));
    assert_eq!(
        (&proof["landings"]["count"], &proof["claim"]["by"]),
        (&json!(1), &json!("user:tester"))
    );
    assert_eq!(proof["brief"]["notes"]["items"][0]["text"], "read the spec");
    let text = env.drover(&["task", "show", "mine", "--proof"]).ok().stdout;
    assert!(text.contains("STALE: there is evidence on a later commit"), "{text}");
}

#[test]
fn a_label_a_track_and_every_project_narrow_and_widen_a_listing() {
    let env = env();
    for project in ["web", "app"] {
        env.drover(&["project", "init", project]).ok();
    }
    let add = |project: &str, words: &[&str]| {
        env.drover(&[&["task", "add", "-p", project], words].concat()).ok();
    };
    add("web", &["schema", "--label", "db", "-i", "20"]);
    add("web", &["page", "-b", "schema", "-i", "90"]);
    add("web", &["guide", "--label", "db,docs", "-i", "40"]);
    add("app", &["icon", "--label", "db", "-i", "60"]);
    let list = |words: &[&str]| env.drover(&[&["task", "list", "--json"], words].concat());
    assert_eq!(ids(&list(&["-p", "web", "--label", "db"]).ok().data()), ["guide", "schema"]);
    assert_eq!(ids(&list(&["-p", "web", "--label", "none"]).ok().data()), [""; 0]);
    for id in ["schema", "page"] {
        let track = list(&["--track", &format!("web/{id}")]).ok().data();
        assert_eq!(ids(&track), ["page", "schema"]);
    }
    env.drover(&["task", "close", "web/schema"]).ok();
    assert_eq!(ids(&list(&["-p", "web", "--track", "page"]).ok().data()), ["page", "schema"]);
    env.drover(&["task", "close", "web/page"]).ok();
    assert_eq!(list(&["-p", "web", "--track", "page"]).ok().data()["count"], 0);
    let all = list(&["--all", "--sort", "roi", "-n", "2"]).ok().data();
    assert_eq!((ids(&all), &all["total"]), (vec!["page", "icon"], &json!(4)));
    assert_eq!(all["items"][1]["project"], "app");
    assert_eq!(ids(&list(&["--all", "--status", "open"]).ok().data()), ["guide", "icon"]);
    let text = env.drover(&["task", "list", "--all"]).ok().stdout;
    assert!(text.starts_with("project  id"), "{text}");
    env.drover(&["task", "claim", "app/icon", "--actor", "ann"]).ok();
    assert_eq!(ids(&list(&["--all", "--owned-by", "user:ann"]).ok().data()), ["icon"]);
    assert_eq!(ids(&list(&["--owned-by", "app/user:ann"]).ok().data()), ["icon"]);
    list(&["--all", "--owned-by", "nobody"]).refused(3, "agent_unknown");
    list(&["--all", "--track", "page"]).refused(2, "usage");
    list(&["-p", "web", "--track", "nosuch"]).refused(3, "task_unknown");
    for flag in ["--label", "--track"] {
        list(&["-p", "web", flag, " "]).refused(2, "usage");
    }
}

#[test]
fn a_person_sees_what_it_holds_in_every_project_and_what_it_held_to_the_end() {
    let env = env();
    for project in ["web", "app"] {
        env.drover(&["project", "init", project]).ok();
        for id in ["one", "two"] {
            env.drover(&["task", "add", id, "-p", project]).ok();
            env.drover(&["task", "claim", &format!("{project}/{id}")]).ok();
        }
    }
    env.drover(&["task", "close", "app/one"]).ok();
    let mine =
        |words: &[&str]| env.drover(&[&["me", "tasks", "--json"], words].concat()).ok().data();
    assert_eq!((&mine(&[])["count"], ids(&mine(&["--all"]))[0]), (&json!(3), "one"));
    assert_eq!(mine(&["--all"])["count"], 4);
    let me = env.drover(&["me", "show", "--all", "--json"]).ok().data();
    assert_eq!(me["tasks"]["count"], 4);
    let text = env.drover(&["me", "show", "--all"]).ok().stdout;
    assert!(text.contains("You hold app/one (CLOSED): one"), "{text}");
    assert_eq!(env.drover(&["me", "tasks", "--actor", "ann", "--json"]).ok().data()["count"], 0);
}

/// Fault E-08.
#[test]
fn what_is_worth_the_same_goes_by_age_and_the_oldest_is_shown() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    // Ids that sort before all that came earlier.
    for number in (10..20).rev() {
        env.drover(&["task", "add", &format!("t{number}")]).ok();
    }
    let oldest = || {
        let state = env.drover(&["state", "--json"]).ok().data();
        state["projects"]["items"][0]["oldest_ready"]["id"].clone()
    };
    for number in (10..20).rev() {
        assert_eq!(oldest(), json!(format!("t{number}")));
        env.drover(&["task", "add", &format!("a{number}")]).ok();
        let taken = env.drover(&["task", "next", "--claim", "--json"]).ok().data();
        assert_eq!(taken["task"]["id"], json!(format!("t{number}")));
    }
    env.drover(&["task", "add", "urgent", "-i", "90"]).ok();
    let next = env.drover(&["task", "next", "--json"]).ok().data();
    assert_eq!(ids(&next), ["urgent"]);
    let text = env.drover(&["state"]).ok().stdout;
    assert!(text.contains("Ready (the oldest is a19, made "), "{text}");
}

#[test]
fn the_command_that_lists_all_lists_no_more_than_was_asked_for() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    for id in ["a", "b", "c"] {
        env.drover(&["task", "add", id, "--label", "it's new"]).ok();
    }
    let words =
        ["task", "list", "-n", "1", "--status", "open", "--label", "it's new", "--sort", "age"];
    let answer = env.drover(&[&words[..], &["--json"]].concat()).ok().json();
    let next = answer["next"].as_array().unwrap();
    let all =
        next.iter().find(|it| it["why"] == "list all of them").unwrap()["run"].as_str().unwrap();
    let binary = env.binary().display().to_string();
    let line = format!("exec '{binary}' {} --json", all.strip_prefix("drover ").unwrap());
    let listed = env.call("sh", &["-c", &line]).run().ok().data();
    assert_eq!(ids(&listed), ["a", "b", "c"]);
    for part in [" --status ", " --label ", " --sort age"] {
        assert!(all.contains(part), "{all}");
    }
}
