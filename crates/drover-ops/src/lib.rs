//! Drover's verbs as functions.
