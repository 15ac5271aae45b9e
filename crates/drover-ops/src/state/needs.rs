//! What waits on a person, each with the command that answers it.

use drover_core::agent::{Lifecycle, Presence};
use drover_core::message::Level;
use drover_core::task::State;
use drover_core::usage::Budget;
use drover_store::ReadTx;
use drover_store::agents::Agent;
use drover_store::messages::{self, Message};
use drover_store::projects::Project;
use drover_store::tasks::{self, Query};

use super::types::{Kind, Need, step};
use super::work;
use crate::agents::Observed;
use crate::ctx::Ctx;
use crate::dispatch;
use crate::error::Result;
use crate::policy::Policy;
use crate::usage::Usage;
use crate::words;

/// Everything in a project that waits on a person, the most urgent first.
pub(super) fn of_project(
    ctx: &Ctx,
    project: &Project,
    crew: &[Observed],
    used: &Usage,
) -> Result<Vec<Need>> {
    let mut needs = Vec::new();
    for observed in crew {
        needs.extend(of_agent(ctx, project, observed)?);
    }
    work::failures(ctx, project, &mut needs)?;
    work::tasks_kept_back(ctx, project, &mut needs)?;
    work::workspaces_not_ready(ctx, project, crew, &mut needs)?;
    work::unlanded(ctx, project, crew, &mut needs)?;
    budget(ctx, project, used, &mut needs)?;
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
    let (kind, what) = match decided.state {
        Presence::NeedsPermission => {
            (Kind::Permission, format!("asks for permission: {}", observed.need()))
        }
        Presence::NeedsInput if decided.reason.as_deref() == Some("login") => {
            (Kind::Login, format!("has to be logged in: {}", observed.need()))
        }
        Presence::NeedsInput => (Kind::Question, format!("asks: {}", observed.need())),
        Presence::Limited => (Kind::Limit, format!("has reached a limit: {}", observed.need())),
        Presence::Exited => (Kind::Dead, dead(ctx, project, observed)?),
        Presence::Idle if agent.lifecycle.is_running() => match stalled(ctx, observed)? {
            Some(what) => (Kind::Stalled, what),
            None => return Ok(None),
        },
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
    let next = match kind {
        Kind::Dead => {
            let back = step("bring it back", format!("drover agent restore {name}"));
            let can_come_back = agent.conversation_id.is_some();
            let again = step("start it again", format!("drover agent restart {name}"));
            let mut steps = vec![step("close it", format!("drover agent close {name}"))];
            // What was adopted is not ours to start.
            if !agent.is_adopted {
                steps.splice(0..0, can_come_back.then_some(back).into_iter().chain([again]));
            }
            steps
        }
        Kind::Stalled => vec![
            step("read it", format!("drover agent read {name}")),
            step("speak to it", format!("drover agent attach {name}")),
            step("take its tasks and start it again", format!("drover agent restart {name}")),
        ],
        _ => {
            let mut steps = vec![
                step("answer it there", format!("drover agent attach {name}")),
                step("read it", format!("drover agent read {name}")),
            ];
            let approve = step("see it and answer it", format!("drover agent approve {name}"));
            steps.splice(0..0, observed.dialog.is_some().then_some(approve));
            steps
        }
    };
    let since =
        decided.since.map(drover_store::time_text).or_else(|| Some(agent.lifecycle_at.clone()));
    Ok(Some(Need { kind, about: agent.name.clone(), what, since, next }))
}

/// The tasks that an idle agent holds and on which nothing has moved for a while.
fn stalled(ctx: &Ctx, observed: &Observed) -> Result<Option<String>> {
    let agent = &observed.agent;
    if agent.profile.takes_work == "none" || agent.work.is_some() {
        return Ok(None);
    }
    let now = ctx.now();
    let is_old =
        |at: jiff::Timestamp| now.duration_since(at).unsigned_abs() >= dispatch::TELL_AGAIN;
    let held = tasks::held_by(&ctx.read(), &agent.uid)?;
    let old = held.into_iter().filter(|it| it.updated_at.parse().is_ok_and(is_old));
    let ids: Vec<String> = old.map(|it| it.id).collect();
    Ok((!ids.is_empty()).then(|| format!("is idle and holds {}", ids.join(", "))))
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
    let lost = tasks::lost_by(&ctx.read(), project.pk, &holder)?;
    let lost: Vec<String> =
        lost.into_iter().filter(|it| it.state != State::Active).map(|it| it.id).collect();
    Ok(if lost.is_empty() { how } else { format!("{how}; it lost {}", lost.join(", ")) })
}

/// The oldest message that waits for each agent, and those of which nobody knows whether they arrived
/// while their task is still open.
fn undelivered(
    ctx: &Ctx,
    project: &Project,
    crew: &[Observed],
    needs: &mut Vec<Need>,
) -> Result<()> {
    let tx = ctx.read();
    for observed in crew {
        let agent = &observed.agent;
        let name = format!("{}/{}", project.name, agent.name);
        let messages = messages::of_agent(&tx, agent.pk)?;
        let waiting: Vec<&Message> = messages.iter().filter(|it| it.level.is_pending()).collect();
        let mut told = Vec::new();
        if let Some(oldest) = waiting.first() {
            let (number, bytes, sender) = (oldest.number, oldest.bytes, &oldest.sender);
            let what = format!("message {number} of {bytes} bytes from {sender} waits");
            let more = waiting.len() - 1;
            let what = if more == 0 { what } else { format!("{what}, and {more} more") };
            told.push((what, oldest.created_at.clone()));
        }
        for message in &messages {
            if is_doubtful(&tx, agent, message)? {
                let (number, at) = (message.number, message.created_at.clone());
                let reason = message.reason.as_deref().unwrap_or("uncertain");
                let what = format!("its brief, message {number}, may not have arrived: {reason}");
                told.push((what, at));
            }
        }
        needs.extend(told.into_iter().map(|(what, since)| Need {
            kind: Kind::Undelivered,
            about: agent.name.clone(),
            what,
            since: Some(since),
            next: vec![
                step("see its messages", format!("drover agent queue {name} --all")),
                step("read its screen", format!("drover agent read {name}")),
            ],
        }));
    }
    Ok(())
}

/// Whether a brief was begun to be typed and not seen to arrive, and its agent still holds the task.
fn is_doubtful(tx: &ReadTx<'_>, agent: &Agent, message: &Message) -> Result<bool> {
    let is_unproven = message.level == Level::Uncertain
        || (message.level == Level::Typed && message.reason.is_some());
    let Some(uid) = message.task_uid.as_deref().filter(|_| is_unproven) else { return Ok(false) };
    let task = tasks::by_uid(tx, uid)?;
    Ok(task
        .is_some_and(|it| it.state == State::Active && it.claimed_uid.as_ref() == Some(&agent.uid)))
}

/// More was used than the policy allows.
fn budget(ctx: &Ctx, project: &Project, used: &Usage, needs: &mut Vec<Need>) -> Result<()> {
    let budget = Policy::of(ctx, project)?.budget;
    let Some(budget) = budget.filter(|it| it.is_exceeded_by(&used.spent)) else { return Ok(()) };
    let what = match budget {
        Budget::Money(most) => {
            let spent = words::money(used.spent.micros().unwrap_or(0));
            format!("{spent} are spent, and the budget is {}", words::money(most))
        }
        Budget::Tokens(most) => {
            let tokens = words::count(used.spent.tokens.total());
            format!("{tokens} tokens are used, and the budget is {}", words::count(most))
        }
    };
    let name = &project.name;
    needs.push(Need {
        kind: Kind::Budget,
        about: name.clone(),
        what,
        since: None,
        next: vec![
            step("see who used it", format!("drover state -p {name}")),
            step("allow more", format!("drover project set budget \"<amount>\" -p {name}")),
        ],
    });
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
