//! Many messages of many senders to one real program.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use drover_testkit::{Real, wait_until};

use super::{Agent, LONG, World};

/// How many messages, by how many senders.
const MESSAGES: usize = 50;
const SENDERS: usize = 4;

/// The longest message.
const LONGEST: usize = 1 << 20;

/// All of them have arrived, and were answered, within this time.
const STATED: Duration = Duration::from_mins(2);

const DRAFT: &str = "half of a thought";

/// The length of a message: from one byte, ever longer, to the longest.
fn length(number: usize) -> usize {
    match number {
        49 => LONGEST,
        48 => LONGEST / 4,
        _ => (0..number).fold(1_000_usize, |length, _| length * 127 / 100).div_ceil(1_000),
    }
}

/// A text of a length that no other message has, with everything that is awkward to type.
fn text(number: usize) -> String {
    let length = length(number);
    if length < 8 {
        let letter = char::from(b'a' + u8::try_from(number).unwrap());
        return letter.to_string().repeat(length);
    }
    let mut text = format!("n{number:02}:");
    let mut line = 0;
    while text.len() < length {
        // Writing to a string cannot fail.
        let _ = write!(text, " {line} tab\there; \"two\" '$HOME' `x` \\ %s ü→雪 & | >\n-x");
        line += 1;
    }
    let cut = (0..length).rev().find(|it| text.is_char_boundary(*it)).unwrap();
    text.truncate(cut);
    text.push_str(&".".repeat(length - cut));
    text
}

/// Fifty messages, each a turn of its own, whole and once, in the order of its sender.
/// Faults S-05, S-12, S-16.
#[test]
#[ignore = "needs the real programs: ./dev test"]
fn must_show_02_2() {
    for program in Real::installed() {
        let world = World::new(&[program]);
        let agent = world.ready(program, "w1");
        let texts: Vec<String> = (0..MESSAGES).map(text).collect();
        leaves_a_draft(program, &agent);
        let begun = Instant::now();
        std::thread::scope(|scope| {
            for sender in 0..SENDERS {
                let (agent, texts) = (&agent, &texts);
                scope.spawn(move || sends(agent, texts, sender));
            }
        });
        agent.wait_for_state("idle");
        let taken = begun.elapsed();
        let taken_as: Vec<String> = texts.iter().map(|it| as_taken(program, it)).collect();
        arrived(&world, &taken_as);
        keeps_the_draft(program, &agent);
        assert!(taken < STATED, "{}: {taken:?}", program.engine());
        println!("{}: {MESSAGES} messages, 1 byte to 1 MiB, in {taken:.1?}", program.engine());
    }
}

/// Every fourth message, one after the other.
fn sends(agent: &Agent<'_>, texts: &[String], sender: usize) {
    for text in texts.iter().skip(sender).step_by(SENDERS) {
        let words = ["agent", "send", &agent.name, "-", "--timeout", "10m", "--json"];
        let call = agent.world.env.drover_call(&words).stdin(text.as_bytes());
        let call = call.directory(agent.world.repository.path()).time_limit(10 * LONG);
        let answer = call.run().ok().json();
        assert_eq!(answer["data"]["message"]["level"], "received", "{answer}");
    }
}

/// A person has begun to write something and does not finish it.
fn leaves_a_draft(program: Real, agent: &Agent<'_>) {
    let tmux = agent.world.env.tmux_server();
    tmux.paste(&agent.pane, DRAFT.as_bytes());
    wait_until("the draft", LONG, || agent.screen().contains(DRAFT));
    if program == Real::Claude {
        // It is typed into, so a draft keeps every message out until it is gone.
        agent.send(&["hello"]).refused(4, "draft_stands");
        keeps_the_draft(Real::Pi, agent);
        tmux.keys(&agent.pane, &["C-u"]);
        wait_until("no draft", LONG, || !agent.screen().contains(DRAFT));
    }
}

fn keeps_the_draft(program: Real, agent: &Agent<'_>) {
    let is_there = agent.screen().contains(DRAFT);
    assert_eq!(is_there, program != Real::Claude, "{}", agent.screen());
}

/// A text as the program's own composer makes it; what comes by a socket stays as it is.
fn as_taken(program: Real, text: &str) -> String {
    match program {
        Real::Pi | Real::Codex => text.to_owned(),
        Real::Claude => text.replace('\t', "    "),
    }
}

/// A text without the frame that Claude Code draws around a paste of several lines.
fn bare(text: &str) -> &str {
    let framed = text.trim_matches('\n').strip_prefix("<pasted_content id=\"");
    let inner = framed.and_then(|it| it.split_once(">\n"));
    let inner = inner.and_then(|(_, it)| it.rsplit_once("\n</pasted_content id="));
    inner.map_or(text, |(inner, _)| inner)
}

fn arrived(world: &World, texts: &[String]) {
    let turns = world.model.turns();
    let place = |text: &String| {
        let found: Vec<usize> = (0..turns.len())
            .filter(|it| turns[*it].texts.iter().any(|it| bare(it) == text))
            .collect();
        let [place] = found[..] else {
            let begin: String = text.chars().take(4).collect();
            let texts = turns.iter().flat_map(|it| &it.texts);
            let like: Vec<&String> = texts.filter(|it| it.contains(&begin)).collect();
            panic!("{text:?} came {} times: {like:?}", found.len());
        };
        place
    };
    let places: Vec<usize> = texts.iter().map(place).collect();
    assert_eq!(turns.len(), texts.len(), "turns that nobody asked for");
    for sender in 0..SENDERS {
        let own: Vec<usize> = places.iter().copied().skip(sender).step_by(SENDERS).collect();
        assert!(own.is_sorted(), "sender {sender}: {own:?}");
    }
}

#[test]
fn the_messages_differ_and_have_their_lengths() {
    let texts: Vec<String> = (0..MESSAGES).map(text).collect();
    let distinct: std::collections::BTreeSet<&String> = texts.iter().collect();
    assert_eq!(distinct.len(), MESSAGES);
    assert_eq!((texts[0].len(), texts[49].len()), (1, LONGEST));
    assert!(texts.iter().enumerate().all(|(number, it)| it.len() == length(number)));
}
