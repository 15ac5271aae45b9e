//! The forms in which tasks come, and how a file shows which one it has.

use std::path::Path;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::error::{ImportError, Result};

/// The form of a file with tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Our own JSON plan.
    Plan,
    /// The JSON lines that beads exports.
    Beads,
    /// A Markdown checklist.
    Markdown,
    /// What Taskwarrior exports.
    Taskwarrior,
}

impl Format {
    /// Every form.
    pub const ALL: [Self; 4] = [Self::Plan, Self::Beads, Self::Markdown, Self::Taskwarrior];

    /// The word for it, which also stands in `source` of every task that came in it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Beads => "beads",
            Self::Markdown => "markdown",
            Self::Taskwarrior => "taskwarrior",
        }
    }

    /// Whether a person wrote the file, so that an id nobody knows is a slip and not a part left out.
    pub(super) fn is_written_by_hand(self) -> bool {
        matches!(self, Self::Plan | Self::Markdown)
    }

    /// The form that a file's name and its first line show.
    pub fn of(name: Option<&Path>, text: &str) -> Result<Self> {
        let ending = name.and_then(Path::extension).and_then(|it| it.to_str());
        let ending = ending.unwrap_or_default().to_ascii_lowercase();
        let first = text.lines().map(str::trim).find(|it| !it.is_empty()).unwrap_or_default();
        if ["md", "markdown"].contains(&ending.as_str()) {
            return Ok(Self::Markdown);
        }
        if let Some(format) = Self::of_keys(first) {
            return Ok(format);
        }
        match (first.chars().next(), ending.as_str()) {
            (Some('{'), "jsonl" | "ndjson") => Ok(Self::Beads),
            // A line that is broken; a plan begins with its one key, or with a line break.
            (Some('{'), _) if first.len() > 1 && !first.contains("\"tasks\"") => Ok(Self::Beads),
            (Some('{'), _) | (None, "json") => Ok(Self::Plan),
            // A list item begins with a bracket only where it is a link.
            (Some('['), _) if !first.contains("](") => Ok(Self::Taskwarrior),
            (Some('#' | '-' | '*' | '+'), _) => Ok(Self::Markdown),
            _ => Err(ImportError::UnknownFormat.into()),
        }
    }

    /// The form of a file of which one line is one object.
    fn of_keys(line: &str) -> Option<Self> {
        let line = line.trim_end_matches(',');
        let keys = line.starts_with('{').then(|| serde_json::from_str::<Keys>(line).ok())??;
        match keys {
            Keys { tasks: Some(_), .. } => Some(Self::Plan),
            Keys { uuid: Some(_), .. } => Some(Self::Taskwarrior),
            Keys { id: Some(_), .. } => Some(Self::Beads),
            Keys { .. } => None,
        }
    }
}

/// The keys by which a line is known.
#[derive(Deserialize)]
struct Keys {
    tasks: Option<IgnoredAny>,
    uuid: Option<IgnoredAny>,
    id: Option<IgnoredAny>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_shows_its_form_by_its_name_or_its_first_line() {
        let check = |name: &str, text: &str, expected: Format| {
            let name = (!name.is_empty()).then(|| Path::new(name));
            assert_eq!(Format::of(name, text).unwrap(), expected, "{text}");
        };
        check("", "{\"tasks\":[]}", Format::Plan);
        check("", "{\n \"tasks\": [", Format::Plan);
        check("", "{ \"tasks\": [", Format::Plan);
        check("", "{\"id\": \"a", Format::Beads);
        check("x.json", "", Format::Plan);
        check("", "\n{\"id\":\"a-1\",\"title\":\"A\"}\n", Format::Beads);
        check("x.jsonl", "{\"id\":\"a-1\",", Format::Beads);
        check("", "[\n{\"id\":1,\"uuid\":\"x\"}]", Format::Taskwarrior);
        check("", "{\"id\":1,\"uuid\":\"x\"},\n", Format::Taskwarrior);
        check("", "# Plan\n\n- [ ] A", Format::Markdown);
        check("", "- [ ] A", Format::Markdown);
        check("x.MD", "Words", Format::Markdown);
        assert!(Format::of(None, "Words").is_err());
        assert!(Format::of(None, "").is_err());
    }
}
