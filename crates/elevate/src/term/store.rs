//! Implements the store of terms.

use std::any::Any;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use hashbrown::{HashTable, hash_table};
use nat::{Nat, Var};
use rise::Primitive;
use rise::core::{Foreign, Language};
use rise::subst::subst;
use rise::types::{Arg, Pi, Ty, Type};
use rustc_hash::{FxHashMap, FxHasher};
use syntax::GlobalId;
use syntax::ast::{Kind, Literal, Name, ScalarType};

use super::heads::Head;
use super::sets::{SetId, Sets};
use super::types::{TyId, Types, bit, bits_of_arg, bits_of_nat};

mod make;

/// The index of a term in a [`Store`]. Two terms of one store are equal, including their variables
/// and types, exactly if their indices are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(pub(super) u32);

/// A variable for values. It has one type and one name in all of its occurrences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Local(pub u32);

/// The data of a [`Local`].
#[derive(Clone, Debug)]
struct LocalData {
    name: Name,
    ty: TyId,
    /// The variable of which this one is a copy, or the variable itself.
    origin: Local,
}

/// The index of a type-level argument in a [`Store`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArgId(u32);

/// The index of a list of type-level arguments in a [`Store`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArgsId(u32);

/// The index of a literal in a [`Store`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LiteralId(u32);

/// The index of a foreign function in a [`Store`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ForeignId(u32);

/// A node of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A variable for values.
    Var(Local),
    /// A literal: a number or boolean.
    Literal(LiteralId),
    /// A size as a value.
    Nat(ArgId),
    /// An abstraction, `fun(x => body)`.
    Lambda(Local, Term),
    /// An abstraction, `depFun(x: kind => body)`. The flag is true if its argument is implicit.
    DepLambda(Var, Kind, bool, Term),
    /// An application, `f(x)`.
    Apply(Term, Term),
    /// An application of a dependent function, `f(n)`.
    DepApply(Term, ArgId),
    /// A primitive with its type-level arguments, implicit and explicit ones in the order of
    /// [`rise::core::Form::Primitive`], and no values.
    Primitive(Primitive, ArgsId),
    /// A foreign function.
    Foreign(ForeignId),
    /// The name of a definition, with its implicit arguments.
    Global(GlobalId, ArgsId),
}

/// A node with its attributes.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    node: Node,
    ty: TyId,
    free: SetId,
    size: u32,
    height: u32,
    pub(super) head: Head,
    /// A bit set of the type-level variables in the node and its type, including bound ones, by
    /// number modulo 64.
    vars: u64,
}

/// The owner of terms, types and names.
///
/// A clone contains the same terms with the same indices, so rules that are compiled into a store
/// can be applied in its clones.
#[derive(Clone, Debug)]
pub struct Store {
    pub(super) entries: Vec<Entry>,
    /// The hash table of the terms, each with the lower half of its hash.
    index: HashTable<(u32, Term)>,
    pub(super) types: Types,
    sets: Sets,
    args: Vec<Arc<Arg>>,
    arg_index: FxHashMap<Arc<Arg>, ArgId>,
    /// The indices of type-level arguments that [`Store::type_arg`] returned, by type.
    type_args: FxHashMap<TyId, ArgId>,
    lists: Vec<Arc<[Arg]>>,
    list_index: FxHashMap<Arc<[ArgId]>, ArgsId>,
    literals: Vec<Literal>,
    literal_index: FxHashMap<Literal, LiteralId>,
    foreigns: Vec<Arc<Foreign>>,
    locals: Vec<LocalData>,
    vars: Vec<Name>,
    globals: FxHashMap<GlobalId, Name>,
    /// The memoised types of `f(arg)`, by the type of `f` and the argument.
    applied: FxHashMap<(TyId, ArgId), TyId>,
    pub(super) equal: FxHashMap<(Term, Term), bool>,
    /// An empty map for the next substitution of values, kept to reuse its memory.
    pub(super) memo: FxHashMap<Term, Term>,
    error: TyId,
    nat: TyId,
    too_deep: bool,
    pub(crate) cache: AttachedCache,
}

/// A cache that another module attaches to one store. Clones are empty.
#[derive(Debug, Default)]
pub(crate) struct AttachedCache(Option<Box<dyn Any + Send + Sync>>);

impl Clone for AttachedCache {
    fn clone(&self) -> AttachedCache {
        AttachedCache(None)
    }
}

impl AttachedCache {
    /// Takes the cache out of the store. Returns an empty cache if there is none, or one of another
    /// type, which is dropped.
    pub fn take<T: Any + Default>(&mut self) -> Box<T> {
        let cache = self.0.take().and_then(|cache| cache.downcast().ok());
        cache.unwrap_or_default()
    }

    /// Attaches a cache to the store, in the place of the previous one.
    pub fn put<T: Any + Send + Sync>(&mut self, cache: Box<T>) {
        self.0 = Some(cache);
    }
}

pub(super) fn hash_of<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Returns a hash for the hash table of terms, computed from the lower 32 bits of a hash.
#[inline]
fn spread(hash: u64) -> u64 {
    u64::from(hash as u32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Default for Store {
    fn default() -> Self {
        Store::new()
    }
}

impl Term {
    /// An index that no term has.
    pub(crate) const NONE: Term = Term(u32::MAX);
}

impl Store {
    /// Returns an empty store.
    pub fn new() -> Store {
        let mut types = Types::default();
        let error = types.intern(&Arc::new(Type::Error));
        let nat = types.intern(&Arc::new(Type::Scalar(ScalarType::NatType)));
        Store {
            entries: Vec::new(),
            index: HashTable::new(),
            types,
            sets: Sets::new(),
            args: Vec::new(),
            arg_index: FxHashMap::default(),
            type_args: FxHashMap::default(),
            lists: Vec::new(),
            list_index: FxHashMap::default(),
            literals: Vec::new(),
            literal_index: FxHashMap::default(),
            foreigns: Vec::new(),
            locals: Vec::new(),
            vars: Vec::new(),
            globals: FxHashMap::default(),
            applied: FxHashMap::default(),
            equal: FxHashMap::default(),
            memo: FxHashMap::default(),
            error,
            nat,
            too_deep: false,
            cache: AttachedCache::default(),
        }
    }

    // ----- names -----

    /// Returns a fresh variable for values.
    pub fn fresh_local(&mut self, name: impl Into<Name>, ty: TyId) -> Local {
        let id = u32::try_from(self.locals.len()).unwrap_or(u32::MAX);
        self.locals.push(LocalData {
            name: name.into(),
            ty,
            origin: Local(id),
        });
        Local(id)
    }

    /// Returns a fresh variable for values with the name and type of another one.
    pub fn fresh_copy(&mut self, local: Local) -> Local {
        let id = u32::try_from(self.locals.len()).unwrap_or(u32::MAX);
        self.locals.push(self.locals[local.0 as usize].clone());
        Local(id)
    }

    /// Returns the variable of which another one is a copy, directly or through other copies; the
    /// variable itself if it is no copy.
    pub fn origin(&self, local: Local) -> Local {
        self.locals[local.0 as usize].origin
    }

    /// Returns a fresh type-level variable.
    pub fn fresh_var(&mut self, name: impl Into<Name>) -> Var {
        let id = u32::try_from(self.vars.len()).unwrap_or(u32::MAX);
        self.vars.push(name.into());
        Var(id)
    }

    /// Renames a type-level variable, if the store created it.
    pub fn name_var(&mut self, var: Var, name: Name) {
        if let Some(old) = self.vars.get_mut(var.0 as usize) {
            *old = name;
        }
    }

    /// Returns the name of a variable for values.
    pub fn local_name(&self, local: Local) -> &Name {
        &self.locals[local.0 as usize].name
    }

    /// Returns the type of a variable for values.
    pub fn local_ty(&self, local: Local) -> TyId {
        self.locals[local.0 as usize].ty
    }

    /// Returns the name of a type-level variable; empty if the store did not create it.
    pub fn var_name(&self, var: Var) -> Name {
        self.vars.get(var.0 as usize).cloned().unwrap_or_default()
    }

    /// Returns the names of all type-level variables, by number.
    pub fn var_names(&self) -> &[Name] {
        &self.vars
    }

    /// Sets the name under which a definition is printed.
    pub fn name_global(&mut self, id: GlobalId, name: Name) {
        self.globals.insert(id, name);
    }

    /// Returns the name of a definition, if it is set.
    pub fn global_name(&self, id: GlobalId) -> Option<&Name> {
        self.globals.get(&id)
    }

    // ----- types and arguments -----

    /// Returns the index of a type, which is added if the store does not contain it.
    pub fn intern_ty(&mut self, ty: &Ty) -> TyId {
        self.types.intern(ty)
    }

    /// Returns the type with this index.
    pub fn ty_of(&self, ty: TyId) -> &Ty {
        self.types.get(ty)
    }

    /// Returns the function type `a -> b`.
    pub fn fun_ty(&mut self, a: TyId, b: TyId) -> TyId {
        self.types.fun(a, b)
    }

    /// Returns the parameter type and the result type of a function type; `None` for other types,
    /// including dependent function types.
    pub fn fun_parts(&self, ty: TyId) -> Option<(TyId, TyId)> {
        self.types.parts(ty)
    }

    /// Returns the index of a type-level argument, which is added if the store does not contain it.
    pub fn intern_arg(&mut self, arg: &Arg) -> ArgId {
        if let Some(&known) = self.arg_index.get(arg) {
            return known;
        }
        let id = ArgId(u32::try_from(self.args.len()).unwrap_or(u32::MAX));
        let arg = Arc::new(arg.clone());
        self.args.push(arg.clone());
        self.arg_index.insert(arg, id);
        id
    }

    /// Returns the type-level argument with this index.
    pub fn arg(&self, arg: ArgId) -> &Arg {
        &self.args[arg.0 as usize]
    }

    /// Returns the index of a type as a type-level argument.
    pub fn type_arg(&mut self, ty: TyId) -> ArgId {
        if let Some(&known) = self.type_args.get(&ty) {
            return known;
        }
        let arg = self.intern_arg(&Arg::Type(self.types.get(ty).clone()));
        self.type_args.insert(ty, arg);
        arg
    }

    /// Returns the index of a list of type-level arguments, which is added if the store does not
    /// contain it.
    pub fn intern_args(&mut self, args: &[Arg]) -> ArgsId {
        let args: Vec<ArgId> = args.iter().map(|arg| self.intern_arg(arg)).collect();
        self.intern_arg_ids(&args)
    }

    /// Returns the index of a list of type-level arguments, given their indices, which avoids
    /// hashing the arguments.
    pub fn intern_arg_ids(&mut self, args: &[ArgId]) -> ArgsId {
        if let Some(&known) = self.list_index.get(args) {
            return known;
        }
        let id = ArgsId(u32::try_from(self.lists.len()).unwrap_or(u32::MAX));
        let list = args.iter().map(|arg| self.arg(*arg).clone()).collect();
        self.lists.push(list);
        self.list_index.insert(args.into(), id);
        id
    }

    /// Returns the list of type-level arguments with this index.
    pub fn args(&self, args: ArgsId) -> &Arc<[Arg]> {
        &self.lists[args.0 as usize]
    }

    /// Returns the literal with this index.
    pub fn literal_of(&self, literal: LiteralId) -> &Literal {
        &self.literals[literal.0 as usize]
    }

    /// Returns the foreign function with this index.
    pub fn foreign_of(&self, foreign: ForeignId) -> &Arc<Foreign> {
        &self.foreigns[foreign.0 as usize]
    }

    // ----- terms -----

    /// Returns the node of a term.
    #[inline]
    pub fn node(&self, term: Term) -> Node {
        self.entries[term.0 as usize].node
    }

    /// Returns the index of the type of a term.
    #[inline]
    pub fn ty(&self, term: Term) -> TyId {
        self.entries[term.0 as usize].ty
    }

    /// Returns the type of a term.
    pub fn type_of(&self, term: Term) -> &Ty {
        self.types.get(self.ty(term))
    }

    /// Returns true if the type of the term is that of a function of values or of a dependent
    /// function.
    pub fn is_function(&self, term: Term) -> bool {
        self.types.is_function(self.ty(term))
    }

    /// Returns the free variables for values of a term, in the order of their numbers.
    pub fn free(&self, term: Term) -> &[Local] {
        self.sets.get(self.entries[term.0 as usize].free)
    }

    /// Returns true if two terms have the same free variables for values.
    pub fn same_free(&self, a: Term, b: Term) -> bool {
        self.entries[a.0 as usize].free == self.entries[b.0 as usize].free
    }

    /// Returns true if a variable is free in a term.
    #[inline]
    pub fn has_free(&self, term: Term, local: Local) -> bool {
        self.sets
            .contains(self.entries[term.0 as usize].free, local)
    }

    /// Returns the number of nodes of a term, in which a shared subterm counts as often as it
    /// occurs; saturates at `u32::MAX`.
    pub fn size(&self, term: Term) -> u32 {
        self.entries[term.0 as usize].size
    }

    /// Returns the height of a term, which is 1 for a leaf.
    pub fn height(&self, term: Term) -> u32 {
        self.entries[term.0 as usize].height
    }

    /// Returns the bit set of the type-level variables in a term and its types, including bound
    /// ones, by number modulo 64.
    pub(super) fn vars(&self, term: Term) -> u64 {
        self.entries[term.0 as usize].vars
    }

    /// Returns true if the store contains a term or type that is higher than
    /// [`MAX_HEIGHT`](super::MAX_HEIGHT), or a type that is larger than
    /// [`MAX_TYPE_SIZE`](super::MAX_TYPE_SIZE). Functions that recurse over terms must not be
    /// applied to such a term.
    pub fn is_too_deep(&self) -> bool {
        let types = &self.types;
        let fine = types.highest() <= super::MAX_HEIGHT && types.largest() <= super::MAX_TYPE_SIZE;
        self.too_deep || !fine
    }

    /// Returns the number of terms in the store.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if the store contains no terms.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    // ----- interning -----

    /// Returns true if the type of a node need not be compared, because it follows from the node.
    /// The types of literals, names of definitions and dependent abstractions are compared.
    fn follows(node: &Node) -> bool {
        !matches!(
            node,
            Node::Literal(_) | Node::Global(..) | Node::DepLambda(..)
        )
    }

    fn hash(node: &Node, ty: TyId) -> u64 {
        match Self::follows(node) {
            true => hash_of(node),
            false => hash_of(&(node, ty)),
        }
    }

    /// Returns the existing term of a node, if there is one. Its type must [follow](Self::follows)
    /// from the node.
    #[inline]
    fn known(&self, node: Node) -> Option<Term> {
        let hash = Self::hash(&node, self.error);
        let same = |&(lower, term): &(u32, Term)| {
            lower == hash as u32 && self.entries[term.0 as usize].node == node
        };
        self.index.find(spread(hash), same).map(|(_, term)| *term)
    }

    #[inline]
    fn intern(&mut self, node: Node, ty: TyId) -> Term {
        let hash = Self::hash(&node, ty);
        let lower = hash as u32;
        let entries = &self.entries;
        let same = |&(other, term): &(u32, Term)| {
            let entry = &entries[term.0 as usize];
            other == lower && entry.node == node && (Self::follows(&node) || entry.ty == ty)
        };
        let again = |&(lower, _): &(u32, Term)| spread(u64::from(lower));
        match self.index.entry(spread(hash), same, again) {
            hash_table::Entry::Occupied(known) => known.get().1,
            hash_table::Entry::Vacant(place) => {
                let term = Term(u32::try_from(entries.len()).unwrap_or(u32::MAX));
                place.insert((lower, term));
                let entry = self.describe(node, ty);
                self.too_deep |= entry.height > super::MAX_HEIGHT;
                self.entries.push(entry);
                term
            }
        }
    }

    fn describe(&mut self, node: Node, ty: TyId) -> Entry {
        let head = match node {
            Node::Apply(f, _) | Node::DepApply(f, _) => self.head(f).applied(),
            _ => Head::of(&node),
        };
        let (free, size, height, vars) = match node {
            Node::Var(local) => (self.sets.single(local), 1, 1, 0),
            Node::Literal(_) | Node::Foreign(_) => (SetId::EMPTY, 1, 1, 0),
            Node::Nat(arg) => (SetId::EMPTY, 1, 1, bits_of_arg(self.arg(arg))),
            Node::Primitive(_, args) | Node::Global(_, args) => {
                let bits = self.args(args).iter().map(bits_of_arg);
                (SetId::EMPTY, 1, 1, bits.fold(0, |a, b| a | b))
            }
            Node::Lambda(local, body) => {
                let vars = self.types.vars(self.local_ty(local));
                let b = &self.entries[body.0 as usize];
                let (free, size, height, below) = (b.free, b.size, b.height, b.vars);
                let free = self.sets.without(free, local);
                (free, size.saturating_add(1), height + 1, vars | below)
            }
            Node::DepLambda(var, _, _, body) => {
                let b = &self.entries[body.0 as usize];
                let size = b.size.saturating_add(1);
                (b.free, size, b.height + 1, b.vars | bit(var))
            }
            Node::Apply(f, x) => {
                let (f, x) = (&self.entries[f.0 as usize], &self.entries[x.0 as usize]);
                let size = f.size.saturating_add(x.size).saturating_add(1);
                let height = f.height.max(x.height) + 1;
                let vars = f.vars | x.vars;
                let (a, b) = (f.free, x.free);
                (self.sets.union(a, b), size, height, vars)
            }
            Node::DepApply(f, arg) => {
                let vars = bits_of_arg(self.arg(arg));
                let f = &self.entries[f.0 as usize];
                (
                    f.free,
                    f.size.saturating_add(1),
                    f.height + 1,
                    f.vars | vars,
                )
            }
        };
        Entry {
            node,
            ty,
            free,
            size,
            height,
            head,
            vars: vars | self.types.vars(ty),
        }
    }
}

/// Approximate tests for occurrences of type-level variables, by bit sets.
impl Store {
    /// Returns false only if a type-level variable occurs neither in a term nor in its types, free
    /// or bound. It may return true in this case, too.
    pub fn may_mention(&self, term: Term, var: Var) -> bool {
        self.vars(term) & bit(var) != 0
    }

    /// Returns false only if a size and a term with its types have no type-level variable in
    /// common. It may return true in this case, too.
    pub fn may_share(&self, term: Term, nat: &Nat) -> bool {
        self.vars(term) & bits_of_nat(nat) != 0
    }
}
