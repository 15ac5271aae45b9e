//! `me work`: takes a task, runs the agent's command on it, commits what it left, verifies, closes.
//!
//! Every end is recorded: closed with its evidence, or given back with a note that says why. A
//! worker that is killed leaves its process on the agent's row, so that the next look gives the
//! task back.

use drover_host::{proc, signals};
use drover_store::agents::{self, Agent, Process};
use drover_store::projects::{self, Project};
use drover_store::tasks::{self, Task};

use super::job;
use super::types::{Job, WorkEnd};
use crate::actor::Actor;
use crate::ctx::Ctx;
use crate::dispatch;
use crate::error::{MeError, Result, at_file};

/// How often a task that another took first is looked for again.
const TRIES: u32 = 8;

/// A task that was worked on.
#[derive(Debug, Clone)]
pub struct Worked {
    /// Where.
    pub project: Project,
    /// The task, as it is now.
    pub task: Task,
    /// How it ended.
    pub end: WorkEnd,
}

/// Works on the task that the calling agent holds, else on the one that dispatch would hand it; `None` when
/// there is none.
pub fn work(ctx: &mut Ctx) -> Result<Option<Worked>> {
    let agent = acting_agent(ctx)?;
    let command = work_command(&agent)?;
    if let Some(other) = agent.work.as_ref().filter(|it| is_alive(it)) {
        return Err(MeError::AtWork { agent: agent.name.clone(), pid: other.pid }.into());
    }
    // From here on Ctrl-C ends the command below us, and we live to record it.
    signals::install().map_err(at_file("signals"))?;
    let Some((project, task)) = take(ctx, &agent)? else { return Ok(None) };
    let job = Job::new(ctx, &agent, &project, &task)?;
    let end = job::carry_out(ctx, &job, &command)?;
    let task = tasks::by_pk(&ctx.read(), task.pk)?.unwrap_or(task);
    Ok(Some(Worked { project, task, end }))
}

fn acting_agent(ctx: &Ctx) -> Result<Agent> {
    match ctx.actor() {
        Actor::Agent(agent) => Ok((**agent).clone()),
        other => Err(MeError::NotAnAgent { verb: "me work", who: other.word() }.into()),
    }
}

fn work_command(agent: &Agent) -> Result<Vec<String>> {
    let words: Option<Vec<String>> =
        agent.profile.work.as_deref().and_then(|it| serde_json::from_str(it).ok());
    let words = words.filter(|it| !it.is_empty());
    Ok(words.ok_or_else(|| MeError::NoWork { agent: agent.name.clone() })?)
}

/// Records this process on the agent's row together with the task it takes.
fn take(ctx: &mut Ctx, agent: &Agent) -> Result<Option<(Project, Task)>> {
    let Some(project) = projects::by_pk(&ctx.read(), agent.project_pk)? else { return Ok(None) };
    for _ in 0..TRIES {
        let held = tasks::held_by(&ctx.read(), &agent.uid)?;
        let held = held.into_iter().find(|it| it.project_pk == project.pk);
        let wanted = match held {
            Some(task) => task,
            None => match dispatch::offer(ctx, &project, agent)? {
                Some(task) => task,
                None => return Ok(None),
            },
        };
        if let Some(task) = begin(ctx, agent, &wanted)? {
            return Ok(Some((project, task)));
        }
    }
    Ok(None)
}

/// Takes one task and says that work on it begins; `None` when another was faster.
fn begin(ctx: &mut Ctx, agent: &Agent, wanted: &Task) -> Result<Option<Task>> {
    let mine = ctx.own_process()?;
    let holder = ctx.holder();
    ctx.step("me.work", |tx| {
        let now = agents::by_pk(tx, agent.pk)?;
        if let Some(other) = now.and_then(|it| it.work).filter(is_alive) {
            return Err(MeError::AtWork { agent: agent.name.clone(), pid: other.pid }.into());
        }
        let Some(task) = tasks::by_pk(tx, wanted.pk)? else { return Ok(None) };
        let is_held = task.claimed_uid.as_ref() == Some(&agent.uid) && !task.state.is_closed();
        let is_free = task.is_ready() && task.claimed_by.is_none();
        if !(is_held || is_free && tasks::claim(tx, task.pk, &holder, Some(&agent.uid))?) {
            return Ok(None);
        }
        agents::set_work(tx, agent.pk, Some(&mine))?;
        Ok(tasks::by_pk(tx, task.pk)?)
    })
}

fn is_alive(process: &Process) -> bool {
    let pid = u32::try_from(process.pid).unwrap_or(0);
    proc::is_alive(&proc::Identity { pid, start: process.started.clone() })
}
