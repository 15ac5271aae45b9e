//! Errors about policy and trust in the user's words.

use drover_ops::error::PolicyError;
use serde_json::json;

use crate::output::Spoken;

pub(super) fn speak(err: &PolicyError) -> Spoken {
    match err {
        PolicyError::Value { key, value, .. } => Spoken::new("usage", err)
            .data(json!({ "key": key, "value": value }))
            .next("see what can be set", "drover project set --help"),
        PolicyError::Secret { key } => {
            Spoken::new("secret_refused", err).data(json!({ "key": key }))
        }
        PolicyError::UnknownDigest { given, project } => Spoken::new("trust_unknown", err)
            .data(json!({ "digest": given, "project": project }))
            .next("see what is trusted", format!("drover project trust --list -p {project}")),
        PolicyError::AmbiguousDigest { given, candidates } => Spoken::new("trust_ambiguous", err)
            .data(json!({ "digest": given, "candidates": candidates })),
        other => Spoken::new("failed", other),
    }
}
