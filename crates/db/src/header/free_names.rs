//! The free names of an item of a program.

use syntax::ast::{BinderAnnotation, BinderId, Item, ItemKind, Name, TermId, TermKind};

/// Returns the free names of the item, sorted, without duplicates.
///
/// Every name that inference can look up must be among them: the order of evaluation depends on
/// that.
pub(super) fn free_names(item: &Item) -> Box<[Name]> {
    let mut walk = Walk {
        item,
        bound: Vec::new(),
        free: Vec::new(),
        todo: Vec::new(),
    };
    match &item.kind {
        ItemKind::Def { ty, body, .. } => {
            walk.reserved_names(&[*body]);
            walk.todo.push(Step::Term(*body));
            if let Some(ty) = *ty {
                walk.todo
                    .extend(spine(item, ty).into_iter().rev().map(Step::Bind));
                walk.todo.push(Step::Term(ty));
            }
        }
        ItemKind::Foreign { params, result, .. } => {
            walk.todo.push(Step::Term(*result));
            params.iter().for_each(|&param| walk.annotation(param));
        }
        ItemKind::Import { .. } | ItemKind::Stray => {}
    }
    walk.run();
    walk.free.sort_unstable();
    walk.free.dedup();
    walk.free.into_boxed_slice()
}

/// Returns the binders of a type, such as `(n: Nat) -> …`, that are in scope in what follows it:
/// the body of the definition that it annotates, or the conditions of its `where`. Names that may
/// be implicit parameters are not among them: whether they are depends on the names in scope.
fn spine(item: &Item, mut ty: TermId) -> Vec<BinderId> {
    let mut binders = Vec::new();
    loop {
        ty = match &item.term(ty).kind {
            TermKind::Pi { param, body, .. } => {
                binders.extend(Some(*param).filter(|&param| !item.may_be_implicit(param)));
                *body
            }
            TermKind::Arrow(_, to) => *to,
            TermKind::Paren(inner) | TermKind::Where { ty: inner, .. } => *inner,
            _ => return binders,
        };
    }
}

enum Step {
    Term(TermId),
    Bind(BinderId),
    /// Ends the scopes of the latest binders, as many as given.
    Unbind(usize),
}

struct Walk<'a> {
    item: &'a Item,
    bound: Vec<&'a Name>,
    free: Vec<Name>,
    /// A work list instead of recursion, because terms can be deeply nested.
    todo: Vec<Step>,
}

impl<'a> Walk<'a> {
    fn run(&mut self) {
        while let Some(step) = self.todo.pop() {
            match step {
                Step::Term(term) => self.term(term),
                Step::Bind(binder) => self.bound.push(&self.item.binder(binder).name),
                Step::Unbind(count) => self.bound.truncate(self.bound.len() - count),
            }
        }
    }

    fn term(&mut self, id: TermId) {
        match &self.item.term(id).kind {
            TermKind::Name(name) => {
                if !self.bound.contains(&name) {
                    self.free.push(name.clone());
                }
            }
            TermKind::Apply { callee, args } => {
                self.reserved_names(args);
                self.reserved_names(&[*callee]);
                self.children(id);
            }
            TermKind::Binary { lhs, rhs, .. } => {
                self.reserved_names(&[*lhs, *rhs]);
                self.children(id);
            }
            TermKind::Fun { params, body, .. } | TermKind::DepFun { params, body } => {
                self.reserved_names(&[*body]);
                self.scope(params, *body);
            }
            TermKind::Let {
                binder,
                value,
                body,
            } => {
                self.reserved_names(&[*value, *body]);
                self.scope(&[*binder], *body);
                self.todo.push(Step::Term(*value));
            }
            TermKind::Local {
                binder,
                ty,
                function,
                body,
                ..
            } => {
                self.scope(&[*binder], *body);
                let binders = spine(self.item, *ty);
                self.todo.push(Step::Unbind(binders.len()));
                self.todo.push(Step::Term(*function));
                self.todo.extend(binders.into_iter().rev().map(Step::Bind));
                self.todo.push(Step::Term(*ty));
            }
            TermKind::LetSize {
                size,
                binder,
                value,
                body,
            } => {
                self.reserved_names(&[*value, *body]);
                let all: Vec<BinderId> = [*size].into_iter().chain(*binder).collect();
                self.scope(&all, *body);
                self.todo.push(Step::Term(*value));
            }
            TermKind::Pi { param, body, .. } if self.item.may_be_implicit(*param) => {
                self.todo.push(Step::Term(*body));
            }
            TermKind::NatFun { param, body }
            | TermKind::DataFun { param, body }
            | TermKind::DepPair { param, body }
            | TermKind::Pi { param, body, .. } => self.scope(&[*param], *body),
            TermKind::Where { ty, conditions } => {
                let binders = spine(self.item, *ty);
                self.todo.push(Step::Unbind(binders.len()));
                self.todo
                    .extend(conditions.iter().map(|&term| Step::Term(term)));
                self.todo.extend(binders.into_iter().rev().map(Step::Bind));
                self.todo.push(Step::Term(*ty));
            }
            _ => self.children(id),
        }
    }

    fn children(&mut self, id: TermId) {
        let todo = &mut self.todo;
        self.item.children(id, |child| todo.push(Step::Term(child)));
    }

    /// Records those of these terms, which are expressions, that are the name of a scalar type: a
    /// definition may have such a name, by mistake.
    fn reserved_names(&mut self, terms: &[TermId]) {
        for &term in terms {
            if let TermKind::Scalar(scalar) = self.item.term(term).kind {
                self.free.push(Name::new_static(scalar.as_str()));
            }
        }
    }

    /// Adds to the work list the binders, in order, with their annotations, and the term in which
    /// they are in scope.
    fn scope(&mut self, params: &[BinderId], body: TermId) {
        let item = self.item;
        let unbind = self.todo.len();
        self.todo.push(Step::Unbind(params.len()));
        self.todo.push(Step::Term(body));
        let mut in_patterns = 0;
        for &param in params.iter().rev() {
            if item.binder(param).parts.is_some() {
                for part in item.with_parts(param).into_iter().skip(1) {
                    self.todo.push(Step::Bind(part));
                    self.annotation(part);
                    in_patterns += 1;
                }
            }
            self.todo.push(Step::Bind(param));
            self.annotation(param);
        }
        self.todo[unbind] = Step::Unbind(params.len() + in_patterns);
    }

    fn annotation(&mut self, binder: BinderId) {
        if let BinderAnnotation::Type(ty) = self.item.binder(binder).annotation {
            self.todo.push(Step::Term(ty));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free(text: &str) -> String {
        free_names(&syntax::parse(text).item).join(" ")
    }

    #[test]
    fn binders_bind_their_bodies_only() {
        assert_eq!(free("def f = fun(x, y => g(x, y, z))"), "g z");
        assert_eq!(free("def f = let x = x in x"), "x");
        assert_eq!(
            free(
                "def f((a, b): t, _): u = let (c, (d, e: n.f32)) = a in fun((g, b), (h) => c(b, g, h, k))"
            ),
            "k n t u"
        );
        assert_eq!(free("def f = (fun(x => x))(x)"), "x");
        assert_eq!(
            free("def f(n: Nat) = let g(x: n.m.f32): n.f32 = g(n, m, x) in g(x)"),
            "g m x"
        );
        assert_eq!(
            free("def f = depFun(n: Nat => fun(xs: n.f32 => xs |> split(n) |> h))"),
            "h split"
        );
    }

    #[test]
    fn the_written_type_binds_in_the_body() {
        assert_eq!(
            free("def f : (n: Nat) -> {t: Num} -> n.t -> t = fun(xs => g(n)(xs))"),
            "g"
        );
        assert_eq!(free("def f : m.f32 -> (n: Nat) -> n.f32 = h(n)"), "h m");
    }

    #[test]
    fn parameters_left_of_the_body_bind_in_it() {
        assert_eq!(
            free("def f(n: Nat)(xs: n.f32, y){m: Nat}(zs: m.f32): n.f32 = g(n, m, xs, y)"),
            "g"
        );
    }

    #[test]
    fn names_of_implicit_parameters_are_free() {
        assert_eq!(free("def f(xs: n.t): n.t = g(n)(xs)"), "g n t");
    }

    #[test]
    fn words_for_types_are_names_in_the_places_of_values() {
        assert_eq!(
            free("def g = fun(x: f64 => map(f16)(f32(x)))"),
            "f16 f32 map"
        );
        assert_eq!(free("def g = fun(x: f64 => f16)"), "f16");
        assert_eq!(free("def g : f64 -> f64 = fun(x: f64 => x)"), "");
    }

    #[test]
    fn foreign_functions_mention_what_is_in_their_types() {
        assert_eq!(free("foreign def f(x: n.f32, y: f32): m.f32"), "m n");
    }
}
