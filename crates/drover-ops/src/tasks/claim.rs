//! `task next` and `task claim`: what can start, and taking it.

use drover_core::agent::Role;
use drover_core::task::State;
use drover_store::notes::{self, Evidence};
use drover_store::projects::{self, Project};
use drover_store::tasks::{self, Task};
use drover_store::{WriteTx, agents, edges};

use super::shared;
use crate::ctx::Ctx;
use crate::error::{Result, TaskError};
use crate::resolve;
use crate::roles::{Caller, Within};
use crate::workspaces::{self, OnStale, Staleness};

/// A task that can start.
#[derive(Debug, Clone)]
pub struct Startable {
    /// The task.
    pub task: Task,
    /// Its blockers that are done and not on the trunk yet: whoever starts now does not see their work.
    pub unlanded_blockers: Vec<String>,
}

/// The ready tasks of the project that is meant, best first; at most `count`, all without one.
pub fn next(ctx: &Ctx, count: Option<u32>) -> Result<(Project, Vec<Startable>)> {
    let project = resolve::project(ctx)?;
    let tx = ctx.read();
    let has_trunk = projects::repository(&tx, project.pk)?
        .is_some_and(|it| it.kind != workspaces::Kind::Copy.word());
    let mut ready = Vec::new();
    for task in tasks::ready(&tx, project.pk, count)? {
        let unlanded_blockers =
            if has_trunk { edges::unlanded_blockers(&tx, task.pk)? } else { Vec::new() };
        ready.push(Startable { task, unlanded_blockers });
    }
    Ok((project, ready))
}

/// Which task to claim, and for whom.
#[derive(Debug, Clone, Default)]
pub struct Claim {
    /// The task.
    pub id: String,
    /// The agent it is for; the caller when absent.
    pub for_agent: Option<String>,
    /// Claims a task that is blocked, parked or in triage.
    pub force: bool,
    /// What the caller says.
    pub evidence: Option<String>,
    /// What is done about a stale workspace of the agent.
    pub on_stale: OnStale,
}

/// For whom to claim the best ready task.
#[derive(Debug, Clone, Default)]
pub struct ClaimNext {
    /// The agent it is for; the caller when absent.
    pub for_agent: Option<String>,
    /// What the caller says.
    pub evidence: Option<String>,
}

/// A claim that stands.
#[derive(Debug, Clone)]
pub struct Claimed {
    /// Where.
    pub project: Project,
    /// The task, as it is now.
    pub task: Task,
    /// The state it was in.
    pub was: State,
    /// Whether the holder had it already.
    pub is_repeat: bool,
    /// Open blockers that `--force` passed over.
    pub passed_over: Vec<String>,
    /// How far the holder's workspace is behind.
    pub staleness: Option<Staleness>,
}

/// Who will hold a claim: the stored text and the agent's uid.
pub(crate) struct Holder {
    pub(crate) text: String,
    pub(crate) uid: Option<String>,
}

/// The holder a claim is for.
pub(crate) fn holder(ctx: &Ctx, project: &Project, for_agent: Option<&str>) -> Result<Holder> {
    let caller = Caller::of(ctx);
    if let Some(caller) = &caller {
        let is_worker = caller.role == Role::Worker;
        let what = "tasks are given to it by others";
        caller.keep(&ctx.read(), (Within::Reading, is_worker), what)?;
    }
    let Some(name) = for_agent else {
        return Ok(Holder { text: ctx.holder(), uid: ctx.actor().agent_uid().map(str::to_owned) });
    };
    let agent = resolve::agent_in(&ctx.read(), project, name)?;
    if let Some(caller) = &caller {
        let is_own = agent.uid == caller.agent.uid;
        caller.keep(&ctx.read(), (Within::ForItself, is_own), &format!("{name} is another"))?;
    }
    Ok(Holder { text: format!("{}@{}", agent.name, ctx.machine()), uid: Some(agent.uid) })
}

/// Claims one task by compare-and-set.
pub fn claim(ctx: &mut Ctx, request: &Claim) -> Result<Claimed> {
    let (project, task) = resolve::task(ctx, &request.id)?;
    let holder = holder(ctx, &project, request.for_agent.as_deref())?;
    if let Some(caller) = Caller::of(ctx).filter(|_| request.force) {
        let what = "--force takes one that is not ready";
        caller.keep(&ctx.read(), (Within::ForItself, false), what)?;
    }
    let evidence = shared::said(ctx, "claim", request.evidence.as_deref())?;
    let staleness = staleness(ctx, &project, &holder, request.on_stale)?;
    let claimed = ctx.write("task.claim", |tx| {
        let task = tasks::by_pk(tx, task.pk)?.unwrap_or(task);
        let passed_over = check_claimable(tx, &project, &task, request.force)?;
        if !tasks::claim(tx, task.pk, &holder.text, holder.uid.as_deref())? {
            return Err(owned(&project, &task).into());
        }
        taken(tx, project, &task, passed_over, evidence)
    })?;
    Ok(Claimed { staleness, ..claimed })
}

/// How far the workspace of an agent that is to hold a task is behind.
fn staleness(
    ctx: &mut Ctx,
    project: &Project,
    holder: &Holder,
    on_stale: OnStale,
) -> Result<Option<Staleness>> {
    let Some(uid) = &holder.uid else { return Ok(None) };
    let Some(agent) = agents::by_uid(&ctx.read(), uid)? else { return Ok(None) };
    workspaces::weigh(ctx, project, &agent, on_stale)
}

/// Picks the best ready task that nobody holds and claims it, in one transaction.
pub fn claim_next(ctx: &mut Ctx, request: &ClaimNext) -> Result<Option<Claimed>> {
    let project = resolve::project(ctx)?;
    let holder = holder(ctx, &project, request.for_agent.as_deref())?;
    let evidence = shared::said(ctx, "claim", request.evidence.as_deref())?;
    let staleness = staleness(ctx, &project, &holder, OnStale::Warn)?;
    let claimed = ctx.write("task.claim", |tx| {
        for task in tasks::ready_unclaimed(tx, project.pk)? {
            if tasks::claim(tx, task.pk, &holder.text, holder.uid.as_deref())? {
                return taken(tx, project, &task, Vec::new(), evidence).map(Some);
            }
        }
        Ok(None)
    })?;
    Ok(claimed.map(|it| Claimed { staleness, ..it }))
}

fn taken(
    tx: &WriteTx<'_>,
    project: Project,
    before: &Task,
    passed_over: Vec<String>,
    evidence: Option<Evidence>,
) -> Result<Claimed> {
    let is_repeat = before.state == State::Active && before.claimed_by.is_some();
    if let Some(evidence) = evidence.filter(|_| !is_repeat) {
        notes::insert_evidence(tx, project.pk, &before.uid, &evidence)?;
    }
    let task = tasks::by_pk(tx, before.pk)?.unwrap_or_else(|| before.clone());
    Ok(Claimed { project, task, was: before.state, is_repeat, passed_over, staleness: None })
}

/// Refuses what cannot be claimed; with `force` names the open blockers that were passed over.
fn check_claimable(
    tx: &WriteTx<'_>,
    project: &Project,
    task: &Task,
    force: bool,
) -> Result<Vec<String>> {
    let (id, project) = (task.id.clone(), project.name.clone());
    if task.state.is_closed() {
        return Err(TaskError::Closed { id, project, state: task.state.to_string() }.into());
    }
    if matches!(task.state, State::Parked | State::Triage) && !force {
        return Err(TaskError::NotStartable { id, project, state: task.state.to_string() }.into());
    }
    if task.open_blockers == 0 || task.state == State::Active {
        return Ok(Vec::new());
    }
    let open =
        edges::blockers(tx, task.pk)?.into_iter().filter(|it| !it.is_satisfied()).map(|it| it.id);
    let blockers: Vec<String> = open.collect();
    if force { Ok(blockers) } else { Err(TaskError::Blocked { id, project, blockers }.into()) }
}

fn owned(project: &Project, task: &Task) -> TaskError {
    let holder = task.claimed_by.clone().unwrap_or_else(|| "nobody".to_owned());
    TaskError::AlreadyOwned { id: task.id.clone(), project: project.name.clone(), holder }
}
