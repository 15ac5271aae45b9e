//! `docs/schema.json`: the JSON of every answer, and what surrounds it.

use std::collections::{BTreeMap, BTreeSet};

use drover_testkit::document;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::{command, verbs};
use crate::output::{Around, Next, Report, Spoken, failure, success};
use crate::wire;

/// Makes the schema of a type and of what it holds.
type Make = fn(&mut SchemaGenerator) -> Schema;

/// One line a verb: its name and what stands under `data` when it did what it was asked.
macro_rules! answers {
    ($($verb:literal => $($answer:ty),+;)*) => {
        &[$(($verb, &[$(|it| it.subschema_for::<$answer>()),+])),*]
    };
}

/// What each verb answers. A test names the line to add for a verb that is missing.
const ANSWERS: &[(&str, &[Make])] = answers! {
    "agent abort" => wire::AgentAborted;
    "agent adopt" => wire::AgentAdopted;
    "agent approve" => wire::AgentApproved;
    "agent attach" => wire::AgentAttached;
    "agent close" => wire::AgentClosed, wire::AgentClosePreview;
    "agent delegate" => wire::DelegateAnswer, wire::Items<wire::DelegateView>;
    "agent explain" => wire::AgentExplained;
    "agent kick" => wire::AgentKicked;
    "agent list" => wire::AgentsListed;
    "agent queue" => wire::Items<wire::QueuedView>, wire::MessageAnswer;
    "agent read" => wire::AgentRead;
    "agent rename" => wire::AgentRenamed;
    "agent restart" => wire::AgentRestarted;
    "agent restore" => wire::AgentsRestored;
    "agent send" => wire::MessageSent;
    "agent show" => wire::AgentShown;
    "agent spawn" => wire::AgentSpawned;
    "agent wait" => wire::AgentsWaited;
    "completions" => wire::CompletionScript;
    "db backup" => wire::DatabaseCopied;
    "db compact" => wire::DatabaseCompacted;
    "db forget" => wire::ProjectsForgotten;
    "demo" => wire::RunEnded;
    "dispatch" => wire::Dispatched;
    "doctor" => wire::DoctorAnswer;
    "link" => wire::ClientLinked, wire::Items<wire::LinkView>;
    "log" => wire::Items<wire::ChangeView>, wire::LineAppended, wire::ChangeLogged;
    "man" => wire::ManualPage, wire::ManualPages;
    "me show" => wire::MeView;
    "me tasks" => wire::Items<wire::TaskView>;
    "me work" => wire::WorkedView, wire::Items<wire::TaskView>;
    "project archive" => wire::ProjectArchived;
    "project import" => wire::ProjectsImported;
    "project init" => wire::ProjectCreated;
    "project list" => wire::Items<wire::ProjectView>;
    "project rename" => wire::ProjectRenamed;
    "project set" => wire::PolicySet;
    "project show" => wire::ProjectAnswer;
    "project teardown" => wire::ProjectTornDown;
    "project trust" => wire::Commands;
    "project unarchive" => wire::ProjectArchived;
    "rebuild" => wire::DatabaseRebuilt;
    "run" => wire::RunEnded;
    "since" => wire::MeanwhileView;
    "skill" => wire::SkillPage;
    "sql" => wire::QueryAnswer;
    "state" => wire::StateView;
    "task add" => wire::TaskAdded;
    "task admit" => wire::TaskMoved;
    "task block" => wire::TaskEdges;
    "task claim" => wire::TaskClaimed;
    "task close" => wire::TaskClosed;
    "task delete" => wire::TaskDeleted;
    "task export" => wire::TasksExported;
    "task import" => wire::TasksImported;
    "task list" => wire::TaskListed;
    "task next" => wire::Items<wire::NextTask>, wire::TaskClaimed;
    "task note" => wire::TaskNoted;
    "task notes" => wire::TaskNotes;
    "task open" => wire::TaskMoved;
    "task park" => wire::TaskMoved;
    "task plan" => wire::TaskPlan;
    "task release" => wire::TaskMoved;
    "task rename" => wire::TaskRenamed;
    "task reparent" => wire::TaskReparented;
    "task show" => wire::TaskShown, wire::TaskProofView;
    "task tree" => wire::TaskTreeView;
    "task unblock" => wire::TaskEdges;
    "task unpark" => wire::TaskMoved;
    "task update" => wire::TaskUpdated;
    "task wait" => wire::TasksWaited;
    "task why" => wire::TaskWhy;
    "unlink" => wire::ClientLinked;
    "undo" => wire::Items<wire::GroupView>, wire::UndoAnswer;
    "workspace commits" => wire::WorkspaceCommits;
    "workspace diff" => wire::WorkspaceDiff;
    "workspace free" => wire::WorkspaceFreed, wire::WorkspaceDiscardPreview;
    "workspace land" => wire::WorkspaceLanded;
    "workspace list" => wire::Items<wire::WorkspaceView>;
    "workspace orphans" => wire::Items<wire::OrphanView>;
    "workspace path" => wire::WorkspacePath;
    "workspace refresh" => wire::WorkspaceRefreshed;
};

/// Verbs that answer in a way of their own.
const NO_ANSWER: &[&str] = &["mcp"];

/// What stands around the data of an answer.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its shape is used")]
struct Success {
    /// The version of this form: 1. A change only ever adds.
    schema: u8,
    /// Whether the exit code is 0.
    ok: bool,
    /// What happened, as one stable word.
    outcome: String,
    /// What the verb answers.
    data: Value,
    /// Commands that go on from here; they paste and run.
    next: Vec<Next>,
    /// What the caller should know besides.
    warnings: Vec<String>,
    /// Whether this is the recorded answer of an earlier call with the same key.
    deduplicated: bool,
    /// Whether nothing was changed because only a preview was asked for.
    dry_run: bool,
    /// In a dry run only: what would have been done outside the database.
    effects: Option<Vec<String>>,
    /// The exit code, where it is not 0.
    exit: Option<u8>,
    /// What is not as it was asked for, in a sentence, where the exit code is not 0.
    error: Option<String>,
}

/// A refusal or failure.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its shape is used")]
struct Refusal {
    /// The version of this form: 1. A change only ever adds.
    schema: u8,
    /// False.
    ok: bool,
    /// What stood in the way, as one stable word.
    outcome: String,
    /// The same in a sentence.
    error: String,
    /// The exit code.
    exit: u8,
    /// What a program may want to know of it.
    data: Value,
    /// Commands that go on from here; they paste and run.
    next: Vec<Next>,
    /// What the caller should know besides.
    warnings: Vec<String>,
    /// Whether this is the recorded answer of an earlier call with the same key.
    deduplicated: bool,
    /// Whether only a preview was asked for.
    dry_run: bool,
}

/// The whole page.
pub(super) fn page() -> Value {
    let mut generator = SchemaGenerator::default();
    let envelope = json!({
        "success": generator.subschema_for::<Success>(),
        "refusal": generator.subschema_for::<Refusal>(),
    });
    let mut answers = Map::new();
    for (verb, makers) in ANSWERS {
        let mut forms: Vec<Value> =
            makers.iter().map(|make| make(&mut generator).to_value()).collect();
        let one = if forms.len() == 1 { forms.remove(0) } else { json!({ "anyOf": forms }) };
        answers.insert((*verb).to_owned(), one);
    }
    let definitions: BTreeMap<String, Value> =
        generator.take_definitions(true).into_iter().collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Every JSON answer of drover",
        "envelope": envelope,
        "answers": answers,
        "$defs": definitions,
    })
}

/// The types of the wire that the schema must reach, each with the file that defines it.
fn wire_types() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (path, text) in document::rust_files() {
        if !path.starts_with("crates/drover/src/") || path.contains("/reference/") {
            continue;
        }
        for derived in text.split("#[derive(").skip(1) {
            let Some((traits, rest)) = derived.split_once(")]") else { continue };
            if !traits.contains("JsonSchema") {
                continue;
            }
            let named = rest.split_once("struct ").into_iter().chain(rest.split_once("enum "));
            let first = named.min_by_key(|(before, _)| before.len());
            let name = first.map(|(_, it)| it.split(|it: char| !it.is_alphanumeric()).next());
            found.extend(name.flatten().map(|it| (it.to_owned(), path.clone())));
        }
    }
    found
}

/// The types that a verb's file takes from the wire, as the line of `ANSWERS` would name them.
fn suggestion(verb: &str) -> String {
    let path =
        format!("crates/drover/src/commands/{}.rs", verb.replace(' ', "/").replace('-', "_"));
    let text = std::fs::read_to_string(document::top().join(&path)).unwrap_or_default();
    let after = text.split("use crate::wire::").nth(1).unwrap_or_default();
    let list = after.split(';').next().unwrap_or_default();
    let names = list.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty());
    let names: Vec<String> = names.map(|it| format!("wire::{it}")).collect();
    format!("    \"{verb}\" => {};", names.join(", "))
}

#[test]
fn the_schema_is_made_from_the_wire_types() {
    let text = serde_json::to_string_pretty(&page()).unwrap();
    document::hold("docs/schema.json", &(text + "\n"));
}

#[test]
fn every_verb_says_what_it_answers() {
    let command = command();
    let leaves = verbs(&command).into_iter().filter(|it| !it.1.has_subcommands());
    let leaves = leaves.filter(|it| !NO_ANSWER.contains(&it.0.as_str()));
    let known: BTreeSet<String> = leaves.map(|it| it.0).collect();
    let stated: BTreeSet<String> = ANSWERS.iter().map(|it| it.0.to_owned()).collect();
    let missing: Vec<String> = known.difference(&stated).map(|it| suggestion(it)).collect();
    assert!(missing.is_empty(), "add to ANSWERS in {}:\n{}", file!(), missing.join("\n"));
    let gone: Vec<&String> = stated.difference(&known).collect();
    assert!(gone.is_empty(), "no such verbs: {gone:?}");
}

#[test]
fn every_wire_type_is_part_of_an_answer() {
    let page = page();
    let definitions = page["$defs"].as_object().unwrap();
    for (name, path) in wire_types() {
        let generic = format!("{name}_for_");
        let is_there = definitions.keys().any(|it| *it == name || it.starts_with(&generic));
        assert!(is_there, "{path}: no verb of ANSWERS in {} answers {name}", file!());
    }
}

#[test]
fn the_envelope_is_what_is_printed() {
    let page = page();
    let stated = |name: &str| -> BTreeSet<String> {
        page["$defs"][name]["properties"].as_object().unwrap().keys().cloned().collect()
    };
    let printed =
        |value: Value| -> BTreeSet<String> { value.as_object().unwrap().keys().cloned().collect() };
    let around = Around { effects: Some(Vec::new()), ..Around::default() };
    let mut report = Report::new("shown", json!({}));
    report.exit = Some(6);
    assert_eq!(printed(json!(success(&report, &around))), stated("Success"));
    assert_eq!(printed(failure(&Spoken::new("usage", "x"), &around)), stated("Refusal"));
}
