//! What is refused about agents.

use std::path::PathBuf;

/// Why an agent verb was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// No agent has this name.
    #[error("no agent has the name {name} in the project {project}")]
    Unknown {
        /// The name as given.
        name: String,
        /// Where it was looked for.
        project: String,
        /// Names much like it, best first.
        nearest: Vec<String>,
    },
    /// The name is taken.
    #[error("the project {project} has an agent {name} already, and it is {lifecycle}")]
    Exists {
        /// The name.
        name: String,
        /// The project.
        project: String,
        /// Where that one is in its life.
        lifecycle: String,
    },
    /// The program an agent should run is not there.
    #[error("the program {program} was not found; {source_of_command} names it")]
    NoProgram {
        /// The program.
        program: String,
        /// Where the command came from.
        source_of_command: String,
    },
    /// The directory an agent should start in cannot be used.
    #[error("the directory {} cannot be used: {why}", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// No pane is meant by this.
    #[error("no pane has the id, the title or the window {what:?}")]
    PaneUnknown {
        /// What was given: an id, a title.
        what: String,
        /// The panes there are, each with its title.
        panes: Vec<(String, String)>,
    },
    /// Several panes have this title.
    #[error("{} panes have the title or the window {what:?}", panes.len())]
    PaneAmbiguous {
        /// The title.
        what: String,
        /// The project that one is adopted into.
        project: String,
        /// The panes.
        panes: Vec<(String, String)>,
    },
    /// An agent lives in the pane already.
    #[error("the pane {pane} is the place of {holder}")]
    PaneTaken {
        /// The pane.
        pane: String,
        /// Who lives there, in words.
        holder: String,
        /// The agent, as `<project>/<name>`, if it is one of ours.
        agent: Option<String>,
    },
    /// The program of a pane that was to be adopted has ended.
    #[error("nothing runs in the pane {pane} any more")]
    PaneDead {
        /// The pane.
        pane: String,
    },
    /// The title of a pane is no name for an agent, and none was given.
    #[error("the title of the pane {pane} is no name for an agent: {title:?}")]
    NamelessPane {
        /// The pane.
        pane: String,
        /// Its title.
        title: String,
        /// A name that is free, as `<project>/<name>`.
        free: String,
    },
    /// The program of an adopted agent is not ours to start.
    #[error("the agent {name} was adopted: Drover has not started it and cannot start it again")]
    Adopted {
        /// The agent.
        name: String,
        /// The project.
        project: String,
    },
    /// A workspace was asked for in a project without a repository.
    #[error("the project {project} has no repository to make a workspace of")]
    NoRepository {
        /// The project.
        project: String,
    },
    /// The agent's program could not be started; nothing of the attempt is left.
    #[error("the agent {name} could not be started: {why}")]
    NotStarted {
        /// The agent.
        name: String,
        /// What its launcher said, or what was seen instead.
        why: String,
    },
    /// The agent has not run yet or runs no more.
    #[error("the agent {name} does not run: {why}")]
    NotRunning {
        /// The agent.
        name: String,
        /// What is known of it.
        why: String,
    },
    /// The agent has no pane to look at.
    #[error("the agent {name} has no pane: {why}")]
    NoPane {
        /// The agent.
        name: String,
        /// What is known of it.
        why: String,
    },
    /// Only the agent's own program is in front on its terminal.
    #[error("the agent {name} has only its own program in front, which a kick never reaches")]
    NothingToKick {
        /// The agent.
        name: String,
        /// The project.
        project: String,
    },
    /// Its turn cannot be stopped.
    #[error("the turn of {name} was not stopped: {why}")]
    NotStopped {
        /// The agent.
        name: String,
        /// The project.
        project: String,
        /// What stands against it.
        why: String,
    },
    /// Its turn was to be stopped, and it was not seen idle in time.
    #[error("{name} was told to stop its turn and is {state}")]
    StillBusy {
        /// The agent.
        name: String,
        /// The project.
        project: String,
        /// What it does.
        state: String,
    },
    /// It runs already; a conversation is never resumed twice.
    #[error("the agent {name} has not ended: {place}")]
    StillRunning {
        /// The agent.
        name: String,
        /// The project.
        project: String,
        /// Where it runs, in words.
        place: String,
    },
    /// Its engine cannot go on with a conversation.
    #[error("the agent {name} runs {engine}, {why}")]
    CannotResume {
        /// The agent.
        name: String,
        /// The project.
        project: String,
        /// What it runs.
        engine: String,
        /// What stands against it.
        why: &'static str,
    },
    /// Nobody knows which conversation it was in.
    #[error("the conversation of the agent {name} is not known: its engine never named it")]
    NoConversation {
        /// The agent.
        name: String,
        /// The project.
        project: String,
        /// The conversations it had before, the oldest first.
        earlier: Vec<String>,
    },
    /// Another agent is in its conversation.
    #[error("the conversation {conversation} of the agent {name} goes on in {other}")]
    ConversationInUse {
        /// The agent.
        name: String,
        /// The conversation.
        conversation: String,
        /// The agent that is in it, with its project.
        other: String,
    },
    /// Its multiplexer's server does not say whether it runs.
    #[error("the server of the agent {name} does not answer: {why}")]
    ServerSilent {
        /// The agent.
        name: String,
        /// What was seen instead.
        why: String,
    },
}
