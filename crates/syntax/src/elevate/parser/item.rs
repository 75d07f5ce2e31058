//! Parses items: headers, imports, definitions, examples and the main expression.

use super::Parser;
use crate::ast::{Annotation, Ident};
use crate::elevate::ast::{
    Alt, Expect, ExprId, ItemKind, Order, ParamList, PredBody, Range, RangeKind, RangeStep,
};
use crate::lexer::elevate::Word;
use crate::parser::TermCategory;
use crate::{Diagnostic, Span, Token, TokenKind};

/// The names of the attributes that items can have.
pub const ATTRIBUTES: &[&str] = &[
    "action", "hidden", "kind", "looping", "menu", "native", "order", "title",
];

impl Parser<'_> {
    /// Parses the whole item; reports attributes before an item that allows none, and text after
    /// the item.
    pub(super) fn item(&mut self) -> (Box<[Annotation]>, ItemKind) {
        let attributes = self.attributes();
        self.mend_item_word();
        let kind = match self.kind() {
            TokenKind::Import => self.import(),
            TokenKind::Def | TokenKind::Word(Word::Strategy) => self.strategy(),
            TokenKind::Word(Word::Language) => self.language(),
            TokenKind::Word(Word::Traversal) => self.traversal(),
            TokenKind::Word(Word::Unsafe) => self.rule(),
            TokenKind::Word(Word::Rule) if self.peek(1) != TokenKind::LBrace => self.rule(),
            TokenKind::Word(Word::Val) => self.val(),
            TokenKind::Word(Word::Pred) => self.pred(),
            TokenKind::Word(Word::NormalForm) => self.normal_form(),
            TokenKind::Word(Word::Tune) => self.tune(),
            TokenKind::Word(Word::Example) => self.example(),
            _ => self.main(&attributes),
        };
        let defines = !matches!(
            kind,
            ItemKind::Import { .. }
                | ItemKind::Language { .. }
                | ItemKind::Traversal { .. }
                | ItemKind::Main { .. }
                | ItemKind::Stray
        );
        if let (Some(attribute), false) = (attributes.first(), defines) {
            self.lone_attribute(attribute);
        }
        if !self.at(TokenKind::End) {
            self.report_trailing_text(&kind);
        }
        (attributes, kind)
    }

    fn attributes(&mut self) -> Box<[Annotation]> {
        let mut attributes = Vec::new();
        while self.kind() == TokenKind::Attribute {
            attributes.push(self.rise.annotation());
        }
        attributes.into_boxed_slice()
    }

    /// Reports an attribute before an item that allows none: an [attribute](ATTRIBUTES) lacks its
    /// definition; any other name was probably meant as a strategy after the operator `@`.
    fn lone_attribute(&mut self, attribute: &Annotation) {
        let (Some(name), sign) = (&attribute.name, attribute.span.start) else {
            return;
        };
        let sign = Span::new(sign, sign + 1);
        let text = name.name.clone();
        if ATTRIBUTES.contains(&text.as_str()) {
            let span = self.rise.last_char();
            return self
                .rise
                .error_at(span, "expected a definition after the attribute");
        }
        let message = format!(
            "`@{text}` is an attribute, and no definition follows it: to apply `{text}` to the strategy before it, write `@ {text}`"
        );
        self.rise
            .report(Diagnostic::syntax(sign.cover(name.span), message).replace(
                format!("Write `@ {text}`"),
                Span::empty(sign.end),
                " ",
            ));
    }

    fn import(&mut self) -> ItemKind {
        self.bump();
        let path = match self.kind() {
            TokenKind::String => Some(self.rise.string()),
            TokenKind::OpenString => {
                self.bump();
                None
            }
            _ => {
                let first = self.rise.token().span;
                if self.rise.slice(first) == "<" {
                    self.rise.path_in_other_quotes(first);
                }
                self.rise
                    .expected("a path in quotes, as in `import \"tiling.elevate\"`,");
                self.rise.skip_to_end();
                None
            }
        };
        ItemKind::Import { path }
    }

    fn language(&mut self) -> ItemKind {
        self.bump();
        let name = self.ident("the language of the programs, `rise`,");
        if let Some(Ident { name, span }) = &name
            && name != "rise"
        {
            let message = format!(
                "strategies for programs in `{name}` are not supported: the language is `rise`"
            );
            self.rise.error_at(*span, message);
        }
        ItemKind::Language { name }
    }

    fn traversal(&mut self) -> ItemKind {
        self.bump();
        let word = self.ident("`default`, `functionFirst` or `argumentFirst`");
        let (order, span) = match word {
            Some(Ident { name, span }) => (Order::from_text(&name), span),
            None => (None, Span::empty(self.rise.last_end())),
        };
        if order.is_none() {
            let text = self.rise.slice(span).to_owned();
            let message = format!(
                "`{text}` is not an order of traversal: expected `default`, `functionFirst` or `argumentFirst`"
            );
            self.rise.error_at(span, message);
        }
        ItemKind::Traversal { order, span }
    }

    /// Parses a keyword and the name that it defines.
    fn defined(&mut self) -> Option<Ident> {
        self.bump();
        self.ident("a name")
    }

    fn rule(&mut self) -> ItemKind {
        let unsafe_word = self.eat_word(Word::Unsafe).map(|token| token.span);
        if !self.at_word(Word::Rule) {
            self.rise.expected("`rule`");
            self.rise.skip_to_end();
        }
        let name = match self.at(TokenKind::End) {
            true => None,
            false => self.defined(),
        };
        let params = self.param_lists();
        if self.at(TokenKind::Colon) {
            let span = self.bump().span;
            let message = "a rule has no written type: the types of its sides are inferred";
            self.rise.error_at(span, message);
            self.ty();
        }
        self.equals(
            name.as_ref(),
            "`|->`, as in `rule etaReduce = fun(x => f(x)) |-> f`",
        );
        ItemKind::Rule {
            name,
            params,
            alts: self.alts(),
            unsafe_word,
        }
    }

    fn alts(&mut self) -> Box<[Alt]> {
        let hole = self.at(TokenKind::Underscore) && self.peek(1) == TokenKind::End;
        if hole || (self.at(TokenKind::End) && self.rise.error.is_some()) {
            self.bump();
            return Box::default();
        }
        match self.at(TokenKind::LBrace) {
            true => self.braced_alts(),
            false => Box::from([self.alt(false)]),
        }
    }

    fn strategy(&mut self) -> ItemKind {
        let name = self.defined();
        let type_params = self.type_params();
        let params = self.param_lists();
        let ty = self.type_annotation();
        let body = self.body(name.as_ref(), "a strategy");
        ItemKind::Strategy {
            name,
            type_params,
            params,
            ty,
            body,
        }
    }

    /// Parses type parameters `[P, Q]`.
    fn type_params(&mut self) -> Box<[Ident]> {
        let Some(open) = self.eat(TokenKind::LBracket) else {
            return Box::default();
        };
        let params = self.list(open, TokenKind::RBracket, |parser| {
            parser.ident("a type parameter")
        });
        params.into_iter().flatten().collect()
    }

    fn val(&mut self) -> ItemKind {
        let name = self.defined();
        self.no_params("a `val` has no parameters: define a `strategy`");
        let ty = self.type_annotation();
        let body = self.body(name.as_ref(), "a value");
        ItemKind::Val { name, ty, body }
    }

    fn no_type(&mut self, message: &str) {
        if let Some(colon) = self.eat(TokenKind::Colon) {
            self.rise.error_at(colon.span, message);
            self.ty();
        }
    }

    fn no_params(&mut self, message: &str) {
        if self.at(TokenKind::LParen) {
            let span = self.span();
            self.rise.error_at(span, message);
            self.param_lists();
        }
    }

    fn pred(&mut self) -> ItemKind {
        let name = self.defined();
        let params = self.param_lists();
        self.no_type("a predicate has type `Pred`: leave the type out");
        let body = match self.equals(name.as_ref(), "a strategy, or patterns in braces") {
            true if self.at(TokenKind::LBrace) => PredBody::Patterns(self.braced_patterns()),
            _ => PredBody::Strategy(self.right_side()),
        };
        ItemKind::Pred { name, params, body }
    }

    fn braced_patterns(&mut self) -> Box<[crate::ast::TermId]> {
        let open = self.bump();
        let mut patterns = Vec::new();
        loop {
            patterns.push(self.side());
            if !self.next_alternative(open) {
                return patterns.into_boxed_slice();
            }
        }
    }

    fn normal_form(&mut self) -> ItemKind {
        let name = self.defined();
        let params: Box<[ParamList]> = self.param_lists();
        self.no_type("a normal form is a `Strategy`: leave the type out");
        let body = self.body(name.as_ref(), "a strategy");
        ItemKind::NormalForm { name, params, body }
    }

    fn body(&mut self, name: Option<&Ident>, what: &str) -> ExprId {
        self.equals(name, what);
        self.right_side()
    }

    fn right_side(&mut self) -> ExprId {
        match self.at(TokenKind::End) && self.rise.error.is_some() {
            true => self.missing(),
            false => self.expr(),
        }
    }

    /// Parses the `=` of a definition; `==` or `=>` in its place is reported. If there is none of
    /// them, reports this and skips past the next `=` of the item, or to its end. Returns false if
    /// there is no `=`.
    fn equals(&mut self, name: Option<&Ident>, what: &str) -> bool {
        if self.eat(TokenKind::Equals).is_some() {
            return true;
        }
        let (span, text) = (self.span(), self.quoted());
        if matches!(self.kind(), TokenKind::EqEq | TokenKind::FatArrow) {
            self.bump();
            let message = format!("a definition has a `=` before its right side, not {text}");
            self.rise
                .report(Diagnostic::syntax(span, message).write(span, "="));
            return true;
        }
        match name {
            Some(_) => self.rise.expected(&format!("`=` and {what}")),
            None => self.rise.expected("a name"),
        }
        let behind = self.kinds[self.rise.pos..]
            .iter()
            .position(|kind| *kind == TokenKind::Equals);
        match behind {
            Some(n) => self.rise.pos += n + 1,
            None => self.rise.skip_to_end(),
        }
        behind.is_some()
    }

    /// Parses `tune s : Nat = 32` or `tune s : Nat in 1..64 where 4 divides s`.
    fn tune(&mut self) -> ItemKind {
        let name = self.defined();
        self.no_params("a `tune` has no parameters");
        let ty = self.type_annotation();
        if ty.is_none() {
            self.rise.expected("`: Nat`");
        }
        let range = self.eat(TokenKind::In).map(|_| self.range());
        let value = self.eat(TokenKind::Equals).map(|_| self.expr());
        let condition = self.eat_word(Word::Where).map(|_| self.condition());
        ItemKind::Tune {
            name,
            ty,
            range,
            condition,
            value,
        }
    }

    fn range(&mut self) -> Range {
        let start = self.span().start;
        let kind = if self.at_name("divisors") && self.call_ahead(1) {
            self.bump();
            let open = self.bump();
            let size = self.rise.term(TermCategory::Size);
            self.rise.close(open, TokenKind::RParen);
            RangeKind::Divisors(size)
        } else if let Some(open) = self.eat(TokenKind::LBrace) {
            let size = |parser: &mut Self| parser.rise.term(TermCategory::Size);
            RangeKind::Set(self.list(open, TokenKind::RBrace, size).into_boxed_slice())
        } else {
            self.between()
        };
        Range {
            kind,
            span: self.rise.since(start),
        }
    }

    /// Parses a range `a..b`, `a..b step c` or `a..b pow c`.
    fn between(&mut self) -> RangeKind {
        let from = self.size(TermCategory::Size);
        if self.eat(TokenKind::DotDot).is_none() {
            self.rise
                .expected("`..` and the end of the range, as in `1..64`,");
        }
        let to = self.size(TermCategory::Size);
        let step = match self.text() {
            "step" => {
                self.bump();
                Some(RangeStep::Add(self.size(TermCategory::Size)))
            }
            "pow" => {
                self.bump();
                Some(RangeStep::Times(self.size(TermCategory::Size)))
            }
            _ => None,
        };
        RangeKind::Between { from, to, step }
    }

    /// Parses `example "title" { input e apply s expect e modulo NF }`.
    fn example(&mut self) -> ItemKind {
        let word = self.bump();
        let title = match self.at(TokenKind::String) {
            true => Some(self.rise.string()),
            false => None,
        };
        let open = self.eat(TokenKind::LBrace);
        if open.is_none() {
            self.rise.expected("`{`, `input` and a program");
        }
        self.field("input", "a program", word);
        let input = self.rise.term(TermCategory::Expr);
        self.field("apply", "a strategy", word);
        let apply = self.bracketed(Self::expr);
        self.field("expect", "a program, `failure` or `trace [rules]`", word);
        let expect = self.expect();
        let modulo = match self.eat_name("modulo") {
            Some(_) => self.ident("the name of a normal form"),
            None => None,
        };
        if let Some(open) = open {
            self.rise.close(open, TokenKind::RBrace);
        }
        ItemKind::Example {
            title,
            input,
            apply,
            expect,
            modulo,
        }
    }

    /// Parses `word`, one of the keywords of an example. If it is missing, reports this and skips
    /// past its next occurrence, or to the end.
    fn field(&mut self, word: &'static str, what: &str, example: Token) {
        if self.eat_field(word) {
            return;
        }
        if matches!(self.kind(), TokenKind::RParen | TokenKind::RBracket) {
            self.report_unmatched_closer();
        }
        let (span, found) = (self.rise.last_char(), self.quoted());
        let end = self.at(TokenKind::End);
        let message = match end {
            true => format!("expected `{word}` and {what}"),
            false => format!("expected `{word}` and {what}, found {found}"),
        };
        self.rise.report(Diagnostic::syntax(span, message).related(
            example.span,
            "an example is written `example { input program apply strategy expect program }`",
        ));
        let ahead = (self.rise.pos..self.kinds.len())
            .find(|&at| self.rise.slice(self.rise.tokens[at].span) == word);
        match ahead {
            Some(at) => self.rise.pos = at + 1,
            None => self.rise.skip_to_end(),
        }
    }

    fn expect(&mut self) -> Expect {
        let ends = matches!(self.peek(1), TokenKind::RBrace | TokenKind::End)
            || self.rise.slice(self.rise.peek(1).span) == "modulo";
        if self.at_name("failure") && ends {
            return Expect::Failure(self.bump().span);
        }
        if !self.at_name("trace") || self.peek(1) != TokenKind::LBracket {
            return Expect::Program(self.rise.term(TermCategory::Expr));
        }
        let word = self.bump();
        let open = self.bump();
        let rule = |parser: &mut Self| parser.ident("the name of a rule");
        let rules = self.list_or_empty(open, TokenKind::RBracket, rule);
        let rules = rules.into_iter().flatten().collect();
        Expect::Trace(rules, self.rise.since(word.span.start))
    }

    /// Parses a main expression. Text that cannot begin one is reported and skipped.
    fn main(&mut self, attributes: &[Annotation]) -> ItemKind {
        if self.begins_operand(0) || self.at(TokenKind::Minus) {
            return ItemKind::Main { expr: self.expr() };
        }
        let (span, text) = (self.span(), self.quoted());
        if let Some(attribute) = attributes.first() {
            self.lone_attribute(attribute);
        } else if !self.at(TokenKind::End) {
            self.rise.error_at(span, match text.as_str() {
                "`foreign`" => "foreign functions are defined in RISE, in `.rise` files".to_owned(),
                _ => format!(
                    "expected a definition (`rule`, `strategy`, `val`, …) or a strategy, found {text}"
                ),
            });
        }
        self.rise.skip_to_end();
        ItemKind::Stray
    }

    /// Reports text after a complete item, and skips it.
    fn report_trailing_text(&mut self, kind: &ItemKind) {
        let (span, text) = (self.span(), self.quoted());
        let what = item_noun(kind);
        let is_definition = matches!(self.peek(1), TokenKind::Equals | TokenKind::Colon);
        let message = match self.kind() {
            kind if kind.closes_bracket() => {
                self.report_unmatched_closer();
                return self.rise.skip_to_end();
            }
            TokenKind::Bar => format!(
                "unexpected {text} after {what}: several alternatives must be in braces, as in `{{ a |-> b | c |-> d }}`"
            ),
            TokenKind::MapsTo => {
                format!("unexpected {text} after {what}: {text} is allowed only in rules")
            }
            TokenKind::Pipe | TokenKind::Then | TokenKind::After => format!(
                "unexpected {text} after {what}: {text} joins functions of RISE; write `;` to join strategies"
            ),
            TokenKind::Word(Word::Where | Word::Requires | Word::Assuming) | TokenKind::Let => {
                format!("unexpected {text} after {what}: conditions are allowed only in rules")
            }
            TokenKind::Equals if matches!(kind, ItemKind::Main { .. }) => format!(
                "unexpected {text}: a definition begins with `strategy`, `rule`, `val` or another of these words"
            ),
            TokenKind::Combinator(..) if matches!(kind, ItemKind::Rule { .. }) => format!(
                "unexpected {text} after {what}: a rule has terms of RISE on both sides, `strategy` defines a strategy"
            ),
            _ if is_definition && matches!(kind, ItemKind::Main { .. }) => format!(
                "unexpected {text}: a definition begins with `strategy`, `rule`, `val` or another of these words"
            ),
            _ if self.begins_operand(0) => {
                self.unjoined();
                return self.rise.skip_to_end();
            }
            _ => format!("unexpected {text} after {what}"),
        };
        self.rise.error_at(span, message);
        self.rise.skip_to_end();
    }
}

impl Parser<'_> {
    fn report_unmatched_closer(&mut self) {
        let (span, text) = (self.span(), self.quoted());
        self.rise.error_at(span, format!("unmatched {text}"));
    }
}

fn item_noun(kind: &ItemKind) -> &'static str {
    match kind {
        ItemKind::Import { .. } => "the import",
        ItemKind::Language { .. } | ItemKind::Traversal { .. } => "the header",
        ItemKind::Rule { .. } => "the rule",
        ItemKind::Strategy { .. } | ItemKind::Main { .. } | ItemKind::Stray => "the strategy",
        ItemKind::Val { .. } => "the value",
        ItemKind::Pred { .. } => "the predicate",
        ItemKind::NormalForm { .. } => "the normal form",
        ItemKind::Tune { .. } => "the size",
        ItemKind::Example { .. } => "the example",
    }
}
