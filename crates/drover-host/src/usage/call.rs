//! One call of a model, and what finds it in a line.

use drover_core::usage::Tokens;
use jiff::Timestamp;

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

/// A time as engines write it.
pub(super) fn time(text: Option<&str>) -> Option<Timestamp> {
    text?.parse().ok()
}

/// Whether the line can be one of those that are looked for; most lines are long and are not.
pub(super) fn holds(line: &[u8], word: &[u8]) -> bool {
    line.windows(word.len()).any(|it| it == word)
}
