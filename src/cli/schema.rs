//! `sinew schema`: the JSON Schema of level files.

use super::output::{Exit, Fault, print};
use crate::level::Level;

pub(crate) fn schema() -> Result<Exit, Fault> {
    print(&Level::schema())?;
    Ok(Exit::Success)
}
