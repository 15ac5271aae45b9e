//! A picture of a plan as a file.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use drover_host::files;

use crate::ctx::Ctx;
use crate::error::{OpError, Result, TaskError};

/// Writes a picture to a file, in the place of an earlier one, which begins with the same mark; any
/// other file is left as it is.
pub fn draw(ctx: &mut Ctx, path: &Path, (mark, picture): (&str, &str)) -> Result<PathBuf> {
    let failed = |source| OpError::File { path: path.to_owned(), source };
    let path = std::path::absolute(path).map_err(failed)?;
    let failed = |source| OpError::File { path: path.clone(), source };
    match std::fs::symlink_metadata(&path) {
        Ok(found) if found.is_file() => {
            let (mut start, limit) = (Vec::new(), mark.len() as u64);
            let mut file = std::fs::File::open(&path).map_err(failed)?.take(limit);
            file.read_to_end(&mut start).map_err(failed)?;
            if start != mark.as_bytes() {
                return Err(TaskError::FileStands { path }.into());
            }
        }
        Ok(_) => return Err(TaskError::FileStands { path }.into()),
        Err(err) if err.kind() == std::io::ErrorKind::NotFound => {}
        Err(err) => return Err(failed(err)),
    }
    ctx.act(format!("write {}", path.display()), || {
        files::write_public(&path, picture.as_bytes()).map_err(failed)
    })?;
    Ok(path)
}
