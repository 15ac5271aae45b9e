//! What every collection looks like as JSON.

use schemars::JsonSchema;
use serde::Serialize;

/// A collection with its size.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Items<T> {
    /// The things, or the first of them.
    pub(crate) items: Vec<T>,
    /// How many there are in all.
    pub(crate) count: usize,
}

impl<T> Items<T> {
    /// Wraps a list.
    pub(crate) fn new(items: Vec<T>) -> Self {
        Self { count: items.len(), items }
    }

    /// The first of a list: no more than `most`, with the size of the whole.
    pub(crate) fn first(items: impl ExactSizeIterator<Item = T>, most: usize) -> Self {
        Self { count: items.len(), items: items.take(most).collect() }
    }
}

impl<T> FromIterator<T> for Items<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::new(items.into_iter().collect())
    }
}

/// A JSON array stored as text, as an array again.
pub(crate) fn strings(stored: &str) -> Vec<String> {
    serde_json::from_str(stored).unwrap_or_default()
}
