//! Screen rules as they are written, in `config.toml` and in our own file of the same shape.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use drover_core::agent::screen::{ScreenRule, ScreenRules};
use serde::Deserialize;

/// What the screens of the chat agents show, as it is embedded.
const BUILT_IN: &str = include_str!("../../../data/engines.toml");

static CLAUDE: LazyLock<ScreenRules> = LazyLock::new(|| embedded("claude"));
static CODEX: LazyLock<ScreenRules> = LazyLock::new(|| embedded("codex"));
static PI: LazyLock<ScreenRules> = LazyLock::new(|| embedded("pi"));

/// The rules of an engine; a list that is not there is taken from the built-in ones.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Screen {
    composer: Option<Vec<Rule>>,
    empty: Option<Vec<Rule>>,
    busy: Option<Vec<Rule>>,
    dialog: Option<Vec<Rule>>,
    cursor: Option<String>,
    allow: Option<Vec<Rule>>,
    deny: Option<Vec<Rule>>,
    trust: Option<Vec<Rule>>,
}

/// A pattern, or a pattern with its label.
#[derive(Deserialize)]
#[serde(untagged)]
enum Rule {
    Pattern(String),
    Labelled(Labelled),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Labelled {
    pattern: String,
    label: Option<String>,
}

#[derive(Deserialize)]
struct File {
    engine: BTreeMap<String, Engine>,
}

#[derive(Deserialize)]
struct Engine {
    screen: Screen,
}

/// The rules that Drover brings for an engine; none for one that it does not know from inside.
pub(super) fn built_in(engine: &str) -> ScreenRules {
    match engine {
        "claude" => CLAUDE.clone(),
        "codex" => CODEX.clone(),
        "pi" => PI.clone(),
        _ => ScreenRules::default(),
    }
}

fn embedded(engine: &str) -> ScreenRules {
    let file: Option<File> = toml::from_str(BUILT_IN).ok();
    let described = file.and_then(|mut it| it.engine.remove(engine));
    // Tests hold that the embedded file can be read.
    let rules = described.and_then(|it| it.screen.rules(ScreenRules::default()).ok());
    rules.unwrap_or_default()
}

impl Screen {
    /// These rules over the built-in ones of an engine.
    pub(super) fn over(self, engine: &str) -> Result<ScreenRules, String> {
        self.rules(built_in(engine))
    }

    fn rules(self, below: ScreenRules) -> Result<ScreenRules, String> {
        Ok(ScreenRules {
            composer: compiled(self.composer, below.composer)?,
            empty: compiled(self.empty, below.empty)?,
            busy: compiled(self.busy, below.busy)?,
            dialog: compiled(self.dialog, below.dialog)?,
            cursor: self.cursor.or(below.cursor),
            allow: compiled(self.allow, below.allow)?,
            deny: compiled(self.deny, below.deny)?,
            trust: compiled(self.trust, below.trust)?,
        })
    }
}

fn compiled(written: Option<Vec<Rule>>, below: Vec<ScreenRule>) -> Result<Vec<ScreenRule>, String> {
    let Some(written) = written else { return Ok(below) };
    let rules = written.into_iter().map(|rule| match rule {
        Rule::Pattern(pattern) => ScreenRule::new(&pattern, None),
        Rule::Labelled(it) => ScreenRule::new(&it.pattern, it.label.as_deref()),
    });
    rules.collect::<Result<Vec<_>, _>>().map_err(|err| format!("screen: {err}"))
}

#[cfg(test)]
mod tests;
