//! What only pi does.
