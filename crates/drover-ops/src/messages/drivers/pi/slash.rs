//! Texts that begin with a slash: pi's own commands are carried out as such, and none is sent as talk.

use drover_host::control::pi::Command;

/// A text that begins with a word like `/new`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Slash<'a> {
    /// A command that can be carried out.
    Command(Command<'a>),
    /// A command that takes no more words.
    TakesNothing(Command<'a>),
    /// Another word.
    Unknown(&'a str),
}

impl Slash<'_> {
    /// Why it is not sent; none if it can be carried out.
    pub(super) fn refusal(&self) -> Option<String> {
        match self {
            Self::Command(_) => None,
            Self::TakesNothing(command) => {
                Some(format!("/{} takes nothing behind it", command.name()))
            }
            Self::Unknown(word) => Some(format!(
                "/{word} is none of /new, /reload and /compact, which are carried out; \
                 put a word before it to send it as text, or type it into the pane"
            )),
        }
    }
}

/// What a text that begins with a slash means; none for ordinary text, as one that begins with a path.
pub(super) fn read(text: &str) -> Option<Slash<'_>> {
    let behind = text.strip_prefix('/')?;
    let (word, rest) = match behind.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim()),
        None => (behind, ""),
    };
    if !word.starts_with(|it: char| it.is_ascii_alphabetic()) || word.contains('/') {
        return None;
    }
    Some(match (word, rest) {
        ("new", "") => Slash::Command(Command::New),
        ("reload", "") => Slash::Command(Command::Reload),
        ("compact", "") => Slash::Command(Command::Compact(None)),
        ("compact", instructions) => Slash::Command(Command::Compact(Some(instructions))),
        ("new", _) => Slash::TakesNothing(Command::New),
        ("reload", _) => Slash::TakesNothing(Command::Reload),
        (other, _) => Slash::Unknown(other),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fault S-20.
    #[test]
    fn a_command_is_known_by_its_word_and_a_path_is_text() {
        let check =
            |text: &str, expected: Option<Slash<'_>>| assert_eq!(read(text), expected, "{text}");
        check("/new", Some(Slash::Command(Command::New)));
        check("/new\n", Some(Slash::Command(Command::New)));
        check("/reload", Some(Slash::Command(Command::Reload)));
        check("/compact", Some(Slash::Command(Command::Compact(None))));
        check(
            "/compact keep the plan",
            Some(Slash::Command(Command::Compact(Some("keep the plan")))),
        );
        check("/new work on this", Some(Slash::TakesNothing(Command::New)));
        check("/quit", Some(Slash::Unknown("quit")));
        check("/skill:x do it", Some(Slash::Unknown("skill:x")));
        check("/tmp/x is full", None);
        check("/", None);
        check("// a comment", None);
        check("/ 2", None);
        check("say /new", None);
        check(" /new", None);
    }
}
