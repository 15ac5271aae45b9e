//! One folder a noun, one file a verb: arguments, the call of the operation, and the report.

mod agent;
mod completions;
mod db;
mod demo;
mod dispatch;
mod doctor;
mod link;
mod log;
mod man;
mod mcp;
mod me;
mod project;
mod rebuild;
mod released;
mod run;
mod since;
mod skill;
mod sql;
mod state;
mod task;
mod undo;
mod waited;
mod workspace;

use clap::{ArgMatches, Args, Command, Subcommand};

use crate::verb::Verb;

/// The verb that was chosen; `None` when the noun stands alone.
type Chosen = Result<Option<Box<dyn Verb>>, clap::Error>;

/// A noun: its name, what it is about, and its verbs.
struct Noun {
    name: &'static str,
    about: &'static str,
    augment: fn(Command) -> Command,
    verb: fn(&ArgMatches) -> Chosen,
}

/// Every noun, in the order of `--help`.
const NOUNS: &[Noun] = &[
    Noun {
        name: "agent",
        about: "Agents: programs that work, each in a pane of its own",
        augment: agent::AgentVerb::augment_subcommands,
        verb: |it| Ok(noun::<agent::AgentVerb>(it)?.map(agent::AgentVerb::boxed)),
    },
    Noun {
        name: "demo",
        about: "Show the main job on a small built-in repository",
        augment: demo::Demo::augment_args,
        verb: alone::<demo::Demo>,
    },
    Noun {
        name: "dispatch",
        about: "Land what is closed and hand ready tasks to idle agents",
        augment: dispatch::Dispatch::augment_args,
        verb: alone::<dispatch::Dispatch>,
    },
    Noun {
        name: "me",
        about: "You: who you are, what you hold, your work",
        augment: me::MeVerb::augment_subcommands,
        verb: |it| Ok(Some(noun::<me::MeVerb>(it)?.unwrap_or_default().boxed())),
    },
    Noun {
        name: "project",
        about: "Projects: a name, a repository, tasks and agents",
        augment: project::ProjectVerb::augment_subcommands,
        verb: |it| Ok(noun::<project::ProjectVerb>(it)?.map(project::ProjectVerb::boxed)),
    },
    Noun {
        name: "rebuild",
        about: "Write the database anew from the log, as a file of its own",
        augment: rebuild::Rebuild::augment_args,
        verb: alone::<rebuild::Rebuild>,
    },
    Noun {
        name: "run",
        about: "Work a plan off in one call",
        augment: run::Run::augment_args,
        verb: alone::<run::Run>,
    },
    Noun {
        name: "state",
        about: "What needs you, then how the project stands",
        augment: state::State::augment_args,
        verb: alone::<state::State>,
    },
    Noun {
        name: "task",
        about: "Tasks: what is to be done, and what blocks what",
        augment: task::TaskVerb::augment_subcommands,
        verb: |it| Ok(noun::<task::TaskVerb>(it)?.map(task::TaskVerb::boxed)),
    },
    Noun {
        name: "log",
        about: "What happened: read it, follow it, add a line",
        augment: log::Log::augment_args,
        verb: alone::<log::Log>,
    },
    Noun {
        name: "since",
        about: "What happened meanwhile, by project and kind",
        augment: since::Since::augment_args,
        verb: alone::<since::Since>,
    },
    Noun {
        name: "doctor",
        about: "What is well, what is not, and the cure",
        augment: doctor::Doctor::augment_args,
        verb: alone::<doctor::Doctor>,
    },
    Noun {
        name: "sql",
        about: "Ask the database in SQL",
        augment: sql::Sql::augment_args,
        verb: alone::<sql::Sql>,
    },
    Noun {
        name: "db",
        about: "The database file",
        augment: db::DbVerb::augment_subcommands,
        verb: |it| Ok(noun::<db::DbVerb>(it)?.map(db::DbVerb::boxed)),
    },
    Noun {
        name: "link",
        about: "Tell a chat agent of Drover",
        augment: link::Link::augment_args,
        verb: alone::<link::Link>,
    },
    Noun {
        name: "unlink",
        about: "Take away what link told a chat agent",
        augment: link::Unlink::augment_args,
        verb: alone::<link::Unlink>,
    },
    Noun {
        name: "skill",
        about: "The guide for agents and its recipes",
        augment: skill::Skill::augment_args,
        verb: alone::<skill::Skill>,
    },
    Noun {
        name: "completions",
        about: "The script by which a shell completes drover's words",
        augment: completions::Completions::augment_args,
        verb: alone::<completions::Completions>,
    },
    Noun {
        name: "man",
        about: "Manual pages: print one, or install all",
        augment: man::Man::augment_args,
        verb: alone::<man::Man>,
    },
    Noun {
        name: "mcp",
        about: "Serve the verbs as tools of the Model Context Protocol",
        augment: mcp::Mcp::augment_args,
        verb: alone::<mcp::Mcp>,
    },
    Noun {
        name: "undo",
        about: "Take back what one action did",
        augment: undo::Undo::augment_args,
        verb: alone::<undo::Undo>,
    },
    Noun {
        name: "workspace",
        about: "Workspaces: each agent's own checkout and branch",
        augment: workspace::WorkspaceVerb::augment_subcommands,
        verb: |it| Ok(noun::<workspace::WorkspaceVerb>(it)?.map(workspace::WorkspaceVerb::boxed)),
    },
];

/// Adds every noun; its verbs are built only when it is chosen, because building them all costs a millisecond.
pub(crate) fn augment(root: Command) -> Command {
    NOUNS.iter().fold(root, |root, noun| {
        root.subcommand(Command::new(noun.name).about(noun.about).defer(noun.augment))
    })
}

/// The verb that was chosen below a noun; `None` when the noun stands alone.
pub(crate) fn verb(name: &str, chosen: &ArgMatches) -> Chosen {
    match NOUNS.iter().find(|it| it.name == name) {
        Some(noun) => (noun.verb)(chosen),
        None => Ok(None),
    }
}

/// Reads a verb that stands without a noun.
fn alone<V: Args + Verb + 'static>(chosen: &ArgMatches) -> Chosen {
    Ok(Some(Box::new(V::from_arg_matches(chosen)?)))
}

/// Reads one noun's verb; `None` when the noun stands alone.
fn noun<V: Subcommand>(chosen: &ArgMatches) -> Result<Option<V>, clap::Error> {
    if chosen.subcommand_name().is_none() {
        Ok(None)
    } else {
        V::from_arg_matches(chosen).map(Some)
    }
}
