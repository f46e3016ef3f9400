//! Metrics: what a run was like, measured by code that no solver shares.
