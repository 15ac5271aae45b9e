//! The only source of randomness: uids, tokens, group ids and nonces.

use std::fs::File;
use std::io::{self, Read as _};

/// A new row uid: a time-ordered UUID in its usual text form.
pub fn uid() -> String {
    uuid::Uuid::now_v7().to_string()
}

/// A secret for one agent: 32 random bytes as 64 hex digits.
pub fn token() -> io::Result<String> {
    bytes::<32>().map(|it| hex(&it))
}

/// The name of one change group: 16 hex digits.
pub fn group_id() -> io::Result<String> {
    bytes::<8>().map(|it| hex(&it))
}

/// A word nobody outside this call can predict: 16 hex digits.
pub fn nonce() -> io::Result<String> {
    group_id()
}

/// Bytes written as lower-case hex digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        for half in [byte >> 4, byte & 15] {
            text.push(char::from_digit(u32::from(half), 16).unwrap_or('0'));
        }
        text
    })
}

fn bytes<const N: usize>() -> io::Result<[u8; N]> {
    let mut buffer = [0; N];
    File::open("/dev/urandom")?.read_exact(&mut buffer)?;
    Ok(buffer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_group_ids_have_their_stated_length_and_never_repeat() {
        assert_eq!(token().unwrap().len(), 64);
        assert_eq!(group_id().unwrap().len(), 16);
        assert_ne!(token().unwrap(), token().unwrap());
    }

    #[test]
    fn later_uids_sort_after_earlier_ones() {
        let first = uid();
        let second = uid();
        assert!(first < second);
    }

    #[test]
    fn hex_writes_two_digits_a_byte() {
        assert_eq!(hex(&[0, 15, 16, 255]), "000f10ff");
    }
}
