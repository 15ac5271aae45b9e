//! `project init`: a new project, or a confirmation that it is there.

use drover_core::id;
use drover_core::name::ProjectName;
use drover_core::text::Text;
use drover_store::projects::{self, Project};

use crate::ctx::Ctx;
use crate::error::{ProjectError, Result};

/// What to make.
#[derive(Debug, Clone)]
pub struct Init {
    /// The name.
    pub name: String,
    /// What it is called in full; the name when absent.
    pub title: Option<String>,
}

/// What was made or found.
#[derive(Debug, Clone)]
pub struct Initialised {
    /// The project.
    pub project: Project,
    /// Whether it is new.
    pub is_new: bool,
}

/// Makes a project; one that is there already is left as it is.
pub fn init(ctx: &mut Ctx, request: &Init) -> Result<Initialised> {
    let name = ProjectName::parse_new(&request.name)?;
    if let Some(project) = projects::find(&ctx.read(), name.as_str())? {
        return Ok(Initialised { project, is_new: false });
    }
    let title = Text::new(request.title.as_deref().unwrap_or(name.as_str()));
    let project = ctx.write("project.init", |tx| {
        let generation = projects::next_generation(tx, name.as_str())?;
        let number = u32::try_from(generation).unwrap_or(1);
        let uid = id::project_uid(&name, number);
        let pk = projects::insert(tx, uid.as_str(), name.as_str(), generation, title.as_str())?;
        Ok(projects::by_pk(tx, pk)?)
    })?;
    ctx.note_redactions(&title);
    let missing = || ProjectError::Unknown { name: request.name.clone(), nearest: Vec::new() };
    Ok(Initialised { project: project.ok_or_else(missing)?, is_new: true })
}
