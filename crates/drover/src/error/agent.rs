//! Errors about agents in the user's words.

use drover_ops::error::AgentError;
use serde_json::json;

use crate::output::Spoken;

pub(super) fn speak(err: &AgentError) -> Spoken {
    match err {
        AgentError::Unknown { name, project, nearest } => {
            let spoken = Spoken::new("agent_unknown", err)
                .data(json!({ "agent": name, "project": project, "nearest": nearest }));
            spoken.next("see the agents", format!("drover agent list -p {project}"))
        }
        other => Spoken::new("failed", other),
    }
}
