//! One contract for every kind of checkout, on real repositories.
#![expect(clippy::unwrap_used, reason = "test harness")]

mod contract;
mod jj;
mod world;

use drover_host::workspace::Kind;

#[test]
fn git_keeps_the_contract() {
    contract::all(Kind::Git);
}

#[test]
fn copies_keep_the_contract() {
    contract::all(Kind::Copy);
}
