//! Drover's database: one SQLite file, one log.
