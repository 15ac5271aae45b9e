//! What the screens of many agents show, each server asked once.

use std::collections::BTreeMap;
use std::path::Path;

use drover_core::agent::dialog::Dialog;
use drover_core::agent::screen::{self, ScreenRules, ScreenVerdict};
use drover_host::mux::{self, Capture, PaneId};
use drover_store::agents::Agent;

use super::look::Look;
use crate::ctx::Ctx;

/// A server, by multiplexer and socket.
type Server = (String, String);

/// The screens that were looked at, and how each engine's is read.
pub(super) struct Shown {
    rules: BTreeMap<String, ScreenRules>,
    screens: BTreeMap<(Server, PaneId), String>,
}

impl Shown {
    /// Looks at the living panes of those agents whose engines have screen rules. A configuration that
    /// cannot be read is refused by the verbs that need it; a server that is silent shows nothing.
    pub(super) fn of<'a>(ctx: &Ctx, look: &Look, agents: impl Iterator<Item = &'a Agent>) -> Self {
        let mut shown = Self { rules: BTreeMap::new(), screens: BTreeMap::new() };
        let Ok(config) = ctx.config() else { return shown };
        let mut wanted: BTreeMap<Server, Vec<PaneId>> = BTreeMap::new();
        for agent in agents {
            let Some(pane) = look.pane(agent).filter(|it| it.death.is_none()) else { continue };
            let engine = &agent.profile.engine;
            if !shown.rules.contains_key(engine) {
                shown.rules.insert(engine.clone(), config.engine(engine).screen);
            }
            let is_read = shown.rules.get(engine).is_some_and(|it| !it.is_empty());
            if let Some(server) = server(agent).filter(|_| is_read) {
                wanted.entry(server).or_default().push(pane.id.clone());
            }
        }
        let lines = u32::try_from(screen::LINES).unwrap_or(u32::MAX);
        for (server, panes) in wanted {
            let mux = mux::recorded(ctx.env(), &server.0, Path::new(&server.1));
            let screens = mux.and_then(|it| it.captures(&panes, Capture::Last(lines)));
            let screens = screens.unwrap_or_default().into_iter();
            shown.screens.extend(screens.map(|(pane, screen)| ((server.clone(), pane), screen)));
        }
        shown
    }

    /// What an agent's screen shows, and the dialog that stands on it; none if it was not looked at.
    pub(super) fn screen(&self, agent: &Agent) -> Option<(ScreenVerdict, Option<Dialog>)> {
        let pane = PaneId::parse(&agent.binding.as_ref()?.pane_id).ok()?;
        let screen = self.screens.get(&(server(agent)?, pane))?;
        let rules = self.rules.get(&agent.profile.engine)?;
        Some((rules.verdict(screen), Dialog::read(rules, screen)))
    }
}

fn server(agent: &Agent) -> Option<Server> {
    let binding = agent.binding.as_ref()?;
    Some((binding.mux.clone(), binding.mux_socket.clone()))
}
