//! What chat agents record of the tokens they used, read from the files their engines keep.
//!
//! A file is read from where the last reading stopped. A last line without its end is left for the
//! next time; a file that was cut, replaced or written anew is read from its beginning, and what it
//! repeats has the same identity.

mod call;
mod claude;
mod codex;
mod find;
mod pi;
mod tail;

use std::path::Path;

pub use call::{Call, Format};
pub use find::{Place, files};
pub use tail::{Carried, Position, Reading};

/// Reads what is new in a file.
pub fn read(path: &Path, format: Format, from: &Position) -> std::io::Result<Reading> {
    let line = match format {
        Format::Pi => pi::line,
        Format::Codex => codex::line,
        Format::Claude => claude::line,
    };
    tail::read(path, from, line)
}

#[cfg(test)]
mod tests;
