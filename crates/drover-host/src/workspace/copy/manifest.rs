//! What a directory holds: each file with its contents' digest, and one digest of them all.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::Metadata;
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::files;
use crate::random;
use crate::workspace::git::Oid;

/// One file or link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// `l` a link, `x` a program, `-` any other file.
    kind: char,
    size: u64,
    /// When it was changed last, in nanoseconds; with the size, enough to see that nobody wrote it.
    changed: i128,
    digest: String,
}

impl Entry {
    /// Whether two entries hold the same, whenever each was written.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.kind == other.kind && self.digest == other.digest
    }
}

/// The files and links of a directory, by their paths below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Manifest(pub(super) BTreeMap<PathBuf, Entry>);

impl Manifest {
    /// Reads a directory; files that are as an earlier reading has them are not opened again.
    pub(super) fn of(root: &Path, known: Option<&Self>) -> io::Result<Self> {
        let mut entries = BTreeMap::new();
        for path in files::files_below(root, Path::new(""), |_| true)? {
            let full = root.join(&path);
            let Ok(metadata) = full.symlink_metadata() else { continue };
            let Some(kind) = kind(&metadata) else { continue };
            let (size, changed) = (metadata.len(), changed(&metadata));
            let as_known = known
                .and_then(|it| it.0.get(&path))
                .filter(|it| (it.kind, it.size, it.changed) == (kind, size, changed));
            let digest = match as_known {
                Some(entry) => entry.digest.clone(),
                None => files::digest(&full)?,
            };
            entries.insert(path, Entry { kind, size, changed, digest });
        }
        Ok(Self(entries))
    }

    /// The digest of all that it says, times left out.
    pub(super) fn digest(&self) -> Option<Oid> {
        let mut hasher = Sha256::new();
        for (path, entry) in &self.0 {
            hasher.update(format!("{} {} ", entry.kind, entry.digest));
            hasher.update(path.as_os_str().as_bytes());
            hasher.update([0]);
        }
        Oid::parse(&random::hex(&hasher.finalize()))
    }

    /// Its form in a file.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (path, Entry { kind, size, changed, digest }) in &self.0 {
            bytes.extend(format!("{kind} {size} {changed} {digest} ").into_bytes());
            bytes.extend(path.as_os_str().as_bytes());
            bytes.push(0);
        }
        bytes
    }

    /// Reads that form.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let lines = bytes.split(|it| *it == 0).filter(|it| !it.is_empty());
        lines.map(entry).collect::<Option<BTreeMap<_, _>>>().map(Self)
    }
}

fn entry(line: &[u8]) -> Option<(PathBuf, Entry)> {
    let mut words = line.splitn(5, |it| *it == b' ');
    let mut word = || std::str::from_utf8(words.next()?).ok();
    let (kind, size) = (word()?.chars().next()?, word()?.parse().ok()?);
    let (changed, digest) = (word()?.parse().ok()?, word()?.to_owned());
    let path = PathBuf::from(OsString::from_vec(words.next()?.to_vec()));
    Some((path, Entry { kind, size, changed, digest }))
}

/// The kind of what can be copied; none for a socket and the like.
fn kind(metadata: &Metadata) -> Option<char> {
    match metadata.file_type() {
        it if it.is_symlink() => Some('l'),
        it if it.is_file() => Some(if metadata.mode() & 0o100 == 0 { '-' } else { 'x' }),
        _ => None,
    }
}

fn changed(metadata: &Metadata) -> i128 {
    i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_comes_back_from_its_file_and_its_digest_knows_no_times() {
        let entry = |changed| Entry { kind: '-', size: 3, changed, digest: "a".repeat(64) };
        let path = PathBuf::from(OsString::from_vec(b"a b\nc\xff".to_vec()));
        let one = Manifest(BTreeMap::from([(path.clone(), entry(-5))]));
        let other = Manifest(BTreeMap::from([(path, entry(7))]));
        assert_eq!(Manifest::parse(&one.to_bytes()), Some(one.clone()));
        assert_ne!(one, other);
        assert_eq!(one.digest(), other.digest());
        assert_eq!(Manifest::parse(b"- 3 x\0"), None);
    }
}
