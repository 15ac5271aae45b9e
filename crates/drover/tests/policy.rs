//! `drover project set` and `drover project trust`.

use std::fs;

use serde_json::{Value, json};

use crate::env;

#[test]
fn a_policy_value_is_set_shown_taken_back_and_undone() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    let set = env.drover(&["project", "set", "wip", "3", "--json"]).ok().data();
    assert_eq!((&set["was"], &set["value"]), (&Value::Null, &json!("3")));
    env.drover(&["project", "set", "verify", "cargo test --quiet"]).ok();
    env.drover(&["project", "set", "bring", ".env,config/local.toml"]).ok();
    env.drover(&["project", "set", "verify_timeout", "30m"]).ok();
    let shown = env.drover(&["project", "show", "--json"]).ok().data();
    let policy = json!({ "bring": ".env,config/local.toml", "verify": "cargo test --quiet", "verify_timeout": "30m", "wip": "3" });
    assert_eq!(shown["project"]["policy"], policy);
    let unset = env.drover(&["project", "set", "wip", "--unset", "--json"]).ok().data();
    assert_eq!((&unset["was"], &unset["value"]), (&json!("3"), &Value::Null));
    let listed = env.drover(&["undo", "-n", "1", "--json"]).ok().data();
    let group = listed["items"][0]["group"].as_str().unwrap();
    env.drover(&["undo", group, "--yes"]).ok();
    assert_eq!(
        env.drover(&["project", "show", "--json"]).ok().data()["project"]["policy"]["wip"],
        "3"
    );
}

/// Fault I-10.
#[test]
fn an_unknown_key_a_bad_value_and_a_secret_are_refused() {
    let env = env();
    env.drover(&["project", "init", "web"]).ok();
    for words in [
        &["wipp", "3"][..],
        &["wipp", "--unset"],
        &["wip", "0"],
        &["wip", "many"],
        &["wip", " "],
        &["tracks", "both"],
        &["verify_timeout", "0"],
        &["bring", "../out"],
        &["attempts", "-1"],
        &["wip"],
        &["wip", "3", "--unset"],
    ] {
        let mut call = vec!["project", "set", "--json"];
        call.extend(words);
        env.drover(&call).refused(2, "usage");
    }
    let secret = "curl -H 'Authorization: Bearer abcdefghijklmnopqrstuvwxyz012345' host";
    env.drover(&["project", "set", "verify", secret, "--json"]).refused(2, "secret_refused");
    assert_eq!(
        env.drover(&["project", "show", "--json"]).ok().data()["project"]["policy"],
        json!({})
    );
}

#[test]
fn commands_from_outside_are_shown_whole_trusted_once_and_asked_about_again_when_changed() {
    let env = env();
    let repository = env.repository("repo");
    repository.write(".drover/setup", "echo one\necho two\n");
    env.drover(&["project", "init", "web", "--repo", repository.path().to_str().unwrap()]).ok();
    let plan = json!({ "tasks": [
        { "id": "a", "title": "A", "verify": "make test" },
        { "id": "b", "title": "B", "verify": "make test" },
    ]});
    env.drover_with_stdin(&["task", "import", "-"], plan.to_string()).ok();
    env.drover(&["task", "add", "Mine", "--verify", "my own"]).ok();
    let shown = env.drover(&["project", "trust", "--json"]).ok().data();
    let commands = shown["commands"]["items"].as_array().unwrap();
    let texts: Vec<(&str, &str)> = commands
        .iter()
        .map(|it| (it["kind"].as_str().unwrap(), it["command"].as_str().unwrap()))
        .collect();
    assert_eq!(texts, [("verify", "make test"), ("setup", "echo one\necho two\n")]);
    let card = env.drover(&["project", "trust"]).ok().stdout;
    assert!(
        card.contains("    echo two\n") && card.contains("drover project trust -p web --yes"),
        "{card}"
    );
    env.drover(&["project", "trust", "--yes"]).ok();
    assert_eq!(env.drover(&["project", "trust", "--json"]).ok().data()["commands"]["count"], 0);
    assert_eq!(
        env.drover(&["project", "trust", "--list", "--json"]).ok().data()["commands"]["count"],
        2
    );
    fs::write(repository.path().join(".drover/setup"), "echo three\n").unwrap();
    let again = env.drover(&["project", "trust", "--json"]).ok().data();
    assert_eq!(again["commands"]["items"][0]["command"], "echo three\n");
    let list = env.drover(&["project", "trust", "--list", "--json"]).ok().data();
    let digest = list["commands"]["items"][0]["digest"].as_str().unwrap().to_owned();
    env.drover(&["project", "trust", "--revoke", &digest[..10]]).ok();
    env.drover(&["project", "trust", "--revoke", &digest[..10], "--json"])
        .refused(3, "trust_unknown");
    assert_eq!(env.drover(&["project", "trust", "--json"]).ok().data()["commands"]["count"], 2);
}
