//! `drover run` and `drover demo`: a plan worked off in real panes and checkouts, and all that can come between.

use drover_testkit::{processes, wait_until};
use serde_json::json;

use crate::field::{Field, LONG};

#[test]
fn a_plan_is_worked_off_verified_and_landed_and_its_workers_are_closed() {
    let field = Field::new();
    field.plan(&[("a", &[]), ("b", &["a"]), ("c", &["a"]), ("d", &["b", "c"])]);
    field.order("d", "cat a.txt b.txt c.txt >d.txt");
    let ran = field.run(&["--workers", "2", "--trust"]).ok();
    let answer = ran.json();
    assert_eq!(answer["outcome"], "all_done");
    assert_eq!(field.on_trunk("d.txt"), "a\nb\nc");
    assert_eq!(answer["data"]["agents"], json!([]));
    assert_eq!(field.needs(), []);
    let own = field.repository.git(&["rev-parse", "main"]);
    let merge = answer["next"][0]["run"].as_str().unwrap();
    field.env.call("sh", &["-c", merge]).run().ok();
    assert_ne!(field.repository.git(&["rev-parse", "main"]), own);
    assert_eq!(field.repository.git(&["status", "--porcelain"]), "");
}
