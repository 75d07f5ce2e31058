//! Updates of a definition's text to a changed term, which keep the user's text where possible.
//!
//! The old term and its text are traversed together with the new term. Where both terms agree, the
//! text is kept. Where they differ, the smallest part that contains the difference gets a new text,
//! and what is moved within it (a function, a whole stage) is copied from the old text, with its
//! comments and its layout. Only terms that occur nowhere in the old text are printed, in the
//! notation of the text around them.

mod call;
pub(crate) mod copied;

use std::ops::Range;

use rise::core::{Def, Form, Language, Local, Param};
use rise::{Arg, Inference, Primitive, Target};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::{BinaryOp, BinderAnnotation, BinderId, Item, Name, TermId, TermKind};
use syntax::{GlobalId, Span};

use super::align::Alignment;
use super::names::{self, Names};
use super::precedence::{self, Level};
use super::terms::{Alpha, Core, Hashes, Mentions, Reducer, head, strip};
use call::{Call, is_called};

/// A definition with its text and its core term.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) text: &'a str,
    /// The syntax tree, without syntax errors.
    pub(crate) item: &'a Item,
    /// The inferred types and the uses of names.
    pub(crate) inference: &'a Inference,
    pub(crate) def: &'a Def<Primitive>,
    /// The core terms of the parts of the text.
    pub(crate) alignment: &'a Alignment,
}

/// The options for updating a definition's text to a changed term.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// True if terms are compared exactly; otherwise β-redexes and η-redexes are equal to what they
    /// reduce to.
    pub(crate) exact: bool,
    /// The places at which new text has type annotations.
    pub(crate) annotations: Annotations,
}

/// The places of new text at which types are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Annotations {
    #[default]
    None,
    /// The parameters of functions, and primitives whose arguments do not determine their types.
    Open,
    /// The parameters of functions, and every application, primitive and named definition.
    All,
}

impl Annotations {
    /// All variants, from the shortest text to the longest.
    pub(crate) const ALL: [Annotations; 3] =
        [Annotations::None, Annotations::Open, Annotations::All];
}

/// A text with its precedence level.
pub(crate) struct Piece {
    pub(crate) text: String,
    pub(crate) level: Level,
}

impl Piece {
    pub(crate) fn new(text: impl Into<String>, level: Level) -> Piece {
        Piece {
            text: text.into(),
            level,
        }
    }

    /// Returns the text for a place that needs this level, in parentheses if necessary.
    pub(crate) fn at(self, needed: Level) -> String {
        match self.level < needed {
            true => format!("({})", self.text),
            false => self.text,
        }
    }
}

/// The replacement of a part of the old text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) span: Span,
    pub(crate) text: String,
}

/// Returns the edits of the definition's text that turn its term into the new one, sorted and not
/// overlapping. Comments in a replaced part are kept before the replacement.
pub(crate) fn restyle(source: Source<'_>, new: &Def<Primitive>, options: Options) -> Vec<Edit> {
    let mut restyle = Restyle::new(source, new, options);
    if let Some(body) = precedence::body(source.item) {
        let mut core = new.body.clone();
        // Abstractions over implicit parameters do not occur in the text.
        while let (Form::DepLambda(_, _, inner), rise::Type::Pi(pi)) = (&core.form, &*core.ty)
            && pi.implicit
            && !matches!(source.item.term(body).kind, TermKind::DepFun { .. })
        {
            core = inner.clone();
        }
        restyle.update(body, &core);
    }
    let mut edits = std::mem::take(&mut restyle.edits);
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    super::comments::keep(source.text, &mut edits);
    edits
}

/// Returns the term under abstractions over implicit parameters, which do not occur in the text.
fn without_implicit(mut core: &Core) -> &Core {
    while let (Form::DepLambda(_, _, inner), rise::Type::Pi(pi)) = (&core.form, &*core.ty)
        && pi.implicit
    {
        core = inner;
    }
    core
}

/// The state of the update of one definition.
pub(super) struct Restyle<'a> {
    pub(super) source: Source<'a>,
    pub(super) item: &'a Item,
    pub(super) options: Options,
    pub(super) vars: &'a rise::Names,
    pub(super) globals: FxHashMap<GlobalId, Name>,
    pub(super) names: Names,
    /// True if the definition passes values to functions with `|>`.
    pub(super) pipes: bool,
    /// The indentation of the current line.
    pub(super) indent: &'a str,
    parents: Vec<Option<TermId>>,
    reducer: Reducer,
    hashes: Hashes,
    /// The parts of the text, by the hash of their terms.
    index: FxHashMap<u64, Vec<TermId>>,
    copied: FxHashSet<TermId>,
    /// The parts that are currently being replaced.
    changing: Vec<TermId>,
    edits: Vec<Edit>,
}

impl<'a> Restyle<'a> {
    fn new(source: Source<'a>, new: &'a Def<Primitive>, options: Options) -> Restyle<'a> {
        let item = source.item;
        let globals = source.def.uses.iter().chain(&*new.uses).cloned().collect();
        let is_pipe = |op| op == BinaryOp::Pipe;
        let pipes = item
            .terms
            .iter()
            .any(|term| matches!(term.kind, TermKind::Binary { op, .. } if is_pipe(op)));
        let mut restyle = Restyle {
            source,
            item,
            options,
            vars: &new.names,
            globals,
            names: Names::default(),
            pipes,
            indent: "",
            parents: item.parents(),
            reducer: Reducer::new(source.def.locals.max(new.locals)),
            hashes: Hashes::default(),
            index: FxHashMap::default(),
            copied: FxHashSet::default(),
            changing: Vec::new(),
            edits: Vec::new(),
        };
        for id in (0..item.terms.len() as u32).map(TermId) {
            let whole = !matches!(item.term(id).kind, TermKind::Paren(_));
            if whole && let Some(core) = source.alignment.core(id) {
                let key = restyle.key(core);
                restyle.index.entry(key).or_default().push(id);
            }
        }
        restyle
    }

    // ----- comparison -----

    /// Returns the form of a term that is compared. Applied compositions are always converted to
    /// pipelines, as in the terms that strategies rewrite.
    pub(super) fn normal(&mut self, core: &Core) -> Core {
        match self.options.exact {
            true => self.hashes.without_compositions(core),
            false => self.reducer.reduce(core),
        }
    }

    fn key(&mut self, core: &Core) -> u64 {
        let core = self.normal(core);
        self.hashes.of(&core)
    }

    /// Returns the pairs of a variable in the text and one in the term, if the part of the text has
    /// this term up to the names of variables.
    fn pairs(&mut self, id: TermId, new: &Core) -> Option<Vec<(Local, Local)>> {
        let old = self.source.alignment.core(id)?.clone();
        if self.key(&old) != self.key(new) {
            return None;
        }
        let retyped = old.ty != new.ty;
        let (old, new) = (self.normal(&old), self.normal(new));
        let mut alpha = Alpha::default();
        let same = alpha.same(&old, &new) && self.annotations_fit(id, retyped, &alpha.retyped);
        same.then_some(alpha.free)
    }

    /// Returns true if a part of the text can be kept for the term: it has this term, and its names
    /// refer to the same variables here.
    pub(super) fn is_unchanged(&mut self, id: TermId, new: &Core) -> bool {
        self.pairs(id, new).is_some_and(|pairs| {
            pairs
                .iter()
                .all(|(old, new)| self.names.means(&old.name, new))
        })
    }

    /// Returns true if a part of the text has this term, up to the names of variables.
    pub(super) fn is_known(&mut self, new: &Core) -> bool {
        let key = self.key(new);
        let Some(candidates) = self.index.get(&key).cloned() else {
            return false;
        };
        candidates
            .into_iter()
            .any(|id| self.pairs(id, new).is_some())
    }

    /// Returns true if a binder of this name around `body` would capture another name that `body`
    /// uses.
    pub(super) fn is_taken(&self, name: &str, own: &Local, body: &Core) -> bool {
        let mentions = Mentions::of(body, self.vars, &self.globals);
        self.taken_by(&mentions, name, own)
    }

    fn taken_by(&self, mentions: &Mentions, name: &str, own: &Local) -> bool {
        let locals = mentions.locals.iter().filter(|local| *local != own);
        mentions.names.iter().any(|known| known == name)
            || locals
                .filter_map(|local| self.names.get(local))
                .any(|known| known == name)
    }

    // ----- traversal of the old text -----

    /// Edits the text of a part so that its term becomes `new`.
    pub(super) fn update(&mut self, id: TermId, new: &Core) {
        let mut new = new;
        while let Form::DepLambda(_, _, inner) = &new.form
            && self.source.inference.leaves_out_dep_fun(id)
        {
            new = inner;
        }
        if self.is_unchanged(id, new) {
            return;
        }
        let item = self.item;
        let done = match &item.term(id).kind {
            TermKind::Paren(inner) => {
                self.update(*inner, new);
                true
            }
            TermKind::Ascribe { term, .. } => {
                let same = self.source.alignment.core(id).map(|old| &old.ty) == Some(&new.ty);
                if same {
                    self.update(*term, new);
                }
                same
            }
            TermKind::Fun { params, body, .. } => self.update_function(id, params, *body, new),
            TermKind::DepFun { params, body } => self.update_dep_function(params, *body, new),
            TermKind::Let {
                binder,
                value,
                body,
            } => self.update_let(*binder, *value, *body, new),
            TermKind::Local { .. } => self.update_local(id, new),
            TermKind::Apply { .. } => self.update_application(id, new),
            TermKind::Binary { op, lhs, rhs, .. } => match op {
                BinaryOp::Pipe | BinaryOp::Then => self.update_chain(id, new),
                BinaryOp::ApplyLeft => self.update_apply_left(*lhs, *rhs, new),
                BinaryOp::After => self.update_after(*lhs, *rhs, new),
                _ => self.update_values(id, &[*lhs, *rhs], new),
            },
            TermKind::Unary { operand, .. } => self.update_values(id, &[*operand], new),
            TermKind::Project { pair, .. } => self.update_values(id, &[*pair], new),
            TermKind::Pair(a, b) => self.update_values(id, &[*a, *b], new),
            _ => false,
        };
        if !done {
            self.replace(id, new);
        }
    }

    /// Replaces the text of a term by the text of `new`, with parentheses where the place needs
    /// them.
    pub(super) fn replace(&mut self, id: TermId, new: &Core) {
        let span = self.item.term(id).span;
        let needed = Level::needed(self.item, self.parents[id.0 as usize], id);
        let piped = self.pipes && !self.is_call(id);
        let pipes = std::mem::replace(&mut self.pipes, piped);
        self.changing.push(id);
        let text = self.text(new, needed, self.indent_at(span.start));
        self.changing.pop();
        self.pipes = pipes;
        self.edit(span, text);
    }

    /// Returns true if a part is a value that is written as a call: `map(f)(xs)`.
    fn is_call(&self, id: TermId) -> bool {
        let core = self.source.alignment.core(id);
        let values = |core: &Core| match head(core).0.form {
            Form::Primitive(p, ..) => matches!(p.notation(), rise::core::Notation::Pipe(_)),
            _ => false,
        };
        matches!(self.item.term(id).kind, TermKind::Apply { .. })
            && core.is_some_and(|core| !super::terms::is_function(&core.ty) && values(core))
    }

    pub(super) fn edit(&mut self, span: Span, text: String) {
        if self.slice(span) != text {
            self.edits.push(Edit { span, text });
        }
    }

    fn update_function(
        &mut self,
        id: TermId,
        params: &[BinderId],
        body: TermId,
        new: &Core,
    ) -> bool {
        // A function that becomes a stage of a composition `f >> g` is copied as a whole. The
        // parameters of the definition keep their names and types.
        if !precedence::is_of_definition(self.item, &self.parents, id)
            && let Some(stages) = self.as_composition(new)
            && stages.iter().any(|stage| self.is_unchanged(id, stage))
        {
            return false;
        }
        let mut inner = new.clone();
        let (mut bound, mut annotations) = (Vec::<Param>::new(), Vec::new());
        for &binder in params {
            let (Form::Lambda(param, next), Some(old)) =
                (&inner.form, self.source.alignment.param(binder))
            else {
                return false;
            };
            let left_of_equals = (self.item.head().into_iter())
                .flat_map(syntax::ast::Head::params)
                .find(|param| param.binder == binder);
            let annotation = match (self.item.binder(binder).annotation, left_of_equals) {
                (BinderAnnotation::Type(ty), _) => Some(ty),
                (_, Some(param)) => param.ty,
                _ => None,
            };
            if old.ty != param.ty
                && let Some(ty) = annotation
            {
                let text = rise::print::type_text(&param.ty, self.vars);
                annotations.push((self.item.term(ty).span, text));
            }
            bound.push(param.clone());
            inner = next.clone();
        }
        for (span, text) in annotations {
            self.edit(span, text);
        }
        for (param, &binder) in bound.iter().zip(params) {
            self.enter(param, binder, &inner);
        }
        self.update(body, without_implicit(&inner));
        self.names.leave(bound.len());
        true
    }

    /// Brings a binder of the text into scope, and renames it if it would capture another name.
    fn enter(&mut self, param: &Param, binder: BinderId, body: &Core) {
        let written = self.item.binder(binder);
        let mut name = written.name.clone();
        let ignored = name.is_empty() && super::terms::uses(body, &param.local) > 0;
        if ignored || self.is_taken(&name, &param.local, body) {
            let wanted = if ignored {
                names::name_for(&param.ty)
            } else {
                &name
            };
            name = names::free(wanted, &|name| {
                self.is_taken(name, &param.local, body) || self.names.is_bound(name)
            });
            self.edit(written.span, name.to_string());
        }
        self.names.enter(&param.local, name);
    }

    fn update_dep_function(&mut self, params: &[BinderId], body: TermId, new: &Core) -> bool {
        let mut inner = new.clone();
        for _ in params {
            let Form::DepLambda(_, _, next) = &inner.form else {
                return false;
            };
            inner = next.clone();
        }
        self.update(body, without_implicit(&inner));
        true
    }

    fn update_let(&mut self, binder: BinderId, value: TermId, body: TermId, new: &Core) -> bool {
        if self.item.binder(binder).parts.is_some() {
            return false;
        }
        let (bound, function) = match &new.form {
            Form::Primitive(Primitive::Let, _, args) if let [value, f] = &**args => (value, f),
            // For a function; for data it would be the primitive.
            Form::Apply(f, x) if super::terms::is_function(&new.ty) => (x, f),
            _ => return false,
        };
        let Form::Lambda(param, inner) = &function.form else {
            return false;
        };
        self.update(value, bound);
        self.enter(param, binder, inner);
        self.update(body, inner);
        self.names.leave(1);
        true
    }

    /// Updates a local definition whose parameters and type stay the same.
    fn update_local(&mut self, id: TermId, new: &Core) -> bool {
        let item = self.item;
        let TermKind::Local {
            binder,
            head,
            function,
            body,
            ..
        } = &item.term(id).kind
        else {
            return false;
        };
        let Form::Apply(scope, value) = &new.form else {
            return false;
        };
        let Form::Lambda(own, inner) = &scope.form else {
            return false;
        };
        let is_same = |this: &Self, binder: BinderId, param: &Param| {
            let old = this.source.alignment.param(binder);
            old.is_some_and(|old| old.ty == param.ty)
        };
        let mut bound: Vec<(Param, BinderId, Core)> = Vec::new();
        let (mut at, mut core) = (*function, without_implicit(value).clone());
        while at != head.value {
            at = match &item.term(at).kind {
                TermKind::Fun { params, body, .. } => {
                    for &binder in params {
                        let Form::Lambda(param, next) = &core.form else {
                            return false;
                        };
                        if !is_same(self, binder, param) {
                            return false;
                        }
                        bound.push((param.clone(), binder, next.clone()));
                        core = without_implicit(&next.clone()).clone();
                    }
                    *body
                }
                TermKind::DepFun { params, body } => {
                    for _ in params {
                        let Form::DepLambda(_, _, next) = &core.form else {
                            return false;
                        };
                        core = without_implicit(&next.clone()).clone();
                    }
                    *body
                }
                _ => return false,
            };
        }
        if !is_same(self, *binder, own) {
            return false;
        }
        for (param, binder, scope) in &bound {
            self.enter(param, *binder, scope);
        }
        self.update(head.value, &core);
        self.names.leave(bound.len());
        self.enter(own, *binder, inner);
        self.update(*body, inner);
        self.names.leave(1);
        true
    }

    /// Updates the operands of an operator or the members of a pair; returns false if the new term
    /// is another operation.
    fn update_values(&mut self, id: TermId, values: &[TermId], new: &Core) -> bool {
        let Some(old) = self.source.alignment.core(id) else {
            return false;
        };
        let (old, new_head) = (head(old), head(new));
        let same = match (&old.0.form, &new_head.0.form) {
            (Form::Primitive(p, ..), Form::Primitive(q, ..)) => p == q,
            _ => false,
        };
        if !same || old.1 != values.len() || new_head.1 != values.len() {
            return false;
        }
        self.update_arguments(values, new)
    }

    /// Updates the last arguments of an application; returns false if the new term has fewer.
    fn update_arguments(&mut self, values: &[TermId], new: &Core) -> bool {
        let mut rest = new.clone();
        for &value in values.iter().rev() {
            let Some((f, x)) = strip(&rest) else {
                return false;
            };
            self.update(value, &x);
            rest = f;
        }
        true
    }

    fn update_apply_left(&mut self, f: TermId, x: TermId, new: &Core) -> bool {
        let Some((g, y)) = strip(new) else {
            return false;
        };
        if !self.is_similar(f, &g) {
            return false;
        }
        self.update(f, &g);
        self.update(x, &y);
        true
    }

    /// Updates `g << f`; returns false if the new term is no composition of similar functions.
    fn update_after(&mut self, last: TermId, first: TermId, new: &Core) -> bool {
        let Form::Lambda(param, body) = &new.form else {
            return false;
        };
        let Some((g, inner)) = strip(body) else {
            return false;
        };
        let Some((f, x)) = strip(&inner) else {
            return false;
        };
        let is_param = matches!(&x.form, Form::Var(local) if *local == param.local);
        let free = super::terms::uses(body, &param.local) == 1;
        if !is_param || !free || !self.is_similar(last, &g) || !self.is_similar(first, &f) {
            return false;
        }
        self.update(last, &g);
        self.update(first, &f);
        true
    }

    /// Returns true if a part and a term apply similar heads to equally many values: the same
    /// variable or definition, two primitives of the same notation, or two abstractions.
    pub(super) fn is_similar(&self, id: TermId, new: &Core) -> bool {
        let Some(old) = self.source.alignment.core(id) else {
            return false;
        };
        let (old, values) = head(old);
        let (new, new_values) = head(new);
        values == new_values
            && match (&old.form, &new.form) {
                (Form::Primitive(p, ..), Form::Primitive(q, ..)) => {
                    let [p, q] = [p, q].map(|p| std::mem::discriminant(&p.notation()));
                    values > 0 && p == q
                }
                (Form::Global(f, _), Form::Global(g, _)) => f == g,
                (Form::Foreign(f, _), Form::Foreign(g, _)) => f.name == g.name,
                (Form::Lambda(..), Form::Lambda(..)) => true,
                (Form::Var(x), Form::Var(y)) => self.names.means(&x.name, y),
                _ => false,
            }
    }

    // ----- applications -----

    /// Updates `f(n)(a)(b)`, the head and each argument separately; returns false if the new term
    /// is no similar application.
    fn update_application(&mut self, id: TermId, new: &Core) -> bool {
        if !self.is_similar(id, new) {
            return false;
        }
        let Some(call) = Call::of(self.item, self.source.inference, id) else {
            return false;
        };
        let (new_head, count) = head(new);
        if call.values.len() != count {
            return false;
        }
        let Some(old) = self.source.alignment.core(id) else {
            return false;
        };
        let old_head = head(old).0;
        let Some(head_text) = self.head_edit(&call, &old_head, &new_head) else {
            return false;
        };
        if !self.update_arguments(&call.values, new) {
            return false;
        }
        if let Some(text) = head_text {
            self.edit(call.head, text);
        }
        true
    }

    /// Returns the new text of a call's head with its size and type arguments, with `None` inside
    /// if it is unchanged; returns `None` if the call cannot be kept.
    fn head_edit(&mut self, call: &Call, old: &Core, new: &Core) -> Option<Option<String>> {
        let same = match (&old.form, &new.form) {
            (Form::Primitive(p, s, _), Form::Primitive(q, t, _)) => {
                let alpha = Alpha::default();
                let (s, t) = (p.written(s).concat(), q.written(t).concat());
                p == q && s.len() == t.len() && s.iter().zip(&t).all(|(s, t)| alpha.arg(s, t))
            }
            (Form::Primitive(..), _) => false,
            // The size and type arguments of other heads are not compared.
            _ => call.sizes.is_empty(),
        };
        match same {
            true => Some(None),
            false if is_called(new) && call.is_plain => Some(Some(self.head_text(new))),
            false => None,
        }
    }

    // ----- copies -----

    /// Returns the text of a term: copied if it occurs in the old text, that of a changed function
    /// if its parameter does, and otherwise printed.
    pub(super) fn piece(&mut self, new: &Core) -> Piece {
        if let Form::Var(local) = &new.form {
            let name = self.names.get(local).cloned();
            return Piece::new(name.unwrap_or_else(|| local.name.clone()), Level::Atom);
        }
        let copy = self.copy(new).or_else(|| self.changed(new));
        let piece = copy.unwrap_or_else(|| self.print(new));
        if !self.needs_type(new, &piece) {
            return piece;
        }
        let ty = rise::print::type_text(&new.ty, self.vars);
        Piece::new(format!("({} : {ty})", piece.text), Level::Atom)
    }

    /// Returns true if the options require a type annotation for the text of a term.
    fn needs_type(&self, new: &Core, piece: &Piece) -> bool {
        use Primitive::{Cast, Generate, NatAsIndex, VectorFromScalar};
        let is_wanted = match self.options.annotations {
            Annotations::None => false,
            // The context may not determine the types of these.
            Annotations::Open => matches!(
                new.form,
                Form::Primitive(Cast | Generate | NatAsIndex | VectorFromScalar, ..)
            ),
            Annotations::All => matches!(
                new.form,
                Form::Primitive(..) | Form::Apply(..) | Form::Global(..) | Form::DepApply(..)
            ),
        };
        is_wanted
            && piece.level > Level::Open
            && !binds_sizes(&new.ty)
            && !self.item.terms.iter().any(|term| {
                matches!(term.kind, TermKind::Ascribe { .. }) && self.slice(term.span) == piece.text
            })
    }

    /// Returns the text of a term for a place that needs this level, on a line with this
    /// indentation.
    pub(super) fn text(&mut self, new: &Core, needed: Level, indent: &'a str) -> String {
        let outer = std::mem::replace(&mut self.indent, indent);
        let text = self.piece(new).at(needed);
        self.indent = outer;
        text
    }

    // ----- text -----

    pub(super) fn slice(&self, span: Span) -> &'a str {
        self.source.text.get(Range::from(span)).unwrap_or_default()
    }

    /// Returns the indentation of the line of an offset.
    pub(super) fn indent_at(&self, offset: u32) -> &'a str {
        indent_of(self.source.text, offset as usize)
    }

    pub(super) fn nat_names(&self) -> &'a rise::Names {
        self.vars
    }

    /// Returns a name for the parameter of a new function: that of the variable of the old text
    /// that it replaces, or otherwise the one from the rule, with a number if it would capture or
    /// shadow another name.
    pub(super) fn fresh_name(&mut self, param: &Param, body: &Core) -> Name {
        let mentions = Mentions::of(body, self.vars, &self.globals);
        let wanted = match self.item.binders.get(param.local.id as usize) {
            Some(binder) if binder.name == param.local.name => binder.name.clone(),
            _ => {
                self.name_in_text(param, body)
                    .unwrap_or_else(|| match param.local.name.as_str() {
                        "" | "_" => Name::new_static(names::name_for(&param.ty)),
                        name => name.into(),
                    })
            }
        };
        names::free(&wanted, &|name| {
            self.taken_by(&mentions, name, &param.local) || self.names.is_bound(name)
        })
    }

    fn name_in_text(&mut self, param: &Param, body: &Core) -> Option<Name> {
        let nodes = rise::core::subterms(body);
        for node in nodes.filter(|node| !matches!(node.form, Form::Var(_))) {
            let key = self.key(node);
            for id in self.index.get(&key).cloned().unwrap_or_default() {
                let Some(pairs) = self.pairs(id, node) else {
                    continue;
                };
                if let Some((old, _)) = pairs.iter().find(|(_, new)| *new == param.local) {
                    return Some(old.name.clone());
                }
            }
        }
        None
    }

    pub(super) fn arg_text(&self, arg: &Arg) -> String {
        rise::print::arg_text(arg, self.vars)
    }
}

/// Returns true if a type binds a type-level variable, whose name may not be valid in the text.
fn binds_sizes(ty: &rise::Type) -> bool {
    use rise::Type;
    match ty {
        Type::DepArray(..) | Type::DepPair(_) | Type::Pi(_) => true,
        Type::Vector(_, ty) | Type::Array(_, ty) | Type::Exp(ty, _) | Type::Acc(ty) => {
            binds_sizes(ty)
        }
        Type::Pair(a, b) | Type::Fun(a, b) => binds_sizes(a) || binds_sizes(b),
        Type::Error
        | Type::Var(_)
        | Type::Scalar(_)
        | Type::Index(_)
        | Type::Apply(..)
        | Type::Comm => false,
    }
}

/// Returns the spaces and tabs at the start of the line that contains the byte `offset`.
pub(crate) fn indent_of(text: &str, offset: usize) -> &str {
    let line = text[..offset.min(text.len())]
        .rfind('\n')
        .map_or(0, |at| at + 1);
    let rest = &text[line..];
    &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()]
}
