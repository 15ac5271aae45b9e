//! Where the members of a JSON object stand in its text; comments and trailing commas are taken as they come.

use std::ops::Range;

/// How deep values may lie in each other.
const MOST_DEEP: usize = 200;

/// An object by the places of its parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Object {
    /// Just behind its opening brace.
    pub(super) open: usize,
    /// Its closing brace.
    pub(super) close: usize,
    /// Its members in the order of the text.
    pub(super) members: Vec<Member>,
}

/// A member of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) key: String,
    /// Where its key begins.
    pub(super) start: usize,
    pub(super) value: Range<usize>,
    /// Just behind the comma that follows it.
    pub(super) comma: Option<usize>,
}

impl Object {
    /// The member of this name; an error when there are two.
    pub(super) fn member(&self, key: &str) -> Result<Option<usize>, String> {
        let mut found = self.members.iter().enumerate().filter(|(_, it)| it.key == key);
        let first = found.next().map(|(at, _)| at);
        match found.next() {
            Some(_) => Err(format!("it has two entries {key:?}")),
            None => Ok(first),
        }
    }
}

/// Reads a whole text, which has to be one object.
pub(super) fn root(text: &str) -> Result<Object, String> {
    let mut scan = Scan { text, at: 0 };
    if text.starts_with('\u{feff}') {
        scan.at = '\u{feff}'.len_utf8();
    }
    scan.space()?;
    let object = match scan.peek() {
        Some(b'{') => scan.object(0)?,
        Some(_) => return Err("it is no object".to_owned()),
        None => return Err("it is empty".to_owned()),
    };
    scan.space()?;
    match scan.peek() {
        None => Ok(object),
        Some(_) => Err(scan.wrong("something follows its end")),
    }
}

/// Reads an object inside a text that was read before; `None` when there is another value.
pub(super) fn inner(text: &str, value: &Range<usize>) -> Option<Object> {
    let mut scan = Scan { text, at: value.start };
    (scan.peek() == Some(b'{')).then(|| scan.object(0).ok()).flatten()
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn wrong(&self, what: &str) -> String {
        let before = self.text.get(..self.at).unwrap_or_default();
        format!("line {}: {what}", before.matches('\n').count() + 1)
    }

    /// Passes white space and comments.
    fn space(&mut self) -> Result<(), String> {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches([' ', '\t', '\r', '\n']);
            self.at += rest.len() - trimmed.len();
            let length = if trimmed.starts_with("//") {
                trimmed.find('\n').unwrap_or(trimmed.len())
            } else if trimmed.starts_with("/*") {
                trimmed.find("*/").ok_or_else(|| self.wrong("a comment does not end"))? + 2
            } else {
                return Ok(());
            };
            self.at += length;
        }
    }

    fn object(&mut self, deep: usize) -> Result<Object, String> {
        self.at += 1;
        let mut object = Object { open: self.at, ..Object::default() };
        loop {
            self.space()?;
            let start = self.at;
            match self.peek() {
                Some(b'}') => {
                    object.close = self.at;
                    self.at += 1;
                    return Ok(object);
                }
                Some(b'"') => {}
                Some(_) | None => return Err(self.wrong("a name or } is missing")),
            }
            let key = self.string()?;
            self.space()?;
            if self.peek() != Some(b':') {
                return Err(self.wrong("a colon is missing"));
            }
            self.at += 1;
            self.space()?;
            let value = self.value(deep + 1)?;
            let comma = self.comma(b'}')?;
            object.members.push(Member { key, start, value, comma });
        }
    }

    fn array(&mut self, deep: usize) -> Result<(), String> {
        self.at += 1;
        loop {
            self.space()?;
            if self.peek() == Some(b']') {
                self.at += 1;
                return Ok(());
            }
            self.value(deep + 1)?;
            self.comma(b']')?;
        }
    }

    /// Passes a comma; none is needed before the end.
    fn comma(&mut self, end: u8) -> Result<Option<usize>, String> {
        self.space()?;
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Ok(Some(self.at))
            }
            Some(it) if it == end => Ok(None),
            Some(_) | None => Err(self.wrong("a comma is missing")),
        }
    }

    fn value(&mut self, deep: usize) -> Result<Range<usize>, String> {
        if deep > MOST_DEEP {
            return Err(self.wrong("its values lie too deep in each other"));
        }
        let start = self.at;
        match self.peek() {
            Some(b'{') => drop(self.object(deep)?),
            Some(b'[') => self.array(deep)?,
            Some(b'"') => drop(self.string()?),
            Some(_) | None => self.word()?,
        }
        Ok(start..self.at)
    }

    fn string(&mut self) -> Result<String, String> {
        let start = self.at;
        let mut is_escaped = false;
        for (at, byte) in self.rest().bytes().enumerate().skip(1) {
            match byte {
                b'"' if !is_escaped => {
                    self.at += at + 1;
                    let text = self.text.get(start..self.at).unwrap_or_default();
                    return serde_json::from_str(text).map_err(|err| self.wrong(&err.to_string()));
                }
                b'\\' => is_escaped = !is_escaped,
                _ => is_escaped = false,
            }
        }
        Err(self.wrong("a string does not end"))
    }

    /// A number, or one of the three words.
    fn word(&mut self) -> Result<(), String> {
        let rest = self.rest();
        let is_part = |it: char| it.is_ascii_alphanumeric() || "+-.".contains(it);
        let length = rest.find(|it| !is_part(it)).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        if serde_json::from_str::<serde_json::Value>(word).is_err() {
            return Err(self.wrong("a value is missing"));
        }
        self.at += length;
        Ok(())
    }
}
