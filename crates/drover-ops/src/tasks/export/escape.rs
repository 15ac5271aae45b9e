//! Stored text inside of other languages: no character may steer a terminal or end a text early.

use std::fmt::Write as _;

use serde::Serialize;

/// Whether a terminal or an editor would obey it rather than show it.
fn is_obeyed(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a text is lines of letters and tabs, and nothing that must be written otherwise.
pub(super) fn is_plain(text: &str) -> bool {
    !text.chars().any(|it| it != '\n' && it != '\t' && is_obeyed(it))
}

/// JSON on one line.
pub(super) fn json(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value).unwrap_or_default();
    if is_plain(&text) {
        return text;
    }
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        // All of these stand within strings, and none is longer than four hexadecimal digits.
        if is_obeyed(letter) {
            let _ = write!(safe, "\\u{:04x}", u32::from(letter));
        } else {
            safe.push(letter);
        }
    }
    safe
}

/// A JSON list with one of these members a line.
pub(super) fn list(members: impl Iterator<Item = String>) -> String {
    let members: Vec<String> = members.collect();
    if members.is_empty() { "[]".to_owned() } else { format!("[\n{}\n]", members.join(",\n")) }
}

/// One line, what would be obeyed as `{1b}`.
pub(super) fn line(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\t' | '\r' => safe.push(' '),
            it if is_obeyed(it) => {
                let _ = write!(safe, "{{{:x}}}", u32::from(it));
            }
            it => safe.push(it),
        }
    }
    safe
}
