//! Errors about the log and its groups in the user's words.

use drover_ops::error::LogError;
use serde_json::json;

use crate::output::Spoken;
use crate::wire::ConflictView;

pub(super) fn speak(err: &LogError) -> Spoken {
    match err {
        LogError::Since { .. } | LogError::Kind { .. } => Spoken::new("usage", err),
        LogError::Drifted { rows, changes } => Spoken::new("defects_found", err)
            .data(json!({ "rows": rows, "changes": changes }))
            .next("see which", "drover doctor --deep"),
        LogError::UnknownGroup { given } => Spoken::new("group_unknown", err)
            .data(json!({ "group": given }))
            .next("see the groups", "drover undo"),
        LogError::AmbiguousGroup { given, candidates } => Spoken::new("group_ambiguous", err)
            .data(json!({ "group": given, "candidates": candidates }))
            .next("see the groups", "drover undo"),
        LogError::Superseded { group, conflicts } => {
            let items: Vec<ConflictView> = conflicts.iter().map(ConflictView::from).collect();
            let spoken = Spoken::new("undo_superseded", err).data(
                json!({ "group": group, "conflicts": { "count": items.len(), "items": items } }),
            );
            match conflicts.iter().find_map(|it| it.group.as_deref()) {
                Some(later) => {
                    let short: String = later.chars().take(8).collect();
                    spoken
                        .next("see that change", format!("drover log --all --group {short}"))
                        .next("take that back first", format!("drover undo {short}"))
                }
                None => spoken.next("see what changed since", "drover log"),
            }
        }
        LogError::LocalOnly { group, changes } => {
            let items: Vec<_> =
                changes.iter().map(|(words, run)| json!({ "words": words, "run": run })).collect();
            let spoken = Spoken::new("undo_local_only", err)
                .data(json!({ "group": group, "local": { "count": items.len(), "items": items } }));
            changes
                .iter()
                .filter_map(|it| it.1.clone())
                .fold(spoken, |spoken, run| spoken.next("reverse it by its own verb", run))
        }
        other => Spoken::new("failed", other),
    }
}
