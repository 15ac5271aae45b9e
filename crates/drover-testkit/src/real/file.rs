//! Files of a home.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// Writes a private file, making its directories.
pub(super) fn write(path: &Path, text: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().expect("a file has a directory")).expect("its directory");
    fs::write(path, text).expect("the file is writable");
}

/// Writes a private file of JSON.
pub(super) fn write_json(path: &Path, value: &Value) {
    write(path, value.to_string());
}
