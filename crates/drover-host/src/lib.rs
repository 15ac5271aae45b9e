//! Drover's hands: processes, multiplexer, git, clock, environment.
