//! Errors about policy and trust in the user's words.

use drover_ops::error::PolicySetError;
use serde_json::json;

use crate::output::Spoken;

pub(super) fn speak(err: &PolicySetError) -> Spoken {
    match err {
        PolicySetError::Key(unknown) => Spoken::new("usage", err)
            .data(json!({ "key": unknown.given, "allowed": unknown.allowed }))
            .next("see what can be set", "drover project set --help"),
        PolicySetError::Value(bad) => Spoken::new("usage", err)
            .data(json!({ "key": bad.key.as_str(), "value": bad.value }))
            .next("see what can be set", "drover project set --help"),
        PolicySetError::Secret { key } => {
            Spoken::new("secret_refused", err).data(json!({ "key": key }))
        }
        PolicySetError::UnknownDigest { given, project } => Spoken::new("trust_unknown", err)
            .data(json!({ "digest": given, "project": project }))
            .next("see what is trusted", format!("drover project trust --list -p {project}")),
        PolicySetError::AmbiguousDigest { given, candidates } => {
            Spoken::new("trust_ambiguous", err)
                .data(json!({ "digest": given, "candidates": candidates }))
        }
        other => Spoken::new("failed", other),
    }
}
