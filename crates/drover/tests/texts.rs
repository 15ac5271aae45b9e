//! Texts that break senders: they arrive once and whole, and do no harm anywhere else.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use drover_testkit::wait_until;

use crate::stage::{Agent, SOON, Stage, level, quoted};

/// A text as it is given, and the sent text that arrives.
struct Text {
    given: Vec<u8>,
    arrives: String,
}

fn same(text: impl Into<String>) -> Text {
    let arrives = text.into();
    Text { given: arrives.clone().into_bytes(), arrives }
}

fn becomes(given: &str, arrives: &str) -> Text {
    Text { given: given.as_bytes().to_vec(), arrives: arrives.to_owned() }
}

/// Lines that differ, so that a lost, doubled or moved part shows.
fn long(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 16);
    for number in 0.. {
        if text.len() >= bytes {
            break;
        }
        write!(text, "{number} 0123456789 abcdefghijklmnopqrstuvwxyz").unwrap();
        text.push(if number % 3 == 2 { '\n' } else { ' ' });
    }
    text.truncate(bytes);
    // The last byte is a letter: line ends at the end are no part of a sent text.
    text.pop();
    text.push('z');
    text
}

fn sized() -> Vec<Text> {
    [1, 1_023, 1_024, 16_383, 16_384, 131_071, 131_072, 1_048_576].map(|it| same(long(it))).into()
}

fn strange() -> Vec<Text> {
    vec![
        same("-x"),
        same("--model gemma"),
        same("- bullet"),
        same("-----BEGIN-----"),
        same(";"),
        same("run the tests;"),
        same("a\\;"),
        same("#(touch x)"),
        same("$(touch x)"),
        same("`touch x`"),
        same("'; touch x; '"),
        same("%H #{pane_id} $HOME"),
        becomes("safe\u{1b}[201~\rtouch x\r", "safe[201~\ntouch x"),
        becomes("a\0b", "ab"),
        becomes("one\r\ntwo\rthree\r\n", "one\ntwo\nthree"),
        same("first\n\nsecond"),
        same("👩‍👩‍👧‍👦 e\u{301} \u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{645}\u{631}\u{62d}\u{628}\u{627}"),
    ]
}

/// To the scripted agent: as words where words can hold it, else from standard input.
fn to_the_agent(agent: &Agent<'_>, text: &Text) {
    let words = std::str::from_utf8(&text.given).unwrap();
    let sent = if words.len() < 100_000 && !words.contains('\0') {
        agent.send(&[words])
    } else {
        agent.send_bytes(&text.given)
    };
    let sent = sent.ok().json();
    let shown: String = text.arrives.chars().take(40).collect();
    assert_eq!(level(&sent), "submitted", "{shown}");
    let recorded = agent.recorded();
    let last = recorded.of("submit").last().copied().unwrap().clone();
    assert_eq!(last["bytes"], text.arrives.len(), "{shown}");
    assert_eq!(last["sha256"], sent["data"]["message"]["sha256"], "{shown}");
    if let Some(seen) = last["text"].as_str() {
        assert_eq!(seen, text.arrives);
    }
}

/// To a program that writes down every byte.
struct Cat<'a> {
    agent: Agent<'a>,
    file: PathBuf,
    seen: usize,
}

impl<'a> Cat<'a> {
    fn new(stage: &'a Stage) -> Self {
        let (file, ready) = (stage.env.root().join("cat.out"), stage.env.root().join("cat.ready"));
        let path = |it: &Path| quoted(it.to_str().unwrap());
        let script = format!("stty raw -echo; touch {}; exec cat > {}", path(&ready), path(&file));
        let agent = stage.spawn("cat", &format!("sh -c {}", quoted(&script)), file.clone());
        wait_until("raw mode", SOON, || ready.exists());
        Self { agent, file, seen: 0 }
    }

    fn takes(&mut self, text: &Text) {
        assert_eq!(level(&self.agent.send_bytes(&text.given).ok().json()), "typed");
        let expected = format!("{}\r", text.arrives).into_bytes();
        let end = self.seen + expected.len();
        let read = || std::fs::read(&self.file).unwrap();
        wait_until("the text", SOON, || read().len() >= end);
        let bytes = read();
        assert!(bytes[self.seen..] == expected, "{} bytes differ", text.arrives.len());
        self.seen = end;
    }
}

/// The same strings in every other place that takes a text: kept or refused, and never run.
fn everywhere_else(stage: &Stage, number: usize, text: &Text) {
    let env = &stage.env;
    let with = |arguments: &[&str]| env.drover_with_stdin(arguments, text.given.clone());
    let titled = format!("titled_{number}");
    let added = with(&["task", "add", "-", "--id", &titled, "--json"]).json();
    assert!(added["ok"] == true || added["outcome"] == "usage", "{added}");
    let noted = format!("noted_{number}");
    with(&["task", "add", "noted", "--note", "-", "--id", &noted]).ok();
    with(&["task", "note", &noted, "-"]).ok();
    with(&["task", "claim", &noted, "--evidence", "-"]).ok();
    with(&["task", "close", &noted, "--evidence", "-"]).ok();
    env.drover(&["task", "notes", &noted]).ok();
    let words = std::str::from_utf8(&text.given).unwrap();
    if words.len() < 100_000 && !words.contains('\0') {
        let (labelled, label) = (format!("labelled_{number}"), format!("--label={words}"));
        let added = env.drover(&["task", "add", "labelled", "--id", &labelled, &label, "--json"]);
        let answer = added.json();
        assert!(answer["ok"] == true || answer["outcome"] == "usage", "{answer}");
    }
    let listed = env.drover(&["task", "list"]).ok();
    assert!(!listed.stdout.contains(['\u{1b}', '\r', '\0']), "{number}");
}

fn in_a_directory(stage: &Stage, number: usize, name: &str) {
    let directory = stage.env.root().join("places").join(name);
    std::fs::create_dir_all(&directory).unwrap();
    let (agent, path) = (format!("d{number}"), directory.to_str().unwrap());
    let spawned = stage.env.drover(&[
        "agent",
        "spawn",
        &agent,
        "--command",
        "sleep 600",
        "--cwd",
        path,
        "--json",
    ]);
    let answer = spawned.json();
    assert_eq!(answer["outcome"], "spawned", "{spawned}");
    let pane = answer["data"]["agent"]["pane"]["id"].as_str().unwrap();
    let shown = stage.env.tmux_server().format(pane, "#{pane_current_path}");
    assert_eq!(Path::new(&shown), directory);
}

fn files_named_x(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().is_some_and(|it| it == "x") {
            found.push(path.clone());
        }
        if path.is_dir() && !path.is_symlink() {
            found.extend(files_named_x(&path));
        }
    }
    found
}

/// Faults S-09, S-10, S-12, S-13, X-07.
#[test]
fn must_show_01_4() {
    let stage = Stage::new();
    let texts: Vec<Text> = sized().into_iter().chain(strange()).collect();

    let agent = stage.agent("w1", &["--instant-turn"]);
    for text in &texts {
        to_the_agent(&agent, text);
    }
    assert_eq!(agent.recorded().of("submit").len(), texts.len());
    assert_eq!(agent.recorded().of("paste").len(), texts.len());

    let mut cat = Cat::new(&stage);
    for text in &texts {
        cat.takes(text);
    }

    for (number, text) in texts.iter().enumerate() {
        everywhere_else(&stage, number, text);
    }
    for (number, text) in strange().iter().enumerate() {
        let name = text.arrives.replace(['/', '\n'], "_");
        in_a_directory(&stage, number, &name);
    }

    let shell = stage.spawn("shell", "bash --norc", stage.env.root().join("unused"));
    shell.send(&["$(touch x)"]).refused(3, "shell_runs");
    assert!(!shell.screen().contains("touch"));

    let found = files_named_x(stage.env.root());
    assert!(found.is_empty(), "{found:?}");
    let bytes: usize = texts.iter().map(|it| it.arrives.len()).sum();
    println!("{} texts, {bytes} bytes, once and whole to two programs", texts.len());
}
