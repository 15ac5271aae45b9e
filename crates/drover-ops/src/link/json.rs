//! An entry in a JSON settings file, put in and taken out without touching another byte.
//!
//! It goes in as the first member, so that nothing depends on what ends the object: a comment, a comma
//! or nothing.

use serde::Serialize as _;
use serde_json::Value;

use super::mark::Made;
use super::scan::{self, Member, Object};

/// Where a client looks for its servers.
const TABLE: &str = "mcpServers";

/// The entry of this name, where there is one: its value; `Null` for one that is no plain JSON.
pub(super) fn find(text: &str, name: &str) -> Result<Option<Value>, String> {
    let root = scan::root(text)?;
    let Some((_, table)) = table(text, &root)? else { return Ok(None) };
    let member = table.member(name)?.and_then(|it| table.members.get(it));
    Ok(member.map(|it| {
        serde_json::from_str(text.get(it.value.clone()).unwrap_or_default()).unwrap_or(Value::Null)
    }))
}

/// What putting an entry in would make besides it.
pub(super) fn made(text: &str) -> Result<Made, String> {
    let root = scan::root(text)?;
    let style = Style::of(text, &root);
    let table = table(text, &root)?;
    let closes = |object: &Object| {
        object.members.is_empty() && !holds(text, object).contains('\n') && style.has_lines
    };
    Ok(Made {
        table: table.is_none(),
        table_line: table.as_ref().is_some_and(|it| closes(&it.1)),
        root_line: table.is_none() && closes(&root),
        ..Made::default()
    })
}

/// The text with the entry, which is not there yet.
pub(super) fn put(text: &str, name: &str, entry: &Value) -> Result<String, String> {
    let root = scan::root(text)?;
    let style = Style::of(text, &root);
    let Some((_, object)) = table(text, &root)? else {
        let table = Value::Object(std::iter::once((name.to_owned(), entry.clone())).collect());
        return Ok(insert(text, &root, &style, (TABLE, &table), 0));
    };
    Ok(insert(text, &object, &style, (name, entry), 1))
}

/// The text with another value of the entry, which is there.
pub(super) fn replace(text: &str, name: &str, entry: &Value) -> Result<String, String> {
    let root = scan::root(text)?;
    let style = Style::of(text, &root);
    let Some((_, table)) = table(text, &root)? else { return put(text, name, entry) };
    let Some(member) = table.member(name)?.and_then(|it| table.members.get(it)) else {
        return put(text, name, entry);
    };
    let value = match indent_before(text, member.start) {
        Some(indent) => style.written(entry, &indent, false),
        None => style.written(entry, "", true),
    };
    Ok(spliced(text, member.value.clone(), &value))
}

/// The text without the entry, and without what was made for it.
pub(super) fn take(text: &str, name: &str, made: Made) -> Result<String, String> {
    let root = scan::root(text)?;
    let Some((at, object)) = table(text, &root)? else { return Ok(text.to_owned()) };
    let Some(entry) = object.member(name)? else { return Ok(text.to_owned()) };
    let is_alone = object.members.len() == 1;
    let style = Style::of(text, &root);
    let line = |is_made: bool, deep| is_made.then(|| style.line(deep));
    let taken = if made.table && is_alone {
        without(text, &root, at, line(made.root_line, 0))
    } else {
        without(text, &object, entry, line(made.table_line, 1))
    };
    scan::root(&taken).map(|_| taken)
}

/// Whether nothing but an empty object is left.
pub(super) fn is_bare(text: &str) -> bool {
    text.split_whitespace().collect::<String>() == "{}"
}

/// The object of servers, with its place among the members of the root.
fn table(text: &str, root: &Object) -> Result<Option<(usize, Object)>, String> {
    let Some(at) = root.member(TABLE)? else { return Ok(None) };
    let member = root.members.get(at);
    match member.and_then(|it| scan::inner(text, &it.value)) {
        Some(object) => Ok(Some((at, object))),
        None => Err(format!("its {TABLE} is no object")),
    }
}

/// How a file is written.
struct Style {
    newline: &'static str,
    unit: String,
    has_lines: bool,
}

impl Style {
    fn of(text: &str, root: &Object) -> Self {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let first = root.members.first().and_then(|it| indent_before(text, it.start));
        let has_lines = root.members.is_empty() || first.is_some();
        let unit = first.filter(|it| !it.is_empty()).unwrap_or_else(|| "  ".to_owned());
        Self { newline, unit, has_lines }
    }

    /// What begins the line of a closing brace.
    fn line(&self, deep: usize) -> String {
        format!("{}{}", self.newline, self.unit.repeat(deep))
    }

    /// A value as text, its inner lines behind this indent.
    fn written(&self, value: &Value, indent: &str, is_inline: bool) -> String {
        if is_inline {
            return value.to_string();
        }
        let mut bytes = Vec::new();
        let formatter = serde_json::ser::PrettyFormatter::with_indent(self.unit.as_bytes());
        let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
        if value.serialize(&mut serializer).is_err() {
            return value.to_string();
        }
        let text = String::from_utf8(bytes).unwrap_or_else(|_| value.to_string());
        text.replace('\n', &format!("{}{indent}", self.newline))
    }
}

fn insert(
    text: &str,
    object: &Object,
    style: &Style,
    (name, value): (&str, &Value),
    deep: usize,
) -> String {
    let is_empty = object.members.is_empty();
    let own = object.members.first().and_then(|it| indent_before(text, it.start));
    let has_lines = if is_empty { style.has_lines } else { own.is_some() };
    let indent = own.unwrap_or_else(|| style.unit.repeat(deep + 1));
    let name = Value::from(name);
    let mut inserted = if has_lines {
        let value = style.written(value, &indent, false);
        format!("{}{indent}{name}: {value}", style.newline)
    } else {
        format!("{name}: {value}")
    };
    if !is_empty {
        inserted.push(',');
    } else if has_lines && !holds(text, object).contains('\n') {
        inserted.push_str(&style.line(deep));
    }
    spliced(text, object.open..object.open, &inserted)
}

/// Takes a member out, and the line of the closing brace where that was made for it.
fn without(text: &str, object: &Object, at: usize, line: Option<String>) -> String {
    let (Some(member), before) =
        (object.members.get(at), at.checked_sub(1).and_then(|it| object.members.get(it)))
    else {
        return text.to_owned();
    };
    match (before, member.comma) {
        (None, Some(comma)) => spliced(text, behind_comments(text, object.open, member)..comma, ""),
        (None, None) => {
            let rest = text.get(member.value.end..object.close).unwrap_or_default();
            let is_ours = line.filter(|it| rest.starts_with(it));
            let end = member.value.end + is_ours.map_or(0, |it| it.len());
            spliced(text, behind_comments(text, object.open, member)..end, "")
        }
        (Some(before), Some(comma)) => {
            let start = before.comma.unwrap_or(before.value.end);
            spliced(text, behind_comments(text, start, member)..comma, "")
        }
        (Some(before), None) => {
            let between = before.comma.unwrap_or(before.value.end);
            let start = behind_comments(text, between, member);
            let taken = spliced(text, start..member.value.end, "");
            // The comma before it would be left hanging.
            spliced(&taken, before.value.end..between, "")
        }
    }
}

/// Where the white space before a member begins that belongs to it, behind any comment.
fn behind_comments(text: &str, from: usize, member: &Member) -> usize {
    let between = text.get(from..member.start).unwrap_or_default();
    from + between.trim_end_matches([' ', '\t', '\r', '\n']).len()
}

fn holds<'a>(text: &'a str, object: &Object) -> &'a str {
    text.get(object.open..object.close).unwrap_or_default()
}

/// The white space between the beginning of a line and this place, if nothing else is there.
fn indent_before(text: &str, at: usize) -> Option<String> {
    let (_, line) = text.get(..at)?.rsplit_once('\n')?;
    line.trim_matches([' ', '\t']).is_empty().then(|| line.to_owned())
}

fn spliced(text: &str, range: std::ops::Range<usize>, inserted: &str) -> String {
    let (before, after) = (text.get(..range.start), text.get(range.end..));
    [before.unwrap_or_default(), inserted, after.unwrap_or_default()].concat()
}
