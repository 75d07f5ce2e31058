//! Reports characters that begin no token, and comments and strings without their end; signs of
//! other languages are read as the tokens that they denote.

use super::Parser;
use super::delimiters::MAX_LOOKAHEAD;
use super::recover_applications::tokens_in_brackets;
use super::recover_definitions::comment;
use crate::lexer::{Lexer, Token, TokenKind};
use crate::{Diagnostic, Span, codes};

impl Parser<'_> {
    /// Reports a character that begins no token, or a comment or string without its end. For a sign
    /// that RISE writes in another way, the token that it denotes is added.
    pub(crate) fn lexical_error(&mut self, token: Token) {
        let open = |length: u32| Span::new(token.span.start, token.span.start + length);
        let unterminated =
            |span, message: &str| Diagnostic::error(codes::UNTERMINATED, span, message);
        match token.kind {
            TokenKind::OpenComment => {
                self.report(unterminated(
                    open(2),
                    "this comment is not closed: its end `*/` is missing",
                ));
            }
            TokenKind::OpenString => {
                self.report(unterminated(
                    open(1),
                    "this string is not closed: `\"` is missing on its line",
                ));
            }
            TokenKind::OpenRawString => {
                self.report(unterminated(
                    open(3),
                    "this text is not closed: its end `\"\"\"` is missing",
                ));
            }
            _ if self.slice(token.span) == ";" => self.semicolon(token),
            _ if self.slice(token.span) == "#" && self.host.is_none() => {
                self.report(comment(token.span, "#"));
            }
            _ => self.unknown_character(token),
        }
    }

    /// Reports a `;`, which RISE does not have; the tokens before it are already read. In square
    /// brackets, and in braces, which may be a block of another language, it is not reported but
    /// added as a token. After the value of a `let`, it is read as `in`. Does nothing if there is
    /// an error already.
    fn semicolon(&mut self, token: Token) {
        if self.error.is_some() {
            return;
        }
        let before = self.tokens.iter().rev().take(MAX_LOOKAHEAD);
        let bracket = innermost_bracket(before.clone());
        let is_block = bracket == Some(TokenKind::LBrace) && self.host.is_none();
        if bracket == Some(TokenKind::LBracket) || is_block {
            // Such a `;` separates a size in array types of other languages, or statements in
            // blocks.
            return self.tokens.push(Token {
                kind: TokenKind::Semicolon,
                span: token.span,
            });
        }
        let is_value = tokens_in_brackets(before, -1).find_map(|token| match token.kind {
            TokenKind::Let => Some(true),
            TokenKind::In | TokenKind::FatArrow => Some(false),
            _ => None,
        });
        let mut behind = Lexer::within(&self.text[token.span.end as usize..], false)
            .map(|token| token.kind)
            .filter(|kind| !kind.is_trivia());
        let [next, second] = [behind.next(), behind.next()];
        let (message, text) = match next {
            None => ("a definition does not end with `;`: remove it", ""),
            Some(TokenKind::RParen | TokenKind::In | TokenKind::RBrace) => {
                ("an expression does not end with `;`: remove it", "")
            }
            Some(TokenKind::Ident)
                if is_value == Some(true) && second == Some(TokenKind::Equals) =>
            {
                (
                    "the value of a `let` is followed by `in`, not `;`",
                    " in let",
                )
            }
            Some(_) if is_value == Some(true) => {
                ("the value of a `let` is followed by `in`, not `;`", " in")
            }
            Some(_) => return self.unknown_character(token),
        };
        let title = match text {
            "" => "remove `;`".to_owned(),
            text => format!("write `{}`", text.trim()),
        };
        self.report(Diagnostic::syntax(token.span, message).replace(title, token.span, text));
        if !text.is_empty() {
            self.tokens.push(Token {
                kind: TokenKind::In,
                span: token.span,
            });
        }
    }

    /// Reports `&` before a type. Returns false at any other `&`.
    fn reference_in_type(&mut self, token: Token) -> bool {
        let before = self.tokens.last().map(|token| token.kind);
        let is_type = matches!(before, Some(TokenKind::Colon | TokenKind::Arrow));
        let is_reference = is_type && self.slice(token.span) == "&" && self.host.is_none();
        if is_reference {
            let message = "there are no reference types: write the type without `&`";
            self.report(Diagnostic::syntax(token.span, message).replace(
                "Remove `&`",
                token.span,
                "",
            ));
        }
        is_reference
    }

    fn unknown_character(&mut self, token: Token) {
        let is_path = self
            .tokens
            .last()
            .is_some_and(|last| last.kind == TokenKind::Import);
        if self.reference_in_type(token) || (is_path && self.path_in_other_quotes(token.span)) {
            return;
        }
        let text = self.slice(token.span);
        let shown = match text.chars().next() {
            Some(c) if c.is_control() || c.is_whitespace() || is_invisible(c) => {
                format!("the character U+{:04X}", u32::from(c))
            }
            _ => format!("`{text}`"),
        };
        let meant = token_of_sign(text);
        if matches!(text, "&" | "~") && self.joins_integers(token.span) {
            self.report(no_bits(text, token.span));
            self.tokens.extend(meant.map(|(kind, _)| Token {
                kind,
                span: token.span,
            }));
            return;
        }
        if let Some((_, sign)) = meant {
            self.extend_fix(&format!("Write `{sign}`"), &[(token.span, sign.to_owned())]);
        }
        if self.error.is_none() {
            let advice = match (text, meant) {
                ("~", Some((_, sign))) => format!(
                    ": write `{sign}` to negate a boolean, and `-x - 1` to invert the bits of an integer"
                ),
                ("&", Some((_, sign))) => {
                    format!(": write `{sign}` to combine booleans; there are no bitwise operations")
                }
                (_, Some((_, sign))) => format!(": write `{sign}`"),
                ("#", None) if self.host.is_some() => {
                    ": the name of a place is a string, as in `\"x#2\"`".to_owned()
                }
                (_, None) => advice_for_sign(text).map_or(String::new(), |it| format!(": {it}")),
            };
            let message = format!("{shown} is not part of {}{advice}", self.language());
            let error = Diagnostic::syntax(token.span, message);
            self.error = Some(match meant {
                Some((_, sign)) => error.fix(
                    format!("Write `{sign}`"),
                    vec![(token.span, sign.to_owned())],
                    text != "~",
                ),
                None => error,
            });
        }
        if let Some((kind, _)) = meant {
            self.tokens.push(Token {
                kind,
                span: token.span,
            });
        }
    }

    /// Returns true if one of the operands of an operator at `sign`, which is not among the tokens
    /// yet, is probably an integer literal and nothing else.
    fn joins_integers(&self, sign: Span) -> bool {
        let before = match &self.tokens[..] {
            [.., first, last] => {
                last.kind == TokenKind::Int
                    && matches!(
                        first.kind,
                        TokenKind::LParen
                            | TokenKind::Comma
                            | TokenKind::FatArrow
                            | TokenKind::Equals
                    )
            }
            _ => false,
        };
        before || self.is_whole_number(sign)
    }

    /// Returns true if the text after `before` begins with an integer literal that is not an
    /// operand of another operator.
    pub(super) fn is_whole_number(&self, before: Span) -> bool {
        let rest = self.text.get(before.end as usize..).unwrap_or_default();
        let rest = rest.trim_start();
        let behind = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let ends = !behind
            .trim_start()
            .starts_with(['<', '>', '=', '!', '+', '-', '*', '/', '%', '^', '.']);
        rest.starts_with(|c: char| c.is_ascii_digit()) && ends
    }
}

/// Returns the kind of the innermost unclosed opening bracket before a position; the tokens are
/// given backwards.
fn innermost_bracket<'a>(mut tokens: impl Iterator<Item = &'a Token>) -> Option<TokenKind> {
    let mut depth = 0u32;
    tokens.find_map(|token| {
        match token.kind {
            kind if kind.closes_bracket() => depth += 1,
            kind if kind.opens_bracket() && depth == 0 => return Some(token.kind),
            kind if kind.opens_bracket() => depth -= 1,
            _ => {}
        }
        None
    })
}

/// Returns the error for a bitwise operator of other languages, which RISE does not have.
pub fn no_bits(sign: &str, span: Span) -> Diagnostic {
    let message = format!("`{sign}` is not part of RISE, which has no bitwise operations");
    Diagnostic::syntax(span, message).help(
        "for numbers that are not negative, multiply, divide or take the remainder by a power of two; or compute in C, with a `foreign def`",
    )
}

/// Returns the token that a sign denotes which RISE writes in another way, such as `→` or `$`, and
/// its text in RISE.
fn token_of_sign(sign: &str) -> Option<(TokenKind, &'static str)> {
    Some(match sign {
        "→" => (TokenKind::Arrow, "->"),
        "⇒" => (TokenKind::FatArrow, "=>"),
        "×" | "·" | "∗" => (TokenKind::Star, "*"),
        "÷" => (TokenKind::Slash, "/"),
        "−" | "–" => (TokenKind::Minus, "-"),
        "≤" => (TokenKind::LessEq, "<="),
        "≥" => (TokenKind::GreaterEq, ">="),
        "≠" => (TokenKind::NotEq, "!="),
        "∧" => (TokenKind::And, "&&"),
        "∨" => (TokenKind::Or, "||"),
        "¬" => (TokenKind::Bang, "!"),
        "▷" => (TokenKind::Pipe, "|>"),
        "∘" => (TokenKind::After, "<<"),
        "$" => (TokenKind::ApplyLeft, "<|"),
        "&" => (TokenKind::And, "&&"),
        "~" => (TokenKind::Bang, "!"),
        _ => return None,
    })
}

/// Returns advice on how RISE expresses a sign of other languages, if the sign is known.
fn advice_for_sign(sign: &str) -> Option<&'static str> {
    Some(match sign {
        "“" | "”" | "„" | "‘" | "’" => "text must be between two `\"`",
        "'" => "names are made of letters, digits and `_`",
        "?" => "write `select(condition, then, else)`",
        "∀" => {
            "sizes and types that a type takes are its parameters, as in `(n: Nat) -> n.f32 -> f32`"
        }
        ";" => "a value is named by `let x = value in result`, and parameters are separated by `,`",
        _ => return None,
    })
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
