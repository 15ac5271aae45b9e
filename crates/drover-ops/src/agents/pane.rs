//! Which pane is meant by an id, a title or the name of a window.

use drover_core::agent::label;
use drover_host::mux::{Listing, Pane, PaneId};
use drover_store::projects::Project;

use crate::error::{AgentError, Result};

/// The pane that is meant; a title is looked for in the project's own session first.
pub(crate) fn meant<'a>(listing: &'a Listing, project: &Project, what: &str) -> Result<&'a Pane> {
    if let Ok(id) = PaneId::parse(what) {
        return listing.pane(&id).ok_or_else(|| unknown(listing, what).into());
    }
    let is_own = |it: &&&Pane| it.project.as_ref() == Some(&project.uid);
    for is_it in [titled as fn(&Pane, &str) -> bool, named] {
        let found: Vec<&Pane> = listing.panes.iter().filter(|it| is_it(it, what)).collect();
        let own: Vec<&Pane> = found.iter().filter(is_own).copied().collect();
        let candidates = if own.is_empty() { found } else { own };
        match candidates.as_slice() {
            [] => {}
            [only] => return Ok(only),
            several => {
                let panes = several.iter().map(|it| shown(it)).collect();
                let (what, project) = (what.to_owned(), project.name.clone());
                return Err(AgentError::PaneAmbiguous { what, project, panes }.into());
            }
        }
    }
    Err(unknown(listing, what).into())
}

fn titled(pane: &Pane, what: &str) -> bool {
    let label = pane.label.as_deref().unwrap_or_default();
    [pane.title.as_str(), label].iter().any(|it| *it == what || label::name_of(it) == what)
}

fn named(pane: &Pane, what: &str) -> bool {
    pane.window_name == what
}

fn shown(pane: &Pane) -> (String, String) {
    (pane.id.to_string(), pane.title.clone())
}

fn unknown(listing: &Listing, what: &str) -> AgentError {
    let panes = listing.panes.iter().map(shown).collect();
    AgentError::PaneUnknown { what: what.to_owned(), panes }
}
