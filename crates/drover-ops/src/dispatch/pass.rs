//! One deterministic pass: the same rows and the same panes give the same hand-out.

use std::time::Duration;

use drover_core::dispatch::{Skip, hand_out};
use drover_store::tasks;
use jiff::Timestamp;

use super::board::{self, Crew};
use super::hand;
use super::landing;
use super::types::{Dispatcher, Handed, Pass, Skipped};
use crate::ctx::Ctx;
use crate::error::{OpError, Result};
use crate::policy::Policy;

/// How long a task may be held without any work on it until its agent is told again.
const TELL_AGAIN: Duration = Duration::from_secs(10);

/// Lands what is closed and hands out what is ready, once.
pub fn pass(ctx: &mut Ctx, dispatcher: &mut Dispatcher) -> Result<Pass> {
    let project = dispatcher.project.clone();
    let policy = Policy::of(ctx, &project)?;
    let crew = board::look(ctx, &project)?;
    let mut pass = Pass { workers: crew.workers(), ..Pass::default() };
    landing::land_closed(ctx, dispatcher, &crew, &mut pass)?;
    remind(ctx, dispatcher, &crew)?;
    let made = board::build(ctx, &project, &policy, &crew, dispatcher.options.use_attached)?;
    pass.is_settling = crew.is_settling(ctx)?;
    let out = hand_out(&made.board);
    for assignment in out.assignments {
        let (Some(task), Some(agent)) = (made.task(assignment.task), crew.agent(&assignment.agent))
        else {
            continue;
        };
        match hand::hand(ctx, &project, task, agent) {
            Ok(()) => pass.handed.push(Handed { task: task.id.clone(), agent: agent.name.clone() }),
            Err(OpError::Store(err)) => return Err(err.into()),
            Err(err) => {
                ctx.warn(format!("{} was not handed to {}: {err}", task.id, agent.name));
                pass.skipped.push(Skipped {
                    name: task.id.clone(),
                    reason: "not_handed",
                    because_of: None,
                });
            }
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
                pass.passed_over.push(Skipped {
                    name: agent,
                    reason: reason.as_str(),
                    because_of: None,
                });
            }
        }
    }
    pass.skipped.extend(made.kept_back.iter().cloned());
    for (state, count) in tasks::count_by_state(&ctx.read(), project.pk)? {
        let count = usize::try_from(count).unwrap_or(0);
        pass.open += if state.is_closed() { 0 } else { count };
    }
    for observed in crew.agents.iter().filter(|it| it.agent.lifecycle.is_running()) {
        pass.in_progress += tasks::held_by(&ctx.read(), &observed.agent.uid)?.len();
    }
    Ok(pass)
}

/// Tells an idle agent again that holds a task nobody works on, as when its terminal lost the line.
fn remind(ctx: &mut Ctx, dispatcher: &mut Dispatcher, crew: &Crew) -> Result<()> {
    let now = ctx.now();
    let is_old = |at: Timestamp| now.duration_since(at).unsigned_abs() >= TELL_AGAIN;
    for observed in &crew.agents {
        let agent = &observed.agent;
        let is_listening =
            crew.is_idle(agent.pk) && agent.work.is_none() && agent.profile.takes_work == "run";
        if !is_listening || dispatcher.told.get(&agent.pk).is_some_and(|it| !is_old(*it)) {
            continue;
        }
        let held = tasks::held_by(&ctx.read(), &agent.uid)?;
        if held.iter().any(|it| it.updated_at.parse().is_ok_and(is_old)) {
            dispatcher.told.insert(agent.pk, now);
            hand::tell(ctx, agent)?;
        }
    }
    Ok(())
}
