//! `workspace land`.

use serde_json::{Value, json};

use super::Crew;

#[track_caller]
fn land(crew: &Crew, words: &[&str]) -> drover_testkit::CommandOutput {
    let all: Vec<&str> = ["workspace", "land"].into_iter().chain(words.iter().copied()).collect();
    crew.drover(&all)
}

/// The commands that an answer says go on from here.
fn next(answer: &Value) -> Vec<&str> {
    answer["next"].as_array().unwrap().iter().map(|it| it["run"].as_str().unwrap()).collect()
}

#[test]
fn landing_makes_a_merge_commit_and_names_the_one_command_left_to_the_user() {
    let crew = Crew::new();
    let alice = crew.agent("alice");
    let source = alice.work("a", "x");
    let landed = land(&crew, &["alice"]).ok().json();
    assert_eq!(landed["outcome"], "landed");
    assert_eq!(landed["data"]["commit"], crew.trunk());
    assert_eq!(landed["warnings"], json!(["unverified: no command was run on the merged tree"]));
    assert_eq!(crew.repository.git(&["rev-parse", "drover/web/trunk^2"]), source);
    let path = crew.repository.path().display();
    let command = format!("git -C '{path}' merge --ff-only drover/web/trunk");
    assert_eq!(next(&landed), [command.as_str()]);
    crew.env.call("sh", &["-c", &command]).run().ok();
    assert!(crew.repository.path().join("a").exists());
    let again = land(&crew, &["alice"]).ok().json();
    assert_eq!(again["outcome"], "already_landed");
    assert_eq!(crew.repository.git(&["worktree", "list"]).lines().count(), 2);
    // All of it is on the trunk, so the branch goes with its checkout.
    crew.drover(&["workspace", "free", "alice"]).ok();
    assert_eq!(crew.branches(), "drover/web/trunk\nmain");
}

#[test]
fn a_landing_that_was_cut_off_before_it_was_recorded_is_recorded_with_the_next_one() {
    let crew = Crew::new();
    crew.policy("verify", "true");
    let alice = crew.agent("alice");
    for task in ["a", "b"] {
        crew.drover(&["task", "add", task]).ok();
        crew.drover(&["task", "claim", task, "--for", "alice"]).ok();
        alice.work(task, "x");
        crew.drover(&["task", "close", task]).ok();
        if task == "a" {
            killed_once_the_trunk_has_moved(&crew);
        }
    }
    assert_eq!(land(&crew, &["alice"]).ok().json()["data"]["tasks"], json!(["b"]));
    for task in ["a", "b"] {
        let proof = crew.drover(&["task", "show", task, "--proof"]).ok().data();
        let landings = proof["landings"]["items"].as_array().unwrap().clone();
        assert_eq!(landings.len(), 1, "{proof}");
        assert_eq!(landings[0]["command"], "true");
    }
}

/// Lands the work of alice with a git that moves the trunk and kills its caller.
fn killed_once_the_trunk_has_moved(crew: &Crew) {
    let git = crew.env.call("sh", &["-c", "command -v git"]).run().ok().stdout;
    let git = git.trim();
    let killing = format!(
        "#!/bin/sh\ncase \"$*\" in *update-ref*heads/drover/web/trunk*) {git} \"$@\"; kill -9 $PPID ;; esac\nexec {git} \"$@\"\n"
    );
    let before = crew.trunk();
    let shim = crew.env.shim("git", &killing);
    assert_eq!(land(crew, &["alice"]).exit, 128 + 9);
    std::fs::remove_file(shim).unwrap();
    assert_ne!(crew.trunk(), before);
}

#[test]
fn a_policys_command_must_pass_on_the_merged_tree() {
    let crew = Crew::new();
    crew.policy("verify", "test -e a | cat && test -e b");
    let (alice, bob) = (crew.agent("alice"), crew.agent("bob"));
    alice.work("a", "x");
    land(&crew, &["alice"]).refused(3, "verify_failed");
    bob.work("b", "x");
    land(&crew, &["bob", "--unverified"]).ok();
    let landed = land(&crew, &["alice"]).ok().data();
    assert_eq!(landed["checks"][0]["exit"], 0);
    assert_eq!(landed["checks"][0]["chosen_by"], "policy");
    let log = landed["checks"][0]["log"].as_str().unwrap();
    let digest = drover_ops::sha256_hex(&std::fs::read(log).unwrap());
    assert_eq!(landed["checks"][0]["log_digest"], digest);
}

#[test]
fn tasks_closed_on_the_branch_bring_their_commands_and_get_the_proof() {
    let crew = Crew::new();
    let add = ["task", "add", "Write a", "--id", "write_a", "--verify", "test -e a"];
    crew.drover(&add).ok();
    let alice = crew.agent("alice");
    let mut ctx = crew.ctx();
    let task =
        drover_store::tasks::find(&ctx.read(), crew.project().pk, "write_a").unwrap().unwrap();
    alice.write("a", "x");
    alice.commit(&format!("write_a: Write a\n\nDrover-Task: {}\n", task.uid));
    ctx.step("task.close", |tx| {
        Ok(drover_store::tasks::set_state(tx, task.pk, drover_core::task::State::Done)?)
    })
    .unwrap();
    let landed = land(&crew, &["alice"]).ok().data();
    assert_eq!(landed["tasks"], json!(["write_a"]));
    assert_eq!(landed["checks"][0]["command"], "test -e a");
    let evidence = drover_store::notes::evidence_for(&ctx.read(), &task.uid).unwrap();
    let [proof] = evidence.as_slice() else { panic!("{evidence:?}") };
    assert_eq!((proof.kind.as_str(), proof.exit), ("landed", Some(0)));
    assert_eq!(proof.commit_oid, Some(crew.trunk()));
    let subject = crew.repository.git(&["log", "-1", "--format=%s", "drover/web/trunk"]);
    assert_eq!(subject, "land alice: write_a");
}

#[test]
fn what_is_not_all_committed_on_its_branch_is_not_landed() {
    let crew = Crew::new();
    let alice = crew.agent("alice");
    alice.work("a", "x");
    alice.write("b", "x");
    land(&crew, &["alice"]).refused(3, "workspace_dirty");
    alice.commit("b");
    alice.git(&["switch", "--quiet", "--detach"]);
    land(&crew, &["alice"]).refused(3, "workspace_off_branch");
    alice.git(&["bisect", "start"]);
    land(&crew, &["alice"]).refused(3, "operation_in_progress");
}

#[test]
fn the_way_back_to_a_branch_brings_the_commits_made_off_it() {
    type Leave = fn(&super::Workspace<'_>);
    let ways: [Leave; 3] = [
        |it| {
            it.git(&["switch", "--quiet", "--detach"]);
        },
        |it| {
            it.git(&["switch", "--quiet", "--create", "alice's-idea"]);
        },
        |it| {
            it.git(&["switch", "--quiet", "--detach"]);
            it.git(&["branch", "--quiet", "--delete", "--force", "drover/web/alice"]);
        },
    ];
    for leave in ways {
        let crew = Crew::new();
        let alice = crew.agent("alice");
        leave(&alice);
        alice.work("a", "x");
        let refused = land(&crew, &["alice"]).refused(3, "workspace_off_branch");
        let line = refused["next"][0]["run"].as_str().unwrap().to_owned();
        crew.env.call("sh", &["-ec", &line]).directory(crew.env.home()).run().ok();
        land(&crew, &["alice"]).ok();
        crew.drover(&["workspace", "free", "alice"]).ok();
        assert_eq!(crew.repository.git(&["show", "drover/web/trunk:a"]), "x");
    }
}

/// Fault E-09.
#[test]
fn lines_of_others_that_a_merge_takes_away_are_named_and_must_be_meant() {
    let crew = Crew::new();
    let (alice, bob) = (crew.agent("alice"), crew.agent("bob"));
    bob.work("shared.txt", "one\ntwo\nthree\nfour\nfive\n");
    land(&crew, &["bob"]).ok();
    alice.work("shared.txt", "zero\none\ntwo\nthree\n");
    alice.git(&["merge", "--quiet", "-s", "ours", "-m", "mine", "drover/web/trunk"]);
    let before = crew.trunk();
    let refused = land(&crew, &["alice"]).refused(4, "takes_away_newer");
    assert_eq!(refused["data"]["undone"], json!([{ "path": "shared.txt", "lines": 2 }]));
    assert_eq!(refused["next"][1]["run"], "drover workspace land alice -p web --takes-away");
    assert_eq!(crew.trunk(), before);
    let landed = land(&crew, &["alice", "--takes-away"]).ok().json();
    assert_eq!(landed["data"]["undone"], json!([{ "path": "shared.txt", "lines": 2 }]));
    let warnings = landed["warnings"].to_string();
    assert!(warnings.contains("takes away 2 lines of shared.txt"), "{warnings}");
}

/// Fault E-09: files that came since are gone again, with and without lines.
#[test]
fn files_of_others_that_a_merge_deletes_or_puts_back_are_named() {
    let crew = Crew::new();
    let (alice, bob) = (crew.agent("alice"), crew.agent("bob"));
    bob.work("new.txt", "one\n");
    bob.work("picture.bin", "\0one");
    land(&crew, &["bob"]).ok();
    alice.work("mine.txt", "mine\n");
    alice.git(&["merge", "--quiet", "-s", "ours", "-m", "mine", "drover/web/trunk"]);
    let refused = land(&crew, &["alice"]).refused(4, "takes_away_newer");
    assert_eq!(
        refused["data"]["undone"],
        json!([{ "path": "new.txt", "lines": 1 }, { "path": "picture.bin", "lines": 0 }])
    );
    // An honest merge takes nothing away.
    alice.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    alice.git(&["merge", "--quiet", "-m", "both", "drover/web/trunk"]);
    land(&crew, &["alice"]).ok();
}

/// Fault E-05.
#[test]
fn work_that_was_squashed_or_picked_has_landed_and_what_was_taken_back_has_not() {
    let crew = Crew::new();
    let alice = crew.agent("alice");
    alice.work("a.txt", "one\n");
    alice.work("a.txt", "one\ntwo\n");
    assert_eq!(crew.listed("alice")["unlanded"], 2);
    let on_trunk = |script: &str| {
        let script = format!(
            "set -e; git worktree add --quiet ../trunk drover/web/trunk; cd ../trunk; {script}; \
             cd -; git worktree remove --force ../trunk"
        );
        crew.env.call("sh", &["-c", &script]).directory(crew.repository.path()).run().ok();
    };
    on_trunk("git merge --quiet --squash drover/web/alice; git commit --quiet -m squashed");
    assert_eq!(crew.listed("alice")["unlanded"], 0);
    let state = crew.drover(&["state"]).ok().data();
    assert_eq!(state["projects"]["items"][0]["needs_you"]["items"][0]["kind"], "dead");
    assert_eq!(state["projects"]["items"][0]["needs_you"]["count"], 1, "{state}");
    // Later work on the same lines changes nothing about that.
    on_trunk("printf 'zero\\none\\nthree\\n' >a.txt; git commit --quiet -a -m later");
    assert_eq!(crew.listed("alice")["unlanded"], 0);
    assert_eq!(land(&crew, &["alice"]).ok().json()["outcome"], "already_landed");
    // Taken back, it has to be landed, or discarded, like anything else.
    on_trunk("git revert --no-edit HEAD; git revert --no-edit HEAD~2");
    assert_eq!(crew.listed("alice")["unlanded"], 2);
    crew.drover(&["workspace", "free", "alice"]).refused(3, "workspace_not_safe");
    on_trunk("git revert --no-edit HEAD");
    crew.drover(&["workspace", "free", "alice"]).ok();
    assert!(!crew.branches().contains("alice"), "{}", crew.branches());
}

/// Fault E-05: a branch that was squashed onto the person's own line, and work that is like none.
#[test]
fn work_squashed_onto_the_line_that_is_checked_out_may_go_and_other_work_stays() {
    let crew = Crew::new();
    let (alice, bob) = (crew.agent("alice"), crew.agent("bob"));
    alice.work("a.txt", "one\n");
    bob.work("a.txt", "uno\n");
    crew.repository.git(&["merge", "--quiet", "--squash", "drover/web/alice"]);
    crew.repository.git(&["commit", "--quiet", "-m", "squashed"]);
    crew.drover(&["workspace", "free", "alice"]).ok();
    crew.drover(&["workspace", "free", "bob"]).refused(3, "workspace_not_safe");
}

#[test]
fn a_leftover_of_a_landing_that_died_is_removed_by_the_next() {
    let crew = Crew::new();
    let alice = crew.agent("alice");
    alice.work("a", "x");
    let leftover = crew.env.state().join("workspaces/web/.landing");
    let words = ["worktree", "add", "--quiet", "--detach", leftover.to_str().unwrap(), "main"];
    crew.repository.git(&words);
    land(&crew, &["alice"]).ok();
    assert!(!leftover.exists());
    assert_eq!(crew.repository.git(&["worktree", "list"]).lines().count(), 2);
}

#[test]
fn a_dry_run_of_a_landing_moves_nothing() {
    let crew = Crew::new();
    crew.policy("verify", "true");
    let alice = crew.agent("alice");
    alice.work("a", "x");
    let before = crew.trunk();
    let shown = land(&crew, &["alice", "--dry-run"]).ok().json();
    assert_eq!(shown["effects"].as_array().unwrap().len(), 3);
    assert_eq!(crew.trunk(), before);
}

#[test]
fn a_kept_branch_is_landed_and_goes() {
    let crew = Crew::new();
    let alice = crew.agent("alice");
    alice.work("a", "x");
    crew.drover(&["workspace", "free", "alice", "--keep-branch"]).ok();
    assert_eq!(crew.listed("alice")["state"], "branch_only");
    land(&crew, &["alice"]).ok();
    assert_eq!(crew.branches(), "drover/web/trunk\nmain");
    assert_eq!(crew.listed("alice"), Value::Null);
}

#[test]
fn a_command_that_a_plan_brought_is_not_run_before_somebody_trusts_it() {
    let crew = Crew::new();
    let pk = crew.project().pk;
    let alice = crew.agent("alice");
    let title = drover_core::text::Text::new("Write a");
    let mut ctx = crew.ctx();
    let new = drover_store::tasks::NewTask {
        id: "write_a",
        title: &title,
        state: drover_core::task::State::Done,
        impact: 50,
        effort_days: 1.0,
        owns: "[]",
        labels: "[]",
        verify: Some(("false", "plan")),
        source: None,
    };
    let uid = ctx
        .step("task.import", |tx| {
            let task = drover_store::tasks::insert(tx, pk, &new)?;
            Ok(drover_store::tasks::by_pk(tx, task)?.map(|it| it.uid).unwrap())
        })
        .unwrap();
    alice.write("a", "x");
    alice.commit(&format!("a\n\nDrover-Task: {uid}\n"));
    let shown = land(&crew, &["alice", "--dry-run"]).ok().json();
    assert!(shown["warnings"].to_string().contains("project trust"), "{shown}");
    crew.trust("verify", "false");
    land(&crew, &["alice"]).refused(3, "verify_failed");
}

/// Each case: the target is unchanged, the answer names the cause and the next command.
#[test]
fn must_show_01_9() {
    conflicting_branches();
    a_merged_tree_that_fails();
    a_branch_that_is_checked_out();
    a_target_that_moves();
}

fn conflicting_branches() {
    let crew = Crew::new();
    let (alice, bob) = (crew.agent("alice"), crew.agent("bob"));
    alice.work("shared.txt", "alice\n");
    bob.work("shared.txt", "bob\n");
    land(&crew, &["alice"]).ok();
    let before = crew.trunk();
    let refused = land(&crew, &["bob"]).refused(4, "workspace_conflict");
    assert_eq!(refused["data"]["files"], json!(["shared.txt"]));
    assert_eq!(next(&refused), ["drover workspace refresh bob -p web"]);
    unchanged(&crew, &before);
}

fn a_merged_tree_that_fails() {
    let crew = Crew::new();
    let (alice, bob) = (crew.agent("alice"), crew.agent("bob"));
    alice.work("a", "x");
    bob.work("b", "x");
    // Each passes alone; together they do not.
    crew.policy("verify", "echo looking; ! { test -e a && test -e b; }");
    land(&crew, &["alice"]).ok();
    let before = crew.trunk();
    let refused = land(&crew, &["bob"]).refused(3, "verify_failed");
    let log = refused["data"]["log"].as_str().unwrap();
    assert_eq!(std::fs::read_to_string(log).unwrap(), "looking\n");
    assert_eq!(next(&refused)[1], "drover workspace refresh bob -p web");
    unchanged(&crew, &before);
}

#[test]
fn a_target_that_stands_for_another_branch_is_refused_until_it_is_one_of_its_own() {
    let crew = Crew::new();
    crew.agent("alice").work("a", "x");
    crew.repository.git(&["symbolic-ref", "refs/heads/other", "refs/heads/main"]);
    let before = crew.repository.git(&["rev-parse", "main"]);
    let onto_other = ["alice", "--onto", "other"];
    let refused = land(&crew, &onto_other).refused(4, "branch_checked_out");
    assert_eq!(refused["data"]["stands_for"], "refs/heads/main");
    crew.env.call("sh", &["-c", next(&refused)[0]]).run().ok();
    land(&crew, &onto_other).ok();
    assert_eq!(crew.repository.git(&["rev-parse", "main"]), before);
}

fn a_branch_that_is_checked_out() {
    let crew = Crew::new();
    let alice = crew.agent("alice");
    alice.work("a", "x");
    let before = crew.repository.git(&["rev-parse", "main"]);
    let refused = land(&crew, &["alice", "--onto", "main"]).refused(4, "branch_checked_out");
    let path = crew.repository.path().display().to_string();
    assert_eq!(refused["data"]["path"], path);
    let expected = [
        "drover workspace land alice -p web".to_owned(),
        format!("git -C '{path}' merge --ff-only drover/web/trunk"),
    ];
    assert_eq!(next(&refused), expected);
    assert_eq!(crew.repository.git(&["rev-parse", "main"]), before);
    for command in expected {
        let command = command.replace("drover ", &format!("{} ", crew.env.binary().display()));
        crew.env.call("sh", &["-c", &command]).run().ok();
    }
    assert!(crew.repository.path().join("a").exists());
    // A branch that nobody has checked out takes it.
    crew.repository.git(&["branch", "release", &before]);
    assert_eq!(land(&crew, &["alice", "--onto", "release"]).ok().data()["target"], "release");
}

fn a_target_that_moves() {
    let crew = Crew::new();
    let alice = crew.agent("alice");
    alice.work("a", "x");
    let mover = crew.env.root().join("move.sh");
    let place = crew.repository.path().display();
    let script = format!(
        "git=$(command -v git); cd '{place}' && new=$(\"$git\" -c user.name=x -c user.email=x@localhost \
         commit-tree -p drover/web/trunk -m other 'drover/web/trunk^{{tree}}') && \
         \"$git\" update-ref refs/heads/drover/web/trunk \"$new\"\n"
    );
    std::fs::write(&mover, script).unwrap();
    crew.policy("verify", &format!("sh '{}'", mover.display()));
    let refused = land(&crew, &["alice"]).refused(4, "target_moved");
    assert_eq!(next(&refused), ["drover workspace land alice -p web"]);
    // Only the three commits of the one who moved it are there.
    let log = crew.repository.git(&["log", "--format=%s", "main..drover/web/trunk"]);
    assert_eq!(log, "other\nother\nother");
    // Moved once, it is tried again and lands.
    std::fs::write(
        &mover,
        format!("{}rm '{}'\n", std::fs::read_to_string(&mover).unwrap(), mover.display()),
    )
    .unwrap();
    crew.policy("verify", &format!("if test -e '{0}'; then sh '{0}'; fi", mover.display()));
    land(&crew, &["alice"]).ok();
    let log =
        crew.repository.git(&["log", "--first-parent", "--format=%s", "main..drover/web/trunk"]);
    assert_eq!(log, "land alice\nother\nother\nother\nother");
}

#[track_caller]
fn unchanged(crew: &Crew, before: &str) {
    assert_eq!(crew.trunk(), before);
    assert!(!crew.env.state().join("workspaces/web/.landing").exists());
}
