//! What a pass decides on: the agents as they are seen, and the tasks that could start.

use std::collections::HashMap;

use drover_core::agent::Presence;
use drover_core::dispatch::{Board, IdleAgent, ReadyTask, RunningTask, hand_out};
use drover_core::task::track::{TrackTask, tracks};
use drover_core::task::{OwnedPath, State};
use drover_host::workspace::git::{self, Oid};
use drover_store::agents::{self, Agent};
use drover_store::projects::{self, Project};
use drover_store::tasks::{self, Task};
use drover_store::{edges, graph, notes};

use super::types::Skipped;
use crate::agents::{Observed, reconcile};
use crate::ctx::Ctx;
use crate::error::Result;
use crate::messages;
use crate::policy::Policy;
use crate::trust::{self, Kind};
use crate::workspaces;

/// The agents of a project, each as it is now.
pub(super) struct Crew {
    pub(super) agents: Vec<Observed>,
}

impl Crew {
    /// The agent of a name.
    pub(super) fn agent(&self, name: &str) -> Option<&Agent> {
        self.agents.iter().map(|it| &it.agent).find(|it| it.name == name)
    }

    /// Whether an agent is reported or proven idle; unknown is not.
    pub(super) fn is_idle(&self, pk: i64) -> bool {
        self.agents.iter().any(|it| it.agent.pk == pk && it.decided.state == Presence::Idle)
    }

    /// Whether an agent is busy now, or cannot be seen: it may be idle the next time.
    pub(super) fn may_get_idle(&self, pk: i64) -> bool {
        self.agents.iter().any(|it| it.agent.pk == pk && may_get_idle(it.decided.state))
    }

    /// Whether a shell holds nothing and is not idle yet: nothing wakes us when it is back.
    pub(super) fn is_settling(&self, ctx: &Ctx) -> Result<bool> {
        for it in self.workers().filter(|it| it.decided.state == Presence::Working) {
            let is_shell = it.agent.profile.takes_work == "run";
            if is_shell && tasks::held_by(&ctx.read(), &it.agent.uid)?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The agents that live and take tasks.
    pub(super) fn workers(&self) -> impl Iterator<Item = &Observed> {
        self.agents.iter().filter(|it| is_worker(it))
    }
}

fn is_worker(observed: &Observed) -> bool {
    observed.agent.lifecycle.is_running() && observed.agent.profile.takes_work != "none"
}

/// Whether an agent in this state comes to rest without a person.
pub(super) fn may_get_idle(state: Presence) -> bool {
    match state {
        Presence::Starting | Presence::Working | Presence::Unknown => true,
        Presence::Idle
        | Presence::NeedsInput
        | Presence::NeedsPermission
        | Presence::Limited
        | Presence::Exited => false,
    }
}

/// Looks at every agent of the project, after the reaper has.
pub(super) fn look(ctx: &mut Ctx, project: &Project) -> Result<Crew> {
    let look = reconcile(ctx)?;
    let rows = agents::list(&ctx.read(), project.pk)?;
    Ok(Crew { agents: messages::observe_delivering(ctx, &look, rows) })
}

/// Who could be given a task.
pub(super) struct Hands {
    pub(super) idle: Vec<IdleAgent>,
    /// How many agents live and take tasks.
    pub(super) workers: usize,
    pub(super) use_attached: bool,
}

/// A board, and what it was made from.
pub(super) struct Made {
    pub(super) board: Board,
    /// Ready tasks that no agent may be given, and why.
    pub(super) kept_back: Vec<Skipped>,
    tasks: HashMap<i64, Task>,
}

impl Made {
    /// The task of a key.
    pub(super) fn task(&self, pk: i64) -> Option<&Task> {
        self.tasks.get(&pk)
    }

    /// The id of a task.
    pub(super) fn id(&self, pk: i64) -> String {
        self.tasks.get(&pk).map_or_else(|| pk.to_string(), |it| it.id.clone())
    }
}

/// The board of this moment; `landing` are branches that are as good as on the trunk, in a dry run.
pub(super) fn build(
    ctx: &Ctx,
    project: &Project,
    policy: &Policy,
    hands: Hands,
    landing: Vec<String>,
) -> Result<Made> {
    let tx = ctx.read();
    let track_of =
        if policy.is_exclusive_by_track { tracks_of(ctx, project)? } else { HashMap::new() };
    let active = tasks::in_progress(&tx, project.pk)?;
    let of_people = active.iter().filter(|it| it.claimed_uid.is_none()).count();
    let running: Vec<RunningTask> = active
        .iter()
        .map(|it| RunningTask { id: it.pk, track: track_of.get(&it.pk).copied(), owns: owns(it) })
        .collect();
    let trunk = Trunk::of(ctx, project, landing)?;
    let (mut ready, mut kept_back) = (Vec::new(), Vec::new());
    let mut tasks: HashMap<i64, Task> = active.into_iter().map(|it| (it.pk, it)).collect();
    for task in tasks::ready(&tx, project.pk, None)? {
        if task.claimed_by.is_some() {
            continue;
        }
        if let Some(reason) = objection(ctx, project, policy, &task)? {
            kept_back.push(Skipped { name: task.id.clone(), reason, because_of: None });
            continue;
        }
        let blocker =
            trunk.as_ref().map(|it| it.unlanded_blocker(ctx, &task)).transpose()?.flatten();
        ready.push(ReadyTask {
            id: task.pk,
            track: track_of.get(&task.pk).copied(),
            owns: owns(&task),
            unlanded_blocker: blocker.as_ref().map(|it| it.pk),
        });
        tasks.extend(blocker.into_iter().chain([task]).map(|it| (it.pk, it)));
    }
    let policy = drover_core::dispatch::Policy {
        // What people hold takes no worker's place.
        wip: policy.wip.unwrap_or(hands.workers + of_people),
        per_track: policy.is_exclusive_by_track.then_some(1),
        use_attached: hands.use_attached,
    };
    let board = Board { idle: hands.idle, ready, running, policy };
    Ok(Made { board, kept_back, tasks })
}

/// The task that an agent should take by itself: the one that a pass would hand it.
pub(crate) fn offer(ctx: &Ctx, project: &Project, agent: &Agent) -> Result<Option<Task>> {
    let workers = agents::list(&ctx.read(), project.pk)?;
    let workers = workers
        .iter()
        .filter(|it| it.lifecycle.is_running() && it.profile.takes_work != "none")
        .count();
    let idle = vec![IdleAgent { name: agent.name.clone(), attached: false }];
    let hands = Hands { idle, workers, use_attached: true };
    let made = build(ctx, project, &Policy::of(ctx, project)?, hands, Vec::new())?;
    let first = hand_out(&made.board).assignments.into_iter().next();
    Ok(first.and_then(|it| made.task(it.task).cloned()))
}

/// Why no agent may be given a task although it is ready.
fn objection(
    ctx: &Ctx,
    project: &Project,
    policy: &Policy,
    task: &Task,
) -> Result<Option<&'static str>> {
    if task.attempt >= policy.attempts {
        return Ok(Some("attempts_spent"));
    }
    if let (Some(command), Some("plan")) = (&task.verify, task.verify_chosen_by.as_deref())
        && !trust::is_trusted(&ctx.read(), project.pk, Kind::Verify, command.as_bytes())?
    {
        return Ok(Some("verify_not_trusted"));
    }
    Ok(None)
}

fn owns(task: &Task) -> Vec<OwnedPath> {
    let paths: Vec<String> = serde_json::from_str(&task.owns).unwrap_or_default();
    paths.iter().filter_map(|it| OwnedPath::parse(it).ok()).collect()
}

fn tracks_of(ctx: &Ctx, project: &Project) -> Result<HashMap<i64, i64>> {
    let nodes: Vec<TrackTask> = graph::standings(&ctx.read(), project.pk)?
        .iter()
        .map(|it| TrackTask { id: it.pk, state: it.state, ready: it.ready })
        .collect();
    let edges = edges::of_project(&ctx.read(), project.pk)?;
    let mut of = HashMap::new();
    for (number, track) in (0i64..).zip(tracks(&nodes, &edges)) {
        of.extend(track.tasks.into_iter().map(|task| (task, number)));
    }
    Ok(of)
}

/// The integration branch, against which done work is looked up.
struct Trunk {
    repository: std::path::PathBuf,
    branches: Vec<String>,
}

impl Trunk {
    fn of(ctx: &Ctx, project: &Project, landing: Vec<String>) -> Result<Option<Self>> {
        let repository = projects::repository(&ctx.read(), project.pk)?;
        // Copies have no branch that work could be on.
        let repository = repository.filter(|it| it.kind != workspaces::Kind::Copy.word());
        Ok(repository.map(|it| {
            let mut branches = vec![workspaces::trunk(&project.name)];
            branches.extend(landing);
            Self { repository: it.path.into(), branches }
        }))
    }

    /// A done blocker whose work is not on the trunk yet.
    fn unlanded_blocker(&self, ctx: &Ctx, task: &Task) -> Result<Option<Task>> {
        let tx = ctx.read();
        for blocker in
            edges::blockers(&tx, task.pk)?.into_iter().filter(|it| it.state == State::Done)
        {
            let Some(row) = tasks::by_pk(&tx, blocker.pk)? else { continue };
            let evidence = notes::evidence_for(&tx, &row.uid)?;
            let closed_on = evidence
                .iter()
                .rev()
                .filter(|it| it.verb == "close")
                .find_map(|it| it.commit_oid.as_deref());
            let Some(commit) = closed_on.and_then(Oid::parse) else { continue };
            if !self.holds(&commit)? {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    fn holds(&self, commit: &Oid) -> Result<bool> {
        for branch in &self.branches {
            if let Some(tip) = git::branch_tip(&self.repository, branch)?
                && git::holds(&self.repository, &tip, commit)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
