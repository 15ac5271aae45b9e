//! Command-line tests of the real binary.
