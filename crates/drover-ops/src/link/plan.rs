//! What is to be done to each file, worked out in full before anything is touched.

use std::path::{Path, PathBuf};

use drover_host::target::{self, Links, Seen};

use super::document::{self, Comment};
use super::mark::{self, Made, Mark};
use super::place::{NAME, Settings};
use super::types::{Done, Part};
use crate::error::{LinkError, Result};

/// How much a call may take away that is not as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Force {
    /// Nothing.
    No,
    /// What stands in our places.
    Yes,
}

impl Force {
    pub(super) fn links(self) -> Links {
        match self {
            Self::No => Links::Refused,
            Self::Yes => Links::Replaced,
        }
    }
}

/// One file with what is to become of it.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) part: Part,
    pub(super) path: PathBuf,
    pub(super) done: Done,
    seen: Option<Seen>,
    after: After,
}

#[derive(Debug)]
enum After {
    Same,
    Text(String),
    Gone { directories: usize },
}

impl Step {
    fn same(part: Part, path: &Path, done: Done) -> Self {
        Self { part, path: path.to_owned(), done, seen: None, after: After::Same }
    }

    /// Does it.
    pub(super) fn carry_out(&self) -> Result<()> {
        match &self.after {
            After::Same => {}
            After::Text(text) => target::write(&self.path, text.as_bytes(), self.seen.as_ref())?,
            After::Gone { directories } => {
                if let Some(seen) = &self.seen {
                    target::remove(&self.path, seen, *directories)?;
                }
            }
        }
        Ok(())
    }

    /// Whether there is anything to do.
    pub(super) fn changes(&self) -> bool {
        !matches!(self.after, After::Same)
    }
}

/// Puts our entry into a settings file.
pub(super) fn put_entry(
    settings: &Settings,
    entry: serde_json::Value,
    force: Force,
) -> Result<Step> {
    let path = &settings.path;
    let seen = target::look(path, force.links())?;
    let file = seen.as_ref().filter(|it| !it.bytes.is_empty() || force == Force::No);
    let text = file.map(|it| text_of(path, it)).transpose()?.unwrap_or(settings.blank());
    let found = settings.find(text)?;
    let before = found.as_ref().and_then(mark::of_entry);
    let (done, made) = match (&found, &before) {
        (None, _) => {
            let mut made = settings.made(text)?;
            made.file = seen.is_none();
            made.directories = if made.file { target::missing_directories(path) } else { 0 };
            (Done::Added, made)
        }
        (Some(_), Some(mark)) => (Done::Updated, mark.made),
        (Some(_), None) if force == Force::Yes => (Done::Replaced, Made::default()),
        (Some(_), None) => {
            return Err(LinkError::Edited {
                what: format!("the entry {NAME}"),
                path: path.clone(),
            }
            .into());
        }
    };
    let wanted = mark::marked(entry, made);
    if before.is_some() && found.as_ref() == Some(&wanted) {
        return Ok(Step::same(Part::Server, path, Done::Unchanged));
    }
    let text = settings.put(text, &wanted, found.is_some())?;
    Ok(Step { part: Part::Server, path: path.clone(), done, seen, after: After::Text(text) })
}

/// Takes our entry out of a settings file.
pub(super) fn take_entry(settings: &Settings, force: Force) -> Result<Step> {
    let path = &settings.path;
    let absent = Step::same(Part::Server, path, Done::Absent);
    let Some(seen) = target::look(path, force.links())? else { return Ok(absent) };
    if seen.bytes.is_empty() {
        return Ok(absent);
    }
    let text = text_of(path, &seen)?;
    let Some(entry) = settings.find(text)? else { return Ok(absent) };
    let made = match mark::of_entry(&entry) {
        Some(mark) => mark.made,
        None if force == Force::Yes => Made::default(),
        None => {
            return Err(LinkError::Edited {
                what: format!("the entry {NAME}"),
                path: path.clone(),
            }
            .into());
        }
    };
    let left = settings.take(text, made)?;
    let after = if made.file && settings.is_bare(&left) {
        After::Gone { directories: made.directories }
    } else {
        After::Text(left)
    };
    Ok(Step {
        part: Part::Server,
        path: path.clone(),
        done: Done::Removed,
        after,
        seen: Some(seen),
    })
}

/// Puts a file of ours in its place.
pub(super) fn put_file(
    (part, comment): (Part, Comment),
    path: &Path,
    text: &str,
    force: Force,
) -> Result<Step> {
    let seen = target::look(path, force.links())?;
    let mut made = Made { file: true, ..Made::default() };
    let done = match &seen {
        None => {
            made.directories = target::missing_directories(path);
            Done::Added
        }
        Some(seen) => match own(seen, comment) {
            Some(mark) => {
                made.directories = mark.made.directories;
                Done::Updated
            }
            None if force == Force::Yes => Done::Replaced,
            None => return Err(edited(path)),
        },
    };
    let text = document::written(text, comment, made);
    let is_there = seen.as_ref().is_some_and(|it| it.bytes == text.as_bytes());
    if is_there && done == Done::Updated {
        return Ok(Step::same(part, path, Done::Unchanged));
    }
    Ok(Step { part, path: path.to_owned(), done, seen, after: After::Text(text) })
}

/// Takes a file of ours away.
pub(super) fn take_file(
    (part, comment): (Part, Comment),
    path: &Path,
    force: Force,
) -> Result<Step> {
    let Some(seen) = target::look(path, force.links())? else {
        return Ok(Step::same(part, path, Done::Absent));
    };
    let directories = match own(&seen, comment) {
        Some(mark) => mark.made.directories,
        None if force == Force::Yes => 0,
        None => return Err(edited(path)),
    };
    let after = After::Gone { directories };
    Ok(Step { part, path: path.to_owned(), done: Done::Removed, after, seen: Some(seen) })
}

fn edited(path: &Path) -> crate::error::OpError {
    LinkError::Edited { what: "the file".to_owned(), path: path.to_owned() }.into()
}

/// The mark of a file that is as we wrote it.
pub(super) fn own(seen: &Seen, comment: Comment) -> Option<Mark> {
    document::read(std::str::from_utf8(&seen.bytes).ok()?, comment).map(|it| it.1)
}

fn text_of<'a>(path: &Path, seen: &'a Seen) -> Result<&'a str> {
    std::str::from_utf8(&seen.bytes).map_err(|err| {
        let why = format!("it is no UTF-8 at byte {}", err.valid_up_to());
        LinkError::Unreadable { path: path.to_owned(), why }.into()
    })
}
