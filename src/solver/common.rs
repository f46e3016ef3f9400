//! Steps that backends share.
