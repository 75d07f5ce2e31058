//! Traversal of the syntax tree of an item of a program: parents, enclosing terms, scopes, heads of
//! calls, and stages of pipelines.

use syntax::Span;
use syntax::ast::{BinaryOp, BinderAnnotation, BinderId, Item, ItemKind, TermId, TermKind};

/// The parent of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parent {
    /// The item itself; also for a term that is not reachable.
    Item,
    /// Another term, directly.
    Term(TermId),
    /// The type annotation of a binder.
    Annotation(BinderId),
}

/// The parents of all terms and binders of an item.
pub(crate) struct Parents {
    terms: Vec<Parent>,
    binders: Vec<Option<TermId>>,
}

impl Parents {
    pub(crate) fn of(item: &Item) -> Parents {
        let mut parents = Parents {
            terms: vec![Parent::Item; item.terms.len()],
            binders: vec![None; item.binders.len()],
        };
        for id in (0..item.terms.len() as u32).map(TermId) {
            item.children(id, |child| {
                parents.terms[child.0 as usize] = Parent::Term(id)
            });
            for binder in binders_of(item, id) {
                for part in item.with_parts(binder) {
                    parents.binders[part.0 as usize] = Some(id);
                }
            }
        }
        for (index, binder) in item.binders.iter().enumerate() {
            if let BinderAnnotation::Type(ty) = binder.annotation {
                parents.terms[ty.0 as usize] = Parent::Annotation(BinderId(index as u32));
            }
        }
        parents
    }

    pub(crate) fn parent(&self, term: TermId) -> Parent {
        self.terms[term.0 as usize]
    }

    /// Returns the term directly around `term`; for the annotation of a binder, the term that binds
    /// it. Returns `None` if `term` is in no other term.
    pub(crate) fn up(&self, term: TermId) -> Option<TermId> {
        match self.parent(term) {
            Parent::Item => None,
            Parent::Term(parent) => Some(parent),
            Parent::Annotation(binder) => self.owner(binder),
        }
    }

    /// Returns the term that binds `binder`; `None` for a parameter of a foreign function.
    pub(crate) fn owner(&self, binder: BinderId) -> Option<TermId> {
        self.binders[binder.0 as usize]
    }

    /// Returns `term` and all enclosing terms, innermost first.
    pub(crate) fn path(&self, term: TermId) -> impl Iterator<Item = TermId> + '_ {
        std::iter::successors(Some(term), |id| self.up(*id))
    }
}

/// Returns the shortest term that touches `offset`. Of equally long ones, a name is preferred, then
/// a term that contains the byte after the cursor, then the first in the list of the item's terms.
/// Terms that correspond to no text of their own are left out.
pub(crate) fn innermost(item: &Item, offset: u32) -> Option<TermId> {
    let implied = item.implied_terms();
    item.terms
        .iter()
        .enumerate()
        .filter(|(_, term)| term.span.touches(offset))
        .filter(|(index, _)| !implied.contains(&TermId(*index as u32)))
        .min_by_key(|(_, term)| {
            let word = matches!(term.kind, TermKind::Name(_));
            let holds = term.span.start <= offset && offset < term.span.end;
            (term.span.len(), !word, !holds)
        })
        .map(|(index, _)| TermId(index as u32))
}

/// Returns the first binder whose name touches `offset`.
pub(crate) fn binder_at(item: &Item, offset: u32) -> Option<BinderId> {
    item.binders
        .iter()
        .position(|binder| !binder.name.is_empty() && binder.span.touches(offset))
        .map(|index| BinderId(index as u32))
}

/// The binders in scope at a place, innermost first; of several with one name the first shadows the
/// others.
pub(crate) struct Scope {
    pub(crate) binders: Vec<BinderId>,
}

impl Scope {
    /// Returns the scope at the term `at`, without the binders of that term itself.
    pub(crate) fn at_term(item: &Item, parents: &Parents, at: TermId) -> Scope {
        let mut binders = Vec::new();
        let mut top = at;
        loop {
            match parents.parent(top) {
                Parent::Item => break,
                Parent::Term(owner) => {
                    match item.term(owner).kind {
                        TermKind::Where { ty, .. } if ty != top => {
                            type_binders(item, ty, &mut binders);
                        }
                        TermKind::Local { ty, function, .. } if function == top => {
                            type_binders(item, ty, &mut binders);
                        }
                        _ if scope_body(item, owner) == Some(top) => {
                            bound_in_body(item, owner, &mut binders);
                        }
                        _ => {}
                    }
                    top = owner;
                }
                Parent::Annotation(binder) => {
                    let Some(owner) = parents.owner(binder) else {
                        break;
                    };
                    bound_before(item, owner, binder, &mut binders);
                    top = owner;
                }
            }
        }
        if let ItemKind::Def {
            ty: Some(ty), body, ..
        } = &item.kind
            && *body == top
        {
            let bound = binders.len();
            type_binders(item, *ty, &mut binders);
            // A parameter with a kind left of `=` is a binder of the type and of the body.
            let of_type = binders.split_off(bound);
            let is_new = |binder: &BinderId| !binders.contains(binder);
            let of_type: Vec<BinderId> = of_type.into_iter().filter(is_new).collect();
            binders.extend(of_type);
        }
        Scope { binders }
    }

    pub(crate) fn get(&self, item: &Item, name: &str) -> Option<BinderId> {
        self.binders
            .iter()
            .copied()
            .find(|id| item.binder(*id).name == name)
    }
}

/// Returns the part of `term` in which the names that it binds are in scope; `None` if it binds
/// none.
pub(crate) fn scope_body(item: &Item, term: TermId) -> Option<TermId> {
    match &item.term(term).kind {
        TermKind::Fun { body, .. }
        | TermKind::DepFun { body, .. }
        | TermKind::Let { body, .. }
        | TermKind::Local { body, .. }
        | TermKind::LetSize { body, .. }
        | TermKind::NatFun { body, .. }
        | TermKind::DataFun { body, .. }
        | TermKind::DepPair { body, .. }
        | TermKind::Pi { body, .. } => Some(*body),
        _ => None,
    }
}

/// Returns the binders of a term, in the order of the text.
pub(crate) fn binders_of(item: &Item, term: TermId) -> Vec<BinderId> {
    match &item.term(term).kind {
        TermKind::Fun { params, .. } | TermKind::DepFun { params, .. } => params.to_vec(),
        TermKind::LetSize { size, binder, .. } => [*size].into_iter().chain(*binder).collect(),
        TermKind::Let { binder: param, .. }
        | TermKind::Local { binder: param, .. }
        | TermKind::NatFun { param, .. }
        | TermKind::DataFun { param, .. }
        | TermKind::DepPair { param, .. }
        | TermKind::Pi { param, .. } => vec![*param],
        _ => Vec::new(),
    }
}

/// Adds the names that `term` binds in its body, innermost first.
pub(crate) fn bound_in_body(item: &Item, term: TermId, out: &mut Vec<BinderId>) {
    names_of(item, &binders_of(item, term), out);
}

/// Adds the names that the binders bind, also in patterns, last first.
fn names_of(item: &Item, binders: &[BinderId], out: &mut Vec<BinderId>) {
    for &binder in binders.iter().rev() {
        match item.binder(binder).parts {
            Some(_) => out.extend(item.bound_names(binder).into_iter().rev()),
            None => out.push(binder),
        }
    }
}

/// Adds the binders of the function `owner` before `binder`, which are in scope in the annotation
/// of `binder`, innermost first.
fn bound_before(item: &Item, owner: TermId, binder: BinderId, out: &mut Vec<BinderId>) {
    if let TermKind::Fun { params, .. } | TermKind::DepFun { params, .. } = &item.term(owner).kind {
        let before = params
            .iter()
            .position(|param| *param == binder || item.with_parts(*param).contains(&binder))
            .unwrap_or(0);
        names_of(item, &params[..before], out);
    }
}

/// Adds the names that the type annotation of a definition binds for its body: those of its
/// `(n: kind) ->` and `{n: kind} ->`, also behind parameters that are values, innermost first.
pub(crate) fn type_binders(item: &Item, mut ty: TermId, out: &mut Vec<BinderId>) {
    let mut found = Vec::new();
    loop {
        match &item.term(ty).kind {
            TermKind::Pi { param, body, .. } => {
                found.push(*param);
                ty = *body;
            }
            TermKind::Arrow(_, result) => ty = *result,
            TermKind::Paren(inner) | TermKind::Where { ty: inner, .. } => ty = *inner,
            _ => break,
        }
    }
    out.extend(found.into_iter().rev());
}

/// Returns the head of `f`, `f(a)` or `f(a)(b)`, without parentheses.
pub(crate) fn callee(item: &Item, mut term: TermId) -> TermId {
    loop {
        match &item.term(term).kind {
            TermKind::Apply { callee, .. } => term = *callee,
            TermKind::Paren(inner) => term = *inner,
            _ => return term,
        }
    }
}

/// Removes the parentheses around a term.
pub(crate) fn unparen(item: &Item, mut term: TermId) -> TermId {
    while let TermKind::Paren(inner) = &item.term(term).kind {
        term = *inner;
    }
    term
}

/// A stage of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stage {
    /// The term of the stage in the source text: the first operand, or the right operand of a `|>`.
    pub(crate) written: TermId,
    /// The term whose value is the stage's result.
    pub(crate) result: TermId,
}

/// Returns the stages of the pipeline that ends with the `|>` at `last`, first to last. If `last`
/// is another term, it is the only stage.
pub(crate) fn stages(item: &Item, last: TermId) -> Vec<Stage> {
    let mut stages = Vec::new();
    let mut at = last;
    loop {
        match &item.term(at).kind {
            TermKind::Binary {
                op: BinaryOp::Pipe,
                lhs,
                rhs,
                ..
            } => {
                stages.push(Stage {
                    written: *rhs,
                    result: at,
                });
                at = *lhs;
            }
            _ => {
                stages.push(Stage {
                    written: at,
                    result: at,
                });
                break;
            }
        }
    }
    stages.reverse();
    stages
}

/// Returns the `|>` that ends the pipeline of which `term` is a stage or a `|>`; `None` if it is
/// neither.
pub(crate) fn pipeline_of(item: &Item, parents: &Parents, mut term: TermId) -> Option<TermId> {
    let is_pipe = |id: TermId| {
        matches!(
            item.term(id).kind,
            TermKind::Binary {
                op: BinaryOp::Pipe,
                ..
            }
        )
    };
    let mut found = is_pipe(term).then_some(term);
    while let Parent::Term(parent) = parents.parent(term) {
        // The right operand of a `|>` is a stage; a pipeline inside of it is separate.
        if !is_pipe(parent) || (found.is_some() && is_right(item, parent, term)) {
            break;
        }
        found = Some(parent);
        term = parent;
    }
    found
}

fn is_right(item: &Item, parent: TermId, child: TermId) -> bool {
    matches!(item.term(parent).kind, TermKind::Binary { rhs, .. } if rhs == child)
}

/// Returns the stage of a pipeline that `name` is the head of, such as `map` in `… |> map(f)` and
/// `zip` in `zip(a)(b) |> …`; `None` if it is the head of none.
pub(crate) fn stage_of(item: &Item, parents: &Parents, name: TermId) -> Option<Stage> {
    let mut term = name;
    loop {
        let Parent::Term(parent) = parents.parent(term) else {
            return None;
        };
        match &item.term(parent).kind {
            TermKind::Apply { callee, .. } if *callee == term => term = parent,
            TermKind::Paren(_) => term = parent,
            TermKind::Binary {
                op: BinaryOp::Pipe,
                lhs,
                rhs,
                ..
            } => {
                return if *rhs == term {
                    Some(Stage {
                        written: term,
                        result: parent,
                    })
                } else if *lhs == term {
                    Some(Stage {
                        written: term,
                        result: term,
                    })
                } else {
                    None
                };
            }
            _ => return None,
        }
    }
}

/// Returns the end of a term's binders with their annotations, or of the value of a `let`: what
/// comes after it is in the body. Returns the start of a term that binds nothing.
pub(crate) fn params_end(item: &Item, term: TermId) -> u32 {
    // The span of a pattern includes the annotations in it.
    let end_of = |binder: BinderId| match item.binder(binder).annotation {
        BinderAnnotation::None => item.binder(binder).span.end,
        BinderAnnotation::Type(ty) => item.term(ty).span.end,
        BinderAnnotation::Kind(_, span) => span.end.max(item.binder(binder).span.end),
    };
    let whole: Span = item.term(term).span;
    match &item.term(term).kind {
        TermKind::Fun { params, .. } | TermKind::DepFun { params, .. } => params
            .iter()
            .map(|param| end_of(*param))
            .max()
            .unwrap_or(whole.start),
        TermKind::NatFun { param, .. }
        | TermKind::DataFun { param, .. }
        | TermKind::DepPair { param, .. }
        | TermKind::Pi { param, .. } => end_of(*param),
        TermKind::Let { value, .. } | TermKind::LetSize { value, .. } => item.term(*value).span.end,
        TermKind::Local { head, .. } => item.term(head.value).span.end,
        _ => whole.start,
    }
}
