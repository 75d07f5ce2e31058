//! Matches values against the patterns of `match`, and evaluates constructors of terms, such as
//! `app(f, x)`.

use syntax::ast::Literal;
use syntax::elevate::ast::{Arg, ExprId, Node as Form, PatternId, PatternKind};

use super::{Eval, EvalError, EvalResult, Expr, Scope, Value};
use crate::lang::check::{BinderKey, Target};
use crate::term::{Node, Term};

/// The scope extended by the bindings of a pattern, if it matches.
type Matched = Result<Option<Scope>, EvalError>;

impl Eval<'_, '_> {
    pub(super) fn matches(&mut self, id: PatternId, value: &Value, scope: &Scope) -> Matched {
        let definition = self.definition.clone();
        let pattern = definition.item.pattern(id);
        let holds = |holds: bool| Ok(holds.then(|| scope.clone()));
        match (&pattern.kind, value) {
            (PatternKind::Wildcard, _) => holds(true),
            (PatternKind::Name(name), Value::Expr(expr)) => match self.named_node(pattern.span) {
                Some(target) => {
                    let term = self.term(expr)?;
                    holds(self.is_named(term, target))
                }
                None => Ok(Some(self.bind_name(id, name, value, scope))),
            },
            (PatternKind::Name(name), _) => Ok(Some(self.bind_name(id, name, value, scope))),
            (PatternKind::Literal(literal), Value::Expr(expr)) => {
                let term = self.term(expr)?;
                holds(self.is_literal(term, literal))
            }
            (PatternKind::Literal(Literal::Int { value: wanted, .. }), _) => {
                holds(value.int().map(i128::from) == Some(*wanted))
            }
            (PatternKind::Literal(Literal::Bool(wanted)), Value::Bool(bool)) => {
                holds(bool == wanted)
            }
            (PatternKind::String(wanted), Value::String(text)) => holds(**text == **wanted),
            (PatternKind::List(members), Value::List(list)) => {
                let elements = list.elements();
                if members.len() != elements.len() {
                    return Ok(None);
                }
                let mut scope = scope.clone();
                for (&member, element) in members.iter().zip(elements) {
                    match self.matches(member, element, &scope)? {
                        Some(inner) => scope = inner,
                        None => return Ok(None),
                    }
                }
                Ok(Some(scope))
            }
            (PatternKind::Cons(head, tail), Value::List(list)) => {
                let Some(first) = list.elements().first() else {
                    return Ok(None);
                };
                match self.matches(*head, first, scope)? {
                    Some(inner) => self.matches(*tail, &Value::List(list.tail()), &inner),
                    None => Ok(None),
                }
            }
            (PatternKind::Success(inner), Value::Result(Ok(program))) => {
                self.matches(*inner, &Value::Expr(program.clone()), scope)
            }
            (PatternKind::Failure(inner), Value::Result(Err(strategy))) => {
                self.matches(*inner, &Value::Strategy(strategy.clone()), scope)
            }
            (PatternKind::Node(form, parts), Value::Expr(expr)) => {
                let term = self.term(expr)?;
                self.node_matches(*form, parts, term, scope)
            }
            (PatternKind::Term(_), Value::Expr(expr)) => {
                let term = self.term(expr)?;
                self.term_matches(id, term, scope)
            }
            _ => Ok(None),
        }
    }

    fn bind_name(&self, id: PatternId, name: &str, value: &Value, scope: &Scope) -> Scope {
        match name {
            "_" => scope.clone(),
            _ => value.clone().bound(BinderKey::Pattern(id), scope),
        }
    }

    /// Returns the RISE definition or primitive that a pattern name at this span refers to; `None`
    /// if it refers to none.
    fn named_node(&self, span: syntax::Span) -> Option<Target> {
        let used = self.definition.checked.uses.iter();
        let mut used = used.filter(|used| used.span == span);
        let target = used.next()?.target;
        matches!(target, Target::Program(_) | Target::Primitive(_)).then_some(target)
    }

    fn is_named(&self, term: Term, target: Target) -> bool {
        let Some(context) = &self.context else {
            return false;
        };
        match (context.store.node(term), target) {
            (Node::Primitive(found, _), Target::Primitive(wanted)) => found == wanted,
            (Node::Global(found, _), Target::Program(wanted)) => found == wanted,
            _ => false,
        }
    }

    fn is_literal(&self, term: Term, wanted: &Literal) -> bool {
        let Some(context) = &self.context else {
            return false;
        };
        match context.store.node(term) {
            Node::Literal(found) => same_literal(context.store.literal_of(found), wanted),
            _ => false,
        }
    }

    fn node_matches(
        &mut self,
        form: Form,
        parts: &[PatternId],
        term: Term,
        scope: &Scope,
    ) -> Matched {
        let Some(context) = self.context.as_mut() else {
            return Ok(None);
        };
        let expr = |term| Value::Expr(Expr::Term(term));
        let values = match (form, context.store.node(term)) {
            (Form::App, Node::Apply(f, x)) => vec![expr(f), expr(x)],
            (Form::Fun, Node::Lambda(local, body)) => {
                vec![expr(context.store.var(local)), expr(body)]
            }
            (Form::DepApp, Node::DepApply(f, arg)) => {
                vec![expr(f), level(context.store.arg(arg))]
            }
            (Form::DepFun, Node::DepLambda(var, kind, _, body)) => {
                vec![level(&rise::types::var_arg(var, kind)), expr(body)]
            }
            (Form::Lit, Node::Literal(_) | Node::Nat(_)) | (Form::Prim, Node::Primitive(..)) => {
                vec![expr(term)]
            }
            _ => return Ok(None),
        };
        let mut scope = scope.clone();
        for (&part, value) in parts.iter().zip(&values) {
            match self.matches(part, value, &scope)? {
                Some(inner) => scope = inner,
                None => return Ok(None),
            }
        }
        Ok(Some(scope))
    }

    /// Evaluates a constructor of a term: `app(f, x)`, `fun(x, b)` or `depapp(f, n)`. The value of
    /// `lit(e)` and `prim(e)` is that of `e`.
    pub(super) fn node(
        &mut self,
        id: ExprId,
        form: Form,
        args: &[Arg],
        scope: &Scope,
    ) -> EvalResult {
        let mut values = Vec::new();
        for arg in args {
            values.push(self.expr(arg.value, scope)?);
        }
        let term_of = |eval: &mut Self, value: &Value| match value {
            Value::Expr(expr) => eval.term(expr),
            _ => Err(EvalError::new(
                "expected an expression of RISE, found another value",
            )),
        };
        let first = match values.first() {
            Some(Value::Expr(expr)) => {
                let expr = expr.clone();
                self.term(&expr)?
            }
            _ if form == Form::DepFun => {
                return self.error(id, "`depfun` can be used in patterns only");
            }
            _ => return self.error(id, "expected an expression of RISE, found another value"),
        };
        let second = match (form, values.get(1)) {
            (Form::App | Form::Fun, Some(value)) => Some(term_of(self, value)?),
            _ => None,
        };
        let Some(context) = self.context.as_mut() else {
            return self.error(
                id,
                "a term can only be built while a strategy runs on a program",
            );
        };
        let store = &mut *context.store;
        let made = match (form, second) {
            (Form::App, Some(argument)) => {
                let takes = store.fun_parts(store.ty(first)).map(|(from, _)| from);
                match takes {
                    Some(takes) if store.same_type(takes, store.ty(argument)) => {
                        store.apply(first, argument)
                    }
                    _ => {
                        return self.error(
                            id,
                            "the argument does not have the type that the function takes",
                        );
                    }
                }
            }
            (Form::Fun, Some(body)) => match store.node(first) {
                Node::Var(local) => store.lambda(local, body),
                _ => return self.error(id, "the first argument of `fun` must be a variable"),
            },
            (Form::DepApp, _) => match (values.get(1), store.type_of(first).as_ref()) {
                (Some(value), rise::Type::Pi(_)) => match level_arg(value) {
                    Some(arg) => {
                        let arg = store.intern_arg(&arg);
                        store.dep_apply(first, arg)
                    }
                    None => {
                        return self.error(
                            id,
                            "expected a size, a type or an address space, found another value",
                        );
                    }
                },
                _ => return self.error(id, "this function takes no size, type or address space"),
            },
            (Form::Lit | Form::Prim, _) => first,
            _ => return self.error(id, "an argument is missing"),
        };
        Ok(Value::Expr(Expr::Term(made)))
    }
}

/// Converts a size, type or address space to a value. Other type-level arguments become the text `a
/// function of sizes`.
pub(super) fn level(arg: &rise::Arg) -> Value {
    match arg {
        rise::Arg::Nat(nat) => Value::Nat(nat.clone()),
        rise::Arg::Type(ty) => Value::Type(ty.clone()),
        rise::Arg::Address(address) => Value::Address(*address),
        _ => Value::String("a function of sizes".into()),
    }
}

fn level_arg(value: &Value) -> Option<rise::Arg> {
    Some(match value {
        Value::Type(ty) => rise::Arg::Type(ty.clone()),
        Value::Address(address) => rise::Arg::Address(*address),
        value => rise::Arg::Nat(value.nat()?),
    })
}

/// Returns true if a literal matches one of a pattern. Numbers are compared by value, and an
/// integer is not equal to a floating-point number. A suffix in the pattern must be the same.
fn same_literal(found: &Literal, wanted: &Literal) -> bool {
    match (found, wanted) {
        (
            Literal::Int { value, suffix },
            Literal::Int {
                value: other,
                suffix: written,
            },
        ) => value == other && (written.is_none() || suffix == written),
        (
            Literal::Float { text, suffix },
            Literal::Float {
                text: other,
                suffix: written,
            },
        ) => {
            let same = text.parse::<f64>().ok() == other.parse::<f64>().ok();
            same && (written.is_none() || suffix == written)
        }
        _ => found == wanted,
    }
}
