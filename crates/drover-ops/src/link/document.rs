//! Files that are ours as a whole: their text, and a mark in their last line.

use super::mark::{Made, Mark};

/// What stands around the mark in its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comment {
    /// A page in Markdown.
    Page,
    /// A script.
    Script,
}

const WORD: &str = "drover-link: ";

impl Comment {
    fn around(self) -> (&'static str, &'static str) {
        match self {
            Self::Page => ("<!-- ", " -->"),
            Self::Script => ("// ", ""),
        }
    }
}

/// The file with its mark.
pub(super) fn written(text: &str, comment: Comment, made: Made) -> String {
    let (before, after) = comment.around();
    let mark = Mark::of(text, made).write();
    format!("{text}{before}{WORD}{mark}{after}\n")
}

/// The text and the mark of a file that is still as it was written.
pub(super) fn read(file: &str, comment: Comment) -> Option<(&str, Mark)> {
    let (before, after) = comment.around();
    let lines = file.strip_suffix('\n')?;
    let start = lines.rfind('\n').map_or(0, |it| it + 1);
    let (text, line) = (file.get(..start)?, lines.get(start..)?);
    let mark = line.strip_prefix(before)?.strip_suffix(after)?.strip_prefix(WORD)?;
    let mark = Mark::parse(mark)?;
    mark.fits(text).then_some((text, mark))
}
