//! Workspaces that are behind: shown, warned of before work is given, and refused on request.

use serde_json::json;

use super::Crew;

/// Puts so many commits onto the integration branch.
fn newer_work(crew: &Crew, count: u32) {
    let other = crew.env.root().join("newer");
    let path = other.to_str().unwrap();
    crew.repository.git(&["worktree", "add", "--quiet", path, "drover/web/trunk"]);
    for number in 0..count {
        let message = format!("newer {number}");
        let words = ["commit", "--quiet", "--allow-empty", "--message", &message];
        crew.env.call("git", &words).directory(&other).run().ok();
    }
    crew.repository.git(&["worktree", "remove", path]);
}

#[test]
fn work_for_a_stale_workspace_is_warned_of_and_refused_where_that_is_asked() {
    let crew = Crew::new();
    let _alice = crew.agent("alice");
    crew.drover(&["task", "add", "One", "--id", "one"]).ok();
    newer_work(&crew, 9);
    let claim = ["task", "claim", "one", "--for", "alice", "--strict-staleness"];
    let claimed = crew.drover(&claim).ok().json();
    let fresh =
        json!({ "agent": "alice", "behind": 9, "branch": "drover/web/trunk", "stale": false });
    assert_eq!((&claimed["data"]["staleness"], &claimed["warnings"]), (&fresh, &json!([])));
    crew.drover(&["task", "release", "one"]).ok();
    newer_work(&crew, 1);
    let refused = crew.drover(&claim).refused(4, "workspace_stale");
    assert_eq!(refused["data"]["behind"], 10);
    assert_eq!(refused["next"][0]["run"], "drover workspace refresh alice -p web");
    let claimed = crew.drover(&["task", "claim", "one", "--for", "alice"]).ok().json();
    assert_eq!(claimed["data"]["staleness"]["stale"], true);
    assert!(claimed["warnings"][0].as_str().unwrap().contains("10 commits behind"), "{claimed}");
    assert_eq!(claimed["next"][0]["run"], "drover workspace refresh web/alice");
    let listed = crew.listed("alice");
    assert_eq!((&listed["behind"], &listed["stale"]), (&json!(10), &json!(true)));
    crew.drover(&["workspace", "refresh", "alice"]).ok();
    assert_eq!(crew.listed("alice")["behind"], 0);
}

/// Fault W-14.
#[test]
fn work_that_was_fetched_and_not_merged_counts_and_nothing_is_fetched_unasked() {
    let crew = Crew::new();
    let _alice = crew.agent("alice");
    let upstream = crew.env.repository("upstream");
    let address = upstream.path().to_str().unwrap();
    upstream.git(&["config", "receive.denyCurrentBranch", "ignore"]);
    crew.repository.git(&["push", "--quiet", "--force", address, "main"]);
    upstream.git(&["reset", "--quiet", "--hard"]);
    crew.repository.git(&["remote", "add", "origin", address]);
    crew.repository.git(&["fetch", "--quiet", "origin"]);
    crew.repository.git(&["branch", "--quiet", "--set-upstream-to", "origin/main", "main"]);
    for _ in 0..14 {
        upstream.commit("later");
    }
    assert_eq!(crew.listed("alice")["behind"], 0);
    crew.repository.git(&["fetch", "--quiet", "origin"]);
    let listed = crew.listed("alice");
    assert_eq!((&listed["behind"], &listed["behind_branch"]), (&json!(14), &json!("origin/main")));
    crew.drover(&["task", "add", "One", "--id", "one"]).ok();
    crew.drover(&["task", "claim", "one", "--for", "alice", "--strict-staleness"])
        .refused(4, "workspace_stale");
    upstream.commit("last");
    let fetch = ["workspace", "refresh", "alice", "--fetch", "--from", "origin/main"];
    let done = crew.drover(&fetch).ok().data();
    assert_eq!(done["brought"].as_array().unwrap().len(), 15);
    assert_eq!(crew.listed("alice")["behind"], 0);
    std::fs::rename(upstream.path(), crew.env.root().join("away")).unwrap();
    let refused = crew.drover(&fetch).refused(5, "program_failed");
    assert!(refused["error"].as_str().unwrap().contains("git fetch"), "{refused}");
}

/// Fault W-08.
#[test]
fn what_changed_in_the_first_checkout_while_an_agent_was_at_work_is_told() {
    let crew = Crew::new();
    let alice = crew.agent("alice");
    crew.repository.write("shared.txt", "the person\n");
    let warnings = |answer: &serde_json::Value| answer["warnings"].to_string();
    let close = |id: &str| {
        crew.drover(&["task", "close", id, "--evidence", "the tests pass, all twelve of them"])
            .ok()
            .json()
    };
    for (id, is_stray) in [("one", false), ("two", true)] {
        crew.drover(&["task", "add", id, "--id", id]).ok();
        crew.drover(&["task", "claim", id, "--for", "alice"]).ok();
        alice.work(id, "x");
        if is_stray {
            crew.repository.write("stray file", "x");
            crew.repository.git(&["commit", "--quiet", "--allow-empty", "--message", "stray"]);
        }
        let told = warnings(&close(id));
        assert_eq!(told.contains("stray file, what is checked out"), is_stray, "{told}");
        assert!(!told.contains("shared.txt"), "{told}");
    }
    let landed = crew.drover(&["workspace", "land", "alice"]).ok().json();
    assert!(warnings(&landed).contains("while alice worked on two"), "{landed}");
}
