//! Error recovery for definitions and functions in the notation of other languages: `def f(x) = …`,
//! `let f = …`, `\x -> …`; also for modifiers and comments of other languages.

use super::{Parser, TermCategory};
use crate::ast::{BinderAnnotation, BinderId, Name, TermId, TermKind};
use crate::lexer::{Token, TokenKind};
use crate::{Diagnostic, Fix, Span};

/// The title of the fixes that write a function in RISE notation.
const WRITE_FUN_TITLE: &str = "write `fun`";

/// The parameters of a definition that precede its `=`.
pub(crate) struct LeadingParameters {
    /// The span of the first token of the parameters, at which the error is reported.
    place: Span,
    /// The span from the end of the name to the end of the `=`.
    span: Span,
    /// The new text after the name, with `…` for the body: the text before the `…` replaces `span`,
    /// and the text after it is inserted after the body.
    text: String,
}

impl Parser<'_> {
    /// Parses and reports parameters between the name of a definition and its `=`: `def f(x: f32):
    /// f32 = …`, `def f x = …`. Returns `None` if they cannot be moved after the `=`, or if no `=`
    /// follows them.
    pub(crate) fn parameters_of_def(&mut self) -> Option<LeadingParameters> {
        let place = self.token().span;
        let name = self.previous().map_or("f", |name| self.slice(name.span));
        let start = self.last_end();
        let was_first = self.error.is_none();
        let params = self.parameters_before_equals();
        let result = match self.kind() {
            TokenKind::Colon | TokenKind::Arrow if was_first => {
                self.bump();
                Some(self.term(TermCategory::Type))
            }
            _ => None,
        };
        let text = params.filter(|_| was_first && self.error.is_none());
        let text = text.and_then(|params| self.function_of(&params, result));
        let is_whole = self.at(TokenKind::Equals);
        let shown = match text.as_ref().and_then(|text| text.split_once("= ")) {
            Some((_, function)) if function.len() < 60 => function.to_owned(),
            _ => "fun(x => …)".to_owned(),
        };
        let message = format!("parameters must come after the `=`: write `def {name} = {shown}`");
        self.report_instead(was_first, Diagnostic::syntax(place, message));
        let span = Span::new(start, self.token().span.end);
        text.filter(|_| is_whole)
            .map(|text| LeadingParameters { place, span, text })
    }

    /// Adds the fix that moves the parameters to the place behind the `=`. It is called after the
    /// body has been parsed, and does nothing if the body is missing or text follows it.
    pub(crate) fn move_parameters(&mut self, head: LeadingParameters, body: TermId) {
        let end = self.last_end();
        let is_whole = self.at(TokenKind::End) && !self.is_missing(body);
        let Some((before, after)) = head.text.split_once(" …").filter(|_| is_whole) else {
            return;
        };
        let edits = vec![
            (head.span, before.to_owned()),
            (Span::empty(end), after.to_owned()),
        ];
        self.mend(
            head.place,
            Fix::preferred("Move the parameters behind the `=`", edits),
        );
    }

    /// Parses parameters in parentheses or as bare names; `None` if they cannot be read.
    fn parameters_before_equals(&mut self) -> Option<Vec<BinderId>> {
        let mut params = Vec::new();
        let mut is_read = true;
        loop {
            match self.kind() {
                TokenKind::Ident => params.push(self.binder("a parameter")),
                TokenKind::LBracket => {
                    self.skip_brackets();
                    is_read = false;
                }
                TokenKind::LParen if self.peek_kind(1) == TokenKind::RParen => {
                    self.pos += 2;
                    is_read = false;
                }
                TokenKind::LParen => {
                    let open = self.bump();
                    let list = self.list(open, TokenKind::RParen, Self::typed_or_kinded);
                    params.extend(list);
                }
                _ => return Some(params).filter(|_| is_read),
            }
        }
    }

    /// Parses a parameter `x`, `x: f32` or `n: Nat`.
    fn typed_or_kinded(&mut self) -> BinderId {
        let id = self.binder("a parameter");
        if self.eat(TokenKind::Colon).is_some() {
            self.binders[id.0 as usize].annotation = match self.at(TokenKind::Kind) {
                true => self.binder_kind(),
                false => BinderAnnotation::Type(self.term(TermCategory::Type)),
            };
        }
        id
    }

    /// Returns the text of a definition after its name, with these parameters and `…` for the body.
    /// Returns `None` if a kind cannot be read, or if there is a result type but a parameter
    /// without a type.
    fn function_of(&self, params: &[BinderId], result: Option<TermId>) -> Option<String> {
        let text = |span: Span| self.slice(span);
        let mut ty = String::new();
        let mut words = Vec::new();
        let mut is_typed = true;
        for param in params {
            let binder = &self.binders[param.0 as usize];
            let name = text(binder.span);
            let (word, shown) = match binder.annotation {
                BinderAnnotation::None => {
                    is_typed = false;
                    ("fun", name.to_owned())
                }
                BinderAnnotation::Type(annotation) => {
                    let written = text(self.span_of(annotation));
                    let kind = self.kind_of(annotation);
                    ty += &match kind {
                        TermKind::Arrow(..) | TermKind::Pi { .. } => format!("({written}) -> "),
                        _ => format!("{written} -> "),
                    };
                    ("fun", format!("{name}: {written}"))
                }
                BinderAnnotation::Kind(kind, _) => {
                    ty += &format!("({name}: {}) -> ", kind?);
                    ("depFun", format!("{name}: {}", kind?))
                }
            };
            words.push((word, name, shown));
        }
        let result = result.map(|result| text(self.span_of(result)));
        let stated = result.filter(|_| is_typed);
        let mut function = String::new();
        let groups: Vec<_> = words.chunk_by(|a, b| a.0 == b.0).collect();
        for group in &groups {
            let word = group[0].0;
            let shown = group.iter().map(|(_, name, shown)| match (word, stated) {
                ("fun", Some(_)) => (*name).to_owned(),
                _ => shown.clone(),
            });
            let shown = shown.collect::<Vec<_>>().join(", ");
            let is_grouped = word == "depFun" && group.len() > 1;
            function += &match is_grouped {
                true => format!("{word}(({shown}) => "),
                false => format!("{word}({shown} => "),
            };
        }
        function += "…";
        function += &")".repeat(groups.len());
        Some(match (stated, result) {
            (Some(result), _) => format!(" : {ty}{result} = {function}"),
            (None, Some(_)) => return None,
            (None, None) => format!(" = {function}"),
        })
    }

    /// Returns true at an abstraction in the notation of another language: `\x -> …`, `|x| …`,
    /// `lambda x: …` or `λx. …`.
    pub(crate) fn at_foreign_function(&self, mode: TermCategory) -> bool {
        let token = self.token();
        let next = self.peek_kind(1);
        let text = self.slice(token.span);
        self.host.is_none()
            && match token.kind {
                TokenKind::Bar => {
                    next == TokenKind::Ident
                        && matches!(self.peek_kind(2), TokenKind::Bar | TokenKind::Comma)
                }
                TokenKind::Unknown => text == "\\",
                TokenKind::Ident if matches!(text, "lambda" | "λ") => next == TokenKind::Ident,
                TokenKind::Ident => text.starts_with('λ') && self.is_sign_of_lambda(mode),
                _ => false,
            }
    }

    /// Returns true if the token after the name can only be the arrow or dot of an abstraction. In
    /// an argument, an arrow does not suffice, since an argument may also be a type.
    fn is_sign_of_lambda(&self, mode: TermCategory) -> bool {
        let (sign, behind) = (self.peek(1), self.peek(2));
        match sign.kind {
            TokenKind::Arrow => mode == TermCategory::Expr,
            TokenKind::Dot => sign.span.end < behind.span.start,
            _ => false,
        }
    }

    /// Parses an abstraction in the notation of another language, reports it with a fix that writes
    /// a `fun`, and returns a [`TermKind::Missing`].
    pub(crate) fn foreign_function(&mut self) -> TermId {
        let word = self.token();
        let text = self.slice(word.span);
        let mut names = Vec::new();
        names.extend(text.strip_prefix('λ').filter(|rest| !rest.is_empty()));
        self.bump();
        let group = self.eat(TokenKind::LParen).is_some();
        while matches!(self.kind(), TokenKind::Ident | TokenKind::Comma) {
            let token = self.bump();
            if token.kind == TokenKind::Ident {
                names.push(self.slice(token.span));
            }
        }
        if group {
            self.eat(TokenKind::RParen);
        }
        use TokenKind::{Arrow, Bar, Colon, Dot, FatArrow};
        let sign = matches!(self.kind(), Arrow | FatArrow | Dot | Colon | Bar).then(|| self.bump());
        let head = self.since(word.span.start);
        let names = names.join(", ");
        let shown = if names.is_empty() { "x" } else { &names };
        let message = format!("this is not the notation of a function: write `fun({shown} => …)`");
        self.report(Diagnostic::syntax(word.span, message));
        let body = self.term(TermCategory::Expr);
        let is_missing = self.is_missing(body);
        if sign.is_some() && !is_missing && !names.is_empty() {
            let open = match self
                .slice(Span::new(head.end, self.span_of(body).start))
                .is_empty()
            {
                true => format!("fun({names} => "),
                false => format!("fun({names} =>"),
            };
            let edits = vec![(head, open), (Span::empty(self.last_end()), ")".to_owned())];
            self.mend_function(word.span, edits);
        }
        self.push_since(word.span.start, TermKind::Missing)
    }

    /// Reports and parses an abstraction without its keyword, `x => …`, where `params` is the term
    /// before the `=>` and `call` the function whose argument it is. Returns false if that term is
    /// not a parameter list, or if there is an error before.
    pub(crate) fn function_without_word(&mut self, params: TermId, call: Option<&str>) -> bool {
        let kind = self.kind_of(params);
        let is_list = matches!(
            kind,
            TermKind::Name(_) | TermKind::Pair(..) | TermKind::Paren(_) | TermKind::Ascribe { .. }
        );
        if self.error.is_some() || !is_list {
            return false;
        }
        let arrow = self.bump();
        let message = match call {
            Some(callee) => format!("`=>` is part of a function: write `{callee}(fun(x => …))`"),
            None => "`=>` is part of a function: write `fun(x => …)`".to_owned(),
        };
        self.error_at(arrow.span, message);
        let begin =
            |parser: &Self, params| (Span::empty(parser.span_of(params).start), "fun(".to_owned());
        let mut edits = vec![begin(self, params)];
        let mut body = self.term(TermCategory::Expr);
        while self.eat(TokenKind::FatArrow).is_some() {
            edits.push(begin(self, body));
            body = self.term(TermCategory::Expr);
        }
        let closers = ")".repeat(edits.len());
        if !self.is_missing(body) {
            edits.push((Span::empty(self.last_end()), closers));
            self.mend_function(arrow.span, edits);
        }
        true
    }

    fn mend_function(&mut self, at: Span, edits: Vec<(Span, String)>) {
        self.mend(at, Fix::preferred(WRITE_FUN_TITLE, edits));
    }

    /// Reports a definition that begins with a keyword of another language or a misspelt `def`, at
    /// the start or end of an item. Returns false at any other text.
    pub(crate) fn foreign_definition(&mut self) -> bool {
        let (word, next) = (self.token(), self.peek(1));
        let text = self.slice(word.span).to_owned();
        let is_function = is_word_for_function(&text);
        let defines = is_word_for_definition(&text) && !is_function;
        let is_synonym = is_word_for_type(&text);
        if next.kind != TokenKind::Ident || self.host.is_some() {
            return false;
        }
        let is_misspelt = is_nearly_def(&text) && begins_definition(self.peek_kind(2));
        if defines || is_function || is_synonym || is_misspelt {
            self.note_names();
        }
        let error = |message: String| Diagnostic::syntax(word.span, message);
        if defines || is_function {
            let is_value = matches!(self.peek_kind(2), TokenKind::Equals | TokenKind::Colon);
            let error = error(format!("a definition begins with `def`, not `{text}`"));
            self.report(match is_value {
                true => error.write(word.span, "def"),
                false => error.help("a function is defined as `def f = fun(x => …)`"),
            });
        } else if is_misspelt {
            self.report(
                error(format!("a definition begins with `def`, not `{text}`"))
                    .write(word.span, "def"),
            );
        } else if is_synonym {
            self.report(error(
                "a type cannot be given a name: write the type where it is used".to_owned(),
            ));
        }
        defines || is_function || is_synonym || is_misspelt
    }

    /// Reports modifiers of other languages before a definition, if the item contains nothing else:
    /// it ends before the `def`. Returns false for any other item.
    pub(crate) fn words_before_def(&mut self) -> bool {
        let words = &self.tokens[self.pos..self.tokens.len() - 1];
        let is_word = |token: &Token| modifier(self.slice(token.span)).is_some();
        let (Some(first), true) = (words.first(), words.iter().all(is_word)) else {
            return false;
        };
        let place = first.span;
        let all = words.iter().fold(place, |all, token| all.cover(token.span));
        let kinds = words
            .iter()
            .filter_map(|token| modifier(self.slice(token.span)));
        let kind = kinds.max().unwrap_or(Modifier::Plain);
        let text = self.slice(all);
        let error = |message: String| Diagnostic::syntax(place, message);
        let write = |word: &str| (format!("Write `{word}`"), vec![(all, word.to_owned())]);
        let remove = || (format!("Remove `{text}`"), vec![(all, String::new())]);
        let begins = format!("a definition begins with `def`: `{text}` cannot come before it");
        let (error, (title, edits)) = match kind {
            Modifier::Kernel => {
                let message = format!(
                    "to make a kernel, write `@target(opencl)` before the definition, not `{text}`"
                );
                (error(message), write("@target(opencl)"))
            }
            Modifier::Foreign => {
                let message =
                    format!("to declare a function of C, write `foreign def`, not `{text} def`");
                (error(message), write("foreign"))
            }
            Modifier::Visible => {
                let help = "all definitions of a file are in scope in the files that import it";
                (error(begins).help(help), remove())
            }
            Modifier::Plain => (error(begins), remove()),
        };
        self.report(error.fix(title, edits, true));
        true
    }

    /// Records in `synonyms` the names that the rest of the item defines by keywords of other
    /// languages or a misspelt `def`.
    fn note_names(&mut self) {
        let tokens = &self.tokens[self.pos..];
        let names: Vec<Name> = (tokens.windows(3))
            .filter(|near| near[1].kind == TokenKind::Ident)
            .filter(|near| {
                let word = self.slice(near[0].span);
                let defines = is_word_for_definition(word) || is_nearly_def(word);
                is_word_for_type(word) || (defines && begins_definition(near[2].kind))
            })
            .map(|near| self.name(near[1].span))
            .collect();
        self.synonyms.extend(names);
    }

    /// Reports a comment in the notation of another language. Returns false at any other text.
    pub(crate) fn foreign_comment(&mut self) -> bool {
        let (first, second) = (self.token(), self.peek(1));
        let touches = first.span.end == second.span.start;
        let span = first.span.cover(second.span);
        let is_comment = touches && matches!(self.slice(span), "--" | "(*" | "{-");
        if is_comment {
            let text = self.slice(span).to_owned();
            self.report(comment(span, &text));
        }
        is_comment
    }
}

/// The meaning of a modifier of another language before a definition, in order of increasing
/// priority.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Modifier {
    /// A modifier without a counterpart in RISE.
    Plain,
    /// A visibility modifier.
    Visible,
    /// A modifier of declarations whose definition is elsewhere.
    Foreign,
    /// A modifier of functions that run on a device.
    Kernel,
}

fn modifier(word: &str) -> Option<Modifier> {
    Some(match word {
        "kernel" | "__kernel" | "__global__" | "global" => Modifier::Kernel,
        "extern" | "external" | "native" => Modifier::Foreign,
        "pub" | "public" | "private" | "protected" | "internal" | "export" | "static" => {
            Modifier::Visible
        }
        "inline" | "__inline__" | "__forceinline__" | "__device__" | "__host__" | "const"
        | "constexpr" | "final" | "async" | "pure" | "override" | "virtual" | "implicit"
        | "lazy" => Modifier::Plain,
        _ => return None,
    })
}

/// Returns true for a keyword that declares a type in other languages.
fn is_word_for_type(word: &str) -> bool {
    matches!(word, "type" | "typedef" | "struct" | "data" | "class")
}

/// Returns true for a keyword that begins a definition in other languages.
fn is_word_for_definition(word: &str) -> bool {
    matches!(word, "let" | "val" | "var" | "const" | "define") || is_word_for_function(word)
}

/// Returns true for a keyword that begins a function definition in other languages.
fn is_word_for_function(word: &str) -> bool {
    matches!(word, "fun" | "fn" | "func" | "function")
}

/// Returns true if a word is `Def`, or `def` with one letter missing or added or with two adjacent
/// letters exchanged.
pub(super) fn is_nearly_def(word: &str) -> bool {
    let without = |text: &str, other: &str| {
        (0..text.len()).any(|at| {
            let rest = [text.get(..at), text.get(at + 1..)];
            rest.into_iter().all(|part| part.is_some())
                && rest.into_iter().flatten().collect::<String>() == other
        })
    };
    match word.len() {
        2 => without("def", word),
        3 => matches!(word, "Def" | "edf" | "dfe"),
        4 => without(word, "def"),
        _ => false,
    }
}

/// Returns true for a token that can follow the name of a definition, in RISE or in the notation of
/// other languages.
fn begins_definition(token: TokenKind) -> bool {
    matches!(
        token,
        TokenKind::Equals | TokenKind::Colon | TokenKind::LParen
    )
}

/// Returns the error for a comment that begins with a sign of another language.
pub(crate) fn comment(sign: Span, text: &str) -> Diagnostic {
    let message =
        format!("`{text}` does not begin a comment: write `//`, or `/* … */` around the comment");
    let error = Diagnostic::syntax(sign, message);
    match text {
        "#" | "--" => error.write(sign, "//"),
        _ => error,
    }
}
