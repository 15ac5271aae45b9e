//! Many callers that claim at once.

use std::collections::BTreeMap;

use drover_testkit::TestEnv;

use crate::env;
use crate::graphs::{Sketch, fill};

/// Fifty callers, each under its own name, take all of 200 ready tasks: every call answers, every
/// task goes to exactly one caller, and the answers, the tables and the log say the same.
pub(crate) fn fifty_claimers(env: &TestEnv) {
    let sketches: Vec<Sketch> = (0..200).map(|_| Sketch::todo(&[])).collect();
    fill(env, "crowd", &sketches);
    let claims: Vec<(String, String)> = std::thread::scope(|scope| {
        let callers: Vec<_> =
            (0..50).map(|number| scope.spawn(move || claim_all(env, number))).collect();
        callers.into_iter().flat_map(|it| it.join().unwrap()).collect()
    });
    let answered: BTreeMap<String, String> = claims.iter().cloned().collect();
    assert_eq!((claims.len(), answered.len()), (200, 200), "two callers got one task");
    let plain = rusqlite::Connection::open(env.database()).unwrap();
    let pairs = |sql: &str| -> Vec<(String, String)> {
        let mut statement = plain.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let rows = pairs(
        "SELECT t.name, substr(t.claimed_by, 6, instr(t.claimed_by,'@')-6) FROM tasks t
         JOIN projects p ON p.pk=t.project_pk WHERE p.name='crowd' AND t.status='IN_PROGRESS'",
    );
    let logged = pairs(
        "SELECT t.name, substr(o.actor, 6) FROM ops o JOIN tasks t ON t.uid=o.uid
         JOIN projects p ON p.pk=t.project_pk WHERE p.name='crowd' AND o.intent='task.claim'",
    );
    assert_eq!((rows.len(), logged.len()), (200, 200));
    assert_eq!(rows.into_iter().collect::<BTreeMap<_, _>>(), answered);
    assert_eq!(logged.into_iter().collect::<BTreeMap<_, _>>(), answered);
}

/// The tasks that one caller got until nothing was ready, each with its name.
fn claim_all(env: &TestEnv, number: usize) -> Vec<(String, String)> {
    let name = format!("caller{number}");
    let mut claims = Vec::new();
    loop {
        let words = ["task", "next", "--claim", "-p", "crowd", "--actor", &name, "--json"];
        let called = env.drover(&words).ok();
        assert_eq!(called.stderr, "");
        let answer = called.json();
        if answer["outcome"] == "nothing_ready" {
            return claims;
        }
        assert_eq!(
            (&answer["outcome"], &answer["data"]["repeated"]),
            (&"claimed".into(), &false.into())
        );
        claims.push((answer["data"]["task"]["id"].as_str().unwrap().to_owned(), name.clone()));
    }
}

/// Faults C-01, C-08.
#[test]
fn fifty_processes_claim_two_hundred_different_tasks() {
    fifty_claimers(&env());
}
