//! What a pass decides on: the agents as they are seen, and the tasks that could start.

use std::collections::HashMap;

use drover_core::agent::Presence;
use drover_core::dispatch::{Board, IdleAgent, ReadyTask, RunningTask};
use drover_core::task::track::{TrackTask, tracks};
use drover_core::task::{OwnedPath, State};
use drover_host::workspace::git::{self, Oid};
use drover_store::agents::{self, Agent};
use drover_store::projects::{self, Project};
use drover_store::tasks::{self, Query, Task};
use drover_store::{edges, notes};

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

    /// Whether a worker holds nothing and is not idle yet: nothing wakes us when its shell is back.
    pub(super) fn is_settling(&self, ctx: &Ctx) -> Result<bool> {
        for it in
            self.agents.iter().filter(|it| is_worker(it) && it.decided.state == Presence::Working)
        {
            if tasks::held_by(&ctx.read(), &it.agent.uid)?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// How many agents live and take tasks.
    pub(super) fn workers(&self) -> usize {
        self.agents.iter().filter(|it| is_worker(it)).count()
    }
}

fn is_worker(observed: &Observed) -> bool {
    observed.agent.lifecycle.is_running() && observed.agent.profile.takes_work != "none"
}

/// Looks at every agent of the project, after the reaper has.
pub(super) fn look(ctx: &mut Ctx, project: &Project) -> Result<Crew> {
    let look = reconcile(ctx)?;
    let rows = agents::list(&ctx.read(), project.pk)?;
    Ok(Crew { agents: messages::observe_delivering(ctx, &look, rows) })
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

/// The board of this moment.
pub(super) fn build(
    ctx: &Ctx,
    project: &Project,
    policy: &Policy,
    crew: &Crew,
    use_attached: bool,
) -> Result<Made> {
    let tx = ctx.read();
    let all = tasks::list(&tx, project.pk, &Query::default())?;
    let track_of =
        if policy.is_exclusive_by_track { tracks_of(ctx, project, &all)? } else { HashMap::new() };
    let running: Vec<RunningTask> = all
        .iter()
        .filter(|it| it.state == State::Active)
        .map(|it| RunningTask { id: it.pk, track: track_of.get(&it.pk).copied(), owns: owns(it) })
        .collect();
    let trunk = Trunk::of(ctx, project)?;
    let (mut ready, mut kept_back) = (Vec::new(), Vec::new());
    for task in
        tasks::ready(&tx, project.pk, None)?.into_iter().filter(|it| it.claimed_by.is_none())
    {
        if let Some(reason) = objection(ctx, project, policy, &task)? {
            kept_back.push(Skipped { name: task.id.clone(), reason, because_of: None });
            continue;
        }
        let unlanded_blocker =
            trunk.as_ref().map(|it| it.unlanded_blocker(ctx, &task)).transpose()?.flatten();
        ready.push(ReadyTask {
            id: task.pk,
            track: track_of.get(&task.pk).copied(),
            owns: owns(&task),
            unlanded_blocker,
        });
    }
    let idle = crew.agents.iter().filter(|it| is_worker(it) && it.decided.state == Presence::Idle);
    let idle =
        idle.filter(|it| tasks::held_by(&tx, &it.agent.uid).is_ok_and(|held| held.is_empty()));
    let idle = idle.map(|it| IdleAgent {
        name: it.agent.name.clone(),
        attached: it.pane.as_ref().is_some_and(|pane| pane.is_watched),
    });
    let policy = drover_core::dispatch::Policy {
        wip: policy.wip.unwrap_or_else(|| crew.workers()),
        per_track: policy.is_exclusive_by_track.then_some(1),
        use_attached,
    };
    let board = Board { idle: idle.collect(), ready, running, policy };
    Ok(Made { board, kept_back, tasks: all.into_iter().map(|it| (it.pk, it)).collect() })
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

fn tracks_of(ctx: &Ctx, project: &Project, all: &[Task]) -> Result<HashMap<i64, i64>> {
    let nodes: Vec<TrackTask> = all
        .iter()
        .map(|it| TrackTask { id: it.pk, state: it.state, ready: it.is_ready() })
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
    branch: String,
}

impl Trunk {
    fn of(ctx: &Ctx, project: &Project) -> Result<Option<Self>> {
        let repository = projects::repository(&ctx.read(), project.pk)?;
        Ok(repository.map(|it| Self {
            repository: it.path.into(),
            branch: workspaces::trunk(&project.name),
        }))
    }

    /// A done blocker whose work is not on the trunk yet.
    fn unlanded_blocker(&self, ctx: &Ctx, task: &Task) -> Result<Option<i64>> {
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
            if !git::is_reachable(&self.repository, &commit, &self.branch)? {
                return Ok(Some(blocker.pk));
            }
        }
        Ok(None)
    }
}
