//! Maps from the keys of rows, which are small numbers of our own making and need no strong hash.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A map from keys of rows.
pub type IdMap<V> = HashMap<i64, V, BuildHasherDefault<IdHasher>>;
/// A set of keys of rows.
pub type IdSet = HashSet<i64, BuildHasherDefault<IdHasher>>;

/// Spreads neighbouring numbers by one multiplication.
#[derive(Debug, Clone, Copy, Default)]
pub struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn write_i64(&mut self, number: i64) {
        self.write_u64(number.cast_unsigned());
    }
}
