//! Digests of texts, tokens and commands.

use sha2::{Digest as _, Sha256};

/// SHA-256 in hex.
pub fn sha256_hex(bytes: &[u8]) -> String {
    drover_host::random::hex(&Sha256::digest(bytes))
}

/// A UUID made of the first digits of a digest: its version, 8, is free in all else but the variant.
pub(crate) fn uuid_of(digest: &str) -> String {
    let part = |range: std::ops::Range<usize>| digest.get(range).unwrap_or_default();
    format!("{}-{}-8{}-8{}-{}", part(0..8), part(8..12), part(13..16), part(17..20), part(20..32))
}
