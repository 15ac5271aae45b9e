//! The version of tmux on the path.

use super::call::PROGRAM;
use crate::mux::error::MuxError;
use crate::mux::types::Version;
use crate::process::{Command, ProcessError};

/// Pane options, which mark our panes, came with this version.
const NEEDED: Version = Version { major: 3, minor: 0 };

pub(super) fn read() -> Result<Version, MuxError> {
    let output = Command::new(PROGRAM, "/").arg("-V").run().map_err(|err| match err {
        ProcessError::NotFound { .. } => MuxError::NotInstalled { program: PROGRAM },
        other => MuxError::Process(other),
    })?;
    checked(&output.text())
}

fn checked(answer: &str) -> Result<Version, MuxError> {
    let found = answer.trim().strip_prefix("tmux ").unwrap_or(answer.trim()).to_owned();
    match parse(&found) {
        Some(version) if version >= NEEDED => Ok(version),
        _ => Err(MuxError::TooOld { program: PROGRAM, needed: NEEDED, found }),
    }
}

/// Reads `3.3a`, `next-3.7`, `openbsd-7.5`; the last two count as what they lead to.
fn parse(text: &str) -> Option<Version> {
    if text.starts_with("openbsd-") || text == "master" {
        // Built from a source tree newer than any release it could be compared with.
        return Some(NEEDED);
    }
    let text = text.strip_prefix("next-").unwrap_or(text);
    let (major, rest) = text.split_once('.')?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    Some(Version { major: major.parse().ok()?, minor: digits.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_and_previews_are_read() {
        let check = |text: &str, major, minor| {
            assert_eq!(checked(text).unwrap(), Version { major, minor }, "{text}");
        };
        check("tmux 3.3a\n", 3, 3);
        check("tmux 3.0", 3, 0);
        check("tmux next-3.7", 3, 7);
        check("tmux openbsd-7.5", 3, 0);
        check("tmux 10.12", 10, 12);
    }

    /// Fault I-02.
    #[test]
    fn an_old_or_unreadable_version_is_named_with_what_is_needed() {
        let check = |text: &str, expected: &str| {
            assert_eq!(checked(text).unwrap_err().to_string(), expected);
        };
        check("tmux 2.9a", "tmux 3.0 or newer is needed, found 2.9a");
        check("garbage", "tmux 3.0 or newer is needed, found garbage");
    }
}
