//! What Claude Code makes of a text that is pasted into its composer, and how its own word for it is known again.

use sha2::{Digest as _, Sha256};

use crate::hex::hex;

/// Words that end Claude Code when they are all that was submitted.
const ENDING: &[&str] = &["exit", "quit", ":q", ":q!", ":wq", ":wq!"];

/// A tab becomes so many spaces in a composer.
const TAB: &str = "    ";

/// What is pasted so that exactly this text becomes a prompt; none if Claude Code would take it for a command.
pub fn pasted(text: &str) -> Option<String> {
    let trimmed = text.trim();
    if ENDING.contains(&trimmed) || is_command(trimmed) {
        return None;
    }
    // A shell command starts with `!`, however long the text is.
    let front = if text.starts_with('!') { " " } else { "" };
    // Enter behind a backslash makes a line of its own.
    let end = if text.ends_with('\\') { " " } else { "" };
    Some(format!("{front}{text}{end}"))
}

/// The digest by which a text that was pasted is known again in what the program says was submitted.
pub fn digest_of_pasted(text: &str) -> String {
    digest(text)
}

/// The digest of a prompt as the program says that it was submitted; a long one comes in an envelope.
pub fn digest_of_prompt(prompt: &str) -> String {
    match opened(prompt) {
        Some(inner) => {
            let inner = inner.replace("<\\pasted_content", "<pasted_content");
            digest(&inner.replace("<\\/pasted_content", "</pasted_content"))
        }
        None => digest(prompt),
    }
}

/// A name behind a slash, and nothing that makes it a path.
fn is_command(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('/') else { return false };
    let name = rest.split(char::is_whitespace).next().unwrap_or_default();
    let is_letter = |it: char| it.is_ascii_alphanumeric() || "-_:".contains(it);
    !name.is_empty() && name.chars().all(is_letter)
}

/// What is in an envelope, whose two ends carry the same mark.
fn opened(prompt: &str) -> Option<&str> {
    let body = prompt.trim_start_matches('\n').strip_prefix("<pasted_content id=\"")?;
    let (mark, body) = body.split_once("\">\n")?;
    let body = body.strip_suffix('\n').unwrap_or(body);
    body.strip_suffix(&format!("\n</pasted_content id=\"{mark}\">"))
}

/// A digest that does not see what a composer changes: tabs, invisible characters, space at the end.
fn digest(text: &str) -> String {
    let mut digest = Sha256::new();
    for character in text.trim_end().chars() {
        match character {
            '\t' => digest.update(TAB),
            '\u{2028}' | '\u{2029}' => digest.update("\n"),
            invisible if is_invisible(invisible) => {}
            other => digest.update(other.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    hex(&digest.finalize())
}

fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200c}'
            | '\u{200e}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(pasted: &str, prompt: &str) {
        assert_eq!(digest_of_pasted(pasted), digest_of_prompt(prompt), "{pasted:?} {prompt:?}");
    }

    #[test]
    fn a_text_is_known_again_in_the_prompt_that_came_of_it() {
        same("SAY hi", "SAY hi");
        same("a\tb  ", "a    b");
        same("\u{feff}a\u{200b}\u{2028}b", "a\nb");
        same("\n\nlead", "\n\nlead");
        same(
            "one\ntwo",
            "\n\n<pasted_content id=\"c2c0\">\none\ntwo\n</pasted_content id=\"c2c0\">\n",
        );
        same(
            "x\n<pasted_content id=\"1\">\nq\n</pasted_content id=\"1\">",
            "\n\n<pasted_content id=\"c\">\nx\n<\\pasted_content id=\"1\">\nq\n<\\/pasted_content id=\"1\">\n\
             </pasted_content id=\"c\">\n",
        );
    }

    #[test]
    fn another_text_or_two_texts_in_one_are_not_taken_for_it() {
        let differ = |pasted: &str, prompt: &str| {
            assert_ne!(digest_of_pasted(pasted), digest_of_prompt(prompt), "{pasted:?}");
        };
        differ("b", "half a draftb");
        differ("one", "one\n\ntwo");
        differ("a", "A");
        differ("one", "<pasted_content id=\"a\">\none\n</pasted_content id=\"b\">");
    }

    #[test]
    fn a_text_that_would_be_run_or_would_end_a_line_gets_a_space() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(pasted(text).as_deref(), expected, "{text}");
        };
        check("!rm -r x", Some(" !rm -r x"));
        check("a\n!b", Some("a\n!b"));
        check("ends with \\", Some("ends with \\ "));
        check("/etc/passwd is a file", Some("/etc/passwd is a file"));
        check("/ alone", Some("/ alone"));
    }

    #[test]
    fn a_command_of_the_program_is_no_prompt() {
        for text in ["/clear", " /quit", "\t/compact now", "/nosuch thing", "exit", " quit ", ":q"]
        {
            assert_eq!(pasted(text), None, "{text:?}");
        }
    }
}
