//! `project init`: a new project, or a confirmation that it is there.

use std::path::PathBuf;

use drover_core::id;
use drover_core::name::ProjectName;
use drover_core::text::Text;
use drover_host::workspace::Kind;
use drover_store::projects::{self, Project};

use super::repository::{self, Found};
use crate::ctx::Ctx;
use crate::error::{ProjectError, Result};

/// What to make.
#[derive(Debug, Clone)]
pub struct Init {
    /// The name.
    pub name: String,
    /// What it is called in full; the name when absent.
    pub title: Option<String>,
    /// A directory of the repository its agents work on.
    pub repository: Option<PathBuf>,
    /// The kind of that repository; what is found there when absent.
    pub kind: Option<Kind>,
}

/// What was made or found.
#[derive(Debug, Clone)]
pub struct Initialised {
    /// The project.
    pub project: Project,
    /// Whether it is new.
    pub is_new: bool,
    /// Whether its repository is new.
    pub is_repository_new: bool,
}

/// Makes a project; one that is there already is left as it is, but for a repository it lacks.
pub fn init(ctx: &mut Ctx, request: &Init) -> Result<Initialised> {
    let name = ProjectName::parse_new(&request.name)?;
    let found = request
        .repository
        .as_deref()
        .map(|it| repository::find(ctx, it, request.kind))
        .transpose()?;
    if let Some(project) = projects::find(&ctx.read(), name.as_str())? {
        let is_repository_new = match &found {
            Some(found) => give_repository(ctx, &project, found)?,
            None => false,
        };
        return Ok(Initialised { project, is_new: false, is_repository_new });
    }
    if let Some(found) = &found {
        repository::check_trunk(name.as_str(), found)?;
    }
    let made = make(ctx, &name, request, found.as_ref())?;
    if let Some(found) = found.as_ref().filter(|_| made.is_new)
        && let Err(err) = repository::ensure_trunk(ctx, name.as_str(), &found.row)
    {
        ctx.step("project.init", |tx| Ok(projects::delete(tx, made.project.pk)?))?;
        return Err(err);
    }
    Ok(made)
}

/// The reserved project of helpers without tasks, made when it is first needed.
pub fn scratch(ctx: &mut Ctx) -> Result<Project> {
    let name = ProjectName::scratch();
    if let Some(project) = projects::find(&ctx.read(), name.as_str())? {
        return Ok(project);
    }
    let title = Some("Helpers without tasks".to_owned());
    let request = Init { name: name.as_str().to_owned(), title, repository: None, kind: None };
    Ok(make(ctx, &name, &request, None)?.project)
}

/// Gives an existing project its repository; `false` when it has this one already.
fn give_repository(ctx: &mut Ctx, project: &Project, found: &Found) -> Result<bool> {
    let known = projects::repository(&ctx.read(), project.pk)?;
    if let Some(known) = known {
        repository::check_same(project, &known, found)?;
        repository::ensure_trunk(ctx, &project.name, &known)?;
        return Ok(false);
    }
    repository::check_trunk(&project.name, found)?;
    ctx.step("project.init", |tx| Ok(projects::insert_repository(tx, project.pk, &found.row)?))?;
    let made = repository::ensure_trunk(ctx, &project.name, &found.row);
    if made.is_err() {
        ctx.step("project.init", |tx| Ok(projects::delete_repository(tx, project.pk)?))?;
    }
    made.map(|()| true)
}

/// Writes the rows; a project that another call has made meanwhile is left as it is.
fn make(
    ctx: &mut Ctx,
    name: &ProjectName,
    request: &Init,
    found: Option<&Found>,
) -> Result<Initialised> {
    let title = Text::new(request.title.as_deref().unwrap_or(name.as_str()));
    let made = ctx.step("project.init", |tx| {
        if let Some(project) = projects::find(tx, name.as_str())? {
            return Ok(Some((project, false)));
        }
        let generation = projects::next_generation(tx, name.as_str())?;
        let number = u32::try_from(generation).unwrap_or(1);
        let uid = id::project_uid(name, number);
        let pk = projects::insert(tx, uid.as_str(), name.as_str(), generation, title.as_str())?;
        if let Some(found) = found {
            projects::insert_repository(tx, pk, &found.row)?;
        }
        Ok(projects::by_pk(tx, pk)?.map(|it| (it, true)))
    })?;
    ctx.note_redactions(&title);
    let missing = || ProjectError::Unknown { name: request.name.clone(), nearest: Vec::new() };
    let (project, is_new) = made.ok_or_else(missing)?;
    Ok(Initialised { project, is_new, is_repository_new: is_new && found.is_some() })
}
