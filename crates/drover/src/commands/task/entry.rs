//! How a note and a piece of evidence read.

use std::fmt::Write as _;

use drover_ops::rows::Note;
use drover_ops::tasks::{Entry, Weighed};

use crate::output::{one_line, visible};

/// A note or a piece of evidence.
pub(super) fn entry(entry: &Entry) -> String {
    match entry {
        Entry::Note(it) => note(it),
        Entry::Evidence(it) => evidence(it),
    }
}

/// A note, its lines indented below who wrote it and when.
pub(super) fn note(note: &Note) -> String {
    let head = format!("  {} {}\n", note.created_at, one_line(&note.author));
    head + &indented(&note.text)
}

/// A piece of evidence, with what makes it weaker in its first line.
pub(super) fn evidence(weighed: &Weighed) -> String {
    let it = &weighed.evidence;
    let mut text =
        format!("  {} {} {} on {}", it.created_at, one_line(&it.said_by), it.kind, it.verb);
    if let Some(commit) = &it.commit_oid {
        let _ = write!(text, ", commit {commit}");
    }
    if let Some(exit) = it.exit {
        let _ = write!(text, ", exit {exit}");
    }
    if let Some(signal) = it.signal {
        let _ = write!(text, ", signal {signal}");
    }
    if it.dirty == Some(true) {
        text.push_str(", tree dirty");
    }
    if weighed.is_stale {
        text.push_str(", STALE: there is evidence on a later commit");
    }
    text.push('\n');
    if let Some(command) = &it.command {
        let _ = writeln!(text, "    $ {}", one_line(command));
    }
    if let Some(said) = &it.text {
        text.push_str(&indented(said.as_str()));
    }
    text
}

fn indented(text: &str) -> String {
    let mut lines = String::new();
    for line in visible(text).lines() {
        let _ = writeln!(lines, "    {line}");
    }
    lines
}
