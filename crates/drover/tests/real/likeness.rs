//! The stand-ins say what the real programs say.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use drover_testkit::{Real, TestEnv};
use serde_json::{Value, json};

use super::World;
use crate::habits::StandIns;

/// The one control socket of a pi in this home.
fn socket(env: &TestEnv) -> PathBuf {
    let entries = std::fs::read_dir(env.state().join("run")).unwrap();
    let paths = entries.map(|it| it.unwrap().path());
    let is_socket =
        |it: &PathBuf| it.file_name().is_some_and(|it| it.to_string_lossy().starts_with("pi-"));
    paths.filter(is_socket).min().unwrap()
}

/// The names in the answer to an operation.
fn names(env: &TestEnv, operation: &str) -> BTreeSet<String> {
    let mut stream = UnixStream::connect(socket(env)).unwrap();
    let request = json!({"v": 1, "id": 1, "op": operation});
    stream.write_all(format!("{request}\n").as_bytes()).unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    let answer: Value = serde_json::from_str(&line).unwrap();
    answer.as_object().unwrap().keys().cloned().collect()
}

#[test]
#[ignore = "needs the real programs: ./dev test"]
fn the_stand_in_of_pi_answers_with_what_pi_answers_with() {
    if Real::Pi.path().is_none() {
        println!("left out: there is no pi");
        return;
    }
    let world = World::new(&[Real::Pi]);
    world.ready(Real::Pi, "w1");
    let stand_ins = StandIns::new();
    stand_ins.start("pi", "w1", &[]);
    for operation in ["hello", "status", "nosuch"] {
        let (real, played) = (names(&world.env, operation), names(&stand_ins.stage.env, operation));
        let missing: Vec<_> = real.difference(&played).collect();
        assert!(missing.is_empty(), "{operation}: {missing:?}");
    }
}
