//! What became of a workspace that was let go, in the words of every verb that does so.

use std::fmt::Write as _;

use drover_ops::words::quote;
use drover_ops::workspaces::Released;

use crate::output::{Next, visible};

/// What stays, and where that is.
pub(crate) fn card(released: &Released) -> String {
    let fate = if released.branch_stays { "stays" } else { "is gone" };
    let mut card = format!("The branch {} {fate}\n", released.branch);
    for stash in &released.stashes {
        let _ = writeln!(card, "Stays in the repository: {}", visible(stash));
    }
    let Some(rescue) = &released.rescue else { return card };
    if let Some(prefix) = &rescue.ref_prefix {
        let _ = writeln!(card, "Kept under {prefix} in {}", visible(&rescue.repository));
    }
    if let Some(trash) = &rescue.trash_path {
        let _ = writeln!(card, "Files that git would not keep are in {}", visible(trash));
    }
    card
}

/// What goes on from there.
pub(crate) fn nexts(released: &Released) -> Vec<Next> {
    let mut nexts = Vec::new();
    let mut next = |why: &str, run| nexts.push(Next { why: why.to_owned(), run });
    if let Some(rescue) = &released.rescue {
        let at = quote(&rescue.repository);
        if let Some(prefix) = &rescue.ref_prefix {
            next("see what was kept", format!("git -C {at} for-each-ref {prefix}"));
        }
        if let Some(trash) = &rescue.trash_path {
            next("see the files that were kept", format!("ls -A {}", quote(trash)));
        }
    }
    if released.branch_stays {
        let (agent, project) = (&released.agent, &released.project);
        next("land it", format!("drover workspace land {agent} -p {project}"));
    }
    nexts
}
