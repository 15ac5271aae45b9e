//! What became of the file of a database in lines of text.

use std::fmt::Write as _;

use drover_ops::shrink::Shrunk;

use crate::output::visible;

/// The lines of a card.
pub(super) fn lines(shrunk: &Shrunk) -> String {
    let mut lines = String::new();
    if let Some(after) = shrunk.after {
        let _ = writeln!(lines, "The file had {} bytes and has {after}", shrunk.before);
    }
    if shrunk.could_shrink == Some(false) {
        lines.push_str("Somebody still reads it; it shrinks when they end\n");
    }
    if let Some(backup) = &shrunk.backup {
        let backup = visible(&backup.display().to_string());
        let _ = writeln!(lines, "As it was before: {backup}");
    }
    lines
}
