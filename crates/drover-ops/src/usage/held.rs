//! When which agent held a task, told by the log.

use drover_store::agents::{self, Agent};
use drover_store::log::{self, Filter, Op};
use drover_store::tasks::Task;
use drover_store::{ReadTx, StoreError};
use serde_json::Value;

use crate::error::Result;

/// A time during which an agent held a task that was in progress.
#[derive(Debug, Clone)]
pub(super) struct Span {
    pub(super) agent: Agent,
    /// From then on, RFC 3339.
    pub(super) from: String,
    /// Up to then; it still does where there is none.
    pub(super) to: Option<String>,
}

/// Every time an agent of this machine held the task, oldest first.
pub(super) fn spans(tx: &ReadTx<'_>, task: &Task) -> Result<Vec<Span>> {
    let filter = Filter {
        after: Some(0),
        entities: vec!["task".to_owned()],
        uid: Some(task.uid.clone()),
        ..Filter::default()
    };
    let of_uid = |uid: &str| agents::by_uid(tx, uid);
    Ok(of_ops(&log::read(tx, &filter)?, of_uid)?)
}

fn of_ops(
    ops: &[Op],
    of_uid: impl Fn(&str) -> std::result::Result<Option<Agent>, StoreError>,
) -> std::result::Result<Vec<Span>, StoreError> {
    let mut spans: Vec<Span> = Vec::new();
    let (mut holder, mut is_active): (Option<String>, bool) = (None, false);
    for op in ops {
        let new: Value =
            op.new.as_deref().and_then(|it| serde_json::from_str(it).ok()).unwrap_or_default();
        let before = holder.clone().filter(|_| is_active);
        if let Some(uid) = new.get("claimed_uid") {
            holder = uid.as_str().map(str::to_owned);
        }
        if let Some(status) = new.get("status") {
            is_active = status == "IN_PROGRESS";
        }
        let now = holder.clone().filter(|_| is_active && op.op != "del");
        if now == before {
            continue;
        }
        if let Some(open) = spans.last_mut().filter(|it| it.to.is_none()) {
            open.to = Some(op.at.clone());
        }
        if let Some(agent) = now.map(|it| of_uid(&it)).transpose()?.flatten() {
            spans.push(Span { agent, from: op.at.clone(), to: None });
        }
    }
    Ok(spans)
}

/// The agents of these spans, each once.
pub(super) fn agents(spans: &[Span]) -> Vec<Agent> {
    let mut found: Vec<Agent> = Vec::new();
    for span in spans {
        if !found.iter().any(|it| it.pk == span.agent.pk) {
            found.push(span.agent.clone());
        }
    }
    found
}
