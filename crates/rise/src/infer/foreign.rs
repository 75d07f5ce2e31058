//! Checks of foreign functions: their names, parameters, types and bodies.

use std::sync::Arc;

use syntax::ast::{BinderAnnotation, BinderId, Ident, ScalarType, TermId};
use syntax::{Diagnostic, Span};

use super::Infer;
use super::report::math_functions::parameters;
use crate::BinderInfo;
use crate::codes;
use crate::types::{Ty, Type};

/// The keywords of C99, which are no names.
const C_WORDS: &str = "auto break case char const continue default do double else enum extern float \
    for goto if inline int long register restrict return short signed sizeof static struct switch \
    typedef union unsigned void volatile while _Bool _Complex _Imaginary";

fn is_c_word(name: &str) -> bool {
    C_WORDS.split_whitespace().any(|word| word == name)
}

impl Infer<'_> {
    /// Checks a foreign function, whose parameters and result must be scalars, vectors of constant
    /// length or tuples, and returns its type.
    pub(super) fn foreign(
        &mut self,
        name: Option<&Ident>,
        params: &[BinderId],
        result: TermId,
        body: Option<&(Box<str>, Span)>,
    ) -> Ty {
        self.collect_annotations();
        if let Some((text, span)) = body {
            self.foreign_parameters(params);
            self.foreign_braces(text, *span);
        } else if let Some(name) = name.filter(|name| is_c_word(&name.name)) {
            // A function with a body is renamed in C.
            let text = format!(
                "`{}` is a keyword of C and cannot be the name of a function",
                name.name
            );
            let found = Diagnostic::error(codes::FOREIGN_NAME, name.span, text);
            self.diagnostics.push(
                found.help(
                    "declare the function by the name that it has in C, or give it a body in C",
                ),
            );
        }
        let (mut types, mut phrases) = (Vec::new(), Vec::new());
        for &param in params {
            let binder = self.item.binder(param);
            let ty = match binder.annotation {
                BinderAnnotation::Type(ty) => self.foreign_type(ty),
                _ => Arc::new(Type::Error),
            };
            types.push(ty.clone());
            let phrase = self.as_phrase(ty);
            self.binders[param.0 as usize] = BinderInfo::Value(phrase.clone());
            phrases.push(phrase);
        }
        let end = self.span(result);
        let result = self.foreign_type(result);
        if let Some(name) = name.filter(|_| body.is_none()) {
            self.math_signature(name, end, &types, &result);
        }
        Type::function(phrases.into_iter(), self.as_phrase(result))
    }

    /// Reports a declaration of a function of `<math.h>` with another type than the function has.
    fn math_signature(&mut self, name: &Ident, end: Span, params: &[Ty], result: &Ty) {
        let plain = name.name.strip_suffix('f').unwrap_or(&name.name);
        let Some(names) = parameters(&name.name).or_else(|| parameters(plain)) else {
            return;
        };
        let declared = || params.iter().chain([result]);
        let is_of_one_type = declared().all(|ty| ty == result) && is_float(result);
        if (is_of_one_type && params.len() == names.len())
            || declared().any(|ty| matches!(**ty, Type::Error))
        {
            return;
        }
        let float = declared().find(|ty| is_float(ty)).cloned();
        let float = float.unwrap_or_else(|| Arc::new(Type::Scalar(ScalarType::F32)));
        let own = Type::function(names.iter().map(|_| float.clone()), float.clone());
        let found = Type::function(params.iter().cloned(), result.clone());
        let (own, found, float) = (self.show(&own), self.show(&found), self.show(&float));
        let list: Vec<String> = names
            .iter()
            .map(|name| format!("{name}: {float}"))
            .collect();
        let right = format!("{}({}): {float}", name.name, list.join(", "));
        let message = format!(
            "`{}` of `<math.h>` has the type `{own}`, and is declared with `{found}`",
            name.name
        );
        let help = format!("write `foreign def {right}`, or give the function a body");
        let error = Diagnostic::error(codes::FOREIGN_SIGNATURE, name.span, message).help(help);
        let edits = vec![(name.span.cover(end), right.clone())];
        self.diagnostics
            .push(error.fix(format!("Declare `{right}`"), edits, true));
    }

    /// Reports parameters whose names are keywords of C or names of earlier parameters.
    fn foreign_parameters(&mut self, params: &[BinderId]) {
        for (at, &param) in params.iter().enumerate() {
            let binder = self.item.binder(param);
            let (name, span) = (binder.name.clone(), binder.span);
            if is_c_word(&name) {
                let text =
                    format!("`{name}` is a keyword of C and cannot be the name of a parameter");
                self.error(codes::FOREIGN_NAME, span, text).help = Some(format!(
                    "rename the parameter to `{name}_`, also in the body"
                ));
                continue;
            }
            let same = |other: &&BinderId| self.item.binder(**other).name == name;
            let before = params[..at].iter().find(same).copied();
            if let Some(before) = before.filter(|_| !name.is_empty()) {
                let first = self.item.binder(before).span;
                let text = format!("two parameters are called `{name}`, which C does not allow");
                let found = Diagnostic::error(codes::FOREIGN_NAME, span, text);
                self.diagnostics
                    .push(found.related(first, "the first parameter of this name"));
            }
        }
    }

    /// Reports a body that, comments aside, does not start with `{` or does not end with `}`: the
    /// body follows the head of the function in C.
    fn foreign_braces(&mut self, text: &str, span: Span) {
        let code = code_without_comments(text);
        let (start, end) = (code.trim_start(), code.trim_end());
        let (opens, closes) = (start.starts_with('{'), end.ends_with('}'));
        if opens && closes {
            return;
        }
        let message = match (opens, closes) {
            (true, _) => "the body of a foreign function must end with `}`",
            (_, true) => "the body of a foreign function must start with `{`",
            _ => "the body of a foreign function must be in braces: `{ … }`",
        };
        // A line comment at the end would hide the brace.
        let last = text.rsplit('\n').next().unwrap_or_default();
        let close = if last.contains("//") { "\n}" } else { " }" };
        let at = |offset: u32| Span::new(offset, offset);
        let mut edits = Vec::new();
        if !opens {
            edits.push((at(span.start), "{ ".to_owned()));
        }
        if !closes {
            edits.push((at(span.end), close.to_owned()));
        }
        let found = Diagnostic::error(codes::FOREIGN_BODY, span, message)
            .help("write `{ … }` around the statements, as in `\"\"\"{ return x; }\"\"\"`")
            .fix("Add the missing braces", edits, true);
        self.diagnostics.push(found);
    }

    fn foreign_type(&mut self, term: TermId) -> Ty {
        let ty = self.elab_type(term);
        if foreign_allows(&ty) {
            return ty;
        }
        let text = self.show(&ty);
        let help = match &*ty {
            Type::Index(_) => "take a `natType`, and pass `indexAsNat(i)`",
            Type::Array(..) => {
                "take elements, and apply the function to them with `map` or `reduceSeq`"
            }
            _ => "take the scalars, vectors and tuples that the C code uses as parameters",
        };
        let message = format!(
            "a foreign function takes and returns scalars, vectors and tuples, not `{text}`"
        );
        self.error(codes::KIND_MISMATCH, self.span(term), message)
            .help = Some(help.into());
        Arc::new(Type::Error)
    }
}

/// Returns C text with a space in the place of each comment.
fn code_without_comments(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' | '\'' => literal_length(rest, c),
            _ => c.len_utf8(),
        };
        match rest.starts_with("//") || rest.starts_with("/*") {
            true => code.push(' '),
            false => code.push_str(&rest[..length]),
        }
        rest = &rest[length..];
    }
    code
}

/// Returns the number of bytes of the string or character constant at the start of a text; that of
/// the whole text if the constant does not end.
fn literal_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns true for floating-point numbers and vectors of them.
fn is_float(ty: &Ty) -> bool {
    match &**ty {
        Type::Scalar(scalar) => scalar.is_float(),
        Type::Vector(_, elem) => is_float(elem),
        _ => false,
    }
}

fn foreign_allows(ty: &Type) -> bool {
    match ty {
        Type::Error | Type::Scalar(_) => true,
        Type::Vector(n, t) => {
            n.as_const().is_some() && matches!(**t, Type::Scalar(_) | Type::Error)
        }
        Type::Pair(a, b) => foreign_allows(a) && foreign_allows(b),
        _ => false,
    }
}
