//! Analyses the C text of foreign functions for side effects.

use rise::core::Foreign;

use super::super::math;

/// The keywords of C that may precede a parenthesis.
const KEYWORDS: [&str; 6] = ["if", "for", "while", "switch", "return", "sizeof"];
/// Functions of C and of OpenCL C, and builtins of compilers without `__builtin_`, that have no side
/// effects, apart from writing to memory that their caller passes. Those that [`math::function`]
/// knows are not listed.
const HARMLESS: [&str; 24] = [
    "abs", "clamp", "clz", "ctz", "expect", "frexp", "isfinite", "isinf", "isnan", "isnormal",
    "labs", "llabs", "mad", "max", "memcmp", "memcpy", "memset", "min", "mix", "modf", "popcount",
    "rsqrt", "sign", "signbit",
];
/// The keywords of C before a parenthesised expression that is not the function of a call.
const CONTROL: [&str; 4] = ["if", "for", "while", "switch"];
/// Words of types of C and of OpenCL C, without the lanes of vectors.
const TYPES: [&str; 21] = [
    "_Bool", "bool", "char", "const", "double", "enum", "float", "half", "int", "long", "short",
    "signed", "size_t", "struct", "uchar", "uint", "ulong", "union", "unsigned", "ushort", "void",
];
/// The preprocessor directives of conditional compilation.
const CHOICES: [&str; 6] = ["if", "ifdef", "ifndef", "elif", "else", "endif"];

/// A token of C. String and character literals are `Text`, and numbers are `Word`.
#[derive(Clone, Copy, PartialEq)]
enum Token<'t> {
    Word(&'t str),
    Text,
    Other(char),
}

/// Returns true if the body of a function has no side effects: it keeps no state between calls, and
/// only calls functions that have none. Returns false if the text is not simple enough to decide
/// this, or there is no body.
pub(super) fn has_none(function: &Foreign) -> bool {
    let body = function.body.as_deref();
    let Some(tokens) = body.and_then(tokens) else {
        return false;
    };
    let next = |at: usize| tokens.get(at + 1).copied();
    tokens.iter().enumerate().all(|(at, token)| {
        let word = match *token {
            Token::Word(word) => word,
            Token::Other(')') if next(at) == Some(Token::Other('(')) => {
                return !may_be_function(&tokens[..at]);
            }
            Token::Other(']') => return next(at) != Some(Token::Other('(')),
            _ => return true,
        };
        match word {
            "static" | "extern" | "volatile" | "__volatile__" | "_Thread_local" => false,
            "asm" | "__asm__" => asm_has_results(&tokens[at + 1..]),
            word if next(at) != Some(Token::Other('(')) => !word.starts_with("atomic"),
            word => word == function.name.as_str() || is_harmless(word),
        }
    })
}

fn is_harmless(name: &str) -> bool {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    KEYWORDS.contains(&name)
        || HARMLESS.contains(&name)
        || math::function(name).is_some()
        || name.starts_with("native_")
        || name.starts_with("half_")
}

/// Returns true if the parenthesised text at the end of `before`, whose `)` is left out and which a
/// `(` follows, may be the function of a call, as in `(puts)("")`. It is none if it is the type of a
/// conversion or the condition of a statement.
fn may_be_function(before: &[Token<'_>]) -> bool {
    let mut open = 1;
    let start = before.iter().rposition(|token| {
        match token {
            Token::Other(')') => open += 1,
            Token::Other('(') => open -= 1,
            _ => {}
        }
        open == 0
    });
    let Some(start) = start else { return true };
    if let Some(Token::Word(word)) = before[..start].last()
        && CONTROL.contains(word)
    {
        return false;
    }
    let inside = &before[start + 1..];
    let is_tag = |at: usize| {
        let tags = ["struct", "union", "enum"].map(Token::Word);
        at > 0 && tags.contains(&inside[at - 1])
    };
    let is_type = inside.iter().enumerate().all(|(at, token)| match token {
        Token::Word(word) => is_type_word(word) || is_tag(at),
        other => at > 0 && *other == Token::Other('*'),
    });
    inside.is_empty() || !is_type
}

fn is_type_word(word: &str) -> bool {
    let scalar = word.trim_end_matches(|c: char| c.is_ascii_digit());
    TYPES.contains(&scalar)
        || scalar.strip_suffix("_t").is_some_and(|name| {
            let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
            matches!(name, "int" | "uint")
        })
}

/// Returns true if inline assembly has outputs. Without them it is only executed for its side
/// effects.
fn asm_has_results(behind: &[Token<'_>]) -> bool {
    let mut rest = behind.iter();
    rest.next() == Some(&Token::Other('('))
        && rest.find(|token| **token != Token::Text) == Some(&Token::Other(':'))
        && rest.next() == Some(&Token::Text)
}

/// Splits C text into tokens, without comments and conditional directives. Returns `None` for other
/// directives, for an unterminated comment or literal, for line continuations, and for characters
/// outside of literals and comments that are not ASCII.
fn tokens(text: &str) -> Option<Vec<Token<'_>>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let behind = &rest[first.len_utf8()..];
        rest = match first {
            '/' if behind.starts_with('/') => line_end(rest)?,
            '/' if behind.starts_with('*') => rest[2..].split_once("*/")?.1,
            '#' => {
                let word = behind.trim_start_matches([' ', '\t']);
                let end = word.find(|c: char| !c.is_ascii_alphabetic());
                if !CHOICES.contains(&&word[..end.unwrap_or(word.len())]) {
                    return None;
                }
                line_end(rest)?
            }
            '"' | '\'' => {
                tokens.push(Token::Text);
                quoted_end(behind, first)?
            }
            // Line continuations and non-ASCII characters are not supported.
            '\\' | '\u{80}'.. => return None,
            c if c.is_ascii_alphanumeric() || c == '_' => {
                let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
                let (word, behind) = rest.split_at(end.unwrap_or(rest.len()));
                tokens.push(Token::Word(word));
                behind
            }
            c => {
                if !c.is_ascii_whitespace() {
                    tokens.push(Token::Other(c));
                }
                behind
            }
        };
    }
    Some(tokens)
}

/// Returns the text after a line, or `None` if the line is continued.
fn line_end(text: &str) -> Option<&str> {
    let (line, behind) = text.split_once('\n').unwrap_or((text, ""));
    (!line.trim_end().ends_with('\\')).then_some(behind)
}

/// Returns the text after a literal, which ends with `quote`; `None` if it does not end on its
/// line.
fn quoted_end(text: &str, quote: char) -> Option<&str> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            '\n' => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return Some(&text[at + 1..]),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(body: &str) -> bool {
        let head = "foreign def f(x: f32): f32 = ";
        let text = format!("{head}\"\"\"{body}\"\"\"\ndef main = fun(x: f32 => f(x))");
        let program = match rise::core::program_of(&text, "main") {
            Ok(program) => program,
            Err(error) => panic!("{error}"),
        };
        let all = crate::cc::foreign::functions_with_bodies(&program.body);
        all.len() == 1 && all.iter().all(|function| has_none(function))
    }

    #[test]
    fn what_only_computes_is_known() {
        for body in [
            "{ return 1.0f / __builtin_sqrtf(x); }",
            "{ // static puts(\n /* rand() */ return sqrtf(x) + (x < 0 ? f(-x) : fmaxf(x, 1)); }",
            "{ float y = x; for (int i = 0; i < 3; i++) { y *= (float)(i); } return y; }",
            "{\n#ifdef __NV_CL_C_VERSION\n  float y;\n  asm(\"rsqrt.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x));\n  return y;\n#elif defined(__OPENCL_VERSION__)\n  return native_rsqrt(x);\n#else\n  return x;\n#endif\n}",
            "{ int y; memcpy(&y, &x, sizeof(y)); return y & 'a'; }",
            "{ if (x < (1)) (x) = 2; return (unsigned long)(x) + (int32_t)(x) + *(float *)(&x); }",
            "{ while ((x) > 1) (x)--; return (float4)(x, x, x, x).x; }",
        ] {
            assert!(plain(body), "{body}");
        }
    }

    #[test]
    fn what_may_do_more_is_known() {
        for body in [
            "{ puts(\"noise\"); return x; }",
            "{ static int calls; return ++calls; }",
            "{ return rand() * x; }",
            "{ asm(\"nop\"); return x; }",
            "{ asm volatile(\"nop\" : \"=f\"(x)); return x; }",
            "{\n#define P puts\n  P (\"\"); return x; }",
            "{ __builtin_printf(\"\"); return x; }",
            "{ int y = pu\\\nts(\"\"); return x; }",
            "{ extern int all; return all; }",
            "{ abort(); return x; }",
            "{ (puts)(\"x\"); return x; }",
            "{ return ((puts))(\"x\") + x; }",
            "{ (*puts)(\"x\"); return x; }",
            "{ (x ? puts : puts)(\"x\"); return x; }",
            "{ __auto_type say = puts; (say)(\"x\"); return x; }",
        ] {
            assert!(!plain(body), "{body}");
        }
    }
}
