//! Resolves names in expressions.

use rise::codes;
use std::sync::Arc;
use syntax::ast::{Ident, Name};
use syntax::elevate::ast::ExprId;

use super::{Infer, Meaning, Resolution, Target};
use crate::lang::types::{Ty, Type};

/// The result of resolving a name among the definitions of strategies.
pub(super) enum StrategyResolution {
    /// A definition, with its type instantiated for this use.
    Item(syntax::GlobalId, Ty),
    /// A definition with an error, which has been reported, or an ambiguous name.
    Broken,
    /// No definition.
    Unknown,
}

/// The address spaces, which are not names but words of their own.
const ADDRESS_SPACES: [&str; 4] = ["Global", "Local", "Private", "Constant"];

impl Infer<'_> {
    /// Infers the type of a name. The optional parameters of a `callee` are kept; elsewhere they
    /// may take their defaults.
    pub(super) fn name(
        &mut self,
        id: ExprId,
        name: &Name,
        wanted: Option<&Ty>,
        callee: bool,
    ) -> Ty {
        let span = self.span(id);
        if let Some(local) = self.lookup(name).cloned() {
            self.used(span, Target::Local(local.span));
            self.meanings.insert(id, Meaning::Local(local.key));
            return local.ty;
        }
        if self.wants_rise(wanted) && !self.is_value_of_rise(name) {
            self.quote(id, span);
            return Arc::new(Type::Expr);
        }
        match self.strategy_named(name, ident_of(name, span)) {
            StrategyResolution::Item(item, ty) => {
                self.used(span, Target::Item(item));
                let (ty, defaults) = match callee {
                    true => (ty, false),
                    false => self.without_optional(ty, wanted),
                };
                self.meanings
                    .insert(id, Meaning::Item { id: item, defaults });
                ty
            }
            StrategyResolution::Broken => Arc::new(Type::Error),
            StrategyResolution::Unknown if self.wants_strings(wanted) => {
                let wanted = wanted.map_or_else(String::new, |wanted| self.text(wanted));
                self.unquoted(name, span, &wanted);
                Arc::new(Type::Error)
            }
            StrategyResolution::Unknown if self.rise_knows(name) || self.is_fresh(name) => {
                self.quote(id, span);
                Arc::new(Type::Expr)
            }
            StrategyResolution::Unknown => {
                self.unknown_name(name, span);
                Arc::new(Type::Error)
            }
        }
    }

    /// Resolves a name among strategies.
    pub(super) fn strategy_named(&mut self, name: &Name, at: Ident) -> StrategyResolution {
        match self.env.resolve(name) {
            Resolution::Item(item, signature) => {
                let own = self.own.as_ref().filter(|(own, _)| own == name);
                let ty = match own {
                    Some((_, ty)) => ty.clone(),
                    None => self.table.instantiate(&signature.scheme),
                };
                StrategyResolution::Item(item, ty)
            }
            Resolution::Broken(_) => StrategyResolution::Broken,
            Resolution::Ambiguous(items) => {
                self.ambiguous(&at, &items);
                StrategyResolution::Broken
            }
            Resolution::Unknown => StrategyResolution::Unknown,
        }
    }

    /// Returns true if the name refers to a definition in strategies, and either the value of this
    /// definition is a RISE expression or RISE does not know the name.
    fn is_value_of_rise(&self, name: &Name) -> bool {
        let Resolution::Item(_, signature) = self.env.resolve(name) else {
            return false;
        };
        // A name that is unknown to RISE refers to the strategy, so that the message is about
        // types.
        matches!(&*signature.scheme.ty, Type::Expr) || !self.rise_knows(name)
    }

    /// Returns true if the item creates a RISE variable of this name, because some `fun` in it
    /// binds the name.
    pub(super) fn is_fresh(&self, name: &str) -> bool {
        self.fresh.iter().any(|(fresh, _)| fresh == name)
    }

    /// Applies a definition without parentheses to the defaults of its first parameter list, if all
    /// of these parameters are optional and the context does not require a function of such a
    /// parameter. The flag of the result is true if the defaults are applied.
    fn without_optional(&mut self, ty: Ty, wanted: Option<&Ty>) -> (Ty, bool) {
        let shallow = self.table.shallow(&ty);
        let Type::Fun(params, result) = &*shallow else {
            return (ty, false);
        };
        if params.iter().any(|param| !param.optional) {
            return (ty, false);
        }
        if let Some(wanted) = wanted.map(|ty| self.table.shallow(ty))
            && let Type::Fun(list, _) = &*wanted
        {
            let (given, takes) = (
                self.table.shallow(&list[0].ty),
                self.table.shallow(&params[0].ty),
            );
            let same = std::mem::discriminant(&*given) == std::mem::discriminant(&*takes);
            let number = matches!(*takes, Type::Nat | Type::Int)
                && (self.table.is_number(&given) || matches!(*given, Type::Nat | Type::Int));
            if same || number {
                return (ty, false);
            }
        }
        (result.clone(), true)
    }

    /// Returns true if the context requires a string or a list of strings.
    fn wants_strings(&self, wanted: Option<&Ty>) -> bool {
        let wanted = wanted.map(|ty| self.table.shallow(ty));
        wanted.is_some_and(|ty| match &*ty {
            Type::String => true,
            Type::List(elem) => *self.table.shallow(elem) == Type::String,
            _ => false,
        })
    }

    /// Reports an unknown name where strings are expected, as in `stored = [x]`.
    fn unquoted(&mut self, name: &Name, span: syntax::Span, wanted: &str) {
        let quoted = match wanted.starts_with("List") {
            true => format!("[\"{name}\"]"),
            false => format!("\"{name}\""),
        };
        let message = format!("expected {wanted}, found the name `{name}`");
        self.error(rise::codes::TYPE_MISMATCH, span, message)
            .advise(
                Some(format!("a string is written in quotes: `{quoted}`")),
                Some(syntax::Fix::write(span, quoted)),
            );
    }

    fn unknown_name(&mut self, name: &Name, span: syntax::Span) {
        if self.unknown.contains(name) {
            return;
        }
        self.unknown.push(name.clone());
        let names = self.env.names();
        let rise = self.env.rise().names();
        let locals = self.scope.iter().map(|local| local.name.as_str());
        let strategies = names.iter().map(Name::as_str);
        let close = ADDRESS_SPACES
            .into_iter()
            .find(|space| space.eq_ignore_ascii_case(name))
            .or_else(|| rise::closest(name, locals.chain(strategies)))
            .or_else(|| rise::closest(name, rise.iter().map(Name::as_str)))
            .map(str::to_owned);
        let message = format!("there is no strategy `{name}`");
        let diagnostic = self.error(codes::UNKNOWN_NAME, span, message);
        match close {
            Some(close) => {
                diagnostic.help = Some(format!("did you mean `{close}`?"));
                let title = format!("Change to `{close}`");
                let fix = syntax::Fix::preferred(title, vec![(span, close)]);
                diagnostic.fixes.push(fix);
            }
            None if ["yes", "no", "on", "off", "True", "False"].contains(&&**name) => {
                diagnostic.help = Some("a value of type Bool is `true` or `false`".into());
            }
            None => {
                diagnostic.help = Some(
                    "define the strategy in this file, or import the file that defines it".into(),
                );
            }
        }
    }

    fn ambiguous(&mut self, at: &Ident, items: &[syntax::GlobalId]) {
        let message = format!("`{}` is defined by several imports", at.name);
        let mut diagnostic = syntax::Diagnostic::error(codes::AMBIGUOUS_IMPORT, at.span, message)
            .help("rename one of the definitions, or define a new name for one in another file, and import that file instead");
        for &item in items {
            let place = syntax::ItemSpan {
                item: Some(item),
                span: syntax::Span::default(),
            };
            diagnostic = diagnostic.related(place, "one definition is here");
        }
        self.diagnostics.push(diagnostic);
    }
}

pub(super) fn ident_of(name: &Name, span: syntax::Span) -> Ident {
    Ident {
        name: name.clone(),
        span,
    }
}
