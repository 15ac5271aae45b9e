//! Errors about workspaces and landing in the user's words.

use drover_core::workspace::Loss;
use drover_ops::error::{Attempt, WayBack, WorkspaceError};
use drover_ops::words::quote;
use drover_ops::workspaces::Kind;
use serde_json::{Value, json};

use crate::output::Spoken;
use crate::ways;

pub(super) fn speak(err: &WorkspaceError) -> Spoken {
    match err {
        WorkspaceError::NoRepository { project } => Spoken::new("no_repository", err)
            .data(json!({ "project": project }))
            .next("give it one", format!("drover project init {project} --repo <path>")),
        WorkspaceError::NotText { .. } => Spoken::new("usage", err),
        WorkspaceError::TrunkMissing { project, branch, repository } => {
            let again = format!("drover project init {project} --repo {}", quote(repository));
            Spoken::new("trunk_missing", err)
                .data(json!({ "project": project, "branch": branch, "repository": repository }))
                .next("make it again where it began", again)
        }
        WorkspaceError::BranchKept { agent, project, branch, repository } => {
            let away = format!("git -C {} branch -m {branch} <another name>", quote(repository));
            Spoken::new("branch_exists", err)
                .data(json!({ "agent": agent, "branch": branch, "repository": repository }))
                .next("land it", format!("drover workspace land {agent} -p {project}"))
                .next("or move it out of the way", away)
        }
        WorkspaceError::Unknown { agent, project, nearest } => {
            Spoken::new("workspace_unknown", err)
                .data(json!({ "agent": agent, "project": project, "nearest": nearest }))
                .next("see the workspaces", format!("drover workspace list -p {project}"))
        }
        WorkspaceError::Unfinished { agent, project, state } => {
            Spoken::new("workspace_unfinished", err)
                .data(json!({ "agent": agent, "project": project, "state": state }))
                .next("finish its removal", format!("drover workspace free {agent} -p {project}"))
        }
        WorkspaceError::Missing { agent, project, path } => Spoken::new("workspace_missing", err)
            .data(json!({ "agent": agent, "project": project, "path": path }))
            .next("let go of it", format!("drover workspace free {agent} -p {project}")),
        WorkspaceError::NoHistory { agent, project, path, original } => {
            let copy = format!("cp -a {}/. {}/", quote(path), quote(original));
            Spoken::new("no_history", err)
                .data(json!({ "agent": agent, "project": project, "path": path }))
                .next("see what it changes", format!("drover workspace diff {agent} -p {project}"))
                .next("bring it over by hand", copy)
        }
        WorkspaceError::Stale { agent, project, behind, of } => Spoken::new("workspace_stale", err)
            .data(json!({ "agent": agent, "project": project, "behind": behind, "branch": of }))
            .next("bring it up", format!("drover workspace refresh {agent} -p {project}")),
        WorkspaceError::SetupFailed { agent, log, .. } => Spoken::new("setup_failed", err)
            .data(json!({ "agent": agent, "log": log }))
            .next("read its output", format!("cat {}", quote(&log.to_string_lossy()))),
        WorkspaceError::NotSafe { agent, project, by, keeps_branch, losses } => {
            Spoken::new("workspace_not_safe", err)
                .data(json!({ "agent": agent, "project": project, "losses": view(losses) }))
                .nexts(ways::out((project, agent), (*by, *keeps_branch), losses))
        }
        WorkspaceError::Held { agent, project, by, losses } => Spoken::new("workspace_held", err)
            .data(json!({ "agent": agent, "project": project, "losses": view(losses) }))
            .nexts(ways::out_of_held((project, agent), *by, losses)),
        other => land(other),
    }
}

/// Refusals of landing and refreshing.
fn land(err: &WorkspaceError) -> Spoken {
    match err {
        WorkspaceError::Dirty { .. }
        | WorkspaceError::InProgress { .. }
        | WorkspaceError::OffBranch { .. } => unfinished(err),
        WorkspaceError::Conflict { agent, project, branch, target, files, by } => {
            conflict(err, (agent, project), *by)
                .data(json!({ "agent": agent, "branch": branch, "target": target, "files": files }))
        }
        WorkspaceError::TakesAway { agent, project, branch, target, onto, files } => {
            let undone: Vec<_> =
                files.iter().map(|(path, lines)| json!({ "path": path, "lines": lines })).collect();
            let onto = onto.as_ref().map(|it| format!(" --onto {}", quote(it))).unwrap_or_default();
            let land = format!("drover workspace land {agent} -p {project}{onto} --takes-away");
            Spoken::new("takes_away_newer", err)
                .data(json!({
                    "agent": agent, "branch": branch, "target": target, "undone": undone,
                }))
                .next("look at it", format!("drover workspace diff {agent} -p {project}"))
                .next("land it all the same, if that is meant", land)
        }
        WorkspaceError::VerifyFailed { agent, project, target, command, log, .. } => {
            let spoken = Spoken::new("verify_failed", err)
                .data(json!({ "agent": agent, "target": target, "command": command, "log": log }));
            let spoken = match log {
                Some(log) => spoken.next("read its output", format!("cat {}", quote(log))),
                None => spoken,
            };
            spoken
                .next(
                    "bring the agent onto it",
                    format!("drover workspace refresh {agent} -p {project}"),
                )
                .next("then land again", format!("drover workspace land {agent} -p {project}"))
        }
        other => target(other),
    }
}

/// What a checkout holds is not all on its branch.
fn unfinished(err: &WorkspaceError) -> Spoken {
    match err {
        WorkspaceError::Dirty { agent, path, paths, kind } => {
            let spoken = Spoken::new("workspace_dirty", err)
                .data(json!({ "agent": agent, "path": path, "paths": paths }))
                .next("see the changes", status(*kind, path));
            match kind {
                Kind::Jj => spoken.next(
                    "or have them committed",
                    format!("jj -R {} commit -m \"<what they do>\"", quote(path)),
                ),
                Kind::Git | Kind::Copy => spoken,
            }
        }
        WorkspaceError::InProgress { agent, path, operation, kind } => {
            let spoken = Spoken::new("operation_in_progress", err)
                .data(json!({ "agent": agent, "path": path, "operation": operation }))
                .next("see how it stands", status(*kind, path));
            match kind {
                Kind::Jj => spoken.next(
                    "bring its files up",
                    format!("jj -R {} workspace update-stale", quote(path)),
                ),
                Kind::Git | Kind::Copy => spoken,
            }
        }
        WorkspaceError::OffBranch { agent, path, branch, head, back, kind } => {
            let spoken = Spoken::new("workspace_off_branch", err)
                .data(json!({ "agent": agent, "path": path, "branch": branch, "head": head }));
            match kind {
                Kind::Jj => off_branch_of_jj(spoken, (path, branch), back),
                Kind::Git | Kind::Copy => off_branch(spoken, (path, branch), back),
            }
        }
        other => Spoken::new("failed", other),
    }
}

/// The branch to land on is not to be had.
fn target(err: &WorkspaceError) -> Spoken {
    match err {
        WorkspaceError::TargetCheckedOut { agent, project, target, trunk, path } => {
            let at = quote(&path.to_string_lossy());
            let spoken = Spoken::new("branch_checked_out", err)
                .data(json!({ "agent": agent, "target": target, "path": path }));
            if target == trunk {
                return spoken.next("let go of it there", format!("git -C {at} switch --detach"));
            }
            spoken
                .next(
                    "land on the integration branch",
                    format!("drover workspace land {agent} -p {project}"),
                )
                .next("then bring it in there", format!("git -C {at} merge --ff-only {trunk}"))
        }
        WorkspaceError::TargetStandsFor { agent, target, repository, stands_for } => {
            let words = format!("update-ref --no-deref {}", quote(&format!("refs/heads/{target}")));
            Spoken::new("branch_checked_out", err)
                .data(json!({ "agent": agent, "target": target, "stands_for": stands_for }))
                .next(
                    "make it a branch of its own",
                    format!("git -C {} {words} {}", quote(repository), quote(stands_for)),
                )
        }
        WorkspaceError::NoTarget { target, repository } => Spoken::new("revision_unknown", err)
            .data(json!({ "branch": target, "repository": repository }))
            .next("see the branches", format!("git -C {} branch", quote(repository))),
        WorkspaceError::TargetMoved { agent, project, target, times } => {
            Spoken::new("target_moved", err)
                .data(json!({ "agent": agent, "target": target, "times": times }))
                .next("try again", format!("drover workspace land {agent} -p {project}"))
        }
        other => Spoken::new("failed", other),
    }
}

/// The command that shows what a checkout holds.
fn status(kind: Kind, path: &str) -> String {
    match kind {
        Kind::Git => format!("git -C {} status", quote(path)),
        Kind::Jj => format!("jj -R {} status", quote(path)),
        Kind::Copy => format!("ls -la {}", quote(path)),
    }
}

/// The way back in a workspace of jj, which moves no branch by itself.
fn off_branch_of_jj(spoken: Spoken, (path, branch): (&str, &str), back: &WayBack) -> Spoken {
    let jj = format!("jj -R {}", quote(path));
    let both = |other: &str| format!("{jj} new {branch} {} && {jj} new", quote(other));
    match back {
        WayBack::Switch => spoken.next("go back to it", format!("{jj} new {branch}")),
        WayBack::Create => {
            spoken.next("make it again, here", format!("{jj} bookmark create {branch} -r @-"))
        }
        WayBack::Merge { commit } => {
            spoken.next("go back to it and bring the commits along", both(commit))
        }
        WayBack::MergeBranch { branch: other } => {
            spoken.next("go back to it and bring the commits along", both(other))
        }
    }
}

/// The way back to a branch, with the commits that it lacks.
fn off_branch(spoken: Spoken, (path, branch): (&str, &str), back: &WayBack) -> Spoken {
    let git = format!("git -C {}", quote(path));
    let switch = format!("{git} switch {branch}");
    let merge = |what: &str| format!("{switch} && {git} merge --no-edit {what}");
    match back {
        WayBack::Switch => spoken.next("go back to it", switch),
        WayBack::Create => {
            spoken.next("make it again, here", format!("{git} switch --create {branch}"))
        }
        WayBack::Merge { commit } => {
            spoken.next("go back to it and bring the commits along", merge(commit))
        }
        WayBack::MergeBranch { branch: other } => spoken
            .next("go back to it and bring the commits along", merge(&quote(other)))
            .next(format!("or leave them on {other}"), switch),
    }
}

fn conflict(err: &WorkspaceError, (agent, project): (&str, &str), by: Attempt) -> Spoken {
    let spoken = Spoken::new("workspace_conflict", err);
    match by {
        Attempt::Land => spoken.next(
            "bring the agent onto it",
            format!("drover workspace refresh {agent} -p {project}"),
        ),
        Attempt::Refresh => spoken.next(
            "have the agent merge it",
            format!(
                "drover agent send {agent} -p {project} \"merge {} and resolve the conflicts\"",
                drover_ops::workspaces::trunk(project)
            ),
        ),
    }
}

fn view(losses: &[Loss]) -> Value {
    let view = |it: &Loss| json!({ "kind": it.kind.word(), "things": it.things });
    json!({ "items": losses.iter().map(view).collect::<Vec<_>>(), "count": losses.len() })
}
