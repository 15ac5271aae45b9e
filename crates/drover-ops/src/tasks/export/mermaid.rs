//! A drawing by Mermaid: an arrow leads from a blocker to what it blocks.

use std::fmt::Write as _;

use super::board::{Board, LOOKS};
use super::escape;

pub(super) fn write(board: &Board) -> String {
    let mut text = "flowchart LR\n".to_owned();
    // Numbers, because an id may be a word of the language.
    for (position, entry) in board.entries.iter().enumerate() {
        let label = escaped(&escape::line(&entry.task.title));
        let (id, word) = (&entry.task.id, entry.look().word);
        let _ = writeln!(text, "  t{position}[\"{id}: {label}\"]:::{word}");
    }
    for (position, entry) in board.entries.iter().enumerate() {
        for blocker in &entry.blockers {
            let _ = writeln!(text, "  t{blocker} --> t{position}");
        }
    }
    for look in LOOKS {
        let _ = writeln!(
            text,
            "  classDef {} fill:{},stroke:#555555,color:#000000",
            look.word, look.fill
        );
    }
    text
}

/// What would end the label or be taken for markup, as the language's own entities.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '"' | '#' | '<' | '>' | '&' | '`' | '\\' | ';' => {
                let _ = write!(escaped, "#{};", u32::from(letter));
            }
            it => escaped.push(it),
        }
    }
    escaped
}
