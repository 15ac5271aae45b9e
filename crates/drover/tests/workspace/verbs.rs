//! `workspace list`, `path`, `commits`, `diff`, `refresh` and `orphans`.

use serde_json::json;

use super::Crew;

#[test]
fn the_path_is_printed_bare() {
    let crew = Crew::new();
    let workspace = crew.agent("alice");
    let text = crew.env.drover(&["workspace", "path", "alice"]).ok().stdout;
    assert_eq!(text, format!("{}\n", workspace.path.display()));
    crew.drover(&["workspace", "path", "alcie"]).refused(3, "agent_unknown");
    crew.agent_row("bob");
    crew.drover(&["workspace", "path", "bob"]).refused(3, "workspace_unknown");
    std::fs::remove_dir_all(&workspace.path).unwrap();
    crew.drover(&["workspace", "path", "alice"]).refused(3, "workspace_missing");
}

#[test]
fn a_list_shows_what_is_dirty_unlanded_behind_and_in_conflict() {
    let crew = Crew::new();
    let (alice, bob) = (crew.agent("alice"), crew.agent("bob"));
    alice.work("shared.txt", "alice\n");
    bob.work("shared.txt", "bob\n");
    bob.write("new file", "x");
    let listed = crew.listed("bob");
    assert_eq!(listed["dirty"], json!(["new file"]));
    assert_eq!(listed["unlanded"], 1);
    assert_eq!(listed["from_trunk"], json!({ "ahead": 1, "behind": 0 }));
    let forecast = json!([{ "with": "drover/web/alice", "files": ["shared.txt"] }]);
    assert_eq!(listed["conflicts"], forecast);
    let state = crew.drover(&["state", "-p", "web"]).json()["data"]["projects"]["items"][0].clone();
    let seen = &state["workspaces"]["items"];
    assert_eq!((&seen[1]["conflicts"], &seen[1]["ahead"]), (&forecast, &json!(1)));
    assert_eq!(seen[0]["conflicts"][0]["with"], "drover/web/bob");
    let text = crew.env.drover(&["state", "-p", "web"]).stdout;
    assert!(
        text.contains("drover/web/bob would conflict with drover/web/alice in shared.txt"),
        "{text}"
    );
    crew.drover(&["workspace", "land", "alice"]).ok();
    let listed = crew.listed("bob");
    assert_eq!(listed["from_trunk"], json!({ "ahead": 1, "behind": 2 }));
    assert_eq!(listed["conflicts"][0]["with"], "drover/web/trunk");
    std::fs::remove_dir_all(&alice.path).unwrap();
    assert_eq!(crew.listed("alice")["presence"], "missing");
    let text = crew.env.drover(&["workspace", "list"]).ok().stdout;
    assert!(text.contains("drover/web/bob"), "{text}");
}

#[test]
fn commits_are_the_agents_own_oldest_first() {
    let crew = Crew::new();
    let (alice, bob) = (crew.agent("alice"), crew.agent("bob"));
    bob.work("b", "x");
    crew.drover(&["workspace", "land", "bob"]).ok();
    alice.work("a1", "x");
    crew.drover(&["workspace", "land", "alice"]).ok();
    alice.work("a2", "x");
    alice.git(&["commit", "--quiet", "--amend", "--message", "write a2\n\nwhy\nit is"]);
    let data = crew.drover(&["workspace", "commits", "alice"]).ok().data();
    let items = data["items"].as_array().unwrap();
    let seen: Vec<_> = items
        .iter()
        .map(|it| (it["subject"].as_str().unwrap(), it["landed"].as_bool().unwrap()))
        .collect();
    assert_eq!(seen, [("write a1", true), ("write a2", false)]);
    assert_eq!(
        (&items[1]["body"], &items[1]["author"]),
        (&json!("why\nit is"), &json!("Test Person"))
    );
    assert!(items[1]["at"].as_str().unwrap().contains(".000Z"), "{}", items[1]);
    let base = crew.repository.git(&["rev-parse", "HEAD"]);
    assert_eq!((&data["kind"], &data["base"]), (&json!("git"), &json!(base)));
    let all = ["workspace", "commits", "alice", "--since", "main"];
    assert_eq!(crew.drover(&all).ok().data()["items"][1]["landed"], false);
    let none = ["workspace", "commits", "alice", "--since", "drover/web/alice"];
    assert_eq!(crew.drover(&none).ok().data()["count"], 0);
    crew.drover(&["workspace", "commits", "alice", "--since", "nosuch"])
        .refused(3, "revision_unknown");
}

#[test]
fn a_difference_counts_from_where_the_agent_left_the_trunk() {
    let crew = Crew::new();
    let (alice, bob) = (crew.agent("alice"), crew.agent("bob"));
    bob.work("b", "x\n");
    crew.drover(&["workspace", "land", "bob"]).ok();
    alice.work("a", "x\ny\n");
    alice.write("shared.txt", "one\n");
    alice.write("new", "x");
    let data = crew.drover(&["workspace", "diff", "alice", "--stat"]).ok().data();
    let files = json!([
        { "path": "a", "added": 2, "removed": 0 },
        { "path": "shared.txt", "added": 0, "removed": 2 }
    ]);
    assert_eq!(data["files"]["items"], files);
    assert_eq!((&data["untracked"], &data["diff"]), (&json!(["new"]), &json!(null)));
    let text = crew.env.drover(&["workspace", "diff", "alice"]).ok().stdout;
    assert!(text.contains("-three"), "{text}");
}

#[test]
fn a_refresh_brings_newer_work_in_and_keeps_commit_names() {
    let crew = Crew::new();
    let (alice, bob) = (crew.agent("alice"), crew.agent("bob"));
    bob.work("b", "x");
    crew.drover(&["workspace", "land", "bob"]).ok();
    let own = alice.work("a", "x");
    crew.drover(&["workspace", "refresh", "alice", "--dry-run"]).ok();
    assert!(!alice.path.join("b").exists());
    let done = crew.drover(&["workspace", "refresh", "alice"]).ok().json();
    assert_eq!(
        (&done["outcome"], &done["data"]["base"]),
        (&json!("refreshed"), &json!(crew.trunk()))
    );
    assert_eq!(done["data"]["brought"][0]["subject"], "write b");
    assert!(alice.path.join("b").exists());
    alice.git(&["merge-base", "--is-ancestor", &own, "HEAD"]);
    assert_eq!(crew.listed("alice")["base"], crew.trunk());
    assert_eq!(crew.drover(&["workspace", "refresh", "alice"]).ok().json()["outcome"], "current");
    alice.write("c", "x");
    let refused = crew.drover(&["workspace", "refresh", "alice"]).refused(3, "workspace_dirty");
    assert_eq!(refused["data"]["paths"], json!(["c"]));
    crew.drover(&["workspace", "refresh", "bob", "--from", "nosuch"])
        .refused(3, "revision_unknown");
}

#[test]
fn a_refresh_that_conflicts_leaves_the_workspace_and_its_row_as_they_were() {
    let crew = Crew::new();
    let (alice, bob) = (crew.agent("alice"), crew.agent("bob"));
    bob.work("shared.txt", "bob\n");
    crew.drover(&["workspace", "land", "bob"]).ok();
    let head = alice.work("shared.txt", "alice\n");
    let before = crew.listed("alice");
    let refused = crew.drover(&["workspace", "refresh", "alice"]).refused(4, "workspace_conflict");
    assert_eq!(refused["data"]["files"], json!(["shared.txt"]));
    assert_eq!(alice.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(alice.git(&["status", "--porcelain"]), "");
    assert_eq!(crew.listed("alice"), before);
}

/// Fault W-17.
#[test]
fn what_lost_its_row_directory_or_branch_is_listed_with_its_command() {
    let crew = Crew::new();
    assert_eq!(crew.drover(&["workspace", "orphans"]).ok().data()["count"], 0);
    let alice = crew.agent("alice");
    std::fs::remove_dir_all(&alice.path).unwrap();
    let stray = crew.env.state().join("workspaces/web/stray dir");
    std::fs::create_dir_all(&stray).unwrap();
    crew.repository.git(&["branch", "drover/web/ghost"]);
    let data = crew.drover(&["workspace", "orphans"]).ok().data();
    let whose: Vec<_> = data["items"].as_array().unwrap().iter().map(|it| &it["agent"]).collect();
    assert_eq!(whose, ["stray dir", "alice", "ghost"]);
    assert_eq!(data["items"][2]["path"], json!(null));
    let seen: Vec<(&str, &str)> = data["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["kind"].as_str().unwrap(), it["command"].as_str().unwrap()))
        .collect();
    let remove = format!("rm -r '{}'", stray.display());
    let delete =
        format!("git -C '{}' branch -D drover/web/ghost", crew.repository.path().display());
    let expected = [
        ("directory", remove.as_str()),
        ("row", "drover workspace free alice -p web"),
        ("branch", delete.as_str()),
    ];
    assert_eq!(seen, expected);
    let doctor = crew.drover(&["doctor"]).json()["data"]["checks"]["items"].clone();
    let fixes = |name: &str| {
        let items = doctor.as_array().unwrap().iter();
        items.filter(|it| it["name"] == name).map(|it| it["fix"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(fixes("web/alice"), ["drover workspace free web/alice"]);
    assert_eq!(fixes(stray.to_str().unwrap()), ["drover workspace orphans"]);
    let state = crew.drover(&["state", "-p", "web"]).json()["data"]["projects"]["items"][0].clone();
    assert_eq!(state["workspace_orphans"]["count"], 2, "{state}");
    assert_eq!(state["workspaces"]["items"][0]["there"], false);
    assert!(stray.exists());
    crew.drover(&["workspace", "free", "alice"]).ok();
}
