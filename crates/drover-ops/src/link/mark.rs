//! The mark that what we write carries: our version, a digest by which later changes show, and what was
//! made for it.

use serde_json::Value;

use crate::digest::sha256_hex;

/// The variable of an entry that holds its mark.
pub(super) const VARIABLE: &str = "DROVER_LINK";

/// What was made for an entry or a file, and goes with it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a letter of the mark")]
pub(super) struct Made {
    /// The file itself.
    pub(super) file: bool,
    /// The table that the entry stands in.
    pub(super) table: bool,
    /// The line of the table's closing brace.
    pub(super) table_line: bool,
    /// The line of the last closing brace.
    pub(super) root_line: bool,
    /// Directories above the file.
    pub(super) directories: usize,
}

/// A mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) version: String,
    pub(super) digest: String,
    pub(super) made: Made,
}

impl Mark {
    /// The mark of something that this version writes.
    pub(super) fn of(content: &str, made: Made) -> Self {
        let digest = sha256_hex(content.as_bytes());
        let digest = digest.get(..16).unwrap_or(&digest).to_owned();
        Self { version: env!("CARGO_PKG_VERSION").to_owned(), digest, made }
    }

    /// Whether it is the mark of this content.
    pub(super) fn fits(&self, content: &str) -> bool {
        Self::of(content, self.made).digest == self.digest
    }

    /// Its words.
    pub(super) fn write(&self) -> String {
        let made = [
            (self.made.file, "f"),
            (self.made.table, "t"),
            (self.made.table_line, "l"),
            (self.made.root_line, "r"),
        ];
        let made: String = made.iter().filter(|it| it.0).map(|it| it.1).collect();
        format!("{} {} {made}{}", self.version, self.digest, self.made.directories)
    }

    /// Reads its words.
    pub(super) fn parse(words: &str) -> Option<Self> {
        let parts: Vec<&str> = words.split(' ').collect();
        let [version, digest, made] = parts.as_slice() else { return None };
        let directories = made.trim_start_matches(|it: char| it.is_ascii_lowercase());
        let letters = made.strip_suffix(directories)?;
        let is_digest = digest.len() == 16 && digest.chars().all(|it| it.is_ascii_hexdigit());
        is_digest.then_some(())?;
        Some(Self {
            version: (*version).to_owned(),
            digest: (*digest).to_owned(),
            made: Made {
                file: letters.contains('f'),
                table: letters.contains('t'),
                table_line: letters.contains('l'),
                root_line: letters.contains('r'),
                directories: directories.parse().ok().filter(|it| *it < 64)?,
            },
        })
    }
}

/// An entry with its mark in it.
pub(super) fn marked(mut entry: Value, made: Made) -> Value {
    let mark = Mark::of(&canonical(&entry), made).write();
    entry["env"] = serde_json::json!({ VARIABLE: mark });
    entry
}

/// The mark of an entry that is still as it was written.
pub(super) fn of_entry(entry: &Value) -> Option<Mark> {
    let mark = Mark::parse(entry.get("env")?.get(VARIABLE)?.as_str()?)?;
    (entry.get("env")?.as_object()?.len() == 1).then_some(())?;
    let mut content = entry.clone();
    content.as_object_mut()?.shift_remove("env");
    mark.fits(&canonical(&content)).then_some(mark)
}

/// The text of a value in which the order of names makes no difference.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let mut names: Vec<&String> = members.keys().collect();
            names.sort();
            let members = names.into_iter().map(|name| {
                let value = members.get(name).map(canonical).unwrap_or_default();
                format!("{}:{value}", Value::from(name.as_str()))
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(","))
        }
        Value::Number(number) => {
            number.as_f64().map_or_else(|| number.to_string(), |it| it.to_string())
        }
        Value::Null | Value::Bool(_) | Value::String(_) => value.to_string(),
    }
}
