//! Sessions of pi: each answer of a model is a message with what it used and cost.

use drover_core::usage::{MICROS, Tokens, whole};
use serde::Deserialize;

use super::call::{Call, holds, time};
use super::tail::Carried;

#[derive(Deserialize)]
struct Line {
    id: Option<String>,
    timestamp: Option<String>,
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    role: Option<String>,
    model: Option<String>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Usage {
    #[serde(default)]
    input: u64,
    #[serde(default)]
    output: u64,
    #[serde(default)]
    cache_read: u64,
    #[serde(default)]
    cache_write: u64,
    cost: Option<Cost>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cost {
    total: Option<f64>,
    total_from_provider: Option<bool>,
}

pub(super) fn line(line: &[u8], _: &mut Carried) -> Option<Call> {
    if !holds(line, b"\"usage\"") {
        return None;
    }
    let line: Line = serde_json::from_slice(line).ok()?;
    let message = line.message.filter(|it| it.role.as_deref() == Some("assistant"))?;
    let usage = message.usage?;
    let tokens = Tokens {
        input: usage.input,
        cached: usage.cache_read,
        written: usage.cache_write,
        output: usage.output,
    };
    let at = line.timestamp?;
    (tokens.total() > 0).then_some(())?;
    Some(Call {
        // Entries have short ids; with its time one is the same entry in a fork of the session too.
        id: format!("{}/{at}", line.id?),
        at: time(Some(&at))?,
        model: message.model,
        tokens,
        micros: usage.cost.as_ref().and_then(recorded),
    })
}

/// pi computes nothing for a model whose price it does not know, and writes a zero.
fn recorded(cost: &Cost) -> Option<u64> {
    let total = cost.total.filter(|it| it.is_finite())?;
    let is_known = total > 0.0 || cost.total_from_provider == Some(true);
    is_known.then(|| whole(total * MICROS))
}
