//! Functions and arguments.

use syntax::ast::{AddressSpace, BinderAnnotation, BinderId, Name, ScalarType, TermId, TermKind};
use syntax::{Code, Fix, Span};

use super::super::Infer;
use super::super::apply::MissingSizes;
use super::super::expr::kind_noun;
use super::super::unify::{Cause, Clash, Why};
use crate::suggest::closest;
use crate::types::{Pi, Ty, Type};

/// The help for an expression that is no size.
const SIZES: &str = "a size is made of numbers and of names that `depFun` binds";

impl Infer<'_> {
    pub(in crate::infer) fn too_large(&mut self, term: TermId) {
        self.clashes += 1;
        let span = self.head_span(term);
        if self.diagnostics.iter().any(|d| d.code == Code::TooDeep) {
            return;
        }
        self.error(
            Code::TooDeep,
            span,
            "the type of this grows larger than the tools follow",
        )
        .help =
            Some("pairs of pairs double at each step: does every step need both halves?".into());
    }

    pub(in crate::infer) fn not_a_function(
        &mut self,
        head: TermId,
        arg: TermId,
        piped: bool,
        ty: &Ty,
    ) {
        let text = self.show(ty);
        let name = self.source(head);
        let mut help = None;
        let (span, message) = if piped {
            (
                self.span(head),
                format!("`{name}` is no function to pipe into: it is `{text}`"),
            )
        } else {
            let message = match (&*self.table.head(ty), &self.item.term(head).kind) {
                (Type::Array(..), TermKind::Name(_)) if self.lookup(&name).is_some() => {
                    help = Some(format!(
                        "an element is `{name} |> idx({})`",
                        self.source(arg)
                    ));
                    format!("`{name}` is an array `{text}`, not a function")
                }
                _ => format!("`{name}` takes no further argument: what it gives here is `{text}`"),
            };
            (self.span(arg), message)
        };
        self.error(Code::NotAFunction, span, message).help = help;
    }

    pub(in crate::infer) fn missing_explicit(
        &mut self,
        head: TermId,
        pi: &Pi,
        sizes: Option<MissingSizes>,
    ) {
        let name = self.source(head);
        let noun = kind_noun(pi.kind);
        let param = self.name_of(pi.var);
        let diagnostic = self.error(
            Code::KindMismatch,
            self.item.term(head).span,
            format!("`{name}` takes the {noun} `{param}` first"),
        );
        match sizes {
            Some(sizes) => sizes.offer(&name, diagnostic),
            None => diagnostic.help = Some(format!("write the {noun} behind it: `{name}(…)`")),
        }
    }

    pub(in crate::infer) fn value_for_size(
        &mut self,
        term: TermId,
        head: TermId,
        sizes: Option<MissingSizes>,
    ) {
        let (text, name) = (self.source(term), self.source(head));
        let diagnostic = self.error(
            Code::KindMismatch,
            self.span(term),
            format!("`{name}` takes a size here, and `{text}` is a value"),
        );
        match sizes {
            Some(sizes) => sizes.offer(&name, diagnostic),
            None => diagnostic.help = Some(format!("{SIZES}, and comes before values")),
        }
    }

    pub(in crate::infer) fn value_as_size(&mut self, term: TermId, name: &Name, ty: &Ty) {
        let text = self.show(ty);
        let is_nat = matches!(&*self.table.head(ty), Type::Scalar(ScalarType::NatType));
        let diagnostic = self.error(
            Code::KindMismatch,
            self.item.term(term).span,
            format!("expected a size or type, and `{name}` is a value of type `{text}`"),
        );
        if is_nat {
            diagnostic.help =
                Some("the value is known only at run time; a size is bound by `depFun`".into());
        }
    }

    pub(in crate::infer) fn not_a_size(&mut self, term: TermId) {
        let text = self.source(term);
        self.error(
            Code::KindMismatch,
            self.item.term(term).span,
            format!("expected a size, found `{text}`"),
        )
        .help = Some(SIZES.to_owned());
    }

    pub(in crate::infer) fn unknown_space(&mut self, term: TermId) {
        let text = self.source(term);
        let spaces = AddressSpace::ALL.iter().map(|s| s.as_str());
        let help = match closest(&text, spaces) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "they are Global, Local, Private and Constant".to_owned(),
        };
        let span = self.span(term);
        self.error(
            Code::UnknownName,
            span,
            format!("there is no address space `{text}`"),
        )
        .help = Some(help);
    }

    pub(in crate::infer) fn lambda_is_not(&mut self, term: TermId, wanted: &Ty, cause: Cause) {
        self.clashes += 1;
        if let Type::Var(_) = &**wanted {
            let message = match self.cause_head(cause) {
                Some(head) => format!("`{head}` works on data, and this is a function"),
                None => "data is wanted here, and this is a function".to_owned(),
            };
            let span = self.head_span(term);
            self.error(Code::NotData, span, message);
            return;
        }
        let text = self.show(wanted);
        let span = self.head_span(term);
        let message = match cause.why {
            Why::Written { .. } => {
                format!("the definition's type says `{text}`, which is no function from values")
            }
            _ => match self.cause_head(cause) {
                Some(head) => format!("`{head}` expects `{text}` here, found a function"),
                None => format!("expected `{text}`, found a function"),
            },
        };
        let related = self.cause_places(cause, wanted, "the expected type comes from here");
        let diagnostic = self.error(Code::TypeMismatch, span, message);
        diagnostic.related = related;
        if let Type::Pi(pi) = &**wanted {
            diagnostic.help = Some(format!(
                "sizes and types are taken by `depFun(… : {} => …)`",
                pi.kind
            ));
        }
    }

    /// Offers parentheses around two parameters where a function from pairs is wanted, for what has
    /// been `said` of them since.
    pub(in crate::infer) fn offer_pattern(
        &mut self,
        term: TermId,
        [first, second]: [BinderId; 2],
        said: usize,
    ) {
        let [first, second] = [first, second].map(|id| self.item.binder(id));
        let end = match second.annotation {
            BinderAnnotation::Type(ty) => self.span(ty).end,
            _ => second.span.end,
        };
        let pattern = format!("fun(({}, {}) => …)", first.name, second.name);
        let edits = vec![
            (Span::empty(first.span.start), "(".to_owned()),
            (Span::empty(end), ")".to_owned()),
        ];
        let span = self.head_span(term);
        let mut since = self.diagnostics.iter_mut().skip(said);
        if let Some(said) = since.find(|d| d.span == span) {
            said.help = Some(format!(
                "this `fun` takes two parameters one after the other: `{pattern}` takes a pair apart"
            ));
            said.fixes.push(Fix {
                title: format!("Take the pair apart: `{pattern}`"),
                edits,
                preferred: true,
                disabled: None,
            });
        }
    }

    pub(in crate::infer) fn not_a_pair(&mut self, term: TermId, ty: &Ty) {
        let text = self.show(ty);
        let is_array = matches!(&*self.table.head(ty), Type::Array(..));
        let diagnostic = self.error(
            Code::TypeMismatch,
            self.item.term(term).span,
            format!("`._1` and `._2` are for pairs, and this is `{text}`"),
        );
        if is_array {
            diagnostic.help =
                Some("for an element of an array use `idx`, for each pair `map`".into());
        }
    }

    pub(in crate::infer) fn not_a_number(
        &mut self,
        op: &str,
        term: TermId,
        ty: &Ty,
        clash: &Clash,
    ) {
        self.clashes += 1;
        let text = self.show(ty);
        let wanted = match clash {
            Clash::Classes(classes, _) => classes.describe(),
            _ => "numbers",
        };
        let kind = match clash {
            Clash::Classes(classes, _) => classes.to_kind(),
            _ => None,
        };
        let help = self.subkind_help(ty, kind);
        self.error(
            Code::WrongSubkind,
            self.item.term(term).span,
            format!("`{op}` works on {wanted}, and this is `{text}`"),
        )
        .help = help;
    }

    pub(in crate::infer) fn wrong_subkind(&mut self, term: TermId, ty: &Ty, clash: &Clash) {
        let text = self.show(ty);
        let wanted = match clash {
            Clash::Classes(classes, _) => classes.describe(),
            _ => "data",
        };
        self.error(
            Code::WrongSubkind,
            self.item.term(term).span,
            format!("expected one of the {wanted}, found `{text}`"),
        );
    }

    pub(in crate::infer) fn let_function(&mut self, binder: BinderId, value: TermId, ty: &Ty) {
        let name = self.item.binder(binder).name.clone();
        let text = self.show(ty);
        self.error(
            Code::LetFunction,
            self.item.term(value).span,
            format!("`let` binds data, and this is a function: `{text}`"),
        )
        .help = Some(format!(
            "write it as a definition of its own: `def {name} = …`"
        ));
    }
}

impl MissingSizes {
    /// Says which sizes they are, with the edit that writes them.
    fn offer(self, name: &str, diagnostic: &mut syntax::Diagnostic) {
        let call = format!("{name}{}", self.calls);
        diagnostic.help = Some(format!("sizes come first: `{call}`"));
        diagnostic.fixes.push(syntax::Fix {
            title: format!("Write `{call}`"),
            edits: vec![self.edit],
            preferred: true,
            disabled: None,
        });
    }
}
