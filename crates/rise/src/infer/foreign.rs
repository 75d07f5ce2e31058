//! C functions: what they take and give, and what their parameters may be called.

use std::sync::Arc;

use syntax::ast::{BinderAnnotation, BinderId, Ident, TermId};
use syntax::{Code, Diagnostic};

use super::Infer;
use crate::BinderInfo;
use crate::types::{Ty, Type};

/// The words of C99, which name nothing.
const C_WORDS: &str = "auto break case char const continue default do double else enum extern float \
    for goto if inline int long register restrict return short signed sizeof static struct switch \
    typedef union unsigned void volatile while _Bool _Complex _Imaginary";

fn is_c_word(name: &str) -> bool {
    C_WORDS.split_whitespace().any(|word| word == name)
}

impl Infer<'_> {
    /// A C function: scalars, vectors and tuples in, one of them out.
    pub(super) fn foreign(
        &mut self,
        name: Option<&Ident>,
        params: &[BinderId],
        result: TermId,
        has_body: bool,
    ) -> Ty {
        self.collect_annotations();
        if has_body {
            self.foreign_parameters(params);
        } else if let Some(name) = name.filter(|name| is_c_word(&name.name)) {
            // One with a body gets another name in C.
            let text = format!(
                "`{}` is a word of C, so no function is called so",
                name.name
            );
            let found = Diagnostic::error(Code::ForeignName, name.span, text);
            self.diagnostics
                .push(found.help("call it by the name that it has in C, or give it a body"));
        }
        let mut types = Vec::new();
        for &param in params {
            let binder = self.item.binder(param);
            let ty = match binder.annotation {
                BinderAnnotation::Type(ty) => self.foreign_type(ty),
                _ => Arc::new(Type::Error),
            };
            let ty = self.as_phrase(ty);
            self.binders[param.0 as usize] = BinderInfo::Value(ty.clone());
            types.push(ty);
        }
        let result = self.foreign_type(result);
        let result = self.as_phrase(result);
        types
            .into_iter()
            .rev()
            .fold(result, |out, ty| Arc::new(Type::Fun(ty, out)))
    }

    /// The names of parameters stand in C as they are.
    fn foreign_parameters(&mut self, params: &[BinderId]) {
        for (at, &param) in params.iter().enumerate() {
            let binder = self.item.binder(param);
            let (name, span) = (binder.name.clone(), binder.span);
            if is_c_word(&name) {
                let text = format!("`{name}` is a word of C, and cannot name a parameter there");
                self.error(Code::ForeignName, span, text).help =
                    Some(format!("call it `{name}_`, also in the body"));
                continue;
            }
            let same = |other: &&BinderId| self.item.binder(**other).name == name;
            let before = params[..at].iter().find(same).copied();
            if let Some(before) = before.filter(|_| !name.is_empty()) {
                let first = self.item.binder(before).span;
                let text = format!("two parameters are called `{name}`, which C does not allow");
                let found = Diagnostic::error(Code::ForeignName, span, text);
                self.diagnostics.push(found.related(first, "the first one"));
            }
        }
    }

    fn foreign_type(&mut self, term: TermId) -> Ty {
        let ty = self.elab_type(term);
        if foreign_allows(&ty) {
            return ty;
        }
        let text = self.show(&ty);
        let help = match &*ty {
            Type::Index(_) => "take a number, and pass `indexAsNat(i)`",
            _ => "apply it to the elements with `map`",
        };
        self.error(
            Code::KindMismatch,
            self.span(term),
            format!(
                "a foreign function takes and returns scalars, vectors and tuples, not `{text}`"
            ),
        )
        .help = Some(help.into());
        Arc::new(Type::Error)
    }
}

fn foreign_allows(ty: &Type) -> bool {
    match ty {
        Type::Error | Type::Scalar(_) => true,
        Type::Vector(n, t) => {
            n.as_const().is_some() && matches!(**t, Type::Scalar(_) | Type::Error)
        }
        Type::Pair(a, b) => foreign_allows(a) && foreign_allows(b),
        _ => false,
    }
}
