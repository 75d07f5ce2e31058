//! Private arrays that loops of work-items write hold each work-item's share.

use super::Work;
use crate::error::CompileError;
use crate::ir::Function;

pub(super) fn run(_function: &mut Function, _work: &mut Work) -> Result<(), CompileError> {
    Ok(())
}
