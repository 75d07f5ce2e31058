//! Generates random terms that match the left side of a rule.

use std::collections::BTreeMap;

use agreement::Functions;
use elevate::rule::{Outline, StandsFor};
use nat::{Nat, Var};
use rise::types::{Address, Arg, Names, Ty, Type};
use runtime::generate::Random;
use syntax::ast::{AddressSpace, ScalarType, TermId, TermKind};
use syntax::elevate::ast::{ClauseKind, CondId, CondKind, Item, ItemKind};

/// The name of the size of the result of a round of `iterate`.
const ROUND: &str = "round";

/// A rule of the library with its text.
pub struct Rule<'a> {
    pub name: &'a str,
    pub item: &'a Item,
    pub text: &'a str,
    pub outlines: Vec<Outline>,
}

/// A term to which a rule should apply.
pub struct Instance {
    /// A definition of `before`.
    pub program: String,
    /// The strategy.
    pub strategy: String,
}

/// A generator that substitutes random terms for the names of a rule.
pub struct Maker<'a> {
    rule: &'a Rule<'a>,
    outline: &'a Outline,
    alt: usize,
    random: Random,
    levels: BTreeMap<u32, Arg>,
    /// The names of the rule's own binders.
    binders: Vec<String>,
    /// Parameters of the program, after those that are named like the rule's binders.
    params: Vec<(String, String)>,
    /// The substituted texts, by name.
    values: BTreeMap<String, String>,
}

impl<'a> Maker<'a> {
    /// Creates a generator for an alternative of a rule.
    pub fn new(rule: &'a Rule<'a>, alt: usize, seed: u64) -> Maker<'a> {
        Maker {
            rule,
            outline: &rule.outlines[alt],
            alt,
            random: Random::new(seed * 7919 + alt as u64),
            levels: BTreeMap::new(),
            binders: binders(rule.item),
            params: Vec::new(),
            values: BTreeMap::new(),
        }
    }
}

impl Maker<'_> {
    fn draw(&mut self, below: usize) -> usize {
        (self.random.draw() % below as u64) as usize
    }

    /// Generates a term for the alternative; `None` if the random choices do not allow one.
    pub fn make(mut self) -> Option<Instance> {
        self.levels()?;
        self.laws();
        for open in &self.outline.names {
            if self.values.contains_key(open.name.as_str()) {
                continue;
            }
            let text = match &open.stands_for {
                // A function that is its own inverse below `n`.
                StandsFor::TypeLevel(Arg::SizeFun(_)) => {
                    format!("natFun(i => {} - 1 - i)", self.size("n")?)
                }
                StandsFor::TypeLevel(arg) => {
                    rise::print::arg_text(&self.arg(arg), &Names::default())
                }
                StandsFor::Value(ty) => {
                    let mut bound: Vec<_> = (open.binders.iter())
                        .map(|(name, ty)| (name.to_string(), self.ty(ty)))
                        .collect();
                    if !open.is_parameter {
                        bound.extend(self.context());
                    }
                    let ty = self.ty(ty);
                    self.value(&ty, bound, open.is_parameter)?
                }
            };
            self.values.insert(open.name.to_string(), text);
        }
        let body = self.applied()?;
        Some(self.instance(body))
    }

    fn ty(&self, ty: &Ty) -> Ty {
        rise::subst::subst(ty, &|var| self.levels.get(&var.0).cloned())
    }

    fn arg(&self, arg: &Arg) -> Arg {
        rise::subst::subst_arg(arg, &|var| self.levels.get(&var.0).cloned())
    }

    /// Returns the value of a name for a size.
    fn size(&self, name: &str) -> Option<i64> {
        let open = self.outline.names.iter().find(|open| open.name == name)?;
        match &open.stands_for {
            StandsFor::TypeLevel(arg) => match self.arg(arg) {
                Arg::Nat(nat) => nat.as_const(),
                _ => None,
            },
            StandsFor::Value(_) => None,
        }
    }

    /// Returns the variables that are bound outside of the term, which are numbers.
    fn context(&self) -> Vec<(String, Ty)> {
        let ty = Ty::new(Type::Scalar(ScalarType::I32));
        let all = 0..self.binders.len();
        all.map(|at| (format!("c{at}"), ty.clone())).collect()
    }

    fn value(&mut self, ty: &Ty, bound: Vec<(String, Ty)>, closed: bool) -> Option<String> {
        if !closed && !has_functions(ty) && self.draw(3) > 0 {
            // Data is usually a parameter of the program.
            let local = bound
                .iter()
                .any(|(name, own)| own == ty && !name.starts_with('c'));
            if !local && !matches!(**ty, Type::Index(_)) {
                return Some(self.param(ty));
            }
        }
        let names = Names([ROUND.into()].into());
        let (open, ty) = match &**ty {
            // The function of `iterate`, whose size is the only open one.
            Type::Pi(pi) => {
                let size = Arg::Nat(Nat::var(Var(0)));
                let body =
                    rise::subst::subst(&pi.body, &|var| (var == pi.var).then(|| size.clone()));
                (format!("depFun({ROUND}: Nat => "), body)
            }
            _ => ("(".to_owned(), ty.clone()),
        };
        let mut terms = Functions::new(&mut self.random, &names).over(bound, &self.binders);
        Some(format!("{open}{})", terms.of(&ty).ok()?))
    }

    fn param(&mut self, ty: &Ty) -> String {
        let name = format!("a{}", self.params.len());
        let ty = rise::print::type_text(ty, &Names::default());
        self.params.push((name.clone(), ty));
        name
    }

    /// Chooses types, and sizes that satisfy the conditions.
    fn levels(&mut self) -> Option<()> {
        let (mut sizes, mut others) = (Vec::new(), Vec::new());
        let mut types = vec![self.outline.ty.clone()];
        for open in &self.outline.names {
            types.extend(open.binders.iter().map(|(_, ty)| ty.clone()));
            match &open.stands_for {
                StandsFor::Value(ty) | StandsFor::TypeLevel(Arg::Type(ty)) => {
                    types.push(ty.clone())
                }
                StandsFor::TypeLevel(Arg::Nat(nat)) => nat.for_each_var(&mut |var| sizes.push(var)),
                StandsFor::TypeLevel(Arg::Address(Address::Var(var))) => {
                    let space = Arg::Address(Address::Space(AddressSpace::Private));
                    self.levels.insert(var.0, space);
                }
                StandsFor::TypeLevel(_) => {}
            }
        }
        for prop in &self.outline.conditions {
            prop.for_each_var(&mut |var| sizes.push(var));
        }
        for ty in &types {
            let found = std::cell::RefCell::new(&mut sizes);
            rise::subst::map_sizes(ty, &|nat| {
                nat.for_each_var(&mut |var| found.borrow_mut().push(var));
                nat.clone()
            });
            let found = std::cell::RefCell::new(&mut others);
            rise::subst::subst(ty, &|var| {
                found.borrow_mut().push(var);
                None
            });
        }
        let mut bound = Vec::new();
        types.iter().for_each(|ty| bound_in(ty, &mut bound));
        sizes.retain(|var| !bound.contains(var));
        for var in others {
            if !sizes.contains(&var) && !bound.contains(&var) && !self.levels.contains_key(&var.0) {
                let ty = self.some_type();
                self.levels.insert(var.0, Arg::Type(ty));
            }
        }
        sizes.sort_by_key(|var| var.0);
        sizes.dedup();
        for _ in 0..2000 {
            if self.some_sizes(&sizes) {
                return types.iter().all(|ty| is_small(&self.ty(ty))).then_some(());
            }
        }
        None
    }

    fn some_type(&mut self) -> Ty {
        let scalar = |scalar| Ty::new(Type::Scalar(scalar));
        let number = scalar(ScalarType::I32);
        // A term that has to contain a map must be a function of rows.
        let kinds = match self.rule.text.contains("occurs(isMap ") {
            true => 4,
            false => 9,
        };
        match self.draw(kinds) {
            0 | 1 => scalar(ScalarType::F32),
            2 => Ty::new(Type::Pair(number.clone(), number)),
            3 => Ty::new(Type::Array(Nat::constant(3), number)),
            4 => Ty::new(Type::Array(Nat::constant(2), number)),
            _ => number,
        }
    }

    fn some_sizes(&mut self, sizes: &[Var]) -> bool {
        for var in sizes {
            let of_grid = self.outline.variables.get(*var) == "d";
            let among: &[i64] = if of_grid {
                &[0, 1]
            } else {
                &[1, 2, 3, 4, 5, 6, 8, 12, 16]
            };
            let size = among[self.draw(among.len())];
            self.levels.insert(var.0, Arg::Nat(Nat::constant(size)));
        }
        let value = |var: Var| match self.levels.get(&var.0) {
            Some(Arg::Nat(nat)) => nat.as_const(),
            _ => None,
        };
        let n = self.size("n").unwrap_or(0);
        let mut conditions = self.outline.conditions.iter();
        conditions.all(|prop| prop.eval(&value, &|_, at| Some(n - 1 - at)) == Some(true))
    }

    /// Chooses operators that satisfy the laws that the rule requires.
    fn laws(&mut self) {
        let ItemKind::Rule { alts, .. } = &self.rule.item.kind else {
            return;
        };
        let mut conds = Vec::new();
        let second = self.rule.text.contains("idempotent") && self.draw(2) == 0;
        for clause in &alts[self.alt].clauses {
            if let ClauseKind::Where(cond) | ClauseKind::Requires(cond) = clause.kind {
                flatten(self.rule.item, cond, second, &mut conds);
            }
        }
        let adds = self.draw(2) == 0;
        for cond in conds {
            let CondKind::Property { name, args } = &self.rule.item.cond(cond).kind else {
                continue;
            };
            let is_float = |ty: &Ty| format!("{ty:?}").contains("F32");
            let name_of = |term: TermId| match &self.rule.item.term(term).kind {
                TermKind::Name(name) => Some(name.to_string()),
                _ => None,
            };
            let float = args.first().and_then(|&op| {
                let op = name_of(op)?;
                let open = self.outline.names.iter().find(|open| open.name == *op)?;
                match &open.stands_for {
                    StandsFor::Value(ty) => Some(is_float(&self.ty(ty))),
                    StandsFor::TypeLevel(_) => None,
                }
            });
            let texts: &[&str] = match (name.name.as_str(), adds) {
                ("assoc" | "commutative", true) => &["add"],
                ("assoc" | "commutative", false) => &["mul"],
                ("idempotent", true) => &["max"],
                ("idempotent", false) => &["min"],
                ("selective", true) => &["(fun(p, q => select(q._1 < p._1)(q)(p)))"],
                ("selective", false) => &["(fun(p, q => select(p._2 < q._2)(q)(p)))"],
                ("neutral", true) if float == Some(true) => &["add", "0.0f"],
                ("neutral", false) if float == Some(true) => &["mul", "1.0f"],
                ("neutral", true) => &["add", "0"],
                ("neutral", false) => &["mul", "1"],
                _ => &[],
            };
            for (text, &arg) in texts.iter().zip(args) {
                if let Some(name) = name_of(arg) {
                    self.values.insert(name, (*text).to_owned());
                }
            }
        }
    }

    /// Returns the left side with the substituted terms, applied to its arguments.
    fn applied(&mut self) -> Option<String> {
        let (start, end) = (
            self.outline.span.start as usize,
            self.outline.span.end as usize,
        );
        let mut places: Vec<_> = (self.outline.names.iter())
            .flat_map(|open| open.places.iter().map(|place| (*place, &open.name)))
            .collect();
        places.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
        places.dedup();
        let mut text = self.rule.text[start..end].to_owned();
        for (place, name) in places {
            let value = self.values.get(name.as_str())?;
            let (from, to) = (place.start as usize - start, place.end as usize - start);
            text.replace_range(from..to, value);
        }
        let mut ty = self.ty(&self.outline.ty);
        if let (Some(stages), Type::Fun(from, to)) = (stages(&text), &*ty.clone()) {
            // A composition is written as a pipeline, because rules do not match through an applied
            // composition.
            let input = self.param(from);
            let stages = stages.join(" |> ");
            let to = rise::print::type_text(to, &Names::default());
            return Some(format!("(({input} |> {stages}) : {to})"));
        }
        let mut text = match written_type(&text) {
            Some(_) => format!("({text})"),
            None => format!(
                "({text} : {})",
                rise::print::type_text(&ty, &Names::default())
            ),
        };
        while let Type::Fun(from, to) = &*ty.clone() {
            let context = self.context();
            text += &format!("({})", self.value(from, context, false)?);
            ty = to.clone();
        }
        (!matches!(*ty, Type::Pi(_))).then_some(text)
    }

    fn instance(self, body: String) -> Instance {
        let mut body = body;
        let mut params: Vec<String> = Vec::new();
        if in_groups(self.rule.text) {
            body = format!(
                "groups |> mapWorkGroup(1)(fun(g1 => g1 |> mapWorkGroup(0)(fun(g0 => {body}))))"
            );
            params.push("groups: 1.1.i32".to_owned());
        }
        for (at, name) in self.binders.iter().enumerate().rev() {
            body = format!("(fun(c{at}: i32 => {body}))({name})");
            params.push(format!("{name}: i32"));
        }
        params.extend(self.params.iter().map(|(name, ty)| format!("{name}: {ty}")));
        let program = match params.is_empty() {
            true => format!("def before = {body}"),
            false => format!("def before = fun(({}) => {body})", params.join(", ")),
        };
        let mut args = Vec::new();
        for list in self.rule.item.param_lists() {
            for &param in &list.params {
                let name = &self.rule.item.param(param).name;
                let open = self.outline.names.iter().find(|open| open.name == *name);
                let text = self.values.get(name.as_str()).cloned().unwrap_or_default();
                let is_term = open.is_some_and(|o| matches!(o.stands_for, StandsFor::Value(_)));
                args.push(if is_term {
                    format!("rise {{ {text} }}")
                } else {
                    text
                });
            }
        }
        let rule = match args.is_empty() {
            true => self.rule.name.to_owned(),
            false => format!("{}({})", self.rule.name, args.join(", ")),
        };
        let strategy = strategy(self.binders.len(), &rule);
        Instance { program, strategy }
    }
}

/// Returns a strategy that inlines the outer bindings, and applies the rule at the root, or else at
/// the first subterm.
pub fn strategy(context: usize, rule: &str) -> String {
    format!("inLambda(repeatNTimes({context})(beta) ; ({rule} <+ topDown({rule})))")
}

/// Returns true if a rule requires an enclosing map over work-groups.
fn in_groups(text: &str) -> bool {
    text.replace("not within(", "").contains("within(")
}

/// Returns the stages of a composition, without its type annotation.
fn stages(text: &str) -> Option<Vec<String>> {
    let text = written_type(text).map_or(text, |at| &text[..at]);
    let mut depth = 0;
    let mut stages = vec![String::new()];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth == 0 && c == '>' && chars.peek() == Some(&'>') {
            chars.next();
            stages.push(String::new());
        } else {
            stages.last_mut()?.push(c);
        }
    }
    (stages.len() > 1).then_some(stages)
}

/// Returns the offset of the type annotation of a left side.
fn written_type(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.bytes().position(|byte| {
        depth += i32::from(byte == b'(') - i32::from(byte == b')');
        byte == b':' && depth == 0
    })
}

/// Collects the variables that types bind.
fn bound_in(ty: &Ty, found: &mut Vec<Var>) {
    match &**ty {
        Type::Pi(pi) => {
            found.push(pi.var);
            bound_in(&pi.body, found);
        }
        Type::Fun(a, b) => {
            bound_in(a, found);
            bound_in(b, found);
        }
        _ => {}
    }
}

fn has_functions(ty: &Ty) -> bool {
    matches!(**ty, Type::Fun(..) | Type::Pi(_))
}

/// Collects the conditions that a condition combines: both of `and`, and the first or the second one
/// of `or`.
fn flatten(item: &Item, cond: CondId, second: bool, found: &mut Vec<CondId>) {
    match item.cond(cond).kind {
        CondKind::And(a, b) => {
            flatten(item, a, second, found);
            flatten(item, b, second, found);
        }
        CondKind::Or(_, alternative) if second => flatten(item, alternative, second, found),
        CondKind::Or(alternative, _) => flatten(item, alternative, second, found),
        CondKind::Paren(inner) => flatten(item, inner, second, found),
        _ => found.push(cond),
    }
}

/// Returns true if every array of a type has a length, and not too many elements.
fn is_small(ty: &Ty) -> bool {
    fn elements(ty: &Ty) -> Option<i64> {
        match &**ty {
            Type::Array(n, t) | Type::Vector(n, t) => {
                let n = n.as_const().filter(|n| *n >= 0)?;
                elements(t)?.checked_mul(n)
            }
            Type::Pair(a, b) => Some(elements(a)? + elements(b)?),
            Type::Fun(a, b) => Some(elements(a)?.max(elements(b)?)),
            Type::Pi(_) => Some(1),
            Type::Index(n) => n.as_const().filter(|n| *n >= 1).map(|_| 1),
            Type::Scalar(_) => Some(1),
            _ => None,
        }
    }
    elements(ty).is_some_and(|elements| elements <= 3000)
}

/// Returns the names of the value variables that a rule binds on either side.
fn binders(item: &Item) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for binder in &item.rise.binders {
        let is_value = !matches!(binder.annotation, syntax::ast::BinderAnnotation::Kind(..));
        if is_value && found.len() < 4 && !found.contains(&binder.name.to_string()) {
            found.push(binder.name.to_string());
        }
    }
    found
}
