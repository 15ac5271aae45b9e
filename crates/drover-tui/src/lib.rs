//! The place of the screen, which is not built yet; the layers already know it.
