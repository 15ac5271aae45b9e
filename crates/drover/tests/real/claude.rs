//! What only Claude Code does.
