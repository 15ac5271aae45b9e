//! Submodules of a checkout: their commits lie in the checkout's own part of the repository, and go with it.

use std::path::{Path, PathBuf};

use super::commit::{Passing, commits_only_in};
use super::error::GitError;
use super::modules::named;
use super::oid::Oid;
use super::refs::resolve;
use super::rescue::rescue;
use super::run::{WRITE, git, parts, path as path_of};
use super::status::status;

/// The submodules of a checkout, inner ones too, with changes or commits that no remote holds, and
/// those that `.gitmodules` does not name.
pub fn submodules_with_work(checkout: &Path) -> Result<Vec<PathBuf>, GitError> {
    let mut found = Vec::new();
    let unnamed = unnamed_repositories(checkout)?;
    for path in submodules(checkout)? {
        let full = checkout.join(&path);
        found.extend(submodules_with_work(&full)?.into_iter().map(|it| path.join(it)));
        if unnamed.contains(&path) || has_work(&full)? {
            found.push(path);
        }
    }
    Ok(found)
}

/// Keeps head, index, files and branches of a checkout's submodules in the repository of the
/// checkout, below `<prefix>/submodules/<path>`.
pub fn rescue_submodules(checkout: &Path, prefix: &str) -> Result<(), GitError> {
    for path in submodules_with_work(checkout)? {
        let full = checkout.join(&path);
        rescue(&full, prefix)?;
        let place = format!("{prefix}/submodules/{}", ref_part(&path));
        let kept = format!("+{prefix}/*:{place}/*");
        let branches = format!("+refs/heads/*:{place}/heads/*");
        let words = ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--"];
        let command = git(checkout).args(words).arg(full).args([kept, branches]).timeout(WRITE);
        command.run_ok()?;
    }
    Ok(())
}

/// The inner repositories that the index of a checkout holds, though `.gitmodules` names none of
/// them: nobody can fetch their commits again.
pub fn unnamed_repositories(checkout: &Path) -> Result<Vec<PathBuf>, GitError> {
    let found = submodules(checkout)?;
    if found.is_empty() {
        return Ok(found);
    }
    let named = named(checkout)?;
    Ok(found.into_iter().filter(|it| !named.contains(it)).collect())
}

/// The submodules that were filled: every commit that the index holds, named in `.gitmodules` or not.
fn submodules(checkout: &Path) -> Result<Vec<PathBuf>, GitError> {
    let output = git(checkout).args(["ls-files", "--stage", "-z"]).run_ok()?;
    let of_submodule = |entry: &[u8]| {
        let path = entry.strip_prefix(b"160000 ")?.splitn(2, |it| *it == b'\t').nth(1)?;
        Some(path_of(path))
    };
    let paths = parts(&output.stdout).filter_map(of_submodule);
    Ok(paths.filter(|it| checkout.join(it).join(".git").exists()).collect())
}

fn has_work(submodule: &Path) -> Result<bool, GitError> {
    if !status(submodule)?.is_clean() {
        return Ok(true);
    }
    let heads = git(submodule).args(["for-each-ref", "--format=%(objectname)", "refs/heads/"]);
    let mut tips = vec![resolve(submodule, "HEAD")?];
    tips.extend(heads.run_ok()?.text().lines().filter_map(Oid::parse));
    let tips: Vec<&Oid> = tips.iter().collect();
    // Every branch of its own goes with it.
    let passing = Passing { below: "", but: &[] };
    Ok(!commits_only_in(submodule, &tips, passing)?.is_empty())
}

/// A path as a part of a ref's name: what a ref may not hold is written as its number.
fn ref_part(path: &Path) -> String {
    let plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-');
    let text = path.to_string_lossy();
    text.chars()
        .map(|it| if plain(it) { it.to_string() } else { format!("+{:x}", u32::from(it)) })
        .collect()
}
