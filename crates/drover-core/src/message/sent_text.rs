//! The text that an agent gets, byte for byte: what digests and receipts speak of.

use sha2::{Digest, Sha256};

use crate::hex::hex;

/// Why a text cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SentTextError {
    /// The bytes are not UTF-8.
    #[error("the text is not valid UTF-8 from byte {at} on")]
    NotUtf8 {
        /// How many bytes are valid.
        at: usize,
    },
    /// Nothing but white space and control bytes.
    #[error("the text is empty")]
    Empty,
}

/// A text as it is sent: lines end in LF, no newline at the end, no control bytes except TAB
/// and LF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentText {
    text: String,
    removed_bytes: usize,
}

impl SentText {
    /// Makes the sent text of bytes from a file or a pipe.
    pub fn from_raw(raw: &[u8]) -> Result<Self, SentTextError> {
        match std::str::from_utf8(raw) {
            Ok(text) => Self::new(text),
            Err(err) => Err(SentTextError::NotUtf8 { at: err.valid_up_to() }),
        }
    }

    /// Makes the sent text of a text.
    pub fn new(raw: &str) -> Result<Self, SentTextError> {
        let mut text = String::with_capacity(raw.len());
        let mut removed_bytes = 0;
        let mut characters = raw.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '\r' => {
                    characters.next_if_eq(&'\n');
                    text.push('\n');
                }
                '\t' | '\n' => text.push(character),
                control if control.is_control() => removed_bytes += control.len_utf8(),
                other => text.push(other),
            }
        }
        text.truncate(text.trim_end_matches('\n').len());
        if text.trim().is_empty() {
            return Err(SentTextError::Empty);
        }
        Ok(Self { text, removed_bytes })
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// How many bytes of control characters were left out.
    pub fn removed_bytes(&self) -> usize {
        self.removed_bytes
    }

    /// The length of the longest line in bytes, its newline not counted: a terminal in line mode
    /// takes no longer ones than it has room for.
    pub fn longest_line(&self) -> usize {
        self.text.split('\n').map(str::len).max().unwrap_or(0)
    }

    /// The SHA-256 of the text in hexadecimal.
    pub fn digest(&self) -> String {
        hex(&Sha256::digest(self.text.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(raw: &str, text: &str, removed_bytes: usize) {
        let sent = SentText::new(raw).unwrap();
        assert_eq!((sent.as_str(), sent.removed_bytes()), (text, removed_bytes));
    }

    /// Fault S-02.
    #[test]
    fn line_ends_become_newlines_and_none_stands_at_the_end() {
        check("a\r\nb\rc\n\n", "a\nb\nc", 0);
        check("Reply PONG\r\n", "Reply PONG", 0);
        check("a\n\u{0}", "a", 1);
        check("\n a", "\n a", 0);
    }

    /// Fault S-13.
    #[test]
    fn a_paste_frame_cannot_be_closed_from_inside() {
        check("safe\u{1b}[201~\rtouch x\r", "safe[201~\ntouch x", 1);
        check("a\u{9b}201~\u{3}\u{15}\u{1a}\u{0}\u{7f}b", "a201~b", 7);
        check("tab\tstays; `$HOME` -- too \\;", "tab\tstays; `$HOME` -- too \\;", 0);
    }

    /// Fault S-02.
    #[test]
    fn nothing_to_send_is_refused() {
        for raw in ["", "\n", "\r\n\r\n", " \t", "\u{1b}\u{7f}"] {
            assert_eq!(SentText::new(raw), Err(SentTextError::Empty), "{raw:?}");
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_refused_with_their_place() {
        assert_eq!(SentText::from_raw(b"ab\xff"), Err(SentTextError::NotUtf8 { at: 2 }));
        assert_eq!(SentText::from_raw("é".as_bytes()).unwrap().as_str(), "é");
    }

    #[test]
    fn the_digest_is_of_the_sent_text() {
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(SentText::new("abc\r\n").unwrap().digest(), digest);
    }

    #[test]
    fn the_longest_line_is_counted_in_bytes() {
        assert_eq!(SentText::new("ab\nééé\nc").unwrap().longest_line(), 6);
    }

    proptest! {
        #[test]
        fn the_sent_text_of_a_sent_text_is_itself(raw in any::<String>()) {
            if let Ok(sent) = SentText::new(&raw) {
                let again = SentText::new(sent.as_str()).unwrap();
                prop_assert_eq!(again.as_str(), sent.as_str());
                prop_assert_eq!(again.removed_bytes(), 0);
            }
        }
    }
}
