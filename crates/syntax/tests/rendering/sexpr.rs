//! Prints the syntax tree as an S-expression, for comparison with other parsers.

#![allow(dead_code, reason = "every test uses a part of it")]

use syntax::ast::{
    Annotation, AnnotationValue, BinderAnnotation, BinderId, Half, Head, Item, ItemKind, Literal,
    ScalarType, TermId, TermKind, UnaryOp,
};

/// Returns the tree of an item, without spans, comments and documentation, on one line.
///
/// ```text
/// (import "path")   (def NAME TYPE BODY)   (stray)
/// (foreign NAME ((x TYPE) …) RESULT "C")           an annotation stands first: (@ NAME ARG …)
///
/// (missing)  _  NAME  true  (int 3 i32)  (float 0.5 f32)  (op +)     no suffix: (int 3)
/// (apply F A …)  (binary + A B)  (unary - A)  (project A _1)
/// (fun (x (y TYPE)) BODY)  (depFun ((n Nat)) BODY)  (let x VALUE BODY)
/// (natFun i BODY)  (dataFun i BODY)  (pair A B)  (ascribe A TYPE)  (paren A)
/// (scalar f32)  (address Global)  (array N T)  (Array N T)  (Tuple A B)  (Vec N T)  (Idx N)
/// (depArray N F)  (DepPair k T)  (arrow A B)  (pi (n Nat) T)  (implicit (n Nat) T)
/// (Exp T A)  (Acc T)  Comm  (access Rd)  (assign A B)  (seq A B …)  (if A B C)  skip
/// ```
///
/// `(array …)` is `n.t`, `(Array …)` the long form. An absent name, type or body is `-`. Annotation
/// arguments are terms, `"strings"`, `(list A …)`, and `(= KEY ARG)`.
pub fn dump(item: &Item) -> String {
    let mut dumper = Dumper {
        item,
        out: String::new(),
    };
    dumper.item();
    dumper.out
}

/// Prints one term of an item as [`dump`] does.
pub fn dump_term(item: &Item, term: TermId) -> String {
    let mut dumper = Dumper {
        item,
        out: String::new(),
    };
    dumper.term(term);
    dumper.out
}

/// Prints the annotations of one item, whose terms are in another one, as [`dump`] does.
pub fn dump_annotations(annotations: &[Annotation], terms: &Item) -> String {
    let mut dumper = Dumper {
        item: terms,
        out: String::new(),
    };
    dumper.annotations(annotations);
    dumper.out
}

struct Dumper<'i> {
    item: &'i Item,
    out: String,
}

impl Dumper<'_> {
    fn word(&mut self, text: &str) {
        if !self.out.is_empty() && !self.out.ends_with('(') {
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

    fn node(&mut self, head: &str, children: &[TermId]) {
        self.open(head);
        children.iter().for_each(|&child| self.term(child));
        self.close();
    }

    fn string(&mut self, text: &str) {
        self.word(&format!("{text:?}"));
    }

    fn optional(&mut self, term: Option<TermId>) {
        match term {
            Some(term) => self.term(term),
            None => self.word("-"),
        }
    }

    fn item(&mut self) {
        let item = self.item;
        match &item.kind {
            ItemKind::Import { path } => {
                self.open("import");
                match path {
                    Some((path, _)) => self.string(path),
                    None => self.word("-"),
                }
            }
            ItemKind::Def { head, ty, body, .. } => {
                self.open("def");
                self.annotations(&item.annotations);
                self.word(item.name().map_or("-", |name| &name.name));
                match head {
                    Some(head) => self.head(head, *ty),
                    None => {
                        self.optional(*ty);
                        self.term(*body);
                    }
                }
            }
            ItemKind::Foreign {
                params,
                result,
                body,
                ..
            } => {
                self.open("foreign");
                self.annotations(&item.annotations);
                self.word(item.name().map_or("-", |name| &name.name));
                self.params(params);
                self.term(*result);
                match body {
                    Some((text, _)) => self.string(text),
                    None => self.word("-"),
                }
            }
            ItemKind::Stray => self.open("stray"),
        }
        self.close();
    }

    fn annotations(&mut self, annotations: &[Annotation]) {
        for annotation in annotations {
            self.open("@");
            self.word(annotation.name.as_ref().map_or("-", |name| &name.name));
            for arg in &annotation.args {
                if let Some(key) = &arg.key {
                    self.open("=");
                    self.word(&key.name);
                }
                match &arg.value {
                    AnnotationValue::Term(term) => self.term(*term),
                    AnnotationValue::String(text, _) => self.string(text),
                    AnnotationValue::List(terms, _) => self.node("list", terms),
                }
                if arg.key.is_some() {
                    self.close();
                }
            }
            self.close();
        }
    }

    /// Prints parameters left of `=`, with the type of the result and the value as they are written.
    fn head(&mut self, head: &Head, ty: Option<TermId>) {
        for group in &head.groups {
            self.open(match group.implicit {
                true => "implicit",
                false => "definition",
            });
            for param in &group.params {
                match param.ty {
                    Some(ty) => {
                        self.open(&self.name_of(param.binder));
                        self.term(ty);
                        self.close();
                    }
                    None => self.binder(param.binder),
                }
            }
            self.close();
        }
        match (head.result, ty.map(|ty| &self.item.term(ty).kind)) {
            (Some(result), Some(TermKind::Where { conditions, .. })) => {
                let parts: Vec<TermId> = std::iter::once(result)
                    .chain(conditions.iter().copied())
                    .collect();
                self.node("where", &parts);
            }
            (result, _) => self.optional(result),
        }
        self.term(head.value);
    }

    fn params(&mut self, params: &[BinderId]) {
        self.open("");
        params.iter().for_each(|&param| self.binder(param));
        self.close();
    }

    fn binder(&mut self, id: BinderId) {
        let binder = self.item.binder(id);
        let name = self.name_of(id);
        if binder.annotation == BinderAnnotation::None {
            return self.word(&name);
        }
        self.open(&name);
        match binder.annotation {
            BinderAnnotation::Type(ty) => self.term(ty),
            BinderAnnotation::Kind(Some(kind), _) => self.word(kind.as_str()),
            BinderAnnotation::Kind(None, _) | BinderAnnotation::None => self.word("-"),
        }
        self.close();
    }

    /// Returns the name of a binder, `-` if it has none, or its pattern.
    fn name_of(&self, id: BinderId) -> String {
        let binder = self.item.binder(id);
        let Some(parts) = &binder.parts else {
            return match binder.name.is_empty() {
                true => "-".to_owned(),
                false => binder.name.to_string(),
            };
        };
        let mut pattern = Dumper {
            item: self.item,
            out: String::new(),
        };
        pattern.open("pattern");
        parts.iter().for_each(|&part| pattern.binder(part));
        pattern.close();
        pattern.out
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

    fn bound(&mut self, head: &str, param: BinderId, rest: &[TermId]) {
        self.open(head);
        self.binder(param);
        rest.iter().for_each(|&term| self.term(term));
        self.close();
    }

    fn function(&mut self, head: &str, params: &[BinderId], body: TermId) {
        self.open(head);
        self.params(params);
        self.term(body);
        self.close();
    }

    fn leaf(&mut self, head: &str, text: &str) {
        self.open(head);
        self.word(text);
        self.close();
    }

    fn term(&mut self, id: TermId) {
        match &self.item.term(id).kind {
            TermKind::Missing => self.word("(missing)"),
            TermKind::Hole => self.word("_"),
            TermKind::Name(name) => self.word(name),
            TermKind::Literal(literal) => self.literal(literal),
            TermKind::Operator(op) => self.leaf("op", op.as_str()),
            TermKind::Apply { callee, args } => {
                self.open("apply");
                self.term(*callee);
                args.iter().for_each(|&arg| self.term(arg));
                self.close();
            }
            TermKind::Binary { op, lhs, rhs, .. } => {
                self.open("binary");
                self.word(op.as_str());
                self.term(*lhs);
                self.term(*rhs);
                self.close();
            }
            TermKind::Unary { op, operand } => {
                self.open("unary");
                self.word(match op {
                    UnaryOp::Neg => "-",
                    UnaryOp::Not => "!",
                });
                self.term(*operand);
                self.close();
            }
            TermKind::Project { pair, half } => {
                self.open("project");
                self.term(*pair);
                self.word(match half {
                    Half::First => "_1",
                    Half::Second => "_2",
                });
                self.close();
            }
            TermKind::Fun { params, body, .. } => self.function("fun", params, *body),
            TermKind::DepFun { params, body } => self.function("depFun", params, *body),
            TermKind::Let {
                binder,
                value,
                body,
            } => self.bound("let", *binder, &[*value, *body]),
            TermKind::Local {
                binder,
                head,
                ty,
                body,
                ..
            } => {
                self.open("let");
                self.word(&self.name_of(*binder));
                self.head(head, Some(*ty));
                self.term(*body);
                self.close();
            }
            TermKind::LetSize {
                size,
                binder,
                value,
                body,
            } => {
                self.open("letSize");
                self.binder(*size);
                binder.iter().for_each(|&binder| self.binder(binder));
                self.term(*value);
                self.term(*body);
                self.close();
            }
            TermKind::NatFun { param, body } => self.bound("natFun", *param, &[*body]),
            TermKind::DataFun { param, body } => self.bound("dataFun", *param, &[*body]),
            TermKind::Pair(a, b) => self.node("pair", &[*a, *b]),
            TermKind::Ascribe { term, ty } => self.node("ascribe", &[*term, *ty]),
            TermKind::Paren(inner) => self.node("paren", &[*inner]),
            TermKind::Scalar(scalar) => self.leaf("scalar", ScalarType::as_str(*scalar)),
            TermKind::Address(space) => self.leaf("address", space.as_str()),
            TermKind::Array { size, elem, long } => {
                self.node(if *long { "Array" } else { "array" }, &[*size, *elem]);
            }
            TermKind::Tuple(a, b) => self.node("Tuple", &[*a, *b]),
            TermKind::Vector { size, elem } => self.node("Vec", &[*size, *elem]),
            TermKind::Index(size) => self.node("Idx", &[*size]),
            TermKind::DepArray { size, elem } => self.node("depArray", &[*size, *elem]),
            TermKind::DepPair { param, body } => self.bound("DepPair", *param, &[*body]),
            TermKind::Arrow(a, b) => self.node("arrow", &[*a, *b]),
            TermKind::Pi {
                param,
                implicit,
                body,
            } => {
                self.bound(if *implicit { "implicit" } else { "pi" }, *param, &[*body]);
            }
            TermKind::Where { ty, conditions } => {
                let parts: Vec<TermId> = [*ty]
                    .into_iter()
                    .chain(conditions.iter().copied())
                    .collect();
                self.node("where", &parts);
            }
            TermKind::Exp { data, access } => self.node("Exp", &[*data, *access]),
            TermKind::Acc(data) => self.node("Acc", &[*data]),
            TermKind::Comm => self.word("Comm"),
            TermKind::Access(access) => self.leaf("access", access.as_str()),
            TermKind::Assign { lhs, rhs, .. } => self.node("assign", &[*lhs, *rhs]),
            TermKind::Sequence(commands) => self.node("seq", commands),
            TermKind::If {
                condition,
                then,
                otherwise,
            } => self.node("if", &[*condition, *then, *otherwise]),
            TermKind::Skip => self.word("skip"),
        }
    }
}
