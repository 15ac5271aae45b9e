//! How far a workspace is behind the work it will have to fit: warned of before new work is given to it.

use std::path::Path;

use drover_host::workspace::git::{self, Oid};
use drover_store::agents::Agent;
use drover_store::projects::{self, Project, Repository};
use drover_store::workspaces;

use super::place::trunk;
use crate::ctx::Ctx;
use crate::error::{Result, WorkspaceError};

/// From so many missing commits on, a workspace counts as stale.
pub const STALE: u64 = 10;

/// How far a workspace is behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Staleness {
    /// Whose workspace it is.
    pub agent: String,
    /// How many commits it lacks.
    pub behind: u64,
    /// The branch that it lacks most of.
    pub of: String,
}

impl Staleness {
    /// Whether it lacks so much that it should be refreshed before more is built on it.
    pub fn is_stale(&self) -> bool {
        self.behind >= STALE
    }
}

/// What a claim or a message does about a workspace that is stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnStale {
    /// It says so.
    #[default]
    Warn,
    /// It is refused.
    Refuse,
}

/// The branches that a workspace is measured against: the integration branch, the branch that the
/// project was made on, and what that follows as far as it was fetched. Nothing is fetched.
pub(super) fn lines(project: &Project, repository: &Repository) -> Result<Vec<String>> {
    let path = Path::new(&repository.path);
    let mut lines = vec![trunk(&project.name)];
    if let Some(base) = &repository.base_branch {
        lines.push(base.clone());
        lines.extend(git::upstream(path, base)?);
    }
    Ok(lines)
}

/// The branch among these that a commit lacks most of, and how many commits.
pub(super) fn most_behind(
    repository: &Path,
    tip: &Oid,
    lines: &[String],
) -> Result<Option<(u64, String)>> {
    let mut most: Option<(u64, String)> = None;
    for line in lines {
        let Some(other) = git::line_tip(repository, line)? else { continue };
        let behind = git::ahead_behind(repository, tip, &other)?.behind;
        if most.as_ref().is_none_or(|it| it.0 < behind) {
            most = Some((behind, line.clone()));
        }
    }
    Ok(most)
}

/// How far the workspace of an agent is behind; none without one, or where it cannot be told.
pub fn staleness(ctx: &Ctx, project: &Project, agent: &Agent) -> Result<Option<Staleness>> {
    let tx = ctx.read();
    let Some(row) = workspaces::of_agent(&tx, agent.pk)? else { return Ok(None) };
    let Some(repository) = projects::repository(&tx, project.pk)? else { return Ok(None) };
    let source = Path::new(&row.source);
    // A repository that is not where it was is told of by whoever needs it.
    let Ok(Some(tip)) = git::branch_tip(source, &row.branch) else { return Ok(None) };
    let most = most_behind(source, &tip, &lines(project, &repository)?)?;
    let agent = agent.name.clone();
    Ok(most.map(|(behind, of)| Staleness { agent, behind, of }))
}

/// Warns of a stale workspace before work is given to its agent, or refuses to give it.
pub(crate) fn weigh(
    ctx: &mut Ctx,
    project: &Project,
    agent: &Agent,
    on_stale: OnStale,
) -> Result<Option<Staleness>> {
    let Some(found) = staleness(ctx, project, agent)? else { return Ok(None) };
    if found.is_stale() {
        if on_stale == OnStale::Refuse {
            return Err(WorkspaceError::Stale {
                agent: found.agent,
                project: project.name.clone(),
                behind: found.behind,
                of: found.of,
            }
            .into());
        }
        ctx.warn(format!(
            "the workspace of {} is {} commits behind {}; bring it up first: \
             drover workspace refresh {}/{}",
            found.agent, found.behind, found.of, project.name, found.agent
        ));
    }
    Ok(Some(found))
}
