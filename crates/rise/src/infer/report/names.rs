//! Messages about unknown and ambiguous names, duplicate parameters, unused values, holes, and
//! undetermined variables.

use nat::Var;
use syntax::ast::{
    Binder, BinderAnnotation, BinderId, Head, Kind, Name, ReadWrite, ScalarType, Term, TermId,
    TermKind,
};
use syntax::{Diagnostic, Fix, GlobalId, ItemSpan, Related, Severity, Span};

use super::super::expr::kind_noun;
use super::super::{Infer, LocalBinding};
use super::math_functions::is_mathematical;
use crate::Target;
use crate::codes;
use crate::infer::implicit_parameters::bind_left_of;
use crate::primitive::Primitive;
use crate::types::{Ty, Type};
use syntax::{closest, foreign_scalar};

impl Infer<'_> {
    /// Reports parameters of one function or type that have the name of an earlier one.
    pub(in crate::infer) fn duplicate_parameters(&mut self) {
        let item = self.item;
        let implied = item.implied_terms();
        for (id, term) in item.terms.iter().enumerate() {
            if implied.contains(&TermId(id as u32)) {
                continue;
            }
            match &term.kind {
                TermKind::Fun { params, .. } | TermKind::DepFun { params, .. } => {
                    self.duplicates_among(params);
                }
                TermKind::Let { binder, .. } => self.duplicates_among(&[*binder]),
                TermKind::Pi { param, body, .. } => {
                    if let Some(second) = self.next_of_same_name(*param, *body) {
                        self.duplicate_parameter(*param, second);
                    }
                }
                _ => {}
            }
        }
        for (head, ..) in item.heads() {
            let of_head: Vec<BinderId> = head.params().map(|param| param.binder).collect();
            self.duplicates_among(&of_head);
        }
    }

    /// Reports names that occur twice among binders and the parts of their patterns.
    fn duplicates_among(&mut self, binders: &[BinderId]) {
        let item = self.item;
        if let [only] = binders
            && item.binder(*only).parts.is_none()
        {
            return;
        }
        let names: Vec<BinderId> = (binders.iter())
            .flat_map(|&binder| item.bound_names(binder))
            .collect();
        for (at, &name) in names.iter().enumerate().skip(1) {
            let same = |&&first: &&BinderId| self.has_name_of(first, name);
            if let Some(&first) = names[..at].iter().find(same) {
                self.duplicate_parameter(first, name);
            }
        }
    }

    fn has_name_of(&self, first: BinderId, second: BinderId) -> bool {
        let name = &self.item.binder(first).name;
        !name.is_empty() && *name == self.item.binder(second).name
    }

    /// Returns the next parameter along the results of the type `ty` that has the name of `first`,
    /// if there is one.
    fn next_of_same_name(&self, first: BinderId, mut ty: TermId) -> Option<BinderId> {
        loop {
            ty = match self.item.term(ty).kind {
                TermKind::Pi { param, .. } if self.has_name_of(first, param) => return Some(param),
                TermKind::Pi { body, .. } => body,
                TermKind::Arrow(_, result) => result,
                TermKind::Paren(inner) | TermKind::Where { ty: inner, .. } => inner,
                _ => return None,
            };
        }
    }

    fn duplicate_parameter(&mut self, first: BinderId, second: BinderId) {
        let [first, second] = [first, second].map(|id| self.item.binder(id));
        let name = &first.name;
        let message = format!("`{name}` is already a parameter of this function");
        let error = Diagnostic::error(codes::DUPLICATE_PARAMETER, second.span, message)
            .related(first.span, format!("`{name}` is first bound here"))
            .help("rename one of the two");
        self.diagnostics.push(error);
    }

    /// Warns about values of `let` that nothing uses, in an item without errors of syntax or types.
    pub(in crate::infer) fn report_unused_values(&mut self) {
        let is_hole = |term: &Term| matches!(term.kind, TermKind::Missing);
        if self.failed() || self.item.terms.iter().any(is_hole) {
            return;
        }
        let mut is_used = vec![false; self.item.binders.len()];
        for used in &self.uses {
            if let Target::Binder(id) = used.target {
                is_used[id.0 as usize] = true;
            }
        }
        for term in &self.item.terms {
            let (TermKind::Let { binder: id, .. }
            | TermKind::Local { binder: id, .. }
            | TermKind::LetSize {
                binder: Some(id), ..
            }) = term.kind
            else {
                continue;
            };
            let Binder {
                name, span, parts, ..
            } = self.item.binder(id);
            if parts.is_some() {
                self.unused_parts(id, &is_used);
                continue;
            }
            if is_used[id.0 as usize] || name.is_empty() || name.starts_with('_') {
                continue;
            }
            let message = match term.kind {
                TermKind::Local { .. } => format!("`{name}` is not used"),
                _ => format!("the value of `{name}` is not used"),
            };
            let warning = Diagnostic::new(Severity::Warning, codes::UNUSED_VALUE, *span, message)
                .help("remove the `let`, or begin the name with `_`");
            let edits = vec![(*span, format!("_{name}"))];
            self.diagnostics
                .push(warning.fix(format!("Rename to `_{name}`"), edits, false));
        }
    }

    /// Warns about the pattern of a `let` if nothing uses any of its names.
    fn unused_parts(&mut self, pattern: BinderId, is_used: &[bool]) {
        let item = self.item;
        let names = item.bound_names(pattern);
        let is_meant = |id: &BinderId| {
            let name = &item.binder(*id).name;
            is_used[id.0 as usize] || name.starts_with('_')
        };
        if names.iter().any(is_meant) || names.iter().all(|id| item.binder(*id).name.is_empty()) {
            return;
        }
        let span = item.binder(pattern).span;
        let message = "no part of this value is used";
        let warning = Diagnostic::new(Severity::Warning, codes::UNUSED_VALUE, span, message);
        self.diagnostics
            .push(warning.help("remove the `let`, or write `_` for the parts"));
    }

    pub(in crate::infer) fn unknown_name(&mut self, term: TermId, name: &Name) {
        if self.unknown.contains(name) {
            return;
        }
        self.unknown.push(name.clone());
        let scalar = foreign_scalar(name);
        if let Some((written, fix)) = scalar.and_then(|ty| self.conversion_to(term, ty)) {
            let message = format!("cannot find `{name}` in this scope");
            self.error(codes::UNKNOWN_NAME, self.span(term), message)
                .advise(Some(format!("a conversion is written `{written}`")), fix);
            return;
        }
        let candidates = self.candidates();
        let literal = ["true", "false"]
            .into_iter()
            .find(|word| name.eq_ignore_ascii_case(word));
        let near = literal.or_else(|| closest(name, candidates.iter().map(Name::as_str)));
        let near = near.map(str::to_owned);
        let span = self.span(term);
        let message = format!("cannot find `{name}` in this scope");
        let diagnostic = self.error(codes::UNKNOWN_NAME, span, message);
        diagnostic.help = of_other_languages(name).map(str::to_owned);
        if let Some(near) = near.filter(|_| !is_mathematical(name) && diagnostic.help.is_none()) {
            diagnostic.help = Some(format!("did you mean `{near}`?"));
            let is_for_more = name.trim_end_matches(|c: char| c.is_ascii_digit()) == near;
            let fix = replacement(span, &near);
            // A number behind the name of a function is the number of its arguments.
            diagnostic.fixes.push(Fix {
                preferred: fix.preferred && !is_for_more,
                ..fix
            });
        }
    }

    pub(in crate::infer) fn candidates(&self) -> Vec<Name> {
        let mut names: Vec<Name> = self.scope.iter().map(|local| local.name.clone()).collect();
        names.extend(self.env.names());
        if self.in_dpia() {
            // The environment has the names of DPIA's primitives.
            return names;
        }
        names.extend(Primitive::ALL.iter().map(|p| Name::new_static(p.name())));
        names
    }

    pub(in crate::infer) fn unbound_type_name(&mut self, term: TermId, name: &Name) {
        if self.unknown.contains(name) {
            return;
        }
        self.unknown.push(name.clone());
        let is_access =
            |kind: &TermKind| matches!(kind, TermKind::Exp { access, .. } if *access == term);
        if self.item.terms.iter().any(|other| is_access(&other.kind)) {
            return self.unbound_access(term, name);
        }
        let types = self.scope.iter().filter_map(|local| match local.meaning {
            LocalBinding::TypeLevel(..) => Some(local.name.as_str()),
            _ => None,
        });
        let scalars = ScalarType::ALL.iter().map(|s| s.as_str());
        let near = (foreign_scalar(name).map(str::to_owned))
            .or_else(|| foreign_vector(name))
            .or_else(|| closest(name, types.chain(scalars)).map(str::to_owned));
        let span = self.span(term);
        let kind = match self.is_type_of_values(term) {
            true => Kind::DataType,
            false => Kind::Nat,
        };
        if near.is_none() && self.unbound_in_head(span, name, kind) {
            return;
        }
        let fix = match &near {
            Some(near) => Some(replacement(span, near)),
            None => self.binding(span, name, kind),
        };
        let message = format!("cannot find the size or type `{name}` in this scope");
        let diagnostic = self.error(codes::UNKNOWN_NAME, span, message);
        diagnostic.fixes.extend(fix);
        diagnostic.help = Some(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!(
                "bind the name: `depFun({name}: {kind} => …)` in an expression, `({name}: {kind}) -> …` in a type"
            ),
        });
    }

    /// Reports a name in the parameters left of `=` or in the result after them. Returns false for
    /// a name elsewhere.
    fn unbound_in_head(&mut self, span: Span, name: &Name, kind: Kind) -> bool {
        let item = self.item;
        // That of the definition, or of the local definition, around the name.
        let is_around = |head: &Head| {
            let first = head.groups.first().map_or(0, |group| group.span.start);
            (first..item.term(head.value).span.start).contains(&span.start)
        };
        let Some((head, ..)) = item.heads().find(|(head, ..)| is_around(head)) else {
            return false;
        };
        let what = match kind {
            Kind::Nat => "size",
            _ => "type",
        };
        let own = head
            .params()
            .find(|param| item.binder(param.binder).name == *name);
        let Some(own) = own else {
            let place = match head.result {
                Some(result) if item.term(result).span.contains(span) => {
                    ": it stands only in the result"
                }
                _ => "",
            };
            let message = format!("nothing binds the {what} `{name}`{place}");
            let help = format!("add `({name}: {kind})` or `{{{name}: {kind}}}`");
            let fix = bind_left_of(head, name, kind);
            self.error(codes::UNKNOWN_NAME, span, message)
                .advise(Some(help), fix);
            return true;
        };
        let place = item.binder(own.binder).span;
        let (message, help) = match item.binder(own.binder).annotation {
            BinderAnnotation::Kind(..) => (
                format!("the {what} `{name}` is bound after this place"),
                format!("write the parameter `{name}` to the left of its uses"),
            ),
            _ => (
                format!("expected a {what}, found the value `{name}`"),
                "types cannot depend on values".to_owned(),
            ),
        };
        let error = self.error(codes::UNKNOWN_NAME, span, message);
        error.help = Some(help);
        error.related.push(Related {
            place: place.into(),
            message: format!("`{name}` is a parameter"),
        });
        true
    }

    /// Reports a name in an annotation that is none of the sizes of the definition.
    pub(in crate::infer) fn unknown_size(&mut self, term: TermId, name: &Name, sizes: &[&str]) {
        if self.unknown.contains(name) {
            return;
        }
        self.unknown.push(name.clone());
        let span = self.span(term);
        let near = closest(name, sizes.iter().copied()).map(str::to_owned);
        let message = format!("`{name}` is not a size of this definition");
        let diagnostic = self.error(codes::UNKNOWN_NAME, span, message);
        diagnostic.help = Some(match (&near, sizes) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, []) => "it has no sizes".to_owned(),
            (None, [size]) => format!("its size is `{size}`"),
            (None, _) => format!("its sizes are `{}`", sizes.join("`, `")),
        });
        diagnostic
            .fixes
            .extend(near.map(|near| replacement(span, &near)));
    }

    /// Returns true if a name in a type can only be the type of values.
    fn is_type_of_values(&self, term: TermId) -> bool {
        let is_part = |kind: &TermKind| match kind {
            TermKind::Array { elem, .. }
            | TermKind::DepArray { elem, .. }
            | TermKind::Vector { elem, .. } => *elem == term,
            TermKind::Arrow(a, b) | TermKind::Pair(a, b) | TermKind::Tuple(a, b) => {
                [a, b].contains(&&term)
            }
            TermKind::Ascribe { ty, .. } => *ty == term,
            _ => false,
        };
        let is_annotation =
            |binder: &Binder| matches!(binder.annotation, BinderAnnotation::Type(ty) if ty == term);
        self.item.terms.iter().any(|other| is_part(&other.kind))
            || self.item.binders.iter().any(is_annotation)
    }

    /// Returns the fix that binds a name with `depFun` around the right side of its definition, if
    /// it is used as a size or as the type of values. Returns `None` for a definition with a
    /// written type, which binds its sizes and types there.
    fn binding(&self, name_span: Span, name: &Name, kind: Kind) -> Option<Fix> {
        let syntax::ast::ItemKind::Def { ty: None, body, .. } = self.item.kind else {
            return None;
        };
        let is_size = self.item.terms.iter().any(|term| match term.kind {
            TermKind::Array { size, .. }
            | TermKind::Vector { size, .. }
            | TermKind::DepArray { size, .. }
            | TermKind::Index(size) => self.item.term(size).span.contains(name_span),
            _ => false,
        });
        let body = self.item.term(body).span;
        (is_size || kind == Kind::DataType).then(|| {
            Fix::surround(
                format!("Bind `{name}` with `depFun`"),
                body,
                format!("depFun({name}: {kind} => "),
                ")",
            )
        })
    }

    /// Reports an unknown name as the access of `Exp[…, …]`.
    fn unbound_access(&mut self, term: TermId, name: &Name) {
        let words = ReadWrite::ALL.iter().map(|access| access.as_str());
        let near = closest(name, words).map(str::to_owned);
        let span = self.span(term);
        let message = format!("cannot find the access `{name}` in this scope");
        let fix = near.as_deref().map(|near| replacement(span, near));
        let diagnostic = self.error(codes::UNKNOWN_NAME, span, message);
        diagnostic.fixes.extend(fix);
        diagnostic.help = Some(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!(
                "an access is `Rd`, `Wr` or `St`, or a parameter: `{{{name}: ReadWrite}} -> …` in a type"
            ),
        });
    }

    pub(in crate::infer) fn ambiguous(&mut self, term: TermId, name: &Name, ids: &[GlobalId]) {
        let span = self.span(term);
        let message = format!("`{name}` is defined by {} imports", ids.len());
        let diagnostic = self.error(codes::AMBIGUOUS_IMPORT, span, message);
        for &id in ids {
            diagnostic.related.push(Related {
                place: ItemSpan {
                    item: Some(id),
                    span: Span::default(),
                },
                message: "one definition is here".to_owned(),
            });
        }
        diagnostic.help =
            Some("rename one of the definitions, or define the name in this file".into());
    }

    pub(in crate::infer) fn report_holes(&mut self) {
        for (term, ty) in std::mem::take(&mut self.holes) {
            let ty = self.table.ty(&ty);
            let message = match &*ty {
                Type::Var(v) if self.table.is_open(*v) => {
                    "a hole: the expected type is not known".to_owned()
                }
                _ => format!(
                    "a hole: an expression of type `{}`{} is expected here",
                    self.show(&ty),
                    self.for_any(&ty)
                ),
            };
            let span = self.span(term);
            self.error(codes::HOLE, span, message);
        }
    }

    pub(in crate::infer) fn undetermined(&mut self, var: Var, term: TermId) {
        let info = self.table.info(var);
        let (name, noun, kind) = (info.name.clone(), kind_noun(info.kind), info.kind);
        let user = self.source(term);
        let is_var = |ty: &Ty| matches!(&*self.table.ty(ty), Type::Var(v) if *v == var);
        let takes_it = self
            .type_of_expr(term)
            .is_some_and(|ty| matches!(&*self.table.ty(ty), Type::Fun(arg, _) if is_var(arg)));
        let (message, help) = match kind {
            _ if takes_it && user != "_" => (
                format!("nothing determines the type of the argument of `{user}`"),
                format!("write the type, as in `{user}((… : f32))`"),
            ),
            Kind::Nat => (
                format!("nothing determines the {noun} `{name}` in the type of `{user}`"),
                "write the type of its argument or result, as in `(… : 4.f32)`".to_owned(),
            ),
            _ => (
                format!("nothing determines the {noun} `{name}` in the type of `{user}`"),
                "write its type, as in `(… : f32)`".to_owned(),
            ),
        };
        let message = match user.as_str() {
            "_" => format!("nothing determines this {noun}"),
            _ => message,
        };
        let span = self.span(term);
        self.error(codes::CANNOT_INFER, span, message).help = Some(help);
    }

    pub(in crate::infer) fn report_no_kind(&mut self, var: Var) {
        let info = self.table.info(var);
        let (span, what) = (info.span, info.classes.describe());
        if self.failed() {
            return;
        }
        let message =
            format!("nothing determines the type of what this works on; possible are {what}");
        self.error(codes::CANNOT_INFER, span, message).help = Some(
            "write the type of a literal, as in `0i32` or `0.0f`, or of a parameter, as in `fun(x: f32 => …)`"
                .into(),
        );
    }

    pub(in crate::infer) fn report_no_address(&mut self, var: Var) {
        let span = self.table.info(var).span;
        let message = "an address space is never inferred";
        self.error(codes::CANNOT_INFER, span, message).help = Some(
            "write the address space, or take it as a parameter: `depFun(a: AddrSp => …)`".into(),
        );
    }
}

/// Returns the fix that writes another word.
pub(in crate::infer) fn replacement(span: Span, near: &str) -> Fix {
    Fix::replace(format!("Replace with `{near}`"), span, near)
}

/// Returns the vector type for its name in other languages, such as `float4` or `f32x4`, with 2 to
/// 16 lanes; `None` for other names.
pub(in crate::infer) fn foreign_vector(name: &str) -> Option<String> {
    let elem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let length: u32 = name[elem.len()..].parse().ok()?;
    let scalar = |name: &str| {
        let own = ScalarType::from_text(name).map(ScalarType::as_str);
        own.or_else(|| foreign_scalar(name))
    };
    let elem = foreign_scalar(elem).or_else(|| scalar(elem.strip_suffix('x')?))?;
    (2..=16)
        .contains(&length)
        .then(|| format!("Vec[{length}, {elem}]"))
}

/// Returns the help for a function of other languages that RISE has under another name or not at
/// all; `None` for other names.
fn of_other_languages(name: &str) -> Option<&'static str> {
    Some(match name {
        "fold" | "foldl" | "foldr" | "foldLeft" | "foldRight" | "inject" => {
            "`reduce` makes one value of the elements if their order does not matter, `reduceSeq` from the first one to the last"
        }
        "scan" | "scanl" | "scanLeft" | "cumsum" | "prefixSum" => {
            "`inclusiveScan` combines each element with all elements before it, `exclusiveScan` those before it"
        }
        "filter" => {
            "there is no `filter`: sizes of arrays are known before their elements are; `select` puts another value in the place of an element"
        }
        "clamp" | "clip" => "write `min(max(x)(low))(high)`",
        "average" | "avg" => "write `mean(xs)`",
        "std" | "stddev" | "stdev" | "variance" => {
            "divide the sum of the squares of the differences from `mean(xs)` by the number of elements; `sqrt` computes a root"
        }
        _ => return None,
    })
}
