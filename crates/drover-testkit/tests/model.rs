//! The model on loopback answers as a provider would.
#![expect(clippy::unwrap_used, reason = "test harness")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use drover_testkit::{FakeModel, wait_until};
use serde_json::{Value, json};

/// Posts a request and returns the whole answer, head and body.
fn post(model: &FakeModel, path: &str, body: &Value) -> String {
    let mut stream = TcpStream::connect(model.url().trim_start_matches("http://")).unwrap();
    let body = body.to_string();
    let head = format!("POST {path}?beta=true HTTP/1.1\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answer = String::new();
    // A stream that is cut ends in an error.
    let _ = stream.read_to_string(&mut answer);
    answer
}

/// A request of each format with one prompt and a shell.
fn asked(path: &str, prompt: &str, streaming: bool) -> Value {
    let said = json!([{"role": "user", "content": [{"type": "text", "text": prompt}]}]);
    let name = if path.ends_with("responses") { "input" } else { "messages" };
    let tool = json!({"name": "bash", "function": {"name": "bash"}});
    json!({"stream": streaming, name: said, "tools": [tool]})
}

const PATHS: [&str; 3] = ["/v1/chat/completions", "/v1/messages", "/v1/responses"];

#[test]
fn a_prompt_chooses_its_answer_in_each_format() {
    let model = FakeModel::start();
    let check = |prompt: &str, expected: &str| {
        for path in PATHS {
            for streaming in [true, false] {
                let answer = post(&model, path, &asked(path, prompt, streaming));
                assert!(answer.starts_with("HTTP/1.1 200"), "{path}: {answer}");
                assert!(answer.contains(expected), "{path}: {answer}");
            }
        }
    };
    check("SAY good morning", "good morning");
    check("good morning", "canned: good morning");
    check("SLOW 2 1", "w1 ");
    check("TOOL echo hi", "echo hi");
    check("CALL bash {\"command\": \"true\"}", "bash");
    check("CALL nosuch {}", "no such tool");
    assert_eq!(model.turns_of("SAY good morning"), 6);
    assert!(model.turns().iter().all(|it| it.tools == ["bash"] && it.status == 200));
}

#[test]
fn an_error_is_one_of_a_provider_for_as_long_as_was_asked() {
    let model = FakeModel::start();
    let post = |prompt: &str| post(&model, PATHS[0], &asked(PATHS[0], prompt, true));
    assert!(post("ERR 401").starts_with("HTTP/1.1 401"));
    let limited = post("ERR 429 1");
    assert!(limited.starts_with("HTTP/1.1 429") && limited.contains("retry-after: 1"), "{limited}");
    assert!(post("ERR 429 1").contains("recovered"));
    let cut = post("CUT");
    assert!(cut.contains("part ") && !cut.contains("[DONE]"), "{cut}");
}

#[test]
fn an_answer_is_held_until_it_is_let_go() {
    let model = FakeModel::start();
    std::thread::scope(|scope| {
        let held = scope.spawn(|| post(&model, PATHS[1], &asked(PATHS[1], "HOLD it", false)));
        wait_until("the request", Duration::from_secs(10), || model.turns_of("HOLD it") == 1);
        assert!(!held.is_finished());
        model.let_go("it");
        assert!(held.join().unwrap().contains("held"));
    });
}
