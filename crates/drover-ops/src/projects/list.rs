//! `project list` and `project show`.

use std::path::Path;

use drover_host::mux;
use drover_store::projects::{self, Counts, Project, Repository};

use crate::ctx::Ctx;
use crate::error::Result;
use crate::resolve;

/// A project with what it holds.
#[derive(Debug, Clone)]
pub struct Listed {
    /// The project.
    pub project: Project,
    /// How many rows it holds.
    pub counts: Counts,
    /// Its repository.
    pub repository: Option<Repository>,
    /// Its policy: what was set.
    pub policy: Vec<(String, String)>,
    /// Its session, once it had an agent.
    pub session: Option<Session>,
}

/// The session of a project's agents.
#[derive(Debug, Clone)]
pub struct Session {
    /// The name it has, or had when it was made.
    pub name: String,
    /// Whether it is there; none where nobody looked, or no answer came.
    pub is_alive: Option<bool>,
}

/// All projects, archived ones last.
pub fn list(ctx: &Ctx) -> Result<Vec<Listed>> {
    let tx = ctx.read();
    projects::list(&tx)?.into_iter().map(|it| listed(ctx, it)).collect()
}

/// One project: the named one, else the one that is meant.
pub fn show(ctx: &Ctx, name: Option<&str>) -> Result<Listed> {
    let project = match name {
        Some(name) => resolve::kept(ctx, resolve::named(&ctx.read(), name)?)?,
        None => resolve::project(ctx)?,
    };
    let mut listed = listed(ctx, project)?;
    if let Some(session) = &mut listed.session {
        look_for(ctx, &listed.project, session)?;
    }
    Ok(listed)
}

/// Asks the recorded server for the session, which it knows by the project's uid.
fn look_for(ctx: &Ctx, project: &Project, session: &mut Session) -> Result<()> {
    let Some(place) = projects::place(&ctx.read(), project.pk)? else { return Ok(()) };
    let mux = mux::recorded(ctx.env(), &place.mux, Path::new(&place.mux_socket));
    match mux.and_then(|it| it.find_session(&project.uid)) {
        Ok(Some(found)) => (session.name, session.is_alive) = (found.name, Some(true)),
        Ok(None) | Err(mux::MuxError::NoServer { .. }) => session.is_alive = Some(false),
        // A server that does not answer proves nothing.
        Err(_) => {}
    }
    Ok(())
}

fn listed(ctx: &Ctx, project: Project) -> Result<Listed> {
    let tx = ctx.read();
    Ok(Listed {
        counts: projects::counts(&tx, project.pk)?,
        repository: projects::repository(&tx, project.pk)?,
        policy: projects::policy(&tx, project.pk)?,
        session: projects::place(&tx, project.pk)?
            .map(|it| Session { name: it.session_name, is_alive: None }),
        project,
    })
}
