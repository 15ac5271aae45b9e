//! One deterministic pass: the same rows and the same panes give the same hand-out.

use std::time::Duration;

use drover_core::agent::Presence;
use drover_core::dispatch::{IdleAgent, Skip, hand_out};
use drover_store::agents::Agent;
use drover_store::projects::Project;
use drover_store::tasks::{self, Task};
use jiff::Timestamp;

use super::board::{self, Crew, Hands, Made, may_get_idle};
use super::hand;
use super::landing;
use super::types::{Dispatcher, Handed, Pass, Skipped, Told};
use crate::ctx::Ctx;
use crate::error::{OpError, Result};
use crate::policy::Policy;
use crate::waiting::is_interrupted;
use crate::{messages, workspaces};

/// How long a task may be held without any work on it until its agent is told again.
pub(crate) const TELL_AGAIN: Duration = Duration::from_secs(10);
/// How long an agent that could not be handed a task is left alone.
const LEFT_ALONE: Duration = Duration::from_secs(2);
/// How often an agent is told, or tried, until only a person can help.
const TIMES: u32 = 3;

/// Lands what is closed and hands out what is ready, once.
pub fn pass(ctx: &mut Ctx, dispatcher: &mut Dispatcher) -> Result<Pass> {
    let project = dispatcher.project.clone();
    let policy = Policy::of(ctx, &project)?;
    // Counted before the branches are looked at: what is closed after this is landed by a later pass.
    let open = open_tasks(ctx, &project)?;
    let crew = board::look(ctx, &project)?;
    let mut pass = Pass { open, workers: crew.workers().count(), ..Pass::default() };
    workspaces::settle(ctx, &project)?;
    landing::land_closed(ctx, dispatcher, &crew, &mut pass)?;
    remind(ctx, dispatcher, &crew)?;
    pass.is_settling = crew.is_settling(ctx)?;
    pass.freeing = crew.workers().filter(|it| may_get_idle(it.decided.state)).count();
    let idle = idle(ctx, dispatcher, &crew, &mut pass)?;
    let hands =
        Hands { idle, workers: pass.workers, use_attached: dispatcher.options.use_attached };
    let landing = if ctx.is_dry_run() {
        pass.landed.iter().map(|it| it.branch.clone()).collect()
    } else {
        Vec::new()
    };
    let made = board::build(ctx, &project, &policy, hands, landing)?;
    give(ctx, dispatcher, &crew, &made, &mut pass)?;
    pass.skipped.extend(made.kept_back.iter().cloned());
    pass.in_progress = in_progress(ctx, dispatcher, &crew)?;
    Ok(pass)
}

fn open_tasks(ctx: &Ctx, project: &Project) -> Result<usize> {
    let by_state = tasks::count_by_state(&ctx.read(), project.pk)?;
    let open = by_state.into_iter().filter(|it| !it.0.is_closed()).map(|it| it.1);
    Ok(usize::try_from(open.sum::<i64>()).unwrap_or(0))
}

/// The workers that can be given a task now; why the other idle ones cannot is said in the pass.
fn idle(
    ctx: &Ctx,
    dispatcher: &Dispatcher,
    crew: &Crew,
    pass: &mut Pass,
) -> Result<Vec<IdleAgent>> {
    let mut idle = Vec::new();
    for it in crew.workers().filter(|it| it.decided.state == Presence::Idle) {
        if !tasks::held_by(&ctx.read(), &it.agent.uid)?.is_empty() {
            continue;
        }
        let refused = dispatcher.refused.get(&it.agent.pk);
        if let Some(reason) = obstacle(ctx, dispatcher, &it.agent)? {
            let name = it.agent.name.clone();
            pass.passed_over.push(Skipped { name, reason, because_of: None });
            pass.freeing +=
                usize::from(reason == "not_handed" && refused.is_some_and(|it| it.times < TIMES));
            continue;
        }
        let attached = it.pane.as_ref().is_some_and(|pane| pane.is_watched);
        pass.freeing += usize::from(attached && !dispatcher.options.use_attached);
        idle.push(IdleAgent { name: it.agent.name.clone(), attached });
    }
    Ok(idle)
}

/// Why an idle agent that holds nothing is not given a task all the same.
fn obstacle(ctx: &Ctx, dispatcher: &Dispatcher, agent: &Agent) -> Result<Option<&'static str>> {
    let is_recent = |it: &Told| ctx.now().duration_since(it.at).unsigned_abs() < LEFT_ALONE;
    if dispatcher.refused.get(&agent.pk).is_some_and(|it| it.times >= TIMES || is_recent(it)) {
        return Ok(Some("not_handed"));
    }
    if agent.profile.takes_work == "message" && !messages::may_get_briefs(ctx, agent)? {
        return Ok(Some("channel_missing"));
    }
    if let Some(not_ready) = workspaces::not_ready(ctx, &dispatcher.project, &agent.name)? {
        return Ok(Some(not_ready.reason));
    }
    let is_unlanded =
        dispatcher.tried.contains_key(&agent.name) || dispatcher.unfinished.contains(&agent.name);
    Ok(is_unlanded.then_some("work_not_landed"))
}

/// Hands out what can be, and says of the rest why not.
fn give(
    ctx: &mut Ctx,
    dispatcher: &mut Dispatcher,
    crew: &Crew,
    made: &Made,
    pass: &mut Pass,
) -> Result<()> {
    let out = hand_out(&made.board);
    for assignment in out.assignments {
        if let (Some(task), Some(agent)) =
            (made.task(assignment.task), crew.agent(&assignment.agent))
            && !is_interrupted()
        {
            hand_one(ctx, dispatcher, (task, agent), pass)?;
        }
    }
    for skip in out.skips {
        match skip {
            Skip::Task { task, reason, because_of } => pass.skipped.push(Skipped {
                name: made.id(task),
                reason: reason.as_str(),
                because_of: because_of.map(|it| made.id(it)),
            }),
            Skip::Agent { agent, reason } => {
                let (name, reason) = (agent, reason.as_str());
                pass.passed_over.push(Skipped { name, reason, because_of: None });
            }
        }
    }
    Ok(())
}

fn hand_one(
    ctx: &mut Ctx,
    dispatcher: &mut Dispatcher,
    (task, agent): (&Task, &Agent),
    pass: &mut Pass,
) -> Result<()> {
    match hand::hand(ctx, &dispatcher.project.clone(), task, agent) {
        Ok(()) => {
            dispatcher.refused.remove(&agent.pk);
            pass.handed.push(Handed { task: task.id.clone(), agent: agent.name.clone() });
        }
        Err(OpError::Store(err)) => return Err(err.into()),
        Err(_) if is_interrupted() => {}
        Err(err) => {
            let at = ctx.now();
            let entry = dispatcher.refused.entry(agent.pk).or_insert(Told { at, times: 0 });
            *entry = Told { at, times: entry.times + 1 };
            // Tried again at the next passes: said once, so that a long watch does not pile it up.
            if entry.times == 1 {
                ctx.warn(format!("{} was not handed to {}: {err}", task.id, agent.name));
            }
            let (name, reason) = (task.id.clone(), "not_handed");
            pass.skipped.push(Skipped { name, reason, because_of: None });
        }
    }
    Ok(())
}

/// Tells an idle agent again that holds a task nobody works on, as when its terminal lost the line.
fn remind(ctx: &mut Ctx, dispatcher: &mut Dispatcher, crew: &Crew) -> Result<()> {
    let now = ctx.now();
    for observed in &crew.agents {
        let agent = &observed.agent;
        if !crew.is_idle(agent.pk) || agent.work.is_some() {
            dispatcher.told.remove(&agent.pk);
            continue;
        }
        let before = dispatcher.told.get(&agent.pk).copied();
        let is_due = before.is_none_or(|it| it.times < TIMES && is_old(now, it.at));
        if agent.profile.takes_work != "run" || !is_due || !holds_idly(ctx, now, agent)? {
            continue;
        }
        let times = before.map_or(0, |it| it.times) + 1;
        dispatcher.told.insert(agent.pk, Told { at: now, times });
        if let Err(err) = hand::type_work(ctx, agent) {
            ctx.warn(format!("{} was not told to go on: {err}", agent.name));
        }
    }
    Ok(())
}

fn is_old(now: Timestamp, at: Timestamp) -> bool {
    now.duration_since(at).unsigned_abs() >= TELL_AGAIN
}

/// Whether an agent holds a task on which nothing has moved for a while.
fn holds_idly(ctx: &Ctx, now: Timestamp, agent: &Agent) -> Result<bool> {
    let held = tasks::held_by(&ctx.read(), &agent.uid)?;
    Ok(held.iter().any(|it| it.updated_at.parse().is_ok_and(|at| is_old(now, at))))
}

/// The tasks that are in the hands of agents which need nobody to go on.
fn in_progress(ctx: &Ctx, dispatcher: &Dispatcher, crew: &Crew) -> Result<usize> {
    let now = ctx.now();
    let mut count = 0;
    for it in crew.agents.iter().filter(|it| it.agent.lifecycle.is_running()) {
        let goes_on = match it.decided.state {
            Presence::Starting | Presence::Working | Presence::Unknown => true,
            Presence::Idle if it.agent.profile.takes_work == "run" => {
                dispatcher.told.get(&it.agent.pk).is_none_or(|it| it.times < TIMES)
            }
            Presence::Idle => !holds_idly(ctx, now, &it.agent)?,
            Presence::NeedsInput
            | Presence::NeedsPermission
            | Presence::Limited
            | Presence::Exited => false,
        };
        if goes_on {
            let held = tasks::held_by(&ctx.read(), &it.agent.uid)?;
            count += held.iter().filter(|it| it.project_pk == dispatcher.project.pk).count();
        }
    }
    Ok(count)
}
