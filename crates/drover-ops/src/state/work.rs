//! What of the work itself waits on a person: checks that failed, tasks kept back, branches not landed.

use drover_core::agent::Presence;
use drover_host::workspace::git;
use drover_store::notes;
use drover_store::projects::Project;
use drover_store::tasks;
use drover_store::{agents as agent_rows, workspaces as workspace_rows};

use super::types::{Kind, Need, step};
use crate::agents::Observed;
use crate::ctx::Ctx;
use crate::error::Result;
use crate::policy::Policy;
use crate::{trust, words, workspaces};

/// How many tasks one line names at most.
const NAMED: usize = 20;

/// Checks and landings that failed and were not made good since.
pub(super) fn failures(ctx: &Ctx, project: &Project, needs: &mut Vec<Need>) -> Result<()> {
    let tx = ctx.read();
    for (uid, evidence) in notes::standing_failures(&tx, project.pk)? {
        let Some(task) = tasks::by_uid(&tx, &uid)? else { continue };
        let command = evidence.command.as_deref().unwrap_or("its check");
        let verb = if evidence.verb == "land" { "landing" } else { "closing" };
        needs.push(Need {
            kind: Kind::Failed,
            about: task.id.clone(),
            what: format!("{command} failed at {verb}"),
            since: Some(evidence.created_at.clone()),
            next: vec![
                step(
                    "see what happened",
                    format!("drover task show {}/{} --proof", project.name, task.id),
                ),
                step(
                    "read its output",
                    evidence.log_path.as_deref().map_or_else(
                        || format!("drover task notes {}/{}", project.name, task.id),
                        |it| format!("less {}", words::quote(it)),
                    ),
                ),
            ],
        });
    }
    Ok(())
}

/// Ready tasks that dispatch leaves alone until a person has acted.
pub(super) fn tasks_kept_back(ctx: &Ctx, project: &Project, needs: &mut Vec<Need>) -> Result<()> {
    let policy = Policy::of(ctx, project)?;
    let tx = ctx.read();
    for task in tasks::ready_after_losses(&tx, project.pk, policy.attempts)? {
        needs.push(Need {
            kind: Kind::Attempts,
            about: task.id.clone(),
            what: match task.attempt {
                1 => "was tried once in vain".to_owned(),
                times => format!("was tried {times} times in vain"),
            },
            since: Some(task.updated_at.clone()),
            next: vec![
                step("see why", format!("drover task notes {}/{}", project.name, task.id)),
                step(
                    "allow one more try",
                    format!("drover project set attempts {} -p {}", task.attempt + 1, project.name),
                ),
            ],
        });
    }
    let (mut untrusted, mut count) = (Vec::new(), 0);
    for command in tasks::planned_commands(&tx, project.pk)? {
        if !trust::is_trusted(&tx, project.pk, trust::Kind::Verify, command.as_bytes())? {
            let (ids, more) = tasks::ready_with_command(&tx, project.pk, (&command, NAMED))?;
            untrusted.extend(ids);
            count += more;
        }
    }
    if !untrusted.is_empty() {
        untrusted.truncate(NAMED);
        if count > untrusted.len() {
            untrusted.push(format!("{} more", count - untrusted.len()));
        }
        needs.push(Need {
            kind: Kind::Trust,
            about: project.name.clone(),
            what: format!(
                "the verify commands of {} come from outside and are not trusted",
                untrusted.join(", ")
            ),
            since: None,
            next: vec![step(
                "see and trust them",
                format!("drover project trust -p {}", project.name),
            )],
        });
    }
    Ok(())
}

/// Workspaces of idle workers in which something stands that belongs to no task: they are given none.
pub(super) fn workspaces_not_ready(
    ctx: &Ctx,
    project: &Project,
    crew: &[Observed],
    needs: &mut Vec<Need>,
) -> Result<()> {
    let tx = ctx.read();
    for agent in crew.iter().filter(|it| it.decided.state == Presence::Idle).map(|it| &it.agent) {
        let takes_work = agent.profile.takes_work != "none";
        if !takes_work || !tasks::held_by(&tx, &agent.uid)?.is_empty() {
            continue;
        }
        let Some(it) = workspaces::not_ready(ctx, project, &agent.name)? else { continue };
        let name = format!("{}/{}", project.name, agent.name);
        let mut next = vec![step("look at it", format!("drover workspace diff {name}"))];
        if it.reason == "workspace_dirty" {
            let path =
                workspace_rows::of_agent(&tx, agent.pk)?.map(|it| it.path).unwrap_or_default();
            let stash = format!("git -C {} stash push --include-untracked", words::quote(&path));
            next.push(step("keep it aside", stash));
        } else {
            next.push(step("set it right there", format!("drover agent attach {name}")));
        }
        needs.push(Need {
            kind: Kind::Workspace,
            about: agent.name.clone(),
            what: it.what,
            since: None,
            next,
        });
    }
    Ok(())
}

/// Branches with work that the trunk does not hold, while nobody works on them.
pub(super) fn unlanded(
    ctx: &Ctx,
    project: &Project,
    crew: &[Observed],
    needs: &mut Vec<Need>,
) -> Result<()> {
    let trunk = workspaces::trunk(&project.name);
    for workspace in workspace_rows::list(&ctx.read(), project.pk)? {
        let Some(agent) = agent_rows::by_pk(&ctx.read(), workspace.agent_pk)? else { continue };
        let works =
            crew.iter().any(|it| it.agent.pk == agent.pk && it.decided.state == Presence::Working);
        if works || !tasks::held_by(&ctx.read(), &agent.uid)?.is_empty() {
            continue;
        }
        let repository = std::path::Path::new(&workspace.source);
        let tips = git::resolve(repository, &workspace.branch)
            .and_then(|it| Ok((it, git::resolve(repository, &trunk)?)));
        let Ok((branch, tip)) = tips else { continue };
        if git::holds(repository, &tip, &branch).unwrap_or(true) {
            continue;
        }
        let name = format!("{}/{}", project.name, agent.name);
        let next = if workspace.state == "branch_only" {
            vec![step(
                "merge it",
                format!("git -C {} merge {}", words::quote(&workspace.source), workspace.branch),
            )]
        } else {
            vec![
                step("land it", format!("drover workspace land {name}")),
                step("look at it", format!("drover workspace diff {name}")),
            ]
        };
        let mut what =
            format!("the branch {} holds work that the trunk does not", workspace.branch);
        if let Some(why) = workspaces::not_finished(ctx, project, &workspace)? {
            what = format!("{what}: {why}");
        } else {
            // An old git cannot say; the landing will.
            let files = git::conflicts(repository, &branch, &tip).unwrap_or_default();
            if !files.is_empty() {
                let files: Vec<String> = files.iter().map(|it| it.display().to_string()).collect();
                what = format!("{what}; it conflicts in {}", files.join(", "));
            }
        }
        needs.push(Need {
            kind: Kind::Unlanded,
            about: agent.name,
            what,
            since: Some(workspace.created_at.clone()),
            next,
        });
    }
    Ok(())
}
