//! Fifty processes that claim from two hundred ready tasks at once.

use std::collections::BTreeSet;
use std::time::Instant;

use crate::measure::{Row, millis};
use crate::place::{fill, place};

/// The rows of the claimers: nothing claimed twice, nothing lost, nothing said of a locked database.
pub(crate) fn rows() -> Vec<Row> {
    let env = place();
    // Half of a plan is ready at first.
    fill(&env, 400);
    let started = Instant::now();
    let mut claimed = Vec::new();
    let mut refused = 0;
    for _ in 0..4 {
        let calls: Vec<_> = (0..50)
            .map(|_| {
                env.drover_in_background(&["task", "next", "--claim", "--json", "-p", "bench"])
            })
            .collect();
        for call in calls {
            let output = call.wait();
            if output.exit == 0 {
                claimed.push(output.json()["data"]["task"]["id"].to_string());
            } else {
                refused += 1;
            }
        }
    }
    let different: BTreeSet<&String> = claimed.iter().collect();
    vec![
        Row::figure("200 claims by 50 processes at a time", millis(started.elapsed())),
        Row::none("claims made twice", claimed.len() - different.len()),
        Row::none("claims refused or lost", refused + 200usize.saturating_sub(claimed.len())),
    ]
}
