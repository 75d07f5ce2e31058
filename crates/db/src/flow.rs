//! The accesses of a definition's expressions when it is compiled for a target.

use std::sync::Arc;

use codegen::Target;
use dpia::functional::DataFlow;

use crate::inputs::{Db, SourceItem};
use crate::panics::catch_panic;
use crate::stages::programs::accesses;

/// Returns the access of each expression of the definition of RISE when it is compiled for the
/// target; `None` if it cannot be translated to functional DPIA. The result is small, so it is kept
/// for every item.
#[salsa::tracked(returns(clone))]
pub(crate) fn flow(db: &dyn Db, item: SourceItem, target: Target) -> Option<Arc<DataFlow>> {
    let accesses = accesses(db, item, target).ok()?;
    let phrase = accesses.phrase.as_ref()?;
    let work = || Arc::new(dpia::functional::flow(phrase));
    catch_panic(&item.text(db), "compiling", work).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Database, FilePath};

    const ROWS: &str = "@target(c)
def rows = depFun(n: Nat => fun(xs: n.4.f32 =>
  xs |> mapSeq(fun(row => row |> mapSeq(id) |> toMem |> reduceSeq(add)(0.0f)))))
";

    #[test]
    fn a_definition_is_looked_at_again_only_if_it_changes() {
        let mut db = Database::logged();
        let path = FilePath::disk("/a.rise");
        let other = |value: &str| format!("{ROWS}def other = {value}\n");
        let file = db.set_file(path.clone(), other("1.0f").as_str());
        let asked = |db: &Database| {
            let item = db.items(file)[0];
            let found = db.flow(item, Target::C).is_some() && db.values(item).is_some();
            let log = db.take_log();
            let own = |name: &str| name.contains("flow") || name.contains("values");
            (found, log.iter().filter(|(name, _)| own(name)).count())
        };
        assert_eq!(asked(&db), (true, 2));
        assert_eq!(asked(&db), (true, 0));
        db.set_file(path.clone(), other("2.0f + 3.0f").as_str());
        assert_eq!(asked(&db), (true, 0));
        db.set_file(path, other("1.0f").replace("0.0f", "7.0f").as_str());
        assert_eq!(asked(&db), (true, 2));
    }
}
