//! Builds terms from their parts.

use super::*;

impl Store {
    /// Returns the term of a variable.
    pub fn var(&mut self, local: Local) -> Term {
        let ty = self.local_ty(local);
        self.intern(Node::Var(local), ty)
    }

    /// Returns the term of a literal of the type `ty`.
    pub fn literal(&mut self, literal: &Literal, ty: TyId) -> Term {
        let id = match self.literal_index.get(literal) {
            Some(&known) => known,
            None => {
                let id = LiteralId(u32::try_from(self.literals.len()).unwrap_or(u32::MAX));
                self.literals.push(literal.clone());
                self.literal_index.insert(literal.clone(), id);
                id
            }
        };
        self.intern(Node::Literal(id), ty)
    }

    /// Returns the term of a size as a value of `natType`.
    pub fn nat(&mut self, nat: &Nat) -> Term {
        let arg = self.intern_arg(&Arg::Nat(nat.clone()));
        self.intern(Node::Nat(arg), self.nat)
    }

    /// Returns `fun(local => body)`.
    pub fn lambda(&mut self, local: Local, body: Term) -> Term {
        let ty = self.types.fun(self.local_ty(local), self.ty(body));
        self.intern(Node::Lambda(local, body), ty)
    }

    /// Returns `depFun(var: kind => body)`, a function whose argument is implicit if `implicit` is
    /// true.
    pub fn dep_lambda(&mut self, var: Var, kind: Kind, implicit: bool, body: Term) -> Term {
        let pi = Type::Pi(Pi::new(var, kind, implicit, self.type_of(body).clone()));
        let ty = self.types.intern(&Arc::new(pi));
        self.intern(Node::DepLambda(var, kind, implicit, body), ty)
    }

    /// Returns `f(x)`. Its type is the result type of `f`, or [`Type::Error`] if `f` is not a
    /// function of values. The type of `x` is not checked.
    pub fn apply(&mut self, f: Term, x: Term) -> Term {
        let ty = match self.types.parts(self.ty(f)) {
            Some((_, result)) => result,
            None => self.error,
        };
        self.intern(Node::Apply(f, x), ty)
    }

    /// Returns `f(x)(y)…` for the values `x`, `y`, … in `args`.
    pub fn apply_all(&mut self, f: Term, args: impl IntoIterator<Item = Term>) -> Term {
        args.into_iter().fold(f, |f, x| self.apply(f, x))
    }

    /// Returns `f(arg)` for a dependent function. Its type is [`Type::Error`] if `f` is not a
    /// dependent function.
    pub fn dep_apply(&mut self, f: Term, arg: ArgId) -> Term {
        let ty = self.dep_result(self.ty(f), arg);
        self.intern(Node::DepApply(f, arg), ty)
    }

    /// Returns the result type of a dependent function type for a type-level argument;
    /// [`Type::Error`] for other types.
    fn dep_result(&mut self, ty: TyId, arg: ArgId) -> TyId {
        if let Some(&known) = self.applied.get(&(ty, arg)) {
            return known;
        }
        let value = self.args[arg.0 as usize].clone();
        let result = match &**self.types.get(ty) {
            Type::Pi(pi) => subst(&pi.body, &|v| (v == pi.var).then(|| (*value).clone())),
            _ => Arc::new(Type::Error),
        };
        let result = self.types.intern(&result);
        self.applied.insert((ty, arg), result);
        result
    }

    /// Returns a primitive with type-level arguments; `None` if there are too few.
    pub fn primitive(&mut self, primitive: Primitive, args: &[Arg]) -> Option<Term> {
        let args: Vec<ArgId> = args.iter().map(|arg| self.intern_arg(arg)).collect();
        self.primitive_at(primitive, &args)
    }

    /// Returns a primitive with type-level arguments, given their indices; `None` if there are too
    /// few.
    pub fn primitive_at(&mut self, primitive: Primitive, args: &[ArgId]) -> Option<Term> {
        let list = self.intern_arg_ids(args);
        let node = Node::Primitive(primitive, list);
        if let Some(known) = self.known(node) {
            return Some(known);
        }
        let ty = self.types.intern(&primitive.ty(self.args(list))?);
        Some(self.intern(node, ty))
    }

    /// Returns the term of a foreign function.
    pub fn foreign(&mut self, foreign: &Arc<Foreign>) -> Term {
        let known = |f: &Arc<Foreign>| Arc::ptr_eq(f, foreign) || f == foreign;
        let at = self.foreigns.iter().position(known).unwrap_or_else(|| {
            self.foreigns.push(foreign.clone());
            self.foreigns.len() - 1
        });
        let result = foreign.result.clone();
        let params = foreign.params.iter().rev();
        let ty = params.fold(result, |out, (_, param)| {
            Arc::new(Type::Fun(param.clone(), out))
        });
        let ty = self.types.intern(&ty);
        let id = ForeignId(u32::try_from(at).unwrap_or(u32::MAX));
        self.intern(Node::Foreign(id), ty)
    }

    /// Returns the term of a definition, referred to by name, with implicit arguments; `ty` is its
    /// type for these.
    pub fn global(&mut self, id: GlobalId, args: &[Arg], ty: TyId) -> Term {
        let args = self.intern_args(args);
        self.intern(Node::Global(id, args), ty)
    }
}
