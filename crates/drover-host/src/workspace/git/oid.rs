//! Names of objects.

use std::fmt;

/// The full name of a commit or tree: 40 or 64 hex digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Oid(String);

impl Oid {
    /// Takes a full name; nothing shorter, and no other word, can become one.
    pub fn parse(text: &str) -> Option<Self> {
        let is_full = matches!(text.len(), 40 | 64);
        let is_hex = text.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
        (is_full && is_hex).then(|| Self(text.to_owned()))
    }

    /// The name as git writes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
