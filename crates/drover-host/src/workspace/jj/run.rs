//! Running jj: never asks, never pages, speaks without colour.

use std::path::Path;
use std::time::Duration;

use crate::process::Command;

/// For what reads, which takes a snapshot of the files first.
const READ: Duration = Duration::from_mins(2);
/// For what writes a checkout.
pub(super) const WRITE: Duration = Duration::from_mins(20);

/// A jj call in a directory; its words still to be added.
pub(super) fn jj(directory: &Path) -> Command {
    Command::new("jj", directory)
        .args(["--no-pager", "--color=never", "--quiet"])
        .env("JJ_EDITOR", "true")
        .timeout(READ)
}

/// A jj call that neither looks at the files of a directory nor writes them.
pub(super) fn aside(directory: &Path) -> Command {
    jj(directory).arg("--ignore-working-copy")
}

/// A word as the text of jj's own query language.
pub(super) fn quoted(word: &str) -> String {
    format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""))
}
