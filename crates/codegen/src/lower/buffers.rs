//! Memory that commands ask for, and assignment to it.

use dpia::Phrase;
use nat::Nat;
use rise::core::{Form, Origin, Param};
use rise::{Address, Arg, Ty, Type};
use rustc_hash::FxHashMap;
use syntax::ast::{AddressSpace, Name};

use super::env::{Bound, Env, Path, Step};
use super::read::{load, nat_arg};
use super::store::{Part, Store, lost};
use super::{Lower, stmt};
use crate::error::CompileError;
use crate::ir::{
    Expr, ExprKind, Home, Id, LoopMode, ParallelReduce, Place, Stmt, StmtKind, Variable,
};
use crate::passes::walk::{Renamed, change_all};

impl Place {
    /// The first element of a variable.
    pub fn start(id: Id) -> Place {
        Place {
            id,
            index: Some(Nat::constant(0)),
            members: Vec::new(),
            lane: None,
            lanes: None,
        }
    }

    /// A plain variable.
    pub fn plain(id: Id) -> Place {
        Place {
            index: None,
            ..Place::start(id)
        }
    }
}

impl Lower<'_> {
    /// `new(t, fun(acc, exp => …))`
    pub(super) fn new_buffer(
        &mut self,
        phrase: &Phrase,
        types: &[Arg],
        f: &Phrase,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<(), CompileError> {
        let (Some(Arg::Type(ty)), Some((acc, exp, body))) = (types.first(), two_params(f)) else {
            return Err(lost(phrase.origin));
        };
        let home = Home::Local(space(types.get(1)));
        let store = self.allocate(&stem(&acc.local.name), ty, home, phrase.origin);
        declare(&store, phrase.origin, out);
        let env = env
            .with(&acc.local, Bound::Store(store.clone()))
            .with(&exp.local, Bound::Store(store));
        self.command(&body, &env, out)
    }

    /// Two buffers, a pointer to read through and one to write through.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn double_buffer(
        &mut self,
        phrase: &Phrase,
        types: &[Arg],
        input: &Phrase,
        output: &Phrase,
        f: &Phrase,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<(), CompileError> {
        let origin = phrase.origin;
        let (Some(Arg::Type(elem)), Some((acc, exp, rest))) = (types.get(2), two_params(f)) else {
            return Err(lost(origin));
        };
        let Some((swap, done, body)) = two_params(&rest) else {
            return Err(lost(origin));
        };
        let n = nat_arg(types, 1);
        let ty: Ty = Type::Array(n.clone(), elem.clone()).into();
        let home = Home::Local(space(types.get(3)));
        let buffer = |lower: &mut Self, name: &str, home| {
            lower.allocate_whole(&name.into(), &ty, home, origin)
        };
        let (one, two) = (buffer(self, "ping", home), buffer(self, "pong", home));
        let pointer = |writable| Home::Pointer {
            writable,
            alone: false,
        };
        let (read, write, spare) = (
            buffer(self, "from", pointer(false)),
            buffer(self, "into", pointer(true)),
            buffer(self, "spare", pointer(true)),
        );
        for store in [&one, &two, &read, &write, &spare] {
            declare(store, origin, out);
        }
        let [one, two, from, into, free] =
            [&one, &two, &read, &write, &spare].map(|store| leaf(store, origin));
        let (one, two, from, into, free) = (one?, two?, from?, into?, free?);
        let start = match self.side_by_side(input, env)? {
            Some(place) => place,
            None => {
                self.copy_in(input, two, &ty, env, out)?;
                Place::start(two)
            }
        };
        for (pointer, place) in [
            (from, start),
            (into, Place::start(one)),
            (free, Place::start(two)),
        ] {
            out.push(stmt(StmtKind::Point(pointer, place), origin));
        }
        let target = self.acceptor_side_by_side(output, env)?;
        let inner = env
            .with(&acc.local, Bound::Store(write))
            .with(&exp.local, Bound::Store(read.clone()))
            .with(
                &swap.local,
                Bound::Swap {
                    read: from,
                    write: into,
                    spare: free,
                },
            )
            .with(
                &done.local,
                Bound::Redirect {
                    write: into,
                    to: target.clone(),
                },
            );
        let start = out.len();
        self.command(&body, &inner, out)?;
        for statement in &mut out[start..] {
            if let StmtKind::For { body, .. } = &mut statement.kind {
                self.apart(body, from, into, origin);
            }
        }
        match target {
            Some(_) => Ok(()),
            None => self.copy_out(&read, output, nat_arg(types, 0), elem, env, out),
        }
    }

    /// Between the exchanges of buffers, what is read and what is written do not overlap: each is
    /// reached through a pointer of its own, so that the C compiler knows.
    fn apart(&mut self, body: &mut Vec<Stmt>, read: Id, write: Id, origin: Origin) {
        let first = body.iter().position(|stmt| !turns(stmt));
        let last = body.iter().rposition(|stmt| !turns(stmt));
        let (Some(first), Some(last)) = (first, last) else {
            return;
        };
        let mut opaque = self.function.opaque.iter();
        if body[first..=last].iter().any(turns)
            || opaque.any(|(_, expr)| self.reads(expr, read) || self.reads(expr, write))
        {
            return;
        }
        let mut own = Vec::new();
        let mut ids = FxHashMap::default();
        for (name, of, writable) in [("now", read, false), ("next", write, true)] {
            let id = self.variable(Variable {
                name: name.into(),
                home: Home::Pointer {
                    writable,
                    alone: true,
                },
                ..self.function.variables[of.0 as usize].clone()
            });
            own.push(stmt(StmtKind::Declare(id, None), origin));
            own.push(stmt(StmtKind::Point(id, Place::start(of)), origin));
            ids.insert(of, id);
        }
        let inner = own.len();
        own.extend(body.drain(first..=last));
        change_all(&mut own[inner..], &mut Renamed { ids: &ids });
        body.insert(first, stmt(StmtKind::Block(own), origin));
    }

    /// Where an array expression lies in memory element after element, if it does.
    fn side_by_side(&mut self, phrase: &Phrase, env: &Env) -> Result<Option<Place>, CompileError> {
        self.run_of_elements(phrase, |lower, at| {
            Ok(match lower.read(phrase, at, env)?.kind {
                ExprKind::Load(place) => Some(place),
                _ => None,
            })
        })
    }

    fn acceptor_side_by_side(
        &mut self,
        phrase: &Phrase,
        env: &Env,
    ) -> Result<Option<Place>, CompileError> {
        self.run_of_elements(phrase, |lower, at| {
            Ok(match lower.place(phrase, at, env)? {
                Part::Place(place, _) => Some(place),
                _ => None,
            })
        })
    }

    /// The first element of an array, if the others follow it in memory in their order.
    fn run_of_elements(
        &mut self,
        phrase: &Phrase,
        element: impl FnOnce(&mut Self, Path) -> Result<Option<Place>, CompileError>,
    ) -> Result<Option<Place>, CompileError> {
        let Some(mut ty) = dpia::phrase::data(&phrase.ty).cloned() else {
            return Ok(None);
        };
        let known = self.facts.clone();
        let (mut steps, mut vars, mut offset) = (Vec::new(), Vec::new(), Nat::constant(0));
        while let Type::Array(n, elem) = &*ty.clone() {
            let var = self.fresh_size("i");
            self.facts.range(var, &Nat::constant(0), n);
            let index = Nat::var(var);
            offset = offset + &(index.clone() * &self.count(elem));
            steps.push(Step::Index(index));
            vars.push(var);
            ty = elem.clone();
        }
        let place = element(self, Path::new().push_all(&steps));
        let offset = self.simplify(&offset);
        let first = place.map(|place| {
            let place = place?;
            let index = place.index.as_ref()?;
            let first = self.simplify(&Nat::sub(index, &offset));
            let whole = place.members.is_empty() && place.lane.is_none() && place.lanes.is_none();
            let moves = vars.iter().any(|var| first.mentions(*var));
            (whole && !moves).then(|| Place {
                index: Some(first),
                ..place.clone()
            })
        });
        self.facts = known;
        first
    }

    /// What is to be read first is computed into a buffer.
    fn copy_in(
        &mut self,
        from: &Phrase,
        into: Id,
        ty: &Ty,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<(), CompileError> {
        let store = Store::Leaf {
            id: into,
            ty: ty.clone(),
            start: Some(Nat::constant(0)),
        };
        let origin = from.origin;
        let body = &mut |lower: &mut Self, path: Path, out: &mut Vec<Stmt>| {
            let value = lower.read(from, path.clone(), env)?;
            let place = lower.part(&store, path, origin)?;
            lower.assign(place, value, origin, out)
        };
        self.each_element(ty, Path::new(), origin, body, out)
    }

    /// What was written last is copied to where it is wanted.
    fn copy_out(
        &mut self,
        from: &Store,
        into: &Phrase,
        count: Nat,
        elem: &Ty,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<(), CompileError> {
        let ty: Ty = Type::Array(count, elem.clone()).into();
        let origin = into.origin;
        let body = &mut |lower: &mut Self, path: Path, out: &mut Vec<Stmt>| {
            let value = load(lower.part(from, path.clone(), origin)?, origin);
            let place = lower.place(into, path, env)?;
            lower.assign(place, value, origin, out)
        };
        self.each_element(&ty, Path::new(), origin, body, out)
    }

    /// Loops over all elements of a type, the path to each.
    #[allow(clippy::type_complexity)]
    fn each_element(
        &mut self,
        ty: &Ty,
        path: Path,
        origin: Origin,
        body: &mut dyn FnMut(&mut Self, Path, &mut Vec<Stmt>) -> Result<(), CompileError>,
        out: &mut Vec<Stmt>,
    ) -> Result<(), CompileError> {
        let Type::Array(n, elem) = &**ty else {
            return body(self, path, out);
        };
        let counter = self.fresh_size("");
        let zero = Nat::constant(0);
        let mut inner = Vec::new();
        let path = path.behind(Step::Index(Nat::var(counter)));
        self.within(counter, &zero, n, |lower| {
            lower.each_element(elem, path, origin, body, &mut inner)
        })?;
        let kind = StmtKind::For {
            counter,
            from: zero,
            to: n.clone(),
            step: Nat::constant(1),
            mode: LoopMode::Sequential,
            body: inner,
        };
        out.push(stmt(kind, origin));
        Ok(())
    }

    /// `parReduce(n, acc, exp, combine, element)`
    pub(super) fn parallel_reduce(
        &mut self,
        phrase: &Phrase,
        types: &[Arg],
        [acc, exp, combine, element]: [&Phrase; 4],
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<(), CompileError> {
        let origin = phrase.origin;
        let (Some(Arg::Type(ty)), Some((index, place, value))) =
            (types.first(), two_params(element))
        else {
            return Err(lost(origin));
        };
        if dpia::phrase::contains_array(ty) {
            let text = "`reducePar` combines single values, and these are arrays";
            return Err(CompileError::new(origin, text)
                .with_help("use `reduceSeq`, or reduce inside of `mapPar`"));
        }
        let plain = |lower: &mut Self, name: &str| {
            let home = Home::Local(None);
            lower.allocate_whole(&Name::from(name), ty, home, origin)
        };
        let into = plain(self, "total");
        let left = plain(self, "left");
        let right = plain(self, "right");
        let part = plain(self, "element");
        let ids = [&into, &left, &right, &part].map(|store| leaf(store, origin));
        let [into_id, left_id, right_id, part_id] = ids;
        let (into_id, part_id) = (into_id?, part_id?);
        let initial = self.read(exp, Path::new(), env)?;
        out.push(stmt(StmtKind::Declare(into_id, Some(initial)), origin));

        let counter = self.fresh_size(&index.local.name);
        let count = nat_arg(types, 1);
        let mut element_body = Vec::new();
        let inner = env
            .with(&index.local, Bound::Index(Nat::var(counter)))
            .with(&place.local, Bound::Store(part));
        self.within(counter, &Nat::constant(0), &count, |lower| {
            lower.command(&value, &inner, &mut element_body)
        })?;
        let mut combined = Vec::new();
        self.combine(combine, &left, &right, env, &mut combined)?;
        let reduce = ParallelReduce {
            counter,
            count,
            into: into_id,
            element_body,
            element: part_id,
            combine: combined,
            left: left_id?,
            right: right_id?,
        };
        out.push(stmt(StmtKind::Reduce(Box::new(reduce)), origin));
        let value = Expr {
            kind: ExprKind::Load(Place::plain(into_id)),
            ty: ty.clone(),
            origin,
        };
        let place = self.place(acc, Path::new(), env)?;
        self.assign(place, value, origin, out)
    }

    /// `left = f(left, right)`
    fn combine(
        &mut self,
        f: &Phrase,
        left: &Store,
        right: &Store,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<(), CompileError> {
        let (Some((acc, a, rest)), origin) = (two_params(f), f.origin) else {
            return Err(lost(f.origin));
        };
        let Form::Lambda(b, body) = &rest.form else {
            return Err(lost(origin));
        };
        let env = env
            .with(&acc.local, Bound::Store(left.clone()))
            .with(&a.local, Bound::Store(left.clone()))
            .with(&b.local, Bound::Store(right.clone()));
        self.command(body, &env, out)
    }

    // ----- assignment -----

    /// Writes a value. The halves of a tuple are written one after the other, as if at once.
    pub(super) fn assign(
        &mut self,
        part: Part,
        value: Expr,
        origin: Origin,
        out: &mut Vec<Stmt>,
    ) -> Result<(), CompileError> {
        let mut pieces = Vec::new();
        self.pieces(part, value, origin, out, &mut pieces)?;
        let mut written: Vec<Id> = Vec::new();
        let mut writes = Vec::new();
        for (place, value) in pieces {
            let value = if written.iter().any(|id| self.reads(&value, *id)) {
                self.saved(value, "next", out)
            } else {
                value
            };
            written.push(place.id);
            writes.push(stmt(StmtKind::Assign(place, value), origin));
        }
        out.extend(writes);
        Ok(())
    }

    /// What is written where.
    fn pieces(
        &mut self,
        part: Part,
        value: Expr,
        origin: Origin,
        out: &mut Vec<Stmt>,
        pieces: &mut Vec<(Place, Expr)>,
    ) -> Result<(), CompileError> {
        match part {
            Part::Place(place, _) => pieces.push((place, value)),
            Part::Halves(a, b) => {
                let (first, second) = self.split_value(value, out);
                self.pieces(*a, first, origin, out, pieces)?;
                self.pieces(*b, second, origin, out, pieces)?;
            }
            Part::Lanes(lanes) => {
                let elem = match &*value.ty {
                    Type::Vector(_, elem) => elem.clone(),
                    _ => return Err(lost(origin)),
                };
                let value = match value.kind {
                    ExprKind::Load(_) => value,
                    _ => self.saved(value, "lanes", out),
                };
                for (k, lane) in lanes.into_iter().enumerate() {
                    let k = Nat::constant(i64::try_from(k).unwrap_or(i64::MAX));
                    let one = Expr {
                        kind: ExprKind::Lane(Box::new(value.clone()), k),
                        ty: elem.clone(),
                        origin,
                    };
                    self.pieces(lane, one, origin, out, pieces)?;
                }
            }
        }
        Ok(())
    }

    /// The halves of a tuple, which is saved first if it has to be computed.
    fn split_value(&mut self, value: Expr, out: &mut Vec<Stmt>) -> (Expr, Expr) {
        let value = match value.kind {
            ExprKind::Pair(a, b) => return (*a, *b),
            ExprKind::Load(_) => value,
            _ => self.saved(value, "result", out),
        };
        let half = |second: bool| {
            let ty = match &*value.ty {
                Type::Pair(a, b) => if second { b } else { a }.clone(),
                _ => value.ty.clone(),
            };
            let kind = match &value.kind {
                ExprKind::Load(place) => {
                    let mut place = place.clone();
                    place.members.push(second);
                    ExprKind::Load(place)
                }
                _ => ExprKind::Half(second, Box::new(value.clone())),
            };
            Expr {
                kind,
                ty,
                origin: value.origin,
            }
        };
        (half(false), half(true))
    }

    /// The value in a variable of its own.
    fn saved(&mut self, value: Expr, name: &str, out: &mut Vec<Stmt>) -> Expr {
        let (ty, origin) = (value.ty.clone(), value.origin);
        let id = self.variable(Variable {
            name: name.into(),
            elem: ty.clone(),
            count: None,
            extents: Vec::new(),
            home: Home::Local(None),
            origin,
        });
        out.push(stmt(StmtKind::Declare(id, Some(value)), origin));
        Expr {
            kind: ExprKind::Load(Place::plain(id)),
            ty,
            origin,
        }
    }

    /// Whether an expression reads a variable.
    fn reads(&self, expr: &Expr, id: Id) -> bool {
        let nat = |nat: &Nat| {
            nat.any_var(&|var| {
                let known = self.function.opaque.iter().find(|(v, _)| *v == var);
                known.is_some_and(|(_, expr)| self.reads(expr, id))
            })
        };
        match &expr.kind {
            ExprKind::Literal(_) => false,
            ExprKind::Nat(n) => nat(n),
            ExprKind::Load(place) => {
                place.id == id
                    || place.index.as_ref().is_some_and(nat)
                    || place.lane.as_ref().is_some_and(nat)
            }
            ExprKind::Unary(_, a)
            | ExprKind::Cast(_, a)
            | ExprKind::Half(_, a)
            | ExprKind::Broadcast(a) => self.reads(a, id),
            ExprKind::Lane(a, n) => self.reads(a, id) || nat(n),
            ExprKind::Binary(_, a, b) | ExprKind::Pair(a, b) => {
                self.reads(a, id) || self.reads(b, id)
            }
            ExprKind::Select(a, b, c) => [a, b, c].iter().any(|e| self.reads(e, id)),
            ExprKind::Call(_, all) | ExprKind::Vector(all) => all.iter().any(|e| self.reads(e, id)),
            ExprKind::Element(all, n) => all.iter().any(|e| self.reads(e, id)) || nat(n),
        }
    }
}

/// Whether a statement only says which buffer is which from now on.
fn turns(stmt: &Stmt) -> bool {
    let point = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Point(..) | StmtKind::Swap(..));
    match &stmt.kind {
        StmtKind::If {
            then, otherwise, ..
        } => then.iter().chain(otherwise).all(point),
        _ => point(stmt),
    }
}

/// The variables of a store are declared.
fn declare(store: &Store, origin: Origin, out: &mut Vec<Stmt>) {
    let mut leaves = Vec::new();
    store.leaves(&mut leaves);
    out.extend(
        leaves
            .into_iter()
            .map(|id| stmt(StmtKind::Declare(id, None), origin)),
    );
}

fn leaf(store: &Store, origin: Origin) -> Result<Id, CompileError> {
    match store {
        Store::Leaf { id, .. } => Ok(*id),
        Store::Halves(..) => Err(lost(origin)),
    }
}

/// `fun(a, b => body)`
fn two_params(f: &Phrase) -> Option<(Param, Param, Phrase)> {
    let Form::Lambda(a, rest) = &f.form else {
        return None;
    };
    let Form::Lambda(b, body) = &rest.form else {
        return None;
    };
    Some((a.clone(), b.clone(), body.clone()))
}

/// The address space that an allocation names.
fn space(arg: Option<&Arg>) -> Option<AddressSpace> {
    match arg {
        Some(Arg::Address(Address::Space(space))) => Some(*space),
        _ => None,
    }
}

/// What a variable is called, given the name of its acceptor.
fn stem(name: &Name) -> Name {
    ["Acc", "Out", "Wr"]
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix))
        .filter(|stem| !stem.is_empty())
        .map_or_else(|| name.clone(), Name::from)
}
