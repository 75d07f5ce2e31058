//! Prints the syntax tree of ELEVATE as an S-expression, for comparison with other parsers.

#![allow(dead_code, reason = "every test uses a part of it")]

use super::sexpr::{dump_annotations, dump_term};
use syntax::ast::{Ident, Literal, TermId};
use syntax::elevate::ast::{
    Alt, Case, ClauseKind, CondId, CondKind, Expect, ExprId, ExprKind, Item, ItemKind, ListForm,
    ParamId, ParamList, PatternId, PatternKind, PredBody, Range, RangeKind, RangeStep, TypeId,
    TypeKind,
};

/// Returns the tree of an item, without spans, comments and documentation, on one line.
///
/// ```text
/// (import "path")  (language rise)  (traversal functionFirst)  (main E)  (stray)
/// (rule NAME PARAMS ALT …)                       (unsafe) stands first, and attributes before it
/// (strategy NAME [P …] PARAMS TYPE E)  (val NAME TYPE E)  (normalform NAME PARAMS E)
/// (pred NAME PARAMS E)  (pred NAME PARAMS {T …})
/// (tune NAME TYPE RANGE COND E)                  (between A B (step C)), (divisors N), (set A …)
/// (example "title" (input T) (apply E) (expect …) (modulo NF))
///
/// (alt T T (let x T) (where C) (requires C) (assuming C))
/// (or C C)  (and C C)  (not C)  (paren C)  (divides T T)  (<= T T)  (notIn T T)  (type T T)
/// (kind T AddrSp)  (property assoc T …)  (holds E T)  (missing)
///
/// (missing)  _  NAME  true  (int 3)  "text"  (address Global)  (type T)  (call E ARG …)  (= x E)
/// (member E name)  (binary ; E E)  (neg E)  (not E)  (lambda (x (y TYPE)) E)  (if E E E)
/// (match E (case P E) (case P (if E) E))  (list E …)  (List E …)  (Seq E …)  (tuple E …)
/// (paren E)  (rise T)  (anonymous ALT …)  (with E E)
/// _  NAME  (list P …)  (cons P P)  (success P)  (failure P)  (app P P)  (term T)
/// Nat  (List TYPE)  (arrow TYPE TYPE)  (tuple TYPE …)
/// ```
///
/// Terms `T` are printed by the dump of RISE. An absent part is `-`; `PARAMS` are lists such
/// as `((x Nat E) y)`, none of them if there are no parentheses.
pub fn dump(item: &Item) -> String {
    let mut dumper = Dumper {
        item,
        out: String::new(),
    };
    dumper.item();
    dumper.out
}

struct Dumper<'i> {
    item: &'i Item,
    out: String,
}

impl Dumper<'_> {
    fn word(&mut self, text: &str) {
        if !self.out.is_empty() && !self.out.ends_with(['(', '{', '[']) {
            self.out.push(' ');
        }
        self.out.push_str(text);
    }

    fn open(&mut self, head: &str) {
        self.word("(");
        self.out.push_str(head);
    }

    fn close(&mut self) {
        self.out.push(')');
    }

    fn string(&mut self, text: &str) {
        self.word(&format!("{text:?}"));
    }

    /// Prints a name, in backquotes if it is not an identifier.
    fn name(&mut self, name: Option<&Ident>) {
        match name {
            Some(name) => self.quoted(&name.name),
            None => self.word("-"),
        }
    }

    fn quoted(&mut self, name: &str) {
        let plain = |c: char| c == '_' || c == '-' || c.is_alphanumeric();
        match name.chars().all(plain) {
            true => self.word(name),
            false => self.word(&format!("`{name}`")),
        }
    }

    fn term(&mut self, id: TermId) {
        let text = dump_term(&self.item.rise, id);
        self.word(&text);
    }

    fn terms(&mut self, head: &str, terms: &[TermId]) {
        self.open(head);
        terms.iter().for_each(|&term| self.term(term));
        self.close();
    }

    fn item(&mut self) {
        let item = self.item;
        let attributes = dump_annotations(&item.attributes, &item.rise);
        if !attributes.is_empty() {
            self.word(&attributes);
        }
        match &item.kind {
            ItemKind::Import { path } => {
                self.open("import");
                match path {
                    Some((path, _)) => self.string(path),
                    None => self.word("-"),
                }
            }
            ItemKind::Language { name } => {
                self.open("language");
                self.name(name.as_ref());
            }
            ItemKind::Traversal { order, .. } => {
                self.open("traversal");
                self.word(order.map_or("-", |order| order.as_str()));
            }
            ItemKind::Rule {
                name,
                params,
                alts,
                unsafe_word,
            } => {
                if unsafe_word.is_some() {
                    self.word("(unsafe)");
                }
                self.head("rule", name, params);
                self.alts(alts);
            }
            ItemKind::Strategy {
                name,
                type_params,
                params,
                ty,
                body,
            } => {
                self.open("strategy");
                self.name(name.as_ref());
                if !type_params.is_empty() {
                    self.word("[");
                    type_params.iter().for_each(|name| self.word(&name.name));
                    self.out.push(']');
                }
                self.param_lists(params);
                self.optional_type(*ty);
                self.expr(*body);
            }
            ItemKind::Val { name, ty, body } => {
                self.head("val", name, &[]);
                self.optional_type(*ty);
                self.expr(*body);
            }
            ItemKind::Pred { name, params, body } => {
                self.head("pred", name, params);
                match body {
                    PredBody::Strategy(body) => self.expr(*body),
                    PredBody::Patterns(patterns) => {
                        self.word("{");
                        patterns.iter().for_each(|&pattern| self.term(pattern));
                        self.out.push('}');
                    }
                }
            }
            ItemKind::NormalForm { name, params, body } => {
                self.head("normalform", name, params);
                self.expr(*body);
            }
            ItemKind::Tune { .. } => self.tune(),
            ItemKind::Example { .. } => self.example(),
            ItemKind::Main { expr } => {
                self.open("main");
                self.expr(*expr);
            }
            ItemKind::Stray => self.open("stray"),
        }
        self.close();
    }

    fn head(&mut self, word: &str, name: &Option<Ident>, params: &[ParamList]) {
        self.open(word);
        self.name(name.as_ref());
        self.param_lists(params);
    }

    fn tune(&mut self) {
        let ItemKind::Tune {
            name,
            ty,
            range,
            condition,
            value,
        } = &self.item.kind
        else {
            return;
        };
        self.head("tune", name, &[]);
        self.optional_type(*ty);
        match range {
            Some(range) => self.range(range),
            None => self.word("-"),
        }
        match condition {
            Some(condition) => self.cond(*condition),
            None => self.word("-"),
        }
        match value {
            Some(value) => self.expr(*value),
            None => self.word("-"),
        }
    }

    fn range(&mut self, range: &Range) {
        match &range.kind {
            RangeKind::Between { from, to, step } => {
                self.open("between");
                self.term(*from);
                self.term(*to);
                match step {
                    Some(RangeStep::Add(by)) => self.terms("step", &[*by]),
                    Some(RangeStep::Times(by)) => self.terms("pow", &[*by]),
                    None => {}
                }
                self.close();
            }
            RangeKind::Divisors(size) => self.terms("divisors", &[*size]),
            RangeKind::Set(sizes) => self.terms("set", sizes),
        }
    }

    fn example(&mut self) {
        let ItemKind::Example {
            title,
            input,
            apply,
            expect,
            modulo,
        } = &self.item.kind
        else {
            return;
        };
        self.open("example");
        match title {
            Some((title, _)) => self.string(title),
            None => self.word("-"),
        }
        self.terms("input", &[*input]);
        self.open("apply");
        self.expr(*apply);
        self.close();
        self.open("expect");
        match expect {
            Expect::Program(program) => self.term(*program),
            Expect::Failure(_) => self.word("failure"),
            Expect::Trace(rules, _) => {
                self.open("trace");
                rules.iter().for_each(|rule| self.quoted(&rule.name));
                self.close();
            }
        }
        self.close();
        if let Some(modulo) = modulo {
            self.open("modulo");
            self.word(&modulo.name);
            self.close();
        }
    }

    fn param_lists(&mut self, lists: &[ParamList]) {
        for list in lists {
            self.params(&list.params);
        }
    }

    fn params(&mut self, params: &[ParamId]) {
        self.open("");
        for &id in params {
            let param = self.item.param(id);
            let name = match param.name.as_str() {
                "" => "-",
                name => name,
            };
            if param.ty.is_none() && param.default.is_none() {
                self.word(name);
                continue;
            }
            self.open(name);
            self.optional_type(param.ty);
            if let Some(default) = param.default {
                self.expr(default);
            }
            self.close();
        }
        self.close();
    }

    fn optional_type(&mut self, ty: Option<TypeId>) {
        match ty {
            Some(ty) => self.ty(ty),
            None => self.word("-"),
        }
    }

    fn ty(&mut self, id: TypeId) {
        let all = |dumper: &mut Self, head: &str, parts: &[TypeId]| {
            dumper.open(head);
            parts.iter().for_each(|&part| dumper.ty(part));
            dumper.close();
        };
        match &self.item.ty(id).kind {
            TypeKind::Missing => self.word("(missing)"),
            TypeKind::Name(name) => self.word(name),
            TypeKind::Apply { name, args } => all(self, &name.name, args),
            TypeKind::Arrow(a, b) => all(self, "arrow", &[*a, *b]),
            TypeKind::Tuple(parts) => all(self, "tuple", parts),
        }
    }

    fn alts(&mut self, alts: &[Alt]) {
        for alt in alts {
            self.open("alt");
            self.term(alt.lhs);
            self.term(alt.rhs);
            for clause in &alt.clauses {
                let (word, cond) = match &clause.kind {
                    ClauseKind::Let { name, value } => {
                        self.open("let");
                        self.name(name.as_ref());
                        self.term(*value);
                        self.close();
                        continue;
                    }
                    ClauseKind::Where(cond) => ("where", cond),
                    ClauseKind::Requires(cond) => ("requires", cond),
                    ClauseKind::Assuming(cond) => ("assuming", cond),
                };
                self.open(word);
                self.cond(*cond);
                self.close();
            }
            self.close();
        }
    }

    fn cond(&mut self, id: CondId) {
        let all = |dumper: &mut Self, head: &str, parts: &[CondId]| {
            dumper.open(head);
            parts.iter().for_each(|&part| dumper.cond(part));
            dumper.close();
        };
        match &self.item.cond(id).kind {
            CondKind::Missing => self.word("(missing)"),
            CondKind::Or(a, b) => all(self, "or", &[*a, *b]),
            CondKind::And(a, b) => all(self, "and", &[*a, *b]),
            CondKind::Not(a) => all(self, "not", &[*a]),
            CondKind::Paren(a) => all(self, "paren", &[*a]),
            CondKind::Divides { divisor, size } => self.terms("divides", &[*divisor, *size]),
            CondKind::Compare { op, lhs, rhs } => self.terms(op.as_str(), &[*lhs, *rhs]),
            CondKind::NotIn { name, term } => self.terms("notIn", &[*name, *term]),
            CondKind::HasType { term, ty } => self.terms("type", &[*term, *ty]),
            CondKind::HasKind { term, kind } => {
                self.open("kind");
                self.term(*term);
                self.word(kind.as_str());
                self.close();
            }
            CondKind::Property { name, args } => {
                self.open("property");
                self.word(&name.name);
                args.iter().for_each(|&arg| self.term(arg));
                self.close();
            }
            CondKind::Holds { strategy, term } => {
                self.open("holds");
                self.expr(*strategy);
                self.term(*term);
                self.close();
            }
        }
    }

    fn literal(&mut self, literal: &Literal) {
        let (head, text, suffix) = match literal {
            Literal::Bool(value) => return self.word(if *value { "true" } else { "false" }),
            Literal::Int { value, suffix } => ("int", value.to_string(), suffix),
            Literal::Float { text, suffix } => ("float", text.to_string(), suffix),
        };
        self.open(head);
        self.word(&text);
        if let Some(suffix) = suffix {
            self.word(suffix.as_str());
        }
        self.close();
    }

    fn node(&mut self, head: &str, parts: &[ExprId]) {
        self.open(head);
        parts.iter().for_each(|&part| self.expr(part));
        self.close();
    }

    fn expr(&mut self, id: ExprId) {
        match &self.item.expr(id).kind {
            ExprKind::Missing => self.word("(missing)"),
            ExprKind::Hole => self.word("_"),
            ExprKind::Name(name) => self.quoted(name),
            ExprKind::Literal(literal) => self.literal(literal),
            ExprKind::String(text) => self.string(text),
            ExprKind::Address(space) => {
                self.open("address");
                self.word(space.as_str());
                self.close();
            }
            ExprKind::Type(term) => self.terms("type", &[*term]),
            ExprKind::Call { callee, args } => {
                self.open("call");
                self.expr(*callee);
                for arg in args {
                    match &arg.name {
                        Some(name) => {
                            self.open("=");
                            self.word(&name.name);
                            self.expr(arg.value);
                            self.close();
                        }
                        None => self.expr(arg.value),
                    }
                }
                self.close();
            }
            ExprKind::Member { object, name } => {
                self.open("member");
                self.expr(*object);
                self.name(name.as_ref());
                self.close();
            }
            ExprKind::Binary { op, lhs, rhs, .. } => {
                self.open("binary");
                self.word(op.as_str());
                self.expr(*lhs);
                self.expr(*rhs);
                self.close();
            }
            ExprKind::Neg(a) => self.node("neg", &[*a]),
            ExprKind::Not(a) => self.node("not", &[*a]),
            ExprKind::Lambda { params, body } => {
                self.open("lambda");
                self.params(params);
                self.expr(*body);
                self.close();
            }
            ExprKind::Match { scrutinee, cases } => {
                self.open("match");
                self.expr(*scrutinee);
                cases.iter().for_each(|case| self.case(case));
                self.close();
            }
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => self.node("if", &[*condition, *then, *otherwise]),
            ExprKind::List { elements, form } => {
                let head = match form {
                    ListForm::Brackets => "list",
                    ListForm::List => "List",
                    ListForm::Seq => "Seq",
                };
                self.node(head, elements);
            }
            ExprKind::Tuple(parts) => self.node("tuple", parts),
            ExprKind::Paren(a) => self.node("paren", &[*a]),
            ExprKind::Rise(term) => self.terms("rise", &[*term]),
            ExprKind::Rule(alts) => {
                self.open("anonymous");
                self.alts(alts);
                self.close();
            }
            ExprKind::With { normal_form, body } => self.node("with", &[*normal_form, *body]),
        }
    }

    fn case(&mut self, case: &Case) {
        self.open("case");
        self.pattern(case.pattern);
        if let Some(guard) = case.guard {
            self.node("if", &[guard]);
        }
        self.expr(case.body);
        self.close();
    }

    fn pattern(&mut self, id: PatternId) {
        let all = |dumper: &mut Self, head: &str, parts: &[PatternId]| {
            dumper.open(head);
            parts.iter().for_each(|&part| dumper.pattern(part));
            dumper.close();
        };
        match &self.item.pattern(id).kind {
            PatternKind::Missing => self.word("(missing)"),
            PatternKind::Wildcard => self.word("_"),
            PatternKind::Name(name) => self.quoted(name),
            PatternKind::Literal(literal) => self.literal(literal),
            PatternKind::String(text) => self.string(text),
            PatternKind::List(parts) => all(self, "list", parts),
            PatternKind::Cons(a, b) => all(self, "cons", &[*a, *b]),
            PatternKind::Success(a) => all(self, "success", &[*a]),
            PatternKind::Failure(a) => all(self, "failure", &[*a]),
            PatternKind::Node(node, parts) => all(self, node.as_str(), parts),
            PatternKind::Term(term) => self.terms("term", &[*term]),
        }
    }
}
