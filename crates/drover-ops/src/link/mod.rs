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

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use drover_host::env::Env;
use drover_host::target;

use crate::engines::Kind;
use crate::error::{ActorError, LinkError, OpError, Result};
use crate::skill;
use document::Comment;
use place::Places;
use plan::{Force, Step};

pub use standing::{Standing, State, standing};

/// The clients that can be told.
pub const CLIENTS: [Kind; 3] = [Kind::Pi, Kind::Claude, Kind::Codex];

/// What a client is told with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The verbs as tools.
    Server,
    /// How to use them.
    Skill,
    /// What runs inside the client.
    Extension,
}

impl Part {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Server => "mcp",
            Self::Skill => "skill",
            Self::Extension => "extension",
        }
    }
}

/// What became of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// It had nothing of ours.
    Added,
    /// It had what another version wrote.
    Updated,
    /// What was in our place is gone.
    Replaced,
    /// It is as it should be.
    Unchanged,
    /// What was ours is gone.
    Removed,
    /// Nothing of ours was there.
    Absent,
}

impl Done {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Updated => "updated",
            Self::Replaced => "replaced",
            Self::Unchanged => "unchanged",
            Self::Removed => "removed",
            Self::Absent => "absent",
        }
    }
}

/// What to do for one client.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// The client.
    pub client: Kind,
    /// Whether what is not as we wrote it may go.
    pub force: bool,
    /// Whether files are to hold all they need, instead of leading to where Drover keeps it.
    pub copy: bool,
    /// Whether nothing is to be done.
    pub is_preview: bool,
}

/// What was done, or would be.
#[derive(Debug, Clone)]
pub struct Linked {
    /// For whom.
    pub client: Kind,
    /// Each file.
    pub files: Vec<(Part, PathBuf, Done)>,
}

impl Linked {
    /// Whether anything was changed.
    pub fn is_changed(&self) -> bool {
        self.files.iter().any(|it| !matches!(it.2, Done::Unchanged | Done::Absent))
    }
}

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
