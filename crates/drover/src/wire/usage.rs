//! What was used, as JSON and in one line.

use std::fmt::Write as _;

use drover_ops::usage::{Spent, Usage};
use drover_ops::words;
use schemars::JsonSchema;
use serde::Serialize;

use super::Items;

/// Tokens by how a provider counts and prices them.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TokensView {
    /// Read for the first time.
    input: u64,
    /// Read again from the provider's cache.
    cached: u64,
    /// Read and put into that cache.
    written: u64,
    /// Written by the model, thinking included.
    output: u64,
    /// All of them.
    total: u64,
}

/// What was used of one model.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ModelUsageView {
    /// The model; none where its engine did not name it.
    model: Option<String>,
    /// The tokens.
    tokens: TokensView,
    /// Dollars, where anything says what they cost.
    usd: Option<f64>,
}

/// What was used, as far as the engines recorded it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct UsageView {
    /// The tokens.
    tokens: TokensView,
    /// Dollars that are known of; none where nothing says what the tokens cost.
    usd: Option<f64>,
    /// Those of them that the engine recorded.
    usd_recorded: f64,
    /// Those that follow from the prices in `config.toml`.
    usd_priced: f64,
    /// Tokens of which nothing says what they cost.
    unpriced_tokens: u64,
    /// By model, the one that used most first.
    models: Items<ModelUsageView>,
}

impl From<&Spent> for TokensView {
    fn from(spent: &Spent) -> Self {
        let it = spent.tokens;
        Self {
            input: it.input,
            cached: it.cached,
            written: it.written,
            output: it.output,
            total: it.total(),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "exact below nine billion dollars")]
fn dollars(micros: u64) -> f64 {
    micros as f64 / 1e6
}

impl From<&Usage> for UsageView {
    fn from(usage: &Usage) -> Self {
        let spent = &usage.spent;
        let model = |(model, spent): &(Option<String>, Spent)| ModelUsageView {
            model: model.clone(),
            tokens: spent.into(),
            usd: spent.micros().map(dollars),
        };
        Self {
            tokens: spent.into(),
            usd: spent.micros().map(dollars),
            usd_recorded: dollars(spent.recorded),
            usd_priced: dollars(spent.priced),
            unpriced_tokens: spent.unpriced,
            models: usage.models.iter().map(model).collect(),
        }
    }
}

/// What was used, in words: `12.3k tokens, $0.41`; nothing where nothing was.
pub(crate) fn in_words(usage: &Usage) -> Option<String> {
    let spent = &usage.spent;
    if !usage.is_some() {
        return None;
    }
    let mut text = format!("{} tokens", words::count(spent.tokens.total()));
    let _ = match (spent.micros(), spent.unpriced) {
        (None, _) => Ok(()),
        (Some(micros), 0) => write!(text, ", {}", words::money(micros)),
        (Some(micros), unpriced) => {
            let unpriced = words::count(unpriced);
            write!(text, ", {} and what {unpriced} of them cost", words::money(micros))
        }
    };
    Some(text)
}
