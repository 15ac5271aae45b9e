//! How soon a waiting process hears of another's commit.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::measure::{Row, millis, quantile};
use crate::place::{place, time};

/// The rows of the wake: from the start of the writing transaction to the line of `log --tail`, so
/// the commit itself, with its way to the disk, is in the figure.
pub(crate) fn rows(commits: usize) -> Vec<Row> {
    let env = place();
    let mut tail = env.command(env.binary());
    tail.args(["log", "--tail", "--json", "-p", "bench"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    let mut tail = tail.spawn().expect("a tail");
    let stdout = tail.stdout.take().expect("its output");
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            if sender.send((at, line)).is_err() {
                break;
            }
        }
    });
    let write = || {
        let mut command = env.command(env.binary());
        command.args(["log", "tick", "-p", "bench"]);
        time(&mut command)
    };
    // The tail starts at the end of the log; the first line proves that it is there.
    let begun = Instant::now();
    while lines.recv_timeout(Duration::from_millis(50)).is_err() {
        assert!(begun.elapsed() < Duration::from_secs(20), "log --tail prints nothing");
        write();
    }
    while lines.recv_timeout(Duration::from_millis(200)).is_ok() {}
    let (mut waits, mut writes) = (Vec::new(), Vec::new());
    for _ in 0..commits {
        writes.push(write());
        let (heard, line) =
            lines.recv_timeout(Duration::from_secs(5)).expect("a line for each commit");
        waits.push(heard.saturating_sub(written_at(&line)));
    }
    tail.kill().expect("an end");
    tail.wait().expect("an end");
    let (half, most) = (quantile(&mut waits, 0.5), quantile(&mut waits, 0.99));
    vec![
        Row::figure(format!("wake after a commit, p50 of {commits}"), millis(half)),
        Row::ratio(
            "wake after a commit, p99, to one whole write",
            most,
            quantile(&mut writes, 0.5),
            4.0,
        ),
    ]
}

fn written_at(line: &str) -> Duration {
    let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
    let at = line.pointer("/data/change/at").and_then(|it| it.as_str());
    let at: jiff::Timestamp = at.expect("a time in the line").parse().expect("a time");
    Duration::try_from(at.as_duration()).unwrap_or_default()
}
