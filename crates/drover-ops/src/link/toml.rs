//! The entry in the TOML settings of Codex, as a table of its own at the end of the file.
//!
//! Lines are put in and taken out; what the parser makes of the text before and after decides whether
//! that was right.

use serde_json::Value;

/// The table of all servers.
const TABLE: &str = "mcp_servers";

/// The entry of this name, where there is one.
pub(super) fn find(text: &str, name: &str) -> Result<Option<Value>, String> {
    let root = parse(text)?;
    match root.get(TABLE) {
        None => Ok(None),
        Some(Value::Object(table)) => Ok(table.get(name).cloned()),
        Some(_) => Err(format!("its {TABLE} is no table")),
    }
}

/// The text with the entry, which is not there yet.
pub(super) fn put(text: &str, name: &str, entry: &Value) -> Result<String, String> {
    let newline = newline(text);
    // Behind a whole line this is an empty one, else it ends the line: so one is always taken back.
    let between = if text.trim_start_matches('\u{feff}').is_empty() { "" } else { newline };
    let added = format!("{text}{between}{}", block(name, entry, newline));
    let expected = with(parse(text)?, name, entry)?;
    held(added, &expected)
}

/// The text with another value of the entry, which is there.
pub(super) fn replace(text: &str, name: &str, entry: &Value) -> Result<String, String> {
    let lines = lines_of(text, name).ok_or_else(|| odd(name))?;
    let (before, after) = (text.get(..lines.start), text.get(lines.end..));
    let block = block(name, entry, newline(text));
    let replaced = [before.unwrap_or_default(), &block, after.unwrap_or_default()].concat();
    let expected = with(parse(text)?, name, entry)?;
    held(replaced, &expected)
}

/// The text without the entry.
pub(super) fn take(text: &str, name: &str) -> Result<String, String> {
    let lines = lines_of(text, name).ok_or_else(|| odd(name))?;
    let before = text.get(..lines.start).unwrap_or_default();
    let before = before.strip_suffix('\n').unwrap_or(before);
    let before = before.strip_suffix('\r').unwrap_or(before);
    let taken = [before, text.get(lines.end..).unwrap_or_default()].concat();
    let mut expected = parse(text)?;
    if let Some(table) = expected[TABLE].as_object_mut() {
        table.shift_remove(name);
        if table.is_empty() && parse(&taken).is_ok_and(|it| it.get(TABLE).is_none()) {
            expected.as_object_mut().map(|it| it.shift_remove(TABLE));
        }
    }
    held(taken, &expected)
}

/// What the text is to mean with the entry.
fn with(mut root: Value, name: &str, entry: &Value) -> Result<Value, String> {
    let no_table = || format!("its {TABLE} is no table");
    let table = root.as_object_mut().ok_or_else(no_table)?;
    let table = table.entry(TABLE).or_insert_with(|| Value::Object(serde_json::Map::new()));
    let table = table.as_object_mut().ok_or_else(no_table)?;
    table.insert(name.to_owned(), entry.clone());
    Ok(root)
}

fn odd(name: &str) -> String {
    format!("its entry {name:?} does not stand in a table of its own")
}

/// A text that means what it has to.
fn held(text: String, expected: &Value) -> Result<String, String> {
    match parse(&text) {
        Ok(found) if found == *expected => Ok(text),
        Ok(_) | Err(_) => {
            Err("its servers are written in a way that cannot be added to".to_owned())
        }
    }
}

fn parse(text: &str) -> Result<Value, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    toml::from_str::<Value>(text).map_err(|err| {
        let at = err.span().map_or(0, |it| it.start);
        let line = text.get(..at).unwrap_or_default().matches('\n').count() + 1;
        format!("line {line}: {}", err.message())
    })
}

fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

fn block(name: &str, entry: &Value, newline: &str) -> String {
    let mut lines = vec![format!("[{TABLE}.{name}]")];
    for (key, value) in entry.as_object().into_iter().flatten() {
        lines.push(format!("{key} = {}", inline(value)));
    }
    lines.push(String::new());
    lines.join(newline)
}

fn inline(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members = members.iter().map(|(key, value)| format!("{key} = {}", inline(value)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", "))
        }
        // JSON escapes all that TOML wants escaped, but for one.
        Value::String(_) => value.to_string().replace('\u{7f}', "\\u007f"),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// Where the table of an entry stands, from its header to the last line of a value.
fn lines_of(text: &str, name: &str) -> Option<std::ops::Range<usize>> {
    let header = format!("[{TABLE}.{name}]");
    let mut at = 0;
    let mut found: Option<std::ops::Range<usize>> = None;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        let content = line.trim();
        match &mut found {
            None if content == header => found = Some(at..end),
            Some(range) if content.is_empty() || content.starts_with(['[', '#']) => {
                return Some(range.clone());
            }
            Some(range) => range.end = end,
            None => {}
        }
        at = end;
    }
    found
}
