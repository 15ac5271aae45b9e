//! Drover's terminal interface.
