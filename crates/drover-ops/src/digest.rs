//! Digests of texts, tokens and commands.

use sha2::{Digest as _, Sha256};

/// SHA-256 in hex.
pub fn sha256_hex(bytes: &[u8]) -> String {
    drover_host::random::hex(&Sha256::digest(bytes))
}
