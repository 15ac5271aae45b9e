//! What waits on a person, each with the command that answers it.

use drover_core::agent::{Lifecycle, Presence};
use drover_core::task::State;
use drover_host::workspace::git;
use drover_store::notes;
use drover_store::projects::Project;
use drover_store::tasks::{self, Query};
use drover_store::{agents as agent_rows, messages, workspaces as workspace_rows};

use crate::agents::Observed;
use crate::ctx::Ctx;
use crate::error::Result;
use crate::policy::Policy;
use crate::{trust, words, workspaces};

/// What kind of thing waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An agent shows a dialog that asks for permission.
    Permission,
    /// An agent asks something.
    Question,
    /// An agent has reached a limit.
    Limit,
    /// An agent is dead.
    Dead,
    /// A command that should prove a task, or a landing, failed.
    Failed,
    /// A task was lost as often as the policy allows.
    Attempts,
    /// A command from outside waits for trust.
    Trust,
    /// Work is closed and not on the trunk.
    Unlanded,
    /// A message was not delivered.
    Undelivered,
    /// A proposed task waits to be admitted.
    Triage,
}

impl Kind {
    /// Every kind, the most urgent first.
    pub const ALL: &'static [Self] = &[
        Self::Permission,
        Self::Question,
        Self::Limit,
        Self::Dead,
        Self::Failed,
        Self::Attempts,
        Self::Trust,
        Self::Unlanded,
        Self::Undelivered,
        Self::Triage,
    ];

    /// The stable word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Permission => "permission",
            Self::Question => "question",
            Self::Limit => "limit",
            Self::Dead => "dead",
            Self::Failed => "failed",
            Self::Attempts => "attempts_spent",
            Self::Trust => "trust",
            Self::Unlanded => "unlanded",
            Self::Undelivered => "undelivered",
            Self::Triage => "triage",
        }
    }
}

/// A command that goes on from here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What it is for.
    pub why: String,
    /// The command.
    pub run: String,
}

/// One thing that waits on a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// What kind of thing.
    pub kind: Kind,
    /// Which agent or task it is about.
    pub about: String,
    /// What it is, in a sentence.
    pub what: String,
    /// Since when, RFC 3339.
    pub since: Option<String>,
    /// What answers it, best first.
    pub next: Vec<Step>,
}

fn step(why: &str, run: String) -> Step {
    Step { why: why.to_owned(), run }
}

/// Everything in a project that waits on a person, the most urgent first.
pub(super) fn of_project(ctx: &Ctx, project: &Project, crew: &[Observed]) -> Result<Vec<Need>> {
    let mut needs = Vec::new();
    for observed in crew {
        needs.extend(of_agent(ctx, project, observed)?);
    }
    failures(ctx, project, &mut needs)?;
    tasks_kept_back(ctx, project, &mut needs)?;
    unlanded(ctx, project, crew, &mut needs)?;
    undelivered(ctx, project, crew, &mut needs)?;
    triage(ctx, project, &mut needs)?;
    let rank = |it: &Need| Kind::ALL.iter().position(|kind| *kind == it.kind);
    needs.sort_by(|one, two| rank(one).cmp(&rank(two)).then_with(|| one.since.cmp(&two.since)));
    Ok(needs)
}

fn of_agent(ctx: &Ctx, project: &Project, observed: &Observed) -> Result<Option<Need>> {
    let agent = &observed.agent;
    let name = format!("{}/{}", project.name, agent.name);
    let decided = &observed.decided;
    let reason = decided.reason.clone().unwrap_or_else(|| decided.evidence.clone());
    let (kind, what) = match decided.state {
        Presence::NeedsPermission => (Kind::Permission, format!("asks for permission: {reason}")),
        Presence::NeedsInput => (Kind::Question, format!("asks: {reason}")),
        Presence::Limited => (Kind::Limit, format!("has reached a limit: {reason}")),
        Presence::Exited => (Kind::Dead, dead(ctx, project, observed)?),
        Presence::Starting | Presence::Working | Presence::Idle | Presence::Unknown => {
            if agent.lifecycle != Lifecycle::Failed {
                return Ok(None);
            }
            (
                Kind::Dead,
                format!(
                    "could not be started: {}",
                    agent.failure.as_deref().unwrap_or("no reason is known")
                ),
            )
        }
    };
    let next = if kind == Kind::Dead {
        vec![
            step("start it again", format!("drover agent restart {name}")),
            step("close it", format!("drover agent close {name}")),
        ]
    } else {
        vec![
            step("answer it there", format!("drover agent attach {name}")),
            step("read it", format!("drover agent read {name}")),
        ]
    };
    let since =
        decided.since.map(drover_store::time_text).or_else(|| Some(agent.lifecycle_at.clone()));
    Ok(Some(Need { kind, about: agent.name.clone(), what, since, next }))
}

/// How a dead agent ended, and which tasks it lost.
fn dead(ctx: &Ctx, project: &Project, observed: &Observed) -> Result<String> {
    let agent = &observed.agent;
    let how = match (agent.exit_status, agent.exit_signal) {
        (_, Some(signal)) => format!("ended by signal {signal}"),
        (Some(status), None) => format!("ended with exit code {status}"),
        (None, None) => "is gone".to_owned(),
    };
    let holder = format!("{}@{}", agent.name, ctx.machine());
    let open = tasks::list(
        &ctx.read(),
        project.pk,
        &Query { statuses: vec!["OPEN".to_owned()], ..Query::default() },
    )?;
    let lost: Vec<String> = open
        .into_iter()
        .filter(|it| it.last_claimed_by.as_deref() == Some(&holder))
        .map(|it| it.id)
        .collect();
    Ok(if lost.is_empty() { how } else { format!("{how}; it lost {}", lost.join(", ")) })
}

/// Checks and landings that failed and were not made good since.
fn failures(ctx: &Ctx, project: &Project, needs: &mut Vec<Need>) -> Result<()> {
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
fn tasks_kept_back(ctx: &Ctx, project: &Project, needs: &mut Vec<Need>) -> Result<()> {
    let policy = Policy::of(ctx, project)?;
    let mut untrusted = Vec::new();
    for task in tasks::ready(&ctx.read(), project.pk, None)? {
        if task.attempt >= policy.attempts {
            needs.push(Need {
                kind: Kind::Attempts,
                about: task.id.clone(),
                what: format!("was lost {} times", task.attempt),
                since: Some(task.updated_at.clone()),
                next: vec![
                    step("see why", format!("drover task notes {}/{}", project.name, task.id)),
                    step(
                        "allow one more try",
                        format!(
                            "drover project set attempts {} -p {}",
                            task.attempt + 1,
                            project.name
                        ),
                    ),
                ],
            });
        }
        if let (Some(command), Some("plan")) = (&task.verify, task.verify_chosen_by.as_deref())
            && !trust::is_trusted(&ctx.read(), project.pk, trust::Kind::Verify, command.as_bytes())?
        {
            untrusted.push(task.id);
        }
    }
    if !untrusted.is_empty() {
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

/// Branches with work that the trunk does not hold, while nobody works on them.
fn unlanded(ctx: &Ctx, project: &Project, crew: &[Observed], needs: &mut Vec<Need>) -> Result<()> {
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
        if git::is_ancestor(repository, &branch, &tip).unwrap_or(true) {
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
        let what = format!("the branch {} holds work that the trunk does not", workspace.branch);
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

fn undelivered(
    ctx: &Ctx,
    project: &Project,
    crew: &[Observed],
    needs: &mut Vec<Need>,
) -> Result<()> {
    for message in messages::undelivered(&ctx.read())? {
        let Some(observed) = crew.iter().find(|it| it.agent.pk == message.agent_pk) else {
            continue;
        };
        let name = format!("{}/{}", project.name, observed.agent.name);
        needs.push(Need {
            kind: Kind::Undelivered,
            about: observed.agent.name.clone(),
            what: format!(
                "message {} of {} bytes from {} waits",
                message.number, message.bytes, message.sender
            ),
            since: Some(message.created_at.clone()),
            next: vec![step("see what waits", format!("drover agent queue {name}"))],
        });
    }
    Ok(())
}

fn triage(ctx: &Ctx, project: &Project, needs: &mut Vec<Need>) -> Result<()> {
    let query = Query { substates: vec![State::Triage.substate().to_owned()], ..Query::default() };
    for task in tasks::list(&ctx.read(), project.pk, &query)? {
        let id = format!("{}/{}", project.name, task.id);
        needs.push(Need {
            kind: Kind::Triage,
            about: task.id.clone(),
            what: format!("is proposed: {}", task.title),
            since: Some(task.created_at.clone()),
            next: vec![
                step("admit it", format!("drover task admit {id}")),
                step(
                    "turn it down",
                    format!("drover task close {id} --as rejected --why \"<reason>\""),
                ),
            ],
        });
    }
    Ok(())
}
