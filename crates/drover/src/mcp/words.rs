//! The arguments of a tool call as the words of a command line.

use std::ffi::OsString;

use serde_json::{Map, Value};

use super::schema::{Kind, Property, STDIN, Shape};
use super::tools::Verb;

/// A call as words, with the text that `-` stands for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) words: Vec<OsString>,
    pub(super) stdin: Option<Vec<u8>>,
}

/// Puts the words together, or says which argument is not what its schema says.
pub(super) fn of(verb: &Verb, arguments: &Map<String, Value>) -> Result<Words, String> {
    let is_known = |name: &str| {
        (verb.takes_stdin && name == STDIN) || verb.properties.iter().any(|it| it.name == name)
    };
    if let Some(unknown) = arguments.keys().find(|it| !is_known(it)) {
        return Err(format!("{} takes no argument {unknown:?}", verb.tool));
    }
    let stdin = match arguments.get(STDIN).filter(|_| verb.takes_stdin) {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text.clone().into_bytes()),
        Some(other) => return Err(off(STDIN, "a string", other)),
    };
    let mut flags: Vec<String> = verb.name.split(' ').map(str::to_owned).collect();
    flags.push("--json".to_owned());
    let mut placed: Vec<String> = Vec::new();
    let mut missing: Option<&str> = None;
    for property in &verb.properties {
        let values = values(property, arguments.get(&property.name))?;
        if values.is_empty() && property.is_required {
            return Err(format!("{} needs the argument {:?}", verb.tool, property.name));
        }
        let Some(flag) = &property.flag else {
            match missing {
                Some(before) if !values.is_empty() => {
                    return Err(format!("{:?} needs {before:?} before it", property.name));
                }
                None if values.is_empty() => missing = Some(&property.name),
                _ => {}
            }
            placed.extend(values.into_iter().flatten());
            continue;
        };
        flags.extend(values.into_iter().map(|it| match it {
            Some(value) => format!("{flag}={value}"),
            None => flag.clone(),
        }));
    }
    if !placed.is_empty() && !verb.has_last {
        flags.push("--".to_owned());
    }
    flags.extend(placed);
    let words = std::iter::once("drover".to_owned()).chain(flags).map(OsString::from).collect();
    Ok(Words { words, stdin })
}

/// The values of one argument; `None` is the flag alone.
fn values(property: &Property, given: Option<&Value>) -> Result<Vec<Option<String>>, String> {
    let name = &property.name;
    let bound = || property.bound.map(|it| Some(it.to_owned())).into_iter().collect();
    let given = match given {
        None | Some(Value::Null) => return Ok(bound()),
        Some(given) => given,
    };
    let one = |kind, given| text(name, kind, given).map(|it| vec![Some(it)]);
    match (property.shape, given) {
        (Shape::Flag | Shape::Optional(_), Value::Bool(true)) => Ok(vec![None]),
        (Shape::Flag | Shape::Optional(_), Value::Bool(false)) => Ok(Vec::new()),
        (Shape::Flag, other) => Err(off(name, "a boolean", other)),
        (Shape::One(kind) | Shape::Optional(kind), given) => one(kind, given),
        (Shape::Many(_), Value::Array(items)) if items.is_empty() && property.empty_is_none => {
            Ok(vec![Some(String::new())])
        }
        (Shape::Many(kind), Value::Array(items)) => {
            items.iter().map(|it| text(name, kind, it).map(Some)).collect()
        }
        (Shape::Many(_), other) => Err(off(name, "an array", other)),
    }
}

fn text(name: &str, kind: Kind, given: &Value) -> Result<String, String> {
    match (kind, given) {
        (Kind::Text, Value::String(text)) if text.contains('\0') => {
            Err(format!("{name:?} holds a null byte"))
        }
        (Kind::Text, Value::String(text)) => Ok(text.clone()),
        (Kind::Integer, Value::Number(number)) if !number.is_f64() => Ok(number.to_string()),
        (Kind::Number, Value::Number(number)) => Ok(number.to_string()),
        (Kind::Text, other) => Err(off(name, "a string", other)),
        (Kind::Integer, other) => Err(off(name, "an integer", other)),
        (Kind::Number, other) => Err(off(name, "a number", other)),
    }
}

fn off(name: &str, wanted: &str, given: &Value) -> String {
    let given = match given {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    format!("{name:?} must be {wanted}, and is {given}")
}
