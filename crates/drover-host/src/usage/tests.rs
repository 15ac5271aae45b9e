//! Reading what real engines wrote: samples with paths and long texts cut, counts as they were.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use drover_core::usage::Tokens;
use tempfile::TempDir;

use super::*;

const PI: &str = include_str!("samples/pi.jsonl");
const CODEX: &str = include_str!("samples/codex.jsonl");
const CLAUDE: &str = include_str!("samples/claude.jsonl");

struct Scratch {
    _directory: TempDir,
    path: PathBuf,
}

fn scratch(text: &str) -> Scratch {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file.jsonl");
    fs::write(&path, text).unwrap();
    Scratch { _directory: directory, path }
}

fn whole(text: &str, format: Format) -> Vec<Call> {
    read(&scratch(text).path, format, &Position::default()).unwrap().calls
}

/// The numbers of the calls, each identity once and the last of it.
fn counted(calls: &[Call]) -> Vec<(u64, u64)> {
    let mut found: Vec<(&str, (u64, u64))> = Vec::new();
    for call in calls {
        found.retain(|it| it.0 != call.id);
        found.push((&call.id, (call.tokens.input, call.tokens.output)));
    }
    found.into_iter().map(|it| it.1).collect()
}

#[test]
fn what_real_engines_wrote_is_read() {
    let pi = whole(PI, Format::Pi);
    assert_eq!(counted(&pi), [(10, 5); 3]);
    assert_eq!((pi[0].model.as_deref(), pi[0].micros), (Some("fake-1"), Some(105)));
    // Each answer stands there twice: as a record and as a count.
    let codex = whole(CODEX, Format::Codex);
    assert_eq!((codex.len(), counted(&codex)), (6, vec![(10, 5); 3]));
    assert_eq!((codex[0].model.as_deref(), codex[0].micros), (Some("fake-1"), None));
    let claude = whole(CLAUDE, Format::Claude);
    assert_eq!(claude[0].model.as_deref(), Some("claude-opus-5-5"));
    assert!(counted(&claude).iter().all(|it| *it == (10, 5)) && !claude.is_empty());
    let twice = format!("{CLAUDE}{CLAUDE}");
    assert_eq!(counted(&whole(&twice, Format::Claude)).len(), counted(&claude).len());
}

#[test]
fn a_count_without_records_is_enough() {
    let old: Vec<&str> = CODEX.lines().filter(|it| !it.contains("token_usage_record")).collect();
    assert_eq!(counted(&whole(&(old.join("\n") + "\n"), Format::Codex)), [(10, 5); 3]);
}

#[test]
fn a_price_that_pi_does_not_know_is_not_taken_for_nothing() {
    let free = PI.replace("0.000105", "0");
    assert!(whole(&free, Format::Pi).iter().all(|it| it.micros.is_none()));
    let given = free.replace("\"totalFromProvider\":false", "\"totalFromProvider\":true");
    assert!(whole(&given, Format::Pi).iter().all(|it| it.micros == Some(0)));
}

#[test]
fn input_from_the_cache_is_counted_once() {
    let line = r#"{"timestamp":"2026-01-02T03:04:05.678Z","type":"token_usage_record","payload":{"thread_id":"t","usage":{"input_tokens":100,"cached_input_tokens":70,"cache_write_input_tokens":10,"output_tokens":5,"total_tokens":105},"thread_token_usage":{"total_tokens":105}}}"#;
    let calls = whole(&format!("{line}\n"), Format::Codex);
    assert_eq!(calls[0].tokens, Tokens { input: 20, cached: 70, written: 10, output: 5 });
}

#[test]
fn a_file_is_read_on_from_where_it_was_read_to() {
    let lines: Vec<&str> = CODEX.lines().collect();
    let mut file = scratch("");
    let (mut position, mut calls) = (Position::default(), Vec::new());
    for line in lines {
        // Half of it first: it is left alone until its end is there.
        let (one, two) = line.split_at(line.len() / 2);
        for part in [one, two, "\n"] {
            fs::OpenOptions::new()
                .append(true)
                .open(&file.path)
                .unwrap()
                .write_all(part.as_bytes())
                .unwrap();
            let reading = read(&file.path, Format::Codex, &position).unwrap();
            assert!(reading.calls.is_empty() || part == "\n");
            calls.extend(reading.calls);
            position = reading.position;
        }
    }
    assert_eq!(calls, whole(CODEX, Format::Codex));
    assert_eq!(position.offset, CODEX.len() as u64);
    assert!(read(&file.path, Format::Codex, &position).unwrap().calls.is_empty());

    // Cut and replaced, it is read from its beginning.
    fs::write(&file.path, &CODEX[..CODEX.len() / 2]).unwrap();
    let reading = read(&file.path, Format::Codex, &position).unwrap();
    assert!(reading.position.offset < position.offset);
    let other = file.path.with_extension("new");
    fs::write(&other, CODEX).unwrap();
    fs::rename(&other, &file.path).unwrap();
    assert_eq!(read(&file.path, Format::Codex, &reading.position).unwrap().calls.len(), 6);
    file.path.set_extension("gone");
    assert!(read(&file.path, Format::Codex, &position).is_err());
}

#[test]
fn garbage_and_lines_without_end_are_passed_over() {
    let long = format!("{{\"usage\":\"{}\"}}\n", "x".repeat(17 << 20));
    let text = format!("\0\u{1}\n{{\"usage\":1}}\n[]\n\n{long}{PI}{{\"usage\":\"half");
    let calls = whole(&text, Format::Pi);
    assert_eq!(counted(&calls), [(10, 5); 3]);
    for format in [Format::Pi, Format::Codex, Format::Claude] {
        assert!(whole("{\"type\":\"token_count\"}\nnull\n\"usage\"\n", format).is_empty());
    }
    assert!(read(std::path::Path::new("/"), Format::Pi, &Position::default()).is_err());
}

#[test]
fn a_conversation_is_found_by_its_id_and_never_by_its_age() {
    let home = tempfile::tempdir().unwrap();
    let write = |path: &str| {
        let path = home.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "").unwrap();
        path
    };
    let place = Place {
        home: home.path().to_owned(),
        sessions: None,
        cwd: PathBuf::from("/home/some.one/a_project"),
    };
    let found = |format: Format, id: &str| files(format, &place, id);

    let pi = write("sessions/--home-some.one-a_project--/2026-01-02T03-04-05-678Z_one.jsonl");
    write("sessions/--home-some.one-a_project--/2026-09-09T03-04-05-678Z_other.jsonl");
    write("sessions/--home-some.one-a_project--/2026-09-09T03-04-05-678Z_not_one.jsonl");
    assert_eq!(found(Format::Pi, "one"), [pi]);
    let moved = write("sessions/--elsewhere--/2026-01-02T03-04-05-678Z_two.jsonl");
    assert_eq!(found(Format::Pi, "two"), [moved]);

    let id = "01a22e4b-7e16-7f52-a301-c6f9f2744cf1";
    let codex = write(&format!("sessions/2026/11/30/rollout-2026-11-30T21-10-29-{id}.jsonl"));
    assert_eq!(found(Format::Codex, id), [codex]);
    assert!(found(Format::Codex, "01a22e4b-7e16-7f52-a301-c6f9f2744cf2").is_empty());

    let own = write("projects/-home-some-one-a-project/abc.jsonl");
    let helper = write("projects/-home-some-one-a-project/abc/subagents/agent-1.jsonl");
    write("projects/-home-some-one-a-project/abd.jsonl");
    assert_eq!(found(Format::Claude, "abc"), [helper, own]);

    for bad in ["", "../one", "a/b", "*"] {
        for format in [Format::Pi, Format::Codex, Format::Claude] {
            assert!(found(format, bad).is_empty(), "{bad}");
        }
    }
}
