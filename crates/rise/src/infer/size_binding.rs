//! Inference of `let {k} xs = pair in body` and `let {k} = index in body`, which bind a size.

use nat::Nat;
use syntax::ast::{BinderId, TermId};

use super::Infer;
use super::expr::Expectation;
use super::unify::mentions;
use crate::classes::Classes;
use crate::types::{Ty, Type};
use crate::{BinderInfo, codes};

impl Infer<'_> {
    /// Infers the type of a binding of a size, and perhaps of a value whose type depends on it. The
    /// body must be data whose type does not mention the size.
    pub(super) fn let_size(
        &mut self,
        (size, binder): (BinderId, Option<BinderId>),
        value: TermId,
        body: TermId,
        wanted: Expectation,
    ) -> Ty {
        let ty = self.synth(value);
        let data = self.table.head(&ty);
        let bound = self.size_bound(value);
        let element = match (&*data, binder) {
            (Type::DepPair(element), Some(_)) if !self.in_dpia() => Some(element.clone()),
            (Type::Index(_), None) if !self.in_dpia() => None,
            (Type::Error, _) => None,
            _ => {
                self.binds_no_size(value, &data, size, binder);
                None
            }
        };
        let is_wrong = binder.is_some() && element.is_none();
        let (var, result) = self.in_scope(|this| {
            let (var, _) = this.bind_annotated(size);
            this.bound_size(var, bound);
            if let Some(binder) = binder {
                let ty = match &element {
                    Some(element) => this.table.apply_data_fun(element, &Nat::var(var)),
                    None => this.broken(),
                };
                this.binders[binder.0 as usize] = BinderInfo::Value(ty.clone());
                this.bind_value(binder, ty);
            }
            (var, this.body(body, wanted))
        });
        let result = self.table.ty(&result);
        if is_wrong || self.failed() {
            return result;
        }
        if self.restrict(&result, Classes::DATA).is_err() {
            let message = format!(
                "the result of `let {{{}}}` is data, and this is a function: `{}`",
                self.name_of(var),
                self.show(&result)
            );
            self.error(codes::NOT_DATA, self.span(body), message).help =
                Some("apply the function inside of the `let`".into());
            return self.broken();
        }
        if mentions(&result, var) {
            self.result_names_size(var, self.span(body));
            return self.broken();
        }
        result
    }

    /// Reports a value that binds no size in the form in which it is bound.
    fn binds_no_size(
        &mut self,
        value: TermId,
        data: &Ty,
        size: BinderId,
        binder: Option<BinderId>,
    ) {
        let k = self.item.binder(size).name.clone();
        let (wanted, form) = match binder {
            Some(binder) => {
                let name = match self.item.binder(binder).name.as_str() {
                    "" => "(…)",
                    name => name,
                };
                ("a dependent pair", format!("let {{{k}}} {name} = … in …"))
            }
            None => ("an index", format!("let {{{k}}} = … in …")),
        };
        let message = format!(
            "expected {wanted}, found `{}`: `{form}` binds the size of {wanted}",
            self.show(data)
        );
        let help = match (&**data, binder) {
            _ if self.in_dpia() => Some("DPIA has only `dmatch` and `letNat`".to_owned()),
            (Type::DepPair(_), None) => {
                Some(format!("name its value, too: `let {{{k}}} xs = … in …`"))
            }
            (Type::Index(_), Some(_)) => Some(format!(
                "an index has no value beside it: `let {{{k}}} = … in …`"
            )),
            (Type::Array(..), Some(_)) => {
                Some("`segment(from)(to)` makes a dependent pair of a part of an array".to_owned())
            }
            (Type::Scalar(_), None) => Some(
                "`natAsIndex(n + 1)(v)` makes an index, a number that is at most `n`, of a number"
                    .to_owned(),
            ),
            _ => None,
        };
        self.error(codes::TYPE_MISMATCH, self.span(value), message)
            .help = help;
    }

    /// Returns true if a size is bound by `let {k}`.
    pub(super) fn is_bound_by_let(&self, var: nat::Var) -> bool {
        use syntax::ast::TermKind;
        self.item.terms.iter().any(|term| {
            let TermKind::LetSize { size, .. } = term.kind else {
                return false;
            };
            matches!(self.binders[size.0 as usize], BinderInfo::TypeLevel(own, _) if own == var)
        })
    }

    /// Reports that the type of the result of a `let {k}`, at `span`, mentions the size.
    pub(super) fn result_names_size(&mut self, var: nat::Var, span: syntax::Span) {
        let name = self.name_of(var);
        let bound = self.table.info(var).span;
        let message = format!("the result's type names `{name}`, which is known only inside");
        let diagnostic = self.error(codes::SIZE_MISMATCH, span, message);
        diagnostic.help = Some("reduce the segment, or give a `DepPair`".into());
        diagnostic.relate(
            syntax::ItemSpan::from(bound),
            format!("`{name}` is bound here"),
        );
    }
}
