//! What a statement that a person wrote may do: a table of the rows it may change, and the verb for the others.

use rusqlite::hooks::{AuthAction, AuthContext};

/// Who reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// A person, who may read the file itself as well.
    Person,
    /// An agent, to whom secrets and the exact texts of others read as null.
    Agent,
}

/// Whether a statement may do a thing.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Leave {
    Given,
    /// The value reads as null.
    Hidden,
    /// What it would have done, and the verb that does it.
    Refused(String, Option<&'static str>),
}

/// The rows that may be changed: table, whether they may be deleted, and the verb that makes them.
///
/// Every one of these tables is logged, so that each change can be seen and most can be taken back.
const ROWS: &[(&str, bool, &str)] = &[
    ("agents", false, "drover agent spawn"),
    ("command_trust", true, "drover project trust"),
    ("edges", true, "drover task block"),
    ("log_lines", true, "drover log"),
    ("messages", false, "drover agent send"),
    ("notes", true, "drover task note"),
    ("policy_values", true, "drover project set"),
    ("project_places", true, "drover agent spawn"),
    ("project_repos", false, "drover project init"),
    ("projects", false, "drover project init"),
    ("tasks", true, "drover task add"),
    ("workspaces", false, "drover agent spawn"),
];

/// Tables of which only whole rows may go, because their values follow from each other.
const WHOLE: &[&str] = &["command_trust", "edges", "policy_values"];

/// Columns by which rows are known, and by which other machines know them.
const FIXED: &[&str] = &["pk", "uid", "created_at", "name_hlc", "generation"];

/// What an agent does not get to read: table and column. The log carries whole rows; `drover log` tells it.
const SECRETS: &[(&str, &str)] = &[
    ("agent_env", "value"),
    ("agents", "nonce"),
    ("agents", "token_hash"),
    ("call_keys", "answer"),
    ("call_keys", "token"),
    ("delegate_texts", "answer"),
    ("delegate_texts", "task"),
    ("message_bodies", "text"),
    ("ops", "new"),
    ("ops", "old"),
];

/// Pragmas that only tell something: name, and whether a value names what it is about.
const PRAGMAS: &[(&str, bool)] = &[
    ("application_id", false),
    ("compile_options", false),
    ("data_version", false),
    ("database_list", false),
    ("foreign_key_check", true),
    ("foreign_key_list", true),
    ("freelist_count", false),
    ("function_list", false),
    ("index_info", true),
    ("index_list", true),
    ("index_xinfo", true),
    ("integrity_check", true),
    ("journal_mode", false),
    ("page_count", false),
    ("page_size", false),
    ("pragma_list", false),
    ("quick_check", true),
    ("table_info", true),
    ("table_list", true),
    ("table_xinfo", true),
    ("user_version", false),
];

/// Decides on one thing that a statement wants to do.
pub(super) fn leave(asked: &AuthContext<'_>, reader: Reader) -> Leave {
    // What triggers do for a change is no choice of whoever made it. A part of a statement that has a name
    // (`WITH name AS`) looks the same from here, and can only read.
    let is_change = matches!(
        asked.action,
        AuthAction::Insert { .. } | AuthAction::Update { .. } | AuthAction::Delete { .. }
    );
    if asked.accessor.is_some() && is_change {
        return Leave::Given;
    }
    match asked.action {
        AuthAction::Select | AuthAction::Recursive => Leave::Given,
        AuthAction::Read { table_name, column_name } => {
            let is_secret = SECRETS.contains(&(table_name, column_name));
            let is_hidden = is_secret && reader == Reader::Agent;
            if is_hidden { Leave::Hidden } else { Leave::Given }
        }
        AuthAction::Function { function_name } => {
            if function_name.eq_ignore_ascii_case("load_extension") {
                refused("load an extension", None)
            } else {
                Leave::Given
            }
        }
        AuthAction::Pragma { pragma_name, pragma_value } => pragma(pragma_name, pragma_value),
        AuthAction::Insert { table_name } => insert(table_name),
        AuthAction::Update { table_name, column_name } => update(table_name, column_name),
        AuthAction::Delete { table_name } => delete(table_name),
        AuthAction::Transaction { .. } | AuthAction::Savepoint { .. } => {
            refused("begin or end a transaction: every call is one", None)
        }
        AuthAction::Attach { .. } | AuthAction::Detach { .. } => {
            refused("reach another file", Some("drover db backup"))
        }
        _ => refused("change the schema or anything but rows", None),
    }
}

fn refused(what: impl Into<String>, verb: Option<&'static str>) -> Leave {
    Leave::Refused(what.into(), verb)
}

fn pragma(name: &str, value: Option<&str>) -> Leave {
    let known = PRAGMAS.iter().find(|it| it.0.eq_ignore_ascii_case(name));
    match known {
        Some((_, takes_value)) if value.is_none() || *takes_value => Leave::Given,
        _ => refused(format!("use the pragma {name}"), None),
    }
}

fn rows(table: &str) -> Option<&'static (&'static str, bool, &'static str)> {
    ROWS.iter().find(|it| it.0 == table)
}

fn insert(table: &str) -> Leave {
    match rows(table) {
        Some((_, _, verb)) => refused(format!("make rows of {table}"), Some(verb)),
        None => kept(table),
    }
}

fn delete(table: &str) -> Leave {
    match (rows(table), table) {
        (Some((_, true, _)), _) => Leave::Given,
        (Some(_), "projects") => refused("delete projects", Some("drover project teardown")),
        (Some(_), "agents") => refused("delete agents", Some("drover agent close")),
        (Some(_), "workspaces") => refused("delete workspaces", Some("drover workspace free")),
        (Some(_), "messages") => refused("delete messages", Some("drover agent queue")),
        (Some(_), _) => refused(format!("delete rows of {table}"), None),
        (None, _) => kept(table),
    }
}

fn update(table: &str, column: &str) -> Leave {
    let Some((_, _, verb)) = rows(table) else { return kept(table) };
    let is_fixed = FIXED.contains(&column) || column.ends_with("_pk") || column.ends_with("_uid");
    match (table, column) {
        ("tasks", "name") => refused("rename tasks", Some("drover task rename")),
        ("agents", "name") => refused("rename agents", Some("drover agent rename")),
        ("projects", "name") => refused("rename projects", None),
        // The holder's row is named with the holder, and follows it.
        ("tasks", "claimed_uid") => Leave::Given,
        _ if WHOLE.contains(&table) => refused(format!("change rows of {table}"), Some(verb)),
        _ if is_fixed => {
            refused(format!("change {column} of {table}, by which rows are known"), None)
        }
        _ => Leave::Given,
    }
}

/// Tables that follow from others, that prove something, or by which Drover works.
fn kept(table: &str) -> Leave {
    let what = match table {
        "evidence" => "write evidence, which is recorded where something is checked",
        "task_derived" | "task_counts" => "write derived values, which follow from tasks and edges",
        "ops" => "write the log, which is append-only",
        _ => return refused(format!("write {table}"), None),
    };
    refused(what, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::LOGGED;

    #[test]
    fn only_logged_rows_may_be_changed() {
        for (table, ..) in ROWS {
            assert!(LOGGED.iter().any(|it| it.table == *table), "{table}");
        }
        assert!(ROWS.windows(2).all(|it| it[0].0 < it[1].0));
    }

    #[test]
    fn a_pragma_that_sets_something_is_refused() {
        assert_eq!(pragma("user_version", None), Leave::Given);
        assert_eq!(pragma("TABLE_INFO", Some("tasks")), Leave::Given);
        for (name, value) in
            [("user_version", Some("9")), ("writable_schema", Some("1")), ("x", None)]
        {
            assert!(matches!(pragma(name, value), Leave::Refused(..)), "{name}");
        }
    }
}
