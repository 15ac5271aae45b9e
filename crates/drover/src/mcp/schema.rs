//! The arguments of a verb as JSON Schema, made from the command line that clap holds.

use std::any::TypeId;

use clap::{Arg, ArgAction, Command, ValueHint};
use serde_json::{Map, Value, json};

use super::table::{BOUNDS, LEFT_OUT_ARGUMENTS, OF_CHANGES, READ_ONLY};

/// The property that holds what `-` stands for.
pub(super) const STDIN: &str = "stdin";

/// What a JSON value of one argument has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A flag: there or not.
    Flag,
    /// One value.
    One(Kind),
    /// A value, or `true` for the flag alone.
    Optional(Kind),
    /// Several values.
    Many(Kind),
}

/// What a single value has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Integer,
    Number,
}

/// One argument of a tool.
#[derive(Debug, Clone)]
pub(super) struct Property {
    /// Its name as a property.
    pub(super) name: String,
    /// The flag, or none for a word that stands by its place.
    pub(super) flag: Option<String>,
    pub(super) shape: Shape,
    pub(super) is_required: bool,
    /// Whether an empty list is said with one empty word, because it takes away what is there.
    pub(super) empty_is_none: bool,
    /// Whether it names a file or a directory.
    pub(super) is_path: bool,
    /// What holds where it is absent and the command line has no default, or another.
    pub(super) bound: Option<&'static str>,
    schema: Value,
}

/// The arguments of a verb that its tool takes: words by place in their order, then flags.
pub(super) fn properties(verb: &str, command: &Command) -> Vec<Property> {
    let taken = |arg: &&Arg| {
        let id = arg.get_id().as_str();
        let is_left_out =
            LEFT_OUT_ARGUMENTS.iter().any(|it| (it.0.is_empty() || it.0 == verb) && it.1 == id)
                || (READ_ONLY.contains(&verb) && OF_CHANGES.contains(&id));
        !is_left_out && !arg.is_hide_set() && !["help", "version"].contains(&id)
    };
    let positionals = command.get_positionals().filter(taken);
    let flags = |is_global| {
        let is_flag = move |it: &&Arg| !it.is_positional() && it.is_global_set() == is_global;
        command.get_arguments().filter(is_flag).filter(taken)
    };
    positionals.chain(flags(false)).chain(flags(true)).map(|arg| property(verb, arg)).collect()
}

/// The schema of all of them.
pub(super) fn of(properties: &[Property], takes_stdin: bool) -> Map<String, Value> {
    let mut schemas: Map<String, Value> =
        properties.iter().map(|it| (it.name.clone(), it.schema.clone())).collect();
    if takes_stdin {
        let about = "The text that `-` stands for in another argument";
        schemas.insert(STDIN.to_owned(), json!({ "type": "string", "description": about }));
    }
    let required: Vec<&str> =
        properties.iter().filter(|it| it.is_required).map(|it| it.name.as_str()).collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(schemas));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

/// Whether an argument of the verb can be `-`, by what its help says.
pub(super) fn takes_stdin(command: &Command) -> bool {
    let says = |it: &Arg| help(it).contains("`-` reads standard input");
    command.get_arguments().any(says)
}

fn property(verb: &str, arg: &Arg) -> Property {
    let id = arg.get_id().as_str();
    let flag = arg.get_long().map(|it| format!("--{it}"));
    let name = arg.get_long().unwrap_or(id).replace('-', "_").to_lowercase();
    let shape = shape(arg);
    let bound = BOUNDS.iter().find(|it| it.0 == verb && it.1 == id).map(|it| it.2);
    let hints = [ValueHint::AnyPath, ValueHint::FilePath, ValueHint::DirPath];
    Property {
        name,
        flag,
        shape,
        is_required: arg.is_required_set(),
        empty_is_none: matches!(shape, Shape::Many(_)) && help(arg).contains("'' for none"),
        is_path: hints.contains(&arg.get_value_hint()),
        bound,
        schema: schema(arg, shape, bound),
    }
}

fn shape(arg: &Arg) -> Shape {
    let kind = kind(arg);
    let range = arg.get_num_args().unwrap_or_else(|| 1.into());
    match arg.get_action() {
        ArgAction::SetTrue | ArgAction::SetFalse => Shape::Flag,
        ArgAction::Append => Shape::Many(kind),
        _ if range.max_values() > 1 => Shape::Many(kind),
        _ if range.min_values() == 0 => Shape::Optional(kind),
        _ => Shape::One(kind),
    }
}

fn kind(arg: &Arg) -> Kind {
    let parsed = arg.get_value_parser().type_id();
    let integers = [
        TypeId::of::<u8>(),
        TypeId::of::<u16>(),
        TypeId::of::<u32>(),
        TypeId::of::<u64>(),
        TypeId::of::<usize>(),
        TypeId::of::<i32>(),
        TypeId::of::<i64>(),
    ];
    if integers.iter().any(|it| parsed == *it) {
        Kind::Integer
    } else if parsed == TypeId::of::<f64>() {
        Kind::Number
    } else {
        Kind::Text
    }
}

fn schema(arg: &Arg, shape: Shape, bound: Option<&str>) -> Value {
    let mut schema = match shape {
        Shape::Flag => json!({ "type": "boolean" }),
        Shape::One(kind) => value_schema(arg, kind),
        Shape::Optional(kind) => {
            let mut schema = value_schema(arg, kind);
            let word = schema["type"].take();
            schema["type"] = json!([word, "boolean"]);
            schema
        }
        Shape::Many(kind) => json!({ "type": "array", "items": value_schema(arg, kind) }),
    };
    schema["description"] = json!(help(arg));
    let default = bound.map(str::to_owned).or_else(|| {
        let values = arg.get_default_values();
        values.first().map(|it| it.to_string_lossy().into_owned())
    });
    if let (Some(default), Shape::One(kind)) = (default, shape) {
        schema["default"] = match kind {
            Kind::Text => json!(default),
            Kind::Integer | Kind::Number => {
                serde_json::from_str(&default).unwrap_or_else(|_| json!(default))
            }
        };
    }
    schema
}

fn value_schema(arg: &Arg, kind: Kind) -> Value {
    let word = match kind {
        Kind::Text => "string",
        Kind::Integer => "integer",
        Kind::Number => "number",
    };
    let mut schema = json!({ "type": word });
    let possible: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|it| !it.is_hide_set())
        .map(|it| it.get_name().to_owned())
        .collect();
    if !possible.is_empty() && shape_takes_words(arg) {
        schema["enum"] = json!(possible);
    }
    schema
}

/// Flags have possible values as well: the words of a truth.
fn shape_takes_words(arg: &Arg) -> bool {
    arg.get_action().takes_values()
}

fn help(arg: &Arg) -> String {
    let help = arg.get_long_help().or_else(|| arg.get_help());
    help.map(ToString::to_string).unwrap_or_default()
}
