//! How things stand with each client: told, told by another version, changed since, or not told.

use std::path::{Path, PathBuf};

use drover_host::env::Env;
use drover_host::target::{self, Links};

use super::document::{self, Comment};
use super::place::{self, Places, Settings};
use super::types::Part;
use super::{extension, mark};
use crate::engines::Kind;
use crate::error::{OpError, Result};
use crate::skill;

/// How one part stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It is not there.
    Absent,
    /// It is as this version writes it.
    Linked,
    /// It is as another version, or this program at another place, wrote it.
    Stale {
        /// Which.
        version: String,
    },
    /// It is not as it was written.
    Edited,
    /// It cannot be looked at.
    Unusable {
        /// Why.
        why: String,
    },
}

impl State {
    /// The word for it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Linked => "linked",
            Self::Stale { .. } => "stale",
            Self::Edited => "edited",
            Self::Unusable { .. } => "unusable",
        }
    }
}

/// One part of one client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The client.
    pub client: Kind,
    /// The part.
    pub part: Part,
    /// The file, or the folder.
    pub path: PathBuf,
    /// How it stands.
    pub state: State,
}

/// How things stand with a client, part by part.
pub fn standing(env: &Env, client: Kind) -> Result<Vec<Standing>> {
    let places = Places::of(env, client)?;
    let entry = place::entry(client)?;
    let of = |part, path: &Path, state: Result<State>| Standing {
        client,
        part,
        path: path.to_owned(),
        state: state.unwrap_or_else(|err| unusable(&err)),
    };
    let mut found = vec![
        of(Part::Server, &places.settings.path, of_entry(&places.settings, &entry)),
        of(Part::Skill, &places.skill, of_skill(&places.skill)),
    ];
    if let Some(path) = &places.extension {
        found.push(of(Part::Extension, path, of_extension(env, path)));
    }
    Ok(found)
}

fn unusable(err: &OpError) -> State {
    State::Unusable { why: err.to_string() }
}

fn of_entry(settings: &Settings, wanted: &serde_json::Value) -> Result<State> {
    let Some(seen) = target::look(&settings.path, Links::Refused)? else {
        return Ok(State::Absent);
    };
    let text = String::from_utf8_lossy(&seen.bytes);
    let Some(found) = settings.find(&text)? else { return Ok(State::Absent) };
    Ok(match mark::of_entry(&found) {
        None => State::Edited,
        Some(mark) if found == mark::marked(wanted.clone(), mark.made) => State::Linked,
        Some(mark) => State::Stale { version: mark.version },
    })
}

fn of_skill(folder: &Path) -> Result<State> {
    if let Some(to) = target::link_target(folder) {
        return Err(target::TargetError::Link { path: folder.to_owned(), to }.into());
    }
    let mut states = Vec::new();
    for (name, text) in skill::FILES {
        states.push(of_file(&folder.join(name), text, Comment::Page)?);
    }
    if states.contains(&State::Edited) {
        return Ok(State::Edited);
    }
    if states.windows(2).all(|it| it[0] == it[1]) {
        return Ok(states.pop().unwrap_or(State::Absent));
    }
    let stale = states.into_iter().find(|it| matches!(it, State::Stale { .. }));
    Ok(stale.unwrap_or(State::Stale { version: "incomplete".to_owned() }))
}

/// Either form of the file will do.
fn of_extension(env: &Env, path: &Path) -> Result<State> {
    let state = of_file(path, &extension::leading(env)?, Comment::Script)?;
    match state {
        State::Stale { .. } => of_file(path, &extension::copied()?, Comment::Script),
        State::Linked if !extension::is_kept(env)? => {
            Ok(State::Unusable { why: "what it leads to is gone".to_owned() })
        }
        State::Absent | State::Linked | State::Edited | State::Unusable { .. } => Ok(state),
    }
}

fn of_file(path: &Path, text: &str, comment: Comment) -> Result<State> {
    let Some(seen) = target::look(path, Links::Refused)? else { return Ok(State::Absent) };
    let file = String::from_utf8_lossy(&seen.bytes);
    Ok(match document::read(&file, comment) {
        None => State::Edited,
        Some((found, mark)) if found == text && mark.version == env!("CARGO_PKG_VERSION") => {
            State::Linked
        }
        Some((_, mark)) => State::Stale { version: mark.version },
    })
}
