//! Barriers where one work-item reads what another one wrote.

use super::Work;
use crate::error::CompileError;
use crate::ir::Function;

pub(super) fn run(_function: &mut Function, _work: &mut Work) -> Result<(), CompileError> {
    Ok(())
}
