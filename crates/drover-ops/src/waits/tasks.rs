//! `task wait`: until tasks have a status, or cannot get there by themselves.

use drover_core::agent::Presence;
use drover_core::duration::Limit;
use drover_core::task::Status;
use drover_store::messages;
use drover_store::projects::Project;
use drover_store::tasks::{self, Task};
use jiff::Timestamp;

use super::look::{self, Watched};
use super::need::{End, Need, OnStall, TaskState};
use super::stall;
use crate::agents::Observed;
use crate::ctx::Ctx;
use crate::error::{OpError, Result};
use crate::resolve;
use crate::waiting::{Event, Waiter};

/// Which tasks to wait for, for what, and how long.
#[derive(Debug, Clone)]
pub struct TaskWait {
    /// The tasks.
    pub ids: Vec<String>,
    /// The status they are to have.
    pub status: Status,
    /// How many of them.
    pub need: Need,
    /// How long.
    pub timeout: Limit,
    /// How long an agent may do nothing with its task in progress; by default what its engine can show.
    pub stuck_after: Option<Limit>,
    /// What that does to the wait.
    pub on_stall: OnStall,
}

/// A task that was waited for.
#[derive(Debug, Clone)]
pub struct WaitedTask {
    /// Its project.
    pub project: Project,
    /// The task as it was seen last.
    pub task: Task,
    /// The agent that holds it.
    pub owner: Option<Observed>,
    /// Where it stands.
    pub state: TaskState,
    /// Why it stands there, where that is not plain.
    pub reason: Option<String>,
}

/// How a wait for tasks ended.
#[derive(Debug, Clone)]
pub struct TaskWaited {
    /// Each task, in the order given.
    pub tasks: Vec<WaitedTask>,
    /// How it ended.
    pub end: End,
}

/// A task under watch.
struct Watch {
    project: Project,
    task: Task,
    /// How often it had been lost when the wait began.
    attempt: i64,
    is_deleted: bool,
    /// Since when its holder has been seen idle.
    idle_since: Option<Timestamp>,
    /// Whether a message waits for its holder, which begins another turn.
    has_mail: bool,
    is_warned: bool,
}

/// Waits until the tasks have the status; a deleted one never counts as having it.
pub fn wait_for_tasks(ctx: &mut Ctx, request: &TaskWait) -> Result<TaskWaited> {
    let mut watches = watches(ctx, &request.ids)?;
    let until = request.timeout.deadline(ctx.now());
    let mut waiter = Waiter::start(ctx)?;
    let mut seen: Vec<Watched> = Vec::new();
    let mut event = None;
    loop {
        let owners = owners(&watches);
        seen = look::look(ctx, &owners, &seen)?;
        reload(ctx, &mut watches)?;
        let now = ctx.now();
        let mut tasks = Vec::with_capacity(watches.len());
        for watch in &mut watches {
            watch.has_mail = has_mail(ctx, watch, &seen)?;
            tasks.push(watch.stand(request, &seen, now));
        }
        warn_of_stalls(ctx, &mut watches, &tasks);
        if let Some(end) = end(&tasks, request, event) {
            return Ok(TaskWaited { tasks, end });
        }
        let is_unheld = self::owners(&watches).is_empty();
        event = Some(if is_unheld {
            waiter.wait(ctx, until)?
        } else {
            waiter.wait_at_most(ctx, until, look::POLL)?
        });
    }
}

fn watches(ctx: &Ctx, ids: &[String]) -> Result<Vec<Watch>> {
    let mut watches: Vec<Watch> = Vec::new();
    for id in ids {
        let (project, task) = resolve::task(ctx, id)?;
        if watches.iter().any(|it| it.task.uid == task.uid) {
            continue;
        }
        let attempt = task.attempt;
        watches.push(Watch {
            project,
            task,
            attempt,
            is_deleted: false,
            idle_since: None,
            has_mail: false,
            is_warned: false,
        });
    }
    if watches.is_empty() {
        return Err(OpError::Usage("no task is named".to_owned()));
    }
    Ok(watches)
}

/// The agents that hold a watched task.
fn owners(watches: &[Watch]) -> Vec<String> {
    let mut owners: Vec<String> = watches
        .iter()
        .filter(|it| !it.is_deleted && it.task.state.status() == Status::InProgress)
        .filter_map(|it| it.task.claimed_uid.clone())
        .collect();
    owners.sort();
    owners.dedup();
    owners
}

fn reload(ctx: &Ctx, watches: &mut [Watch]) -> Result<()> {
    for watch in watches {
        match tasks::by_uid(&ctx.read(), &watch.task.uid)? {
            Some(task) => {
                watch.task = task;
                watch.is_deleted = false;
            }
            None => watch.is_deleted = true,
        }
    }
    Ok(())
}

impl Watch {
    /// Where the task stands now.
    fn stand(&mut self, request: &TaskWait, seen: &[Watched], now: Timestamp) -> WaitedTask {
        let is_active = self.task.state.status() == Status::InProgress;
        let uid = self.task.claimed_uid.as_ref().filter(|_| is_active);
        let owner = uid.and_then(|uid| seen.iter().find(|it| it.seen.agent.uid == *uid));
        let (state, reason) = self.state(request, owner, now);
        WaitedTask {
            project: self.project.clone(),
            task: self.task.clone(),
            owner: owner.map(|it| it.seen.clone()),
            state,
            reason,
        }
    }

    fn state(
        &mut self,
        request: &TaskWait,
        owner: Option<&Watched>,
        now: Timestamp,
    ) -> (TaskState, Option<String>) {
        if self.is_deleted {
            return (TaskState::Deleted, None);
        }
        if self.task.state.status() == request.status {
            return (TaskState::Reached, None);
        }
        if request.status == Status::Closed && self.task.attempt > self.attempt {
            let holder = self.task.last_claimed_by.clone().unwrap_or_default();
            return (TaskState::Died, Some(format!("{holder} lost it")));
        }
        let Some(owner) = owner else {
            self.idle_since = None;
            return (TaskState::Waiting, None);
        };
        let name = &owner.seen.agent.name;
        let state = owner.state();
        if state != Presence::Idle || self.has_mail {
            self.idle_since = None;
        }
        if state == Presence::Exited && request.status == Status::Closed {
            return (TaskState::Died, Some(format!("{name} is gone")));
        }
        let idle_since = self.idle_since(owner, now);
        let is_spared = state == Presence::Idle && self.has_mail;
        match stall::reason(owner, request.stuck_after, idle_since, now).filter(|_| !is_spared) {
            Some(why) => (TaskState::Stalled, Some(why)),
            None => (TaskState::Waiting, None),
        }
    }

    /// Since when its owner has been idle with this task: as it says or as it was seen, and not before
    /// the task was touched last.
    fn idle_since(&mut self, owner: &Watched, now: Timestamp) -> Timestamp {
        if owner.state() != Presence::Idle || self.has_mail {
            return now;
        }
        let first_seen = *self.idle_since.get_or_insert(now);
        let since = owner.seen.decided.since.unwrap_or(first_seen).min(first_seen);
        self.task.updated_at.parse().map_or(since, |it: Timestamp| since.max(it))
    }
}

/// Whether something waits in the outbox for the agent that holds a task.
fn has_mail(ctx: &Ctx, watch: &Watch, seen: &[Watched]) -> Result<bool> {
    let holder = seen.iter().find(|it| Some(&it.seen.agent.uid) == watch.task.claimed_uid.as_ref());
    let Some(holder) = holder else { return Ok(false) };
    Ok(!messages::queued(&ctx.read(), holder.seen.agent.pk)?.is_empty())
}

fn warn_of_stalls(ctx: &mut Ctx, watches: &mut [Watch], tasks: &[WaitedTask]) {
    for (watch, task) in watches.iter_mut().zip(tasks) {
        if task.state == TaskState::Stalled && !watch.is_warned {
            watch.is_warned = true;
            let reason = task.reason.as_deref().unwrap_or_default();
            ctx.warn(format!("{} does not move: {reason}", task.task.id));
        }
    }
}

/// How the wait ends now, if it does; a death counts more than a stall, and that more than time.
fn end(tasks: &[WaitedTask], request: &TaskWait, event: Option<Event>) -> Option<End> {
    let count = |state: TaskState| tasks.iter().filter(|it| it.state == state).count();
    let (reached, deleted) = (count(TaskState::Reached), count(TaskState::Deleted));
    let (is_reached, is_impossible) = match request.need {
        Need::All => (reached == tasks.len(), deleted > 0),
        Need::Any => (reached > 0, deleted == tasks.len()),
    };
    if is_reached {
        return Some(End::Reached);
    }
    if count(TaskState::Died) > 0 {
        return Some(End::Died);
    }
    if is_impossible {
        return Some(End::Deleted);
    }
    if count(TaskState::Stalled) > 0 && request.on_stall == OnStall::Exit {
        return Some(End::NeedsPerson);
    }
    match event {
        Some(Event::Deadline) => Some(End::TimedOut),
        Some(Event::Interrupted) => Some(End::Interrupted),
        Some(Event::Changed | Event::Tick) | None => None,
    }
}
