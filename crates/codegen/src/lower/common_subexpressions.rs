//! Eliminates common subexpressions of statements by sharing and let insertion.
//!
//! While the value of a statement is read, each element of a view and each parameter that denotes a
//! value becomes a *shared value* with a variable of its own. It is identified by the address of
//! the phrase that was read (observable sharing, as in Gill, "Type-Safe Observable Sharing in
//! Haskell", 2009) or by structural equality (hash consing without the hash). So an expression is a
//! graph, and reading it takes time linear in the size of the graph. At the end,
//! [`Lower::insert_lets`] inlines values that are used once and declares the others before the
//! statement.
//!
//! A value that is computed under a condition is in the *region* of its branch. If a value of a
//! branch is used several times, the choice becomes an `if` statement, so that nothing that the
//! condition guards is computed in vain. A value that both branches of a `select`, or the enclosing
//! code, compute is hoisted to the enclosing region.

use std::sync::Arc;

use dpia::Phrase;
use rise::Type;
use rise::core::Origin;
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::{Literal, Name, ScalarType};

use super::Lower;
use super::env::{Env, Path};
use crate::error::Result;
use crate::ir::walk;
use crate::ir::{Binary, Expr, ExprKind, Id, Place, Stmt, Variable};

/// The maximal number of subexpressions of an expression of size arithmetic that is not shared, and
/// so is a part of indices.
const MAX_INDEX: usize = 40;

#[derive(Default)]
pub(super) struct Sharing {
    active: bool,
    pub values: Vec<Value>,
    pub by_variable: FxHashMap<Id, usize>,
    /// The parent of each region; the outermost one is its own parent.
    regions: Vec<usize>,
    /// Maps the region of the first branch of a choice to that of the second one.
    siblings: FxHashMap<usize, usize>,
    current_region: usize,
    known: FxHashMap<(usize, usize), Vec<CachedRead>>,
    /// The number of opaque sizes that the function had before the statement; the following ones
    /// belong to the statement.
    pub opaque: usize,
}

/// A value that was read at a path of a variable or phrase.
struct CachedRead {
    path: Path,
    value: Expr,
    /// The phrase and the environment whose addresses identify the read; they are kept alive so
    /// that the addresses stay unique.
    _alive: (Env, Option<Phrase>),
}

pub(super) struct Value {
    pub id: Id,
    pub computation: Computation,
    pub region: usize,
    is_named: bool,
}

#[derive(Clone)]
pub(super) enum Computation {
    Plain(Expr),
    Choice(Box<Choice>),
}

/// A value that is one of two, of which each may have a region of its own; 0 in `regions` stands
/// for none.
#[derive(Clone)]
pub(super) struct Choice {
    pub condition: Expr,
    pub then: Expr,
    pub otherwise: Expr,
    pub regions: [usize; 2],
    form: ChoiceForm,
    pub origin: Origin,
}

impl Computation {
    /// Returns the expression that computes the value, in which other shared values are represented
    /// by their variables.
    pub fn expression(&self) -> Expr {
        match self {
            Computation::Plain(expr) => expr.clone(),
            Computation::Choice(choice) => {
                let [a, b, c] = [&choice.condition, &choice.then, &choice.otherwise];
                let (a, b, c) = (a.clone(), b.clone(), c.clone());
                write_choice(choice.form, a, b, c, choice.origin)
            }
        }
    }
}

impl Choice {
    pub fn branches(&self) -> impl Iterator<Item = usize> + use<> {
        self.regions.into_iter().filter(|region| *region != 0)
    }
}

/// The operator of a choice when it is written as an expression.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum ChoiceForm {
    /// A conditional expression `c ? a : b`.
    Select,
    /// A conjunction `a && b`.
    And,
    /// A disjunction `a || b`.
    Or,
}

impl Sharing {
    pub fn is_within(&self, mut region: usize, outer: usize) -> bool {
        loop {
            if region == outer {
                return true;
            }
            let around = self.regions[region];
            if around == region {
                return false;
            }
            region = around;
        }
    }

    fn enclosing_regions(&self, mut region: usize) -> Vec<usize> {
        let mut enclosing_regions = vec![region];
        while self.regions[region] != region {
            region = self.regions[region];
            enclosing_regions.push(region);
        }
        enclosing_regions
    }

    /// Returns the innermost region in which a value can be computed for its present uses and for
    /// one in the current region, without being computed where nothing needs it; `None` if there is
    /// none.
    fn common_region(&self, value: usize) -> Option<usize> {
        let (of, current_region) = (self.values[value].region, self.current_region);
        if self.is_within(current_region, of) {
            return Some(of);
        }
        if self.is_within(of, current_region) {
            return Some(current_region);
        }
        // Both branches compute it, so that it is computed in any case.
        let around = self.regions[of];
        (self.siblings.get(&of) == Some(&current_region) && self.regions[current_region] == around)
            .then_some(around)
    }

    fn values_read_by(&self, expr: &Expr, out: &mut Vec<usize>) {
        walk::sub_exprs(expr, &mut |part| {
            if let ExprKind::Load(place) = &part.kind {
                out.extend(self.by_variable.get(&place.id));
            }
        });
    }

    fn operands(&self, value: usize, out: &mut Vec<usize>) {
        match &self.values[value].computation {
            Computation::Plain(expr) => self.values_read_by(expr, out),
            Computation::Choice(choice) => {
                for expr in [&choice.condition, &choice.then, &choice.otherwise] {
                    self.values_read_by(expr, out);
                }
            }
        }
    }

    /// Moves a value to an enclosing region, with the values that it uses and the branches of its
    /// choice.
    fn hoist(&mut self, value: usize, region: usize) {
        let mut rest = vec![value];
        let mut seen = FxHashSet::default();
        while let Some(value) = rest.pop() {
            if !seen.insert(value) || self.is_within(region, self.values[value].region) {
                continue;
            }
            // A value in a branch of a moved choice is moved with it.
            if !self.is_within(self.values[value].region, region)
                || !self.is_inside_branch_of(value, &seen)
            {
                self.values[value].region = region;
                if let Computation::Choice(choice) = &self.values[value].computation {
                    for inner in choice.branches() {
                        self.regions[inner] = region;
                    }
                }
            }
            self.operands(value, &mut rest);
        }
    }

    fn is_inside_branch_of(&self, value: usize, among: &FxHashSet<usize>) -> bool {
        let enclosing_regions = self.enclosing_regions(self.values[value].region);
        among
            .iter()
            .any(|other| match &self.values[*other].computation {
                Computation::Choice(choice) if *other != value => choice
                    .branches()
                    .any(|inner| enclosing_regions.contains(&inner)),
                _ => false,
            })
    }

    /// Makes the values that an expression reads available in the current region, by hoisting them
    /// if necessary; returns false and changes nothing if that is not possible.
    fn make_available(&mut self, expr: &Expr) -> bool {
        let mut values = Vec::new();
        self.values_read_by(expr, &mut values);
        let regions: Option<Vec<usize>> = values
            .iter()
            .map(|value| self.common_region(*value))
            .collect();
        let Some(regions) = regions else {
            return false;
        };
        for (value, region) in values.into_iter().zip(regions) {
            if region != self.values[value].region {
                self.hoist(value, region);
            }
        }
        true
    }

    fn lookup(&mut self, key: (usize, usize), path: &Path) -> Option<Expr> {
        let known = self.known.get(&key)?;
        let found: Vec<Expr> = known
            .iter()
            .filter(|known| known.path == *path)
            .map(|known| known.value.clone())
            .collect();
        found.into_iter().find(|value| self.make_available(value))
    }
}

impl Lower<'_> {
    /// Reads the value of a statement. Values that it uses several times are declared in `out`,
    /// except within a loop over lanes, where nothing is shared.
    pub(super) fn lower_value(
        &mut self,
        phrase: &Phrase,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<Expr> {
        if self.lanes {
            return self.read(phrase, Path::new(), env);
        }
        let fresh = Sharing {
            active: true,
            regions: vec![0],
            opaque: self.function.opaque.len(),
            ..Sharing::default()
        };
        let outer = std::mem::replace(&mut self.sharing, fresh);
        let value = self.read(phrase, Path::new(), env);
        let sharing = std::mem::replace(&mut self.sharing, outer);
        Ok(self.insert_lets(sharing, value?, out))
    }

    /// Runs `look` with an empty set of shared values, and discards the values that it shares.
    pub(super) fn speculate<T>(&mut self, look: impl FnOnce(&mut Self) -> T) -> T {
        let fresh = Sharing {
            active: self.sharing.active,
            regions: vec![0],
            opaque: self.function.opaque.len(),
            ..Sharing::default()
        };
        let outer = std::mem::replace(&mut self.sharing, fresh);
        let result = look(self);
        self.sharing = outer;
        result
    }

    /// Returns the value that was read before under the same key and path, if it is available in
    /// the current region; otherwise the result of `read`, which becomes a shared value with this
    /// name. Without sharing, it only calls `read`.
    pub(super) fn read_once(
        &mut self,
        key: (usize, usize),
        name: Option<&Name>,
        path: Path,
        alive: (Env, Option<Phrase>),
        read: impl FnOnce(&mut Self, Path) -> Result<Expr>,
    ) -> Result<Expr> {
        if !self.sharing.active {
            return read(self, path);
        }
        if let Some(value) = self.sharing.lookup(key, &path) {
            return Ok(value);
        }
        let value = read(self, path.clone())?;
        let value = self.share(value, name);
        let known = CachedRead {
            path,
            value: value.clone(),
            _alive: alive,
        };
        self.sharing.known.entry(key).or_default().push(known);
        Ok(value)
    }

    /// Returns the key that identifies reads of a phrase in an environment: the addresses of both.
    pub(super) fn address_of(phrase: &Phrase, env: &Env) -> (usize, usize) {
        (Arc::as_ptr(phrase) as usize, env.address())
    }

    /// Makes an expression a shared value and returns its variable, or that of an available shared
    /// value with an equal expression. Cheap expressions and sizes are not shared but returned as
    /// they are, and tuples are shared by components. If the expression reads a shared value
    /// without a name of its own, that value gets the name.
    pub(super) fn share(&mut self, expr: Expr, name: Option<&Name>) -> Expr {
        if !self.sharing.active {
            return expr;
        }
        if let ExprKind::Pair(a, b) = expr.kind {
            let (a, b) = (self.share(*a, name), self.share(*b, name));
            let kind = ExprKind::Pair(Box::new(a), Box::new(b));
            return Expr { kind, ..expr };
        }
        if let ExprKind::Load(place) = &expr.kind
            && let Some(&number) = self.sharing.by_variable.get(&place.id)
            && place.members.is_empty()
            && let Some(name) = name
            && !self.sharing.values[number].is_named
        {
            self.sharing.values[number].is_named = true;
            self.function.variables[place.id.0 as usize].name = name.clone();
        }
        if self.is_cheap(&expr) || self.is_size(&expr) {
            return expr;
        }
        let same = |value: &Value| match &value.computation {
            Computation::Plain(known) => known.kind == expr.kind && known.ty == expr.ty,
            Computation::Choice(_) => false,
        };
        let equal = self.sharing.values.iter().position(same);
        if let Some(number) = equal {
            let id = self.sharing.values[number].id;
            let known = variable_of(id, &expr);
            if self.sharing.make_available(&known) {
                return known;
            }
        }
        self.bind(expr.clone(), Computation::Plain(expr), name)
    }

    fn bind(&mut self, like: Expr, computation: Computation, name: Option<&Name>) -> Expr {
        let id = self.variable(Variable::scalar(
            name.cloned().unwrap_or_else(|| "value".into()),
            like.ty.clone(),
            like.origin,
        ));
        let sharing = &mut self.sharing;
        sharing.by_variable.insert(id, sharing.values.len());
        sharing.values.push(Value {
            id,
            computation,
            region: sharing.current_region,
            is_named: name.is_some(),
        });
        variable_of(id, &like)
    }

    /// Returns true if an expression is assumed to cost no more than reading a variable: a
    /// constant, a size, a read whose index is not computed from data, or such an operand with one
    /// conversion, projection, comparison, broadcast or unary operator.
    fn is_cheap(&self, expr: &Expr) -> bool {
        let leaf = |expr: &Expr| match &expr.kind {
            ExprKind::Literal(_) | ExprKind::Nat(_) => true,
            ExprKind::Load(place) => !self.has_computed_index(place),
            _ => false,
        };
        match &expr.kind {
            ExprKind::Unary(_, a)
            | ExprKind::Cast(_, a)
            | ExprKind::Half(_, a)
            | ExprKind::Lane(a, _)
            | ExprKind::Broadcast(a) => leaf(a),
            ExprKind::Binary(
                Binary::Gt | Binary::Lt | Binary::Ge | Binary::Le | Binary::Eq | Binary::Ne,
                a,
                b,
            ) => leaf(a) && leaf(b),
            _ => leaf(expr),
        }
    }

    /// Returns true if the index of a place depends on data that is itself computed, or is a shared
    /// value, and not only loaded from memory and converted.
    fn has_computed_index(&self, place: &Place) -> bool {
        let data = |var| {
            let known = self.function.opaque.iter().find(|(v, _)| *v == var);
            known.is_some_and(|(_, value)| match &value.kind {
                ExprKind::Cast(_, value) => !matches!(value.kind, ExprKind::Load(_)),
                ExprKind::Load(inner) => {
                    self.sharing.by_variable.contains_key(&inner.id)
                        || self.has_computed_index(inner)
                }
                _ => true,
            })
        };
        place
            .index
            .as_ref()
            .is_some_and(|index| index.any_var(&data))
    }

    /// Returns true for an expression of an index type, and for one of type `natType` that is
    /// arithmetic on sizes, of at most [`MAX_INDEX`] subexpressions: with these, indices can be
    /// simplified.
    fn is_size(&self, expr: &Expr) -> bool {
        if !matches!(
            &*expr.ty,
            Type::Index(_) | Type::Scalar(ScalarType::NatType)
        ) {
            return false;
        }
        let mut size = 0;
        walk::sub_exprs(expr, &mut |_| size += 1);
        size <= MAX_INDEX && (matches!(&*expr.ty, Type::Index(_)) || self.is_arithmetic(expr))
    }

    /// Runs `read` in a new region within the current one, and returns its result and the region;
    /// without sharing, the region is 0.
    pub(super) fn branch<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> (T, usize) {
        if !self.sharing.active {
            return (read(self), 0);
        }
        let region = self.sharing.regions.len();
        let outer = self.sharing.current_region;
        self.sharing.regions.push(outer);
        self.sharing.current_region = region;
        let result = read(self);
        self.sharing.current_region = outer;
        (result, region)
    }

    /// Runs `read` in a new region, the second branch of a choice whose first branch is the region
    /// `first`; returns its result and the region.
    pub(super) fn alternative_branch<T>(
        &mut self,
        first: usize,
        read: impl FnOnce(&mut Self) -> T,
    ) -> (T, usize) {
        let second = self.sharing.regions.len();
        if self.sharing.active {
            self.sharing.siblings.insert(first, second);
        }
        self.branch(read)
    }

    /// Returns the choice between values that were read in two regions. It is a shared value if a
    /// region has values of its own, otherwise an expression.
    pub(super) fn choice(
        &mut self,
        form: ChoiceForm,
        [condition, then, otherwise]: [Expr; 3],
        regions: [usize; 2],
        origin: Origin,
    ) -> Expr {
        let sharing = &self.sharing;
        let inside = |value: &Value| {
            regions
                .iter()
                .any(|region| *region != 0 && sharing.is_within(value.region, *region))
        };
        if !sharing.active || !sharing.values.iter().any(inside) {
            return write_choice(form, condition, then, otherwise, origin);
        }
        let like = Expr::new(
            ExprKind::Literal(Literal::Bool(false)),
            then.ty.clone(),
            origin,
        );
        // Each half of a tuple evaluates the condition.
        let condition = match &*then.ty {
            Type::Pair(..) => self.share(condition, Some(&"chosen".into())),
            _ => condition,
        };
        let choice = Choice {
            condition,
            then,
            otherwise,
            regions,
            form,
            origin,
        };
        let whole = self.bind(like, Computation::Choice(Box::new(choice)), None);
        halves(whole)
    }
}

fn variable_of(id: Id, like: &Expr) -> Expr {
    Expr::variable(id, like.ty.clone(), like.origin)
}

/// Expands an expression of tuple type to a pair of projections, recursively; other expressions are
/// returned as they are.
fn halves(whole: Expr) -> Expr {
    if !matches!(&*whole.ty, Type::Pair(..)) {
        return whole;
    }
    let [a, b] = [false, true].map(|second| Box::new(halves(whole.half(second))));
    Expr {
        kind: ExprKind::Pair(a, b),
        ..whole
    }
}

fn write_choice(
    form: ChoiceForm,
    condition: Expr,
    then: Expr,
    otherwise: Expr,
    origin: Origin,
) -> Expr {
    match form {
        ChoiceForm::Select => super::read::select(condition, then, otherwise, origin),
        ChoiceForm::And => super::scalar::connected(Binary::And, condition, then, origin),
        ChoiceForm::Or => super::scalar::connected(Binary::Or, condition, otherwise, origin),
    }
}
