//! Which project is meant, who acts, and which row a name stands for.

use std::collections::BTreeSet;
use std::path::Path;

use drover_core::name::{self, ProjectName};
use drover_host::env;
use drover_store::agents::{self, Agent};
use drover_store::projects::{self, Project};
use drover_store::tasks::{self, Task};
use drover_store::{ReadTx, workspaces};

use crate::actor::{self, Actor};
use crate::ctx::Ctx;
use crate::error::{AgentError, OpError, ProjectError, Result, TaskError};
use crate::roles::Caller;

/// The project that is meant: flag, `DROVER_PROJECT`, the pane one is in, the directory one is in, the only one.
///
/// An agent that is elsewhere means its own project. One whose role binds it may mean no other.
pub fn project(ctx: &Ctx) -> Result<Project> {
    kept(ctx, meant(ctx)?)
}

/// The project, unless the caller's role binds it to another one.
pub(crate) fn kept(ctx: &Ctx, project: Project) -> Result<Project> {
    if let Some(caller) = Caller::of(ctx) {
        caller.keep_to(&ctx.read(), &project)?;
    }
    Ok(project)
}

fn meant(ctx: &Ctx) -> Result<Project> {
    let tx = ctx.read();
    if let Some(name) = ctx.project_flag() {
        return named(&tx, name);
    }
    if let Some(name) = ctx.env().project() {
        return named(&tx, name);
    }
    if let Some(agent) = actor::agent_of_pane(&tx, ctx.env())?
        && let Some(project) = projects::by_pk(&tx, agent.project_pk)?
    {
        return Ok(project);
    }
    if let Actor::Agent(agent) = ctx.actor()
        && let Some(project) = projects::by_pk(&tx, agent.project_pk)?
    {
        return Ok(project);
    }
    if let Ok(here) = env::current_dir() {
        let found = projects_of_directory(&tx, &here)?;
        let found = found.into_iter().map(|pk| projects::by_pk(&tx, pk));
        let found: Vec<Project> = found
            .filter_map(std::result::Result::transpose)
            .collect::<std::result::Result<_, _>>()?;
        let open: Vec<Project> = found.into_iter().filter(|it| it.state != "archived").collect();
        match <[Project; 1]>::try_from(open) {
            Ok([only]) => return Ok(only),
            Err(several) if several.is_empty() => {}
            Err(several) => {
                let candidates = several.into_iter().map(|it| it.name).collect();
                return Err(ProjectError::Unclear { candidates }.into());
            }
        }
    }
    // Helpers without tasks live in the reserved project, which is never meant by accident.
    let is_meant =
        |it: &Project| it.state != "archived" && it.name != ProjectName::scratch().as_str();
    let open: Vec<Project> = projects::list(&tx)?.into_iter().filter(is_meant).collect();
    match <[Project; 1]>::try_from(open) {
        Ok([only]) => Ok(only),
        Err(several) if several.is_empty() => Err(ProjectError::None.into()),
        Err(several) => Err(ProjectError::Unclear {
            candidates: several.into_iter().map(|it| it.name).collect(),
        }
        .into()),
    }
}

/// The project of a name, or a refusal with the nearest names.
pub fn named(tx: &ReadTx<'_>, name: &str) -> Result<Project> {
    if let Some(project) = projects::find(tx, name)? {
        return Ok(project);
    }
    if !projects::archived(tx, name)?.is_empty() {
        return Err(ProjectError::Archived { name: name.to_owned() }.into());
    }
    let names: Vec<String> = projects::list(tx)?.into_iter().map(|it| it.name).collect();
    let nearest = name::nearest(name, &names, 3);
    Err(ProjectError::Unknown { name: name.to_owned(), nearest }.into())
}

/// The projects whose repository or workspace holds the directory most closely; several may share one.
fn projects_of_directory(tx: &ReadTx<'_>, here: &Path) -> Result<BTreeSet<i64>> {
    let mut best = (0, BTreeSet::new());
    let mut offer = |path: &str, pk: i64| {
        if !here.starts_with(path) || path.len() < best.0 {
            return;
        }
        if path.len() > best.0 {
            best = (path.len(), BTreeSet::new());
        }
        best.1.insert(pk);
    };
    for (pk, path, _) in projects::repositories(tx)? {
        offer(&path, pk);
    }
    for workspace in workspaces::all(tx)? {
        if workspace.state != "branch_only" {
            offer(&workspace.path, workspace.project_pk);
        }
    }
    Ok(best.1)
}

/// A task by `<id>` or `<project>/<id>`, with its project; an id that it has in another program does too.
///
/// Without a project given or implied, an id that exists in one project only is that task.
pub fn task(ctx: &Ctx, text: &str) -> Result<(Project, Task)> {
    let (project, id) = match text.split_once('/') {
        Some((project, id)) => {
            let project = kept(ctx, named(&ctx.read(), project)?)?;
            if let Some(flag) = ctx.project_flag().filter(|it| *it != project.name) {
                return Err(OpError::Usage(format!(
                    "{text} names the project {}, and --project says {flag}",
                    project.name
                )));
            }
            (project, id)
        }
        None => (project_for(ctx, text)?, text),
    };
    let tx = ctx.read();
    if let Some(task) = tasks::find(&tx, project.pk, id)? {
        return Ok((project, task));
    }
    if let Some(task) = tasks::find_foreign(&tx, project.pk, id)? {
        return Ok((project, task));
    }
    let elsewhere: Vec<String> =
        tasks::projects_with(&tx, id)?.into_iter().map(|it| it.0).collect();
    if !elsewhere.is_empty() && !text.contains('/') {
        return Err(
            TaskError::Elsewhere { id: id.to_owned(), project: project.name, elsewhere }.into()
        );
    }
    let nearest = name::nearest(id, &tasks::ids(&tx, project.pk)?, 3);
    Err(TaskError::Unknown { id: id.to_owned(), project: project.name, nearest }.into())
}

fn project_for(ctx: &Ctx, id: &str) -> Result<Project> {
    match project(ctx) {
        Err(OpError::Project(ProjectError::Unclear { candidates })) => {
            let tx = ctx.read();
            let holding = tasks::projects_with(&tx, id)?;
            match holding.as_slice() {
                [(name, _)] => named(&tx, name),
                [] => Err(ProjectError::Unclear { candidates }.into()),
                several => Err(TaskError::Ambiguous {
                    id: id.to_owned(),
                    projects: several.iter().map(|it| it.0.clone()).collect(),
                }
                .into()),
            }
        }
        other => other,
    }
}

/// An agent by `<name>` or `<project>/<name>`, with its project.
///
/// Without a project given or implied, a name that exists in one project only is that agent.
pub fn agent(ctx: &Ctx, text: &str) -> Result<(Project, Agent)> {
    let (project, name) = project_and_name(ctx, text)?;
    let agent = agent_in(&ctx.read(), &project, &name)?;
    Ok((project, agent))
}

/// The project and the name of an agent that need not exist.
pub(crate) fn project_and_name(ctx: &Ctx, text: &str) -> Result<(Project, String)> {
    if let Some((project, name)) = text.split_once('/') {
        let project = kept(ctx, named(&ctx.read(), project)?)?;
        if let Some(flag) = ctx.project_flag().filter(|it| *it != project.name) {
            return Err(OpError::Usage(format!(
                "{text} names the project {}, and --project says {flag}",
                project.name
            )));
        }
        return Ok((project, name.to_owned()));
    }
    let project = match project(ctx) {
        Err(OpError::Project(ProjectError::Unclear { candidates })) => {
            let tx = ctx.read();
            let [only] = agents::named(&tx, text)?
                .try_into()
                .map_err(|_| ProjectError::Unclear { candidates: candidates.clone() })?;
            let only: Agent = only;
            projects::by_pk(&tx, only.project_pk)?.ok_or(ProjectError::Unclear { candidates })?
        }
        other => other?,
    };
    Ok((project, text.to_owned()))
}

/// A live agent of a project by name, or a refusal with the nearest names.
pub fn agent_in(tx: &ReadTx<'_>, project: &Project, name: &str) -> Result<Agent> {
    if let Some(agent) = agents::find(tx, project.pk, name)? {
        return Ok(agent);
    }
    let names: Vec<String> = agents::list(tx, project.pk)?.into_iter().map(|it| it.name).collect();
    let nearest = name::nearest(name, &names, 3);
    Err(AgentError::Unknown { name: name.to_owned(), project: project.name.clone(), nearest }
        .into())
}
