//! Making workspaces: whole or not at all.

use std::os::unix::fs::PermissionsExt as _;

use drover_ops::error::WorkspaceError;
use drover_ops::{GitError, OpError, workspaces};
use drover_store::workspaces as rows;

use super::Crew;

#[test]
fn a_workspace_is_a_clean_checkout_on_its_own_branch_from_the_trunk() {
    let crew = Crew::new();
    let workspace = crew.agent("alice");
    assert_eq!(workspace.path, crew.env.state().join("workspaces/web/alice"));
    assert_eq!(workspace.git(&["branch", "--show-current"]), "drover/web/alice");
    assert_eq!(workspace.git(&["rev-parse", "HEAD"]), crew.trunk());
    let listed = crew.listed("alice");
    assert_eq!((&listed["state"], &listed["presence"]), (&"ready".into(), &"checkout".into()));
    assert_eq!(listed["unlanded"], 0);
}

#[test]
fn a_workspace_that_was_begun_is_finished_and_one_that_stands_is_kept() {
    let crew = Crew::new();
    let pk = crew.agent_row("alice");
    let project = &crew.project();
    let asked = workspaces::Prepare { project, agent_pk: pk, agent_name: "alice", from: None };
    let mut ctx = crew.ctx();
    let path = workspaces::prepare(&mut ctx, &asked).unwrap();
    std::fs::write(path.join("half"), "made").unwrap();
    let row = rows::of_agent(&ctx.read(), pk).unwrap().unwrap();
    ctx.step("test", |tx| Ok(rows::set_state(tx, row.pk, "creating")?)).unwrap();
    assert_eq!(workspaces::prepare(&mut ctx, &asked).unwrap(), path);
    assert!(!path.join("half").exists());
    std::fs::write(path.join("work"), "x").unwrap();
    assert_eq!(workspaces::prepare(&mut ctx, &asked).unwrap(), path);
    assert!(path.join("work").exists());
    assert!(!workspaces::undo_prepare(&mut ctx, pk).unwrap());
    std::fs::remove_file(path.join("work")).unwrap();
    assert!(workspaces::undo_prepare(&mut ctx, pk).unwrap());
    assert!(!path.exists());
    assert_eq!(crew.branches(), "drover/web/trunk\nmain");
}

#[test]
fn a_foreign_directory_or_branch_is_refused_and_left_alone() {
    let crew = Crew::new();
    let path = crew.env.state().join("workspaces/web/alice");
    std::fs::create_dir_all(&path).unwrap();
    std::fs::write(path.join("mine"), "x").unwrap();
    let error = crew.prepare("alice").unwrap_err();
    assert!(matches!(error, OpError::Git(GitError::DirectoryExists { .. })), "{error}");
    assert!(path.join("mine").exists());
    crew.repository.git(&["branch", "drover/web/bob"]);
    let error = crew.prepare("bob").unwrap_err();
    assert!(matches!(error, OpError::Git(GitError::BranchExists { .. })), "{error}");
    assert_eq!(crew.drover(&["workspace", "list"]).ok().data()["count"], 0);
}

#[test]
fn ten_workspaces_at_once_are_all_made() {
    let crew = Crew::new();
    let names: Vec<String> = (0..10).map(|it| format!("w{it}")).collect();
    std::thread::scope(|scope| {
        let makers: Vec<_> = names
            .iter()
            .map(|it| {
                let crew = &crew;
                scope.spawn(move || crew.prepare(it).unwrap())
            })
            .collect();
        for maker in makers {
            maker.join().unwrap();
        }
    });
    assert_eq!(crew.drover(&["workspace", "list"]).ok().data()["count"], 10);
}

#[test]
fn listed_ignored_files_come_along_and_others_do_not() {
    let crew = Crew::new();
    crew.repository.write(".env", "KEY=1\n");
    crew.repository.write("local.db", "rows");
    crew.policy("bring", ".env, nothing, shared.txt");
    let workspace = crew.agent("alice");
    assert_eq!(workspace.read(".env"), "KEY=1\n");
    assert!(!workspace.path.join("local.db").exists());
    // As it was brought, nobody misses it.
    crew.drover(&["workspace", "free", "alice"]).ok();
}

fn with_hook(crew: &Crew, script: &str) {
    let hook = crew.repository.write(".drover/setup", script);
    std::fs::set_permissions(hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    crew.repository.commit("setup");
    crew.repository.git(&["update-ref", "refs/heads/drover/web/trunk", "HEAD"]);
}

#[test]
fn a_setup_hook_runs_only_when_it_is_trusted() {
    let crew = Crew::new();
    let script = "#!/bin/sh\nmkdir -p target && echo \"$DROVER_AGENT\" > target/who\n";
    with_hook(&crew, script);
    assert!(!crew.agent("alice").path.join("target").exists());
    crew.trust("setup", script);
    assert_eq!(crew.agent("bob").read("target/who"), "bob\n");
}

#[test]
fn a_setup_hook_that_fails_takes_the_workspace_back_and_names_its_log() {
    let crew = Crew::new();
    let script = "#!/bin/sh\necho no luck; exit 3\n";
    with_hook(&crew, script);
    crew.trust("setup", script);
    let Err(OpError::Workspace(error)) = crew.prepare("alice") else { panic!("it was made") };
    let WorkspaceError::SetupFailed { log, how, .. } = *error else { panic!("{error}") };
    assert_eq!(how, "exit code 3");
    assert_eq!(std::fs::read_to_string(log).unwrap(), "no luck\n");
    assert!(!crew.env.state().join("workspaces/web/alice").exists());
    assert_eq!(crew.branches(), "drover/web/trunk\nmain");
}

#[test]
fn without_its_trunk_a_project_makes_no_workspace() {
    let crew = Crew::new();
    crew.repository.git(&["branch", "-D", "drover/web/trunk"]);
    let Err(OpError::Workspace(error)) = crew.prepare("alice") else { panic!("it was made") };
    assert!(matches!(*error, WorkspaceError::TrunkMissing { .. }));
}
