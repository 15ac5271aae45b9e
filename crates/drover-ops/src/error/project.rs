//! What is refused about projects.

use drover_core::workspace::Loss;

/// Why a project verb, or the choice of a project, was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProjectError {
    /// No project has this name.
    #[error("no project has the name {name}")]
    Unknown {
        /// The name as given.
        name: String,
        /// Names much like it, best first.
        nearest: Vec<String>,
    },
    /// It is archived.
    #[error("the project {name} is archived")]
    Archived {
        /// The name.
        name: String,
    },
    /// Another project has the name.
    #[error("there is a project {name} already")]
    Exists {
        /// The name.
        name: String,
        /// The name of the archived project that was to have it.
        archived: Option<String>,
    },
    /// It keeps agents.
    #[error("the project {name} has agents: {}", agents.join(", "))]
    HasAgents {
        /// The project.
        name: String,
        /// The agents.
        agents: Vec<String>,
    },
    /// It was not torn down.
    #[error("{}", not_torn_down(name, *is_there))]
    NotTornDown {
        /// The name.
        name: String,
        /// Whether there is a project of that name.
        is_there: bool,
        /// Torn-down projects with names much like it.
        nearest: Vec<String>,
    },
    /// There is no project at all.
    #[error("there is no project yet")]
    None,
    /// Several projects could be meant.
    #[error("the project is not clear: {} could be meant", candidates.join(", "))]
    Unclear {
        /// The projects there are.
        candidates: Vec<String>,
    },
    /// A project of this name exists and is tied to another repository.
    #[error("the project {name} is tied to the repository {recorded}, not to {asked}")]
    OtherRepository {
        /// The project.
        name: String,
        /// The recorded repository.
        recorded: String,
        /// The one that was asked for.
        asked: String,
    },
    /// Tearing it down would lose work.
    #[error("tearing the project {name} down would lose work of {}", losses.iter().map(|it| it.0.as_str()).collect::<Vec<_>>().join(", "))]
    WouldLose {
        /// The project.
        name: String,
        /// What would be lost, by agent.
        losses: Vec<(String, Vec<Loss>)>,
    },
    /// Agents were started in it meanwhile.
    #[error("the project {name} cannot go: {} started meanwhile", agents.join(", "))]
    Busy {
        /// The project.
        name: String,
        /// The agents.
        agents: Vec<String>,
    },
}

fn not_torn_down(name: &str, is_there: bool) -> String {
    if is_there {
        format!("the project {name} is there; only the log of one that was torn down is forgotten")
    } else {
        format!("no project of the name {name} was torn down")
    }
}
