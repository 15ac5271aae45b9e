//! What chat agents record of the tokens they used, read from the files their engines keep.
//!
//! A file is read from where the last reading stopped. A last line without its end is left for the
//! next time; a file that was cut, replaced or written anew is read from its beginning, and what it
//! repeats has the same identity.

mod claude;
mod codex;
mod find;
mod pi;
mod tail;

use std::path::Path;

use drover_core::usage::Tokens;
use jiff::Timestamp;

pub use find::{Place, files};
pub use tail::{Carried, Position, Reading};

/// Whose files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Sessions of pi.
    Pi,
    /// Rollouts of Codex.
    Codex,
    /// Transcripts of Claude Code.
    Claude,
}

/// One call of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// What it is known by; a repeat of it has the same.
    pub id: String,
    /// When its answer was there.
    pub at: Timestamp,
    /// The model, where the file names it.
    pub model: Option<String>,
    /// What it used.
    pub tokens: Tokens,
    /// What it cost in millionths of a dollar, where the engine recorded that.
    pub micros: Option<u64>,
}

/// Reads what is new in a file.
pub fn read(path: &Path, format: Format, from: &Position) -> std::io::Result<Reading> {
    let line = match format {
        Format::Pi => pi::line,
        Format::Codex => codex::line,
        Format::Claude => claude::line,
    };
    tail::read(path, from, line)
}

/// A time as engines write it.
fn time(text: Option<&str>) -> Option<Timestamp> {
    text?.parse().ok()
}

/// Whether the line can be one of those that are looked for; most lines are long and are not.
fn holds(line: &[u8], word: &[u8]) -> bool {
    line.windows(word.len()).any(|it| it == word)
}

#[cfg(test)]
mod tests;
