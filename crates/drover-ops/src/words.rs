//! Command lines as words: split once, quoted for a person to paste.

use crate::error::{OpError, Result};

/// Splits a command line into words as a shell would, without running anything.
pub fn split(line: &str) -> Result<Vec<String>> {
    let unbalanced = || OpError::Usage(format!("the quotes in {line:?} do not match"));
    let words = shlex::split(line).ok_or_else(unbalanced)?;
    if words.is_empty() {
        Err(OpError::Usage("the command is blank".to_owned()))
    } else {
        Ok(words)
    }
}

/// One word, quoted where a shell needs it.
pub fn quote(word: &str) -> String {
    shlex::try_quote(word).map_or_else(
        |_| format!("'{}'", word.replace(['\0', '\''], "")),
        std::borrow::Cow::into_owned,
    )
}

/// Words as one line that a shell splits into the same words.
pub fn join<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(quote).collect::<Vec<_>>().join(" ")
}
