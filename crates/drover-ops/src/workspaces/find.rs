//! Which workspace a name stands for.

use std::path::PathBuf;

use drover_core::name;
use drover_host::workspace::Kind;
use drover_store::projects::Project;
use drover_store::workspaces::{self, Workspace};
use drover_store::{ReadTx, agents};

use super::site::Site;
use crate::ctx::Ctx;
use crate::error::{OpError, Result, WorkspaceError};
use crate::resolve;

/// A workspace with the names of whom it belongs to.
#[derive(Debug, Clone)]
pub(crate) struct Owned {
    pub(crate) project: Project,
    pub(crate) agent: String,
    pub(crate) row: Workspace,
}

impl Owned {
    /// It as its backend takes it.
    pub(crate) fn site(&self) -> Result<Site> {
        Site::of(&self.row)
    }

    /// Refuses a copy, of which there are no commits to speak of.
    pub(crate) fn with_history(self) -> Result<Self> {
        if self.row.kind != Kind::Copy.word() {
            return Ok(self);
        }
        Err(WorkspaceError::NoHistory {
            agent: self.agent,
            project: self.project.name,
            path: self.row.path,
            original: self.row.source,
        }
        .into())
    }

    /// Where its checkout is, or was.
    pub(crate) fn path(&self) -> PathBuf {
        PathBuf::from(&self.row.path)
    }

    /// A checkout of the repository that stays when this one goes.
    pub(crate) fn source(&self) -> PathBuf {
        PathBuf::from(&self.row.source)
    }

    /// Whether its branch is all that is left of it.
    pub(crate) fn is_branch_only(&self) -> bool {
        self.row.state == "branch_only"
    }
}

/// The workspace of `<agent>` or `<project>/<agent>`: its checkout, else the branch kept of it.
pub(crate) fn find(ctx: &Ctx, text: &str) -> Result<Owned> {
    let (project, agent) = match text.split_once('/') {
        Some((project, agent)) => {
            let project = resolve::kept(ctx, resolve::named(&ctx.read(), project)?)?;
            if let Some(flag) = ctx.project_flag().filter(|it| *it != project.name) {
                let name = &project.name;
                return Err(OpError::Usage(format!(
                    "{text} names the project {name}, and --project says {flag}"
                )));
            }
            (project, agent)
        }
        None => (resolve::project(ctx)?, text),
    };
    in_project(&ctx.read(), project, agent)
}

/// The workspace of an agent by name, a closed agent's kept branch too.
pub(crate) fn in_project(tx: &ReadTx<'_>, project: Project, agent: &str) -> Result<Owned> {
    let mut all = owned(tx, &project)?;
    let best = all
        .iter()
        .enumerate()
        .filter(|(_, it)| it.agent == agent)
        .max_by_key(|(at, it)| (!it.is_branch_only(), *at));
    if let Some(at) = best.map(|it| it.0) {
        return Ok(all.swap_remove(at));
    }
    // An agent that does not exist at all is the better thing to say.
    resolve::agent_in(tx, &project, agent)?;
    let nearest = name::nearest(agent, all.into_iter().map(|it| it.agent), 3);
    Err(WorkspaceError::Unknown { agent: agent.to_owned(), project: project.name, nearest }.into())
}

/// Every workspace of a project, kept branches too, oldest first.
pub(crate) fn owned(tx: &ReadTx<'_>, project: &Project) -> Result<Vec<Owned>> {
    let mut found = Vec::new();
    for row in workspaces::list(tx, project.pk)? {
        let agent = agents::by_pk(tx, row.agent_pk)?.map_or_else(String::new, |it| it.name);
        found.push(Owned { project: project.clone(), agent, row });
    }
    Ok(found)
}
