//! Telling the chat agents of this machine about Drover, beside their own settings: our server, our
//! skill, our extension. Exactly what was put there is taken away again.

mod document;
mod extension;
mod json;
mod mark;
mod place;
mod plan;
mod scan;
mod standing;
mod toml;
mod types;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use drover_host::env::Env;
use drover_host::target;

use crate::error::{ActorError, LinkError, OpError, Result};
use crate::skill;
use document::Comment;
use place::Places;
use plan::{Force, Step};

pub use standing::{Standing, State, standing};
pub use types::{CLIENTS, Done, Linked, Part, Request};

/// Tells a client of Drover.
pub fn link(env: &Env, request: Request) -> Result<Linked> {
    people_only(env, "link")?;
    let (places, force) = (Places::of(env, request.client)?, force(request));
    let mut steps = vec![plan::put_entry(&places.settings, place::entry(request.client)?, force)?];
    let has_link = check_folder(&places.skill, force)?;
    for (name, text) in skill::FILES {
        steps.push(plan::put_file(PAGE, &places.skill.join(name), text, force)?);
    }
    if !has_link {
        for path in left_over(&places.skill)? {
            steps.push(plan::take_file(PAGE, &path, Force::No)?);
        }
    }
    match &places.extension {
        Some(path) => {
            let text = if request.copy { extension::copied()? } else { extension::leading(env)? };
            steps.push(plan::put_file(SCRIPT, path, &text, force)?);
            if !request.copy && !request.is_preview {
                extension::keep(env)?;
            }
        }
        None if request.copy => {
            return Err(OpError::Usage(
                "only pi has an extension that --copy could copy".to_owned(),
            ));
        }
        None => {}
    }
    if has_link && !request.is_preview {
        target::remove_link(&places.skill)?;
    }
    carry_out(request, steps)
}

/// Takes away what a client was told.
pub fn unlink(env: &Env, request: Request) -> Result<Linked> {
    people_only(env, "unlink")?;
    let (places, force) = (Places::of(env, request.client)?, force(request));
    let mut steps = vec![plan::take_entry(&places.settings, force)?];
    if !check_folder(&places.skill, force)? {
        let names = skill::FILES.iter().map(|it| places.skill.join(it.0));
        for path in names.chain(left_over(&places.skill)?) {
            steps.push(plan::take_file(PAGE, &path, force)?);
        }
    }
    if let Some(path) = &places.extension {
        steps.push(plan::take_file(SCRIPT, path, force)?);
    }
    // The first file was made with the folder, so it goes last.
    steps.reverse();
    carry_out(request, steps)
}

const SCRIPT: (Part, Comment) = (Part::Extension, Comment::Script);
const PAGE: (Part, Comment) = (Part::Skill, Comment::Page);

fn force(request: Request) -> Force {
    if request.force { Force::Yes } else { Force::No }
}

fn carry_out(request: Request, steps: Vec<Step>) -> Result<Linked> {
    if !request.is_preview {
        for step in steps.iter().filter(|it| it.changes()) {
            step.carry_out()?;
        }
    }
    let files = steps.into_iter().map(|it| (it.part, it.path, it.done)).collect();
    Ok(Linked { client: request.client, files })
}

/// Refuses an agent: these are the settings of the person.
fn people_only(env: &Env, verb: &str) -> Result<()> {
    match env.agent() {
        Some(agent) if env.token().is_some() => {
            let (verb, agent) = (verb.to_owned(), agent.to_owned());
            Err(ActorError::PeopleOnly { verb, agent }.into())
        }
        Some(_) | None => Ok(()),
    }
}

/// Whether our folder is a link, which may go; it is refused where that may not be.
fn check_folder(folder: &Path, force: Force) -> Result<bool> {
    match target::link_target(folder) {
        Some(to) if force == Force::No => {
            Err(target::TargetError::Link { path: folder.to_owned(), to }.into())
        }
        found => Ok(found.is_some()),
    }
}

/// Files of ours in the folder that this version does not write.
fn left_over(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in target::files(folder)? {
        let is_known = skill::FILES.iter().any(|it| folder.join(it.0) == path);
        if is_known {
            continue;
        }
        // What cannot be read is not ours.
        if let Ok(Some(seen)) = target::look(&path, target::Links::Refused)
            && plan::own(&seen, Comment::Page).is_some()
        {
            found.push(path);
        }
    }
    Ok(found)
}

impl From<target::TargetError> for OpError {
    fn from(err: target::TargetError) -> Self {
        LinkError::Target(err).into()
    }
}
