//! Errors about plans in the user's words.

use drover_ops::error::ImportError;
use serde_json::json;

use crate::output::Spoken;

pub(super) fn speak(err: &ImportError) -> Spoken {
    match err {
        ImportError::Unreadable { line, column, .. } => Spoken::new("plan_invalid", err)
            .data(json!({ "line": line, "column": column }))
            .next("see the form", "drover task import --help"),
        ImportError::Encoding { line, byte, .. } => Spoken::new("plan_invalid", err)
            .data(json!({ "line": line, "byte": byte }))
            .next("bring it to UTF-8", "iconv -f UTF-16 -t UTF-8 <file> > <new file>"),
        ImportError::UnknownFormat => Spoken::new("plan_invalid", err)
            .next("say it", "drover task import <file> --format plan|beads|markdown|taskwarrior"),
        ImportError::Wrong { problems } => {
            let items: Vec<_> =
                problems.iter().map(|it| json!({ "path": it.path, "what": it.what })).collect();
            Spoken::new("plan_invalid", err)
                .data(json!({ "problems": { "count": items.len(), "items": items } }))
                .next("see the form", "drover task import --help")
        }
        ImportError::Cycle { path } => Spoken::new("cycle", err).data(json!({ "path": path })),
        ImportError::Taken { ids, project } => {
            let spoken =
                Spoken::new("task_exists", err).data(json!({ "tasks": ids, "project": project }));
            match ids.first() {
                Some(id) => spoken
                    .next("give one another id", format!("drover task rename {project}/{id} <id>")),
                None => spoken,
            }
        }
        other => Spoken::new("failed", other),
    }
}
