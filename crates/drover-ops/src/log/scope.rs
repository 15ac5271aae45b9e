//! Which part of the log is meant: a project, a stretch of time, a group.

use drover_core::duration::Limit;
use drover_store::log;
use drover_store::projects::Project;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::ctx::Ctx;
use crate::error::{LogError, OpError, ProjectError, Result};
use crate::resolve;
use crate::roles::Caller;

/// Where to begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// After this position.
    Seq(i64),
    /// At this time.
    Time(Timestamp),
}

impl Since {
    /// Reads a position, a time limit that counts back from `now`, or a time.
    ///
    /// A bare number is a position; `8h` is eight hours ago; a time without an offset is local.
    pub fn parse(text: &str, now: Timestamp) -> Result<Self> {
        if !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit()) {
            let seq = text.parse().map_err(|_| LogError::Since { given: text.to_owned() })?;
            return Ok(Self::Seq(seq));
        }
        match Limit::parse(text) {
            Ok(Limit::For(length)) => {
                let ago = now.checked_sub(length).unwrap_or(Timestamp::MIN);
                return Ok(Self::Time(ago));
            }
            Ok(Limit::AtOnce) => return Ok(Self::Time(now)),
            Ok(Limit::Never) | Err(_) => {}
        }
        if let Ok(time) = text.parse::<Timestamp>() {
            return Ok(Self::Time(time));
        }
        let local = text.parse::<DateTime>().ok();
        let time = local.and_then(|it| TimeZone::system().to_timestamp(it).ok());
        time.map(Self::Time).ok_or_else(|| LogError::Since { given: text.to_owned() }.into())
    }
}

/// The project that is meant; `None`, everything, where none is meant clearly.
pub(crate) fn project(ctx: &Ctx) -> Result<Option<Project>> {
    match resolve::project(ctx) {
        Ok(project) => Ok(Some(project)),
        Err(OpError::Project(ProjectError::Unclear { .. } | ProjectError::None)) => Ok(None),
        Err(other) => Err(other),
    }
}

/// The uid of the project that is meant, also of one that is gone; `None`, everything, where none is meant clearly.
pub(crate) fn past_project(ctx: &Ctx) -> Result<Option<String>> {
    match project(ctx) {
        Ok(project) => Ok(project.map(|it| it.uid)),
        Err(OpError::Project(ProjectError::Unknown { name, nearest })) => {
            let gone = match Caller::of(ctx) {
                None => log::project_named(&ctx.read(), &name)?,
                Some(_) => None,
            };
            gone.map(Some).ok_or_else(|| ProjectError::Unknown { name, nearest }.into())
        }
        Err(other) => Err(other),
    }
}

/// The one group whose id is, or begins with, the text.
pub(crate) fn group(ctx: &Ctx, text: &str) -> Result<String> {
    let unknown = || LogError::UnknownGroup { given: text.to_owned() };
    if text.is_empty() {
        return Err(unknown().into());
    }
    let mut found = log::groups_named(&ctx.read(), text)?;
    if found.iter().any(|it| it == text) {
        return Ok(text.to_owned());
    }
    match (found.pop(), found.is_empty()) {
        (None, _) => Err(unknown().into()),
        (Some(only), true) => Ok(only),
        (Some(last), false) => {
            found.push(last);
            Err(LogError::AmbiguousGroup { given: text.to_owned(), candidates: found }.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_is_a_position_a_span_or_a_time() {
        let now: Timestamp = "2026-01-02T12:00:00Z".parse().unwrap();
        let at = |text: &str| Since::Time(text.parse().unwrap());
        let check = |text: &str, expected: Since| {
            assert_eq!(Since::parse(text, now).unwrap(), expected, "{text}");
        };
        check("17", Since::Seq(17));
        check("8h", at("2026-01-02T04:00:00Z"));
        check("0.5h", at("2026-01-02T11:30:00Z"));
        check("2026-01-01T00:00:00Z", at("2026-01-01T00:00:00Z"));
        assert!(matches!(Since::parse("2026-01-01", now), Ok(Since::Time(_))));
        for text in ["", "never", "soon", "-5m", "99999999999999999999"] {
            assert!(Since::parse(text, now).is_err(), "{text:?}");
        }
    }
}
