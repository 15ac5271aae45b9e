//! What stands in the way of manual pages.

use std::path::PathBuf;

/// Why pages were not written; none of them was.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// A file has the name of a page and is none of ours.
    #[error("{} was not written by drover, so it was left as it is", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
}
