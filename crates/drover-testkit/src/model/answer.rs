//! An answer in each of the three wire formats, whole or as a stream of events.

use std::time::Duration;

use serde_json::{Value, json};

use super::format::{Format, MODEL, Tool};

/// What is answered.
#[derive(Clone, Debug, Default)]
pub(super) struct Answer {
    /// The text, in the parts in which it comes.
    pub(super) parts: Vec<String>,
    /// The time before each part.
    pub(super) pause: Duration,
    /// The time before the first event.
    pub(super) delay: Duration,
    /// A call in place of a text.
    pub(super) call: Option<Tool>,
    /// Whether the stream ends in the middle.
    pub(super) is_cut: bool,
}

impl Answer {
    pub(super) fn of(text: String) -> Self {
        Self { parts: vec![text], ..Self::default() }
    }

    fn text(&self) -> String {
        self.parts.concat()
    }
}

/// One event of a stream.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) event: Option<&'static str>,
    pub(super) data: String,
    /// The time before it.
    pub(super) pause: Duration,
}

/// The events of an answer, in order.
#[derive(Debug)]
pub(super) struct Stream(std::vec::IntoIter<Piece>);

impl Iterator for Stream {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        self.0.next()
    }
}

impl Stream {
    pub(super) fn new(format: Format, answer: &Answer) -> Self {
        let mut pieces = match format {
            Format::Chat => chat(answer),
            Format::Messages => messages(answer),
            Format::Responses => responses(answer),
        };
        if answer.is_cut {
            let text = answer.text();
            let first = pieces.iter().position(|it| it.data.contains(&text));
            pieces.truncate(first.map_or(1, |it| it + 1));
        }
        Self(pieces.into_iter())
    }
}

const USAGE: (u8, u8) = (10, 5);

fn named(event: &'static str, mut data: Value) -> Piece {
    data["type"] = json!(event);
    Piece { event: Some(event), data: data.to_string(), pause: Duration::ZERO }
}

fn slow(mut piece: Piece, pause: Duration) -> Piece {
    piece.pause = pause;
    piece
}

/// The id of a call: unique within a conversation is what agents need.
fn unique(prefix: &str) -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{prefix}_{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

fn chat_usage() -> Value {
    json!({"prompt_tokens": USAGE.0, "completion_tokens": USAGE.1, "total_tokens": USAGE.0 + USAGE.1})
}

fn chat_call(tool: &Tool) -> Value {
    let function = json!({"name": tool.name, "arguments": tool.arguments});
    json!([{"index": 0, "id": unique("call"), "type": "function", "function": function}])
}

fn chat(answer: &Answer) -> Vec<Piece> {
    let id = unique("chat");
    let piece = |choices: Value, usage: Value| {
        let mut data = json!({"id": id, "object": "chat.completion.chunk", "created": 1, "model": MODEL, "choices": choices});
        if !usage.is_null() {
            data["usage"] = usage;
        }
        Piece { event: None, data: data.to_string(), pause: Duration::ZERO }
    };
    let delta = |delta: Value, reason: Value| {
        piece(json!([{"index": 0, "delta": delta, "finish_reason": reason}]), Value::Null)
    };
    let mut pieces = vec![delta(json!({"role": "assistant", "content": ""}), Value::Null)];
    for part in &answer.parts {
        pieces.push(slow(delta(json!({"content": part}), Value::Null), answer.pause));
    }
    if let Some(tool) = &answer.call {
        pieces.push(delta(json!({"tool_calls": chat_call(tool)}), Value::Null));
    }
    let reason = if answer.call.is_some() { "tool_calls" } else { "stop" };
    pieces.push(delta(json!({}), json!(reason)));
    pieces.push(piece(json!([]), chat_usage()));
    pieces.push(Piece { event: None, data: "[DONE]".to_owned(), pause: Duration::ZERO });
    pieces
}

fn messages(answer: &Answer) -> Vec<Piece> {
    let usage = json!({"input_tokens": USAGE.0, "output_tokens": 1});
    let message = json!({
        "id": unique("msg"), "type": "message", "role": "assistant", "model": MODEL, "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage,
    });
    let mut pieces = vec![named("message_start", json!({"message": message}))];
    if let Some(tool) = &answer.call {
        let block =
            json!({"type": "tool_use", "id": unique("toolu"), "name": tool.name, "input": {}});
        let delta = json!({"type": "input_json_delta", "partial_json": tool.arguments});
        pieces.push(named("content_block_start", json!({"index": 0, "content_block": block})));
        pieces.push(named("content_block_delta", json!({"index": 0, "delta": delta})));
    } else {
        let block = json!({"type": "text", "text": ""});
        pieces.push(named("content_block_start", json!({"index": 0, "content_block": block})));
        for part in &answer.parts {
            let delta = json!({"type": "text_delta", "text": part});
            let piece = named("content_block_delta", json!({"index": 0, "delta": delta}));
            pieces.push(slow(piece, answer.pause));
        }
    }
    let reason = if answer.call.is_some() { "tool_use" } else { "end_turn" };
    let end = json!({"stop_reason": reason, "stop_sequence": null});
    pieces.push(named("content_block_stop", json!({"index": 0})));
    pieces.push(named("message_delta", json!({"delta": end, "usage": {"output_tokens": USAGE.1}})));
    pieces.push(named("message_stop", json!({})));
    pieces
}

fn response_item(answer: &Answer) -> Value {
    match &answer.call {
        Some(tool) => {
            let mut item = json!({
                "type": "function_call", "id": unique("fc"), "call_id": unique("call"), "name": tool.name,
                "arguments": tool.arguments, "status": "completed",
            });
            if let Some((space, name)) = tool.name.split_once('/') {
                (item["namespace"], item["name"]) = (space.into(), name.into());
            }
            item
        }
        None => {
            let content =
                json!([{"type": "output_text", "text": answer.text(), "annotations": []}]);
            json!({"type": "message", "id": unique("msg"), "role": "assistant", "status": "completed", "content": content})
        }
    }
}

fn response(status: &str, output: &[Value]) -> Value {
    json!({
        "id": unique("resp"), "object": "response", "created_at": 1, "model": MODEL, "status": status, "output": output,
        "usage": {
            "input_tokens": USAGE.0, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": USAGE.1, "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": USAGE.0 + USAGE.1,
        },
    })
}

fn responses(answer: &Answer) -> Vec<Piece> {
    let item = response_item(answer);
    let mut begun = item.clone();
    begun["status"] = json!("in_progress");
    let mut response_begun = response("in_progress", &[]);
    response_begun["usage"] = Value::Null;
    let place = json!({"output_index": 0, "item_id": item["id"], "content_index": 0});
    let at = |more: Value| {
        let mut place = place.clone();
        for (name, value) in more.as_object().into_iter().flatten() {
            place[name] = value.clone();
        }
        place
    };
    let mut pieces = vec![named("response.created", json!({"response": response_begun}))];
    if answer.call.is_some() {
        begun["arguments"] = json!("");
        pieces.push(named("response.output_item.added", json!({"output_index": 0, "item": begun})));
        let whole = at(json!({"arguments": item["arguments"]}));
        pieces.push(named("response.function_call_arguments.done", whole));
    } else {
        begun["content"] = json!([]);
        let part = json!({"type": "output_text", "text": "", "annotations": []});
        pieces.push(named("response.output_item.added", json!({"output_index": 0, "item": begun})));
        pieces.push(named("response.content_part.added", at(json!({"part": part}))));
        for part in &answer.parts {
            let piece = named("response.output_text.delta", at(json!({"delta": part})));
            pieces.push(slow(piece, answer.pause));
        }
        let whole = at(json!({"text": answer.text()}));
        pieces.push(named("response.output_text.done", whole));
    }
    pieces.push(named("response.output_item.done", json!({"output_index": 0, "item": item})));
    let completed = response("completed", &[item]);
    pieces.push(named("response.completed", json!({"response": completed})));
    pieces
}

/// The answer to one who does not want a stream.
pub(super) fn whole(format: Format, answer: &Answer) -> Value {
    match format {
        Format::Chat => {
            let mut message = json!({"role": "assistant", "content": answer.text()});
            if let Some(tool) = &answer.call {
                message["tool_calls"] = chat_call(tool);
            }
            let reason = if answer.call.is_some() { "tool_calls" } else { "stop" };
            let choice = json!({"index": 0, "finish_reason": reason, "message": message});
            json!({"id": unique("chat"), "object": "chat.completion", "created": 1, "model": MODEL, "choices": [choice], "usage": chat_usage()})
        }
        Format::Messages => {
            let block = match &answer.call {
                Some(tool) => {
                    let input: Value = serde_json::from_str(&tool.arguments).unwrap_or_default();
                    json!({"type": "tool_use", "id": unique("toolu"), "name": tool.name, "input": input})
                }
                None => json!({"type": "text", "text": answer.text()}),
            };
            let reason = if answer.call.is_some() { "tool_use" } else { "end_turn" };
            json!({
                "id": unique("msg"), "type": "message", "role": "assistant", "model": MODEL, "content": [block],
                "stop_reason": reason, "stop_sequence": null,
                "usage": {"input_tokens": USAGE.0, "output_tokens": USAGE.1},
            })
        }
        Format::Responses => response("completed", &[response_item(answer)]),
    }
}
