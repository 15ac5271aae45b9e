//! Words on their way through tmux: what its client, its formats and its parser would eat.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

use crate::mux::error::MuxError;

/// A word of a client call that must arrive as it is: a trailing `;` would separate commands.
pub(super) fn word(word: &OsStr) -> OsString {
    match word.as_bytes().strip_suffix(b";") {
        Some(before) => OsString::from_vec([before, b"\\;"].concat()),
        None => word.to_owned(),
    }
}

/// Text that tmux expands as a format: `#` is doubled, and the result is a whole word.
pub(super) fn format(text: &OsStr) -> OsString {
    let mut bytes = Vec::with_capacity(text.len());
    for byte in text.as_bytes() {
        bytes.push(*byte);
        if *byte == b'#' {
            bytes.push(b'#');
        }
    }
    word(&OsString::from_vec(bytes))
}

/// A word inside a command that tmux parses itself, such as a hook.
pub(super) fn parsed(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        if matches!(letter, '"' | '\\' | '$') {
            quoted.push('\\');
        }
        quoted.push(letter);
    }
    quoted.push('"');
    quoted
}

/// Refuses a name that tmux would rewrite, so that what is recorded is what is shown.
pub(super) fn checked_name<'a>(what: &'static str, name: &'a str) -> Result<&'a str, MuxError> {
    let invalid = |why| Err(MuxError::Invalid { what, value: name.to_owned(), why });
    if name.is_empty() {
        return invalid("it is empty");
    }
    if name.chars().any(char::is_control) {
        return invalid("it holds control characters");
    }
    if name.contains([':', '.']) {
        return invalid("tmux replaces `:` and `.`");
    }
    Ok(name)
}

/// Refuses an option value that could not be read back as it is.
pub(super) fn checked_value(value: &str) -> Result<&str, MuxError> {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "_-.:@/".contains(it);
    if value.chars().all(is_plain) {
        return Ok(value);
    }
    Err(MuxError::Invalid {
        what: "the value of a mark",
        value: value.to_owned(),
        why: "only ASCII letters, digits and _-.:@/ are kept as they are",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_trailing_semicolon_is_escaped() {
        let check = |text: &str, expected: &str| {
            assert_eq!(word(OsStr::new(text)), OsString::from(expected));
        };
        check("a;b", "a;b");
        check("a;", "a\\;");
        check(";", "\\;");
        check("a\\;", "a\\\\;");
        check("", "");
    }

    /// Fault X-07.
    #[test]
    fn a_format_has_every_hash_doubled() {
        assert_eq!(format(OsStr::new("x #(touch y);")), OsString::from("x ##(touch y)\\;"));
    }

    /// Fault P-05.
    #[test]
    fn names_tmux_would_rewrite_are_refused() {
        assert!(checked_name("a session", "drover-a_b").is_ok());
        for name in ["", "a.b", "a:b", "a\nb"] {
            assert!(checked_name("a session", name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn a_parsed_word_keeps_quotes_and_dollars() {
        assert_eq!(parsed("a \"$x\" \\"), "\"a \\\"\\$x\\\" \\\\\"");
    }
}
