//! Chooses names for functions, parameters, variables and counters that are unique in their scope
//! and not reserved in the target.

use crate::targets::Target;
use nat::Var;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::math::plain_name;
use crate::ir::Id;

use super::reserved;

/// The letters that name counters without a name of their own.
const LETTERS: &str = "ijklpqrstuvw";

/// Returns true if a name says nothing but that a variable is a counter: `_`, or one of the letters
/// `i` to `l`, perhaps followed by digits and `_`.
pub(crate) fn is_mere_counter(name: &str) -> bool {
    let letter = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
    name == "_" || matches!(letter, "i" | "j" | "k" | "l")
}

/// The first words of the names of helper functions that have a type as suffix: `div_i32`,
/// `neg_f32x3`.
const TYPED_HELPERS: &[&str] = &[
    "abs", "add", "ceil", "div", "floor", "lane", "load", "max", "min", "mod", "mul", "neg",
    "pair", "product", "splat", "store", "sub", "sum",
];

/// Returns true if types or helper functions of generated code have names of this form:
/// `pair_f32_i32`, `f32x4u`, `f32_to_i32`, `load_f32x3`, `sum_1`, `floor_div_64`.
pub(in crate::targets) fn is_generated(name: &str) -> bool {
    let is_scalar = |word: &str| {
        let digits = word.trim_start_matches(['f', 'i', 'u']);
        matches!(word, "bool" | "int")
            || (digits.len() + 1 == word.len() && matches!(digits, "8" | "16" | "32" | "64"))
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_vector = |word: &str| {
        let lanes = word
            .split_once('x')
            .map(|(scalar, n)| (scalar, n.trim_end_matches('u')));
        lanes.is_some_and(|(scalar, n)| is_scalar(scalar) && (n == "N" || is_number(n)))
    };
    let converts = |(from, to): (&str, &str)| is_scalar(from) && is_scalar(to);
    let is_helper = |(word, rest): (&str, &str)| {
        // A name with an address space, such as `load_global_f32x3`.
        let spaces = ["global_", "local_", "private_", "constant_"];
        let rest = (spaces.iter())
            .find_map(|space| rest.strip_prefix(space))
            .unwrap_or(rest);
        let first = rest.split('_').next().unwrap_or_default();
        let of_type = is_scalar(first) || is_vector(first) || first == "pair";
        TYPED_HELPERS.contains(&word) && of_type
            || plain_name(word).is_some() && is_vector(first)
            || matches!(word, "sum" | "table") && is_number(rest)
    };
    is_vector(name)
        || name.split_once("_to_").is_some_and(converts)
        || name.split_once('_').is_some_and(is_helper)
        || matches!(
            name,
            "check_count_64"
                | "floor_div_64"
                | "floor_mod_64"
                | "imin_64"
                | "imax_64"
                | "pow_64"
                | "log2_64"
        )
}

/// The names in use, by scope, and the names of variables and size variables.
pub(crate) struct Scopes {
    /// The names that are reserved in all scopes.
    global: FxHashSet<String>,
    /// The names of the open scopes, outermost first.
    open: Vec<FxHashSet<String>>,
    ids: FxHashMap<Id, String>,
    vars: FxHashMap<Var, String>,
    target: Target,
}

impl Scopes {
    pub fn new(target: Target) -> Scopes {
        Scopes {
            target,
            global: FxHashSet::default(),
            open: vec![FxHashSet::default()],
            ids: FxHashMap::default(),
            vars: FxHashMap::default(),
        }
    }

    pub fn push(&mut self) {
        self.open.push(FxHashSet::default());
    }

    pub fn pop(&mut self) {
        self.open.pop();
    }

    /// Returns true if a parameter or variable in the innermost scope can have the name.
    fn is_free(&self, name: &str) -> bool {
        !self.is_reserved(name)
            && !self.global.contains(name)
            && !self.open.iter().any(|scope| scope.contains(name))
    }

    fn is_reserved(&self, name: &str) -> bool {
        reserved::in_functions(self.target, name) || is_generated(name)
    }

    /// Chooses a name for a function, similar to `wanted`, and reserves it for the whole text.
    pub fn function(&mut self, wanted: &str) -> String {
        let taken =
            |name: &str| self.is_reserved(name) || reserved::at_file_scope(self.target, name);
        let base = outside_families(identifier(wanted), &taken);
        let numbered = (2u32..).map(|number| format!("{base}_{number}"));
        let name = [base.clone(), format!("{base}_")]
            .into_iter()
            .chain(numbered)
            .find(|name| self.is_free(name) && !taken(name))
            .unwrap_or(base);
        self.reserve(&name);
        name
    }

    /// Reserves a name for the whole text.
    pub fn reserve(&mut self, name: &str) {
        self.global.insert(name.to_owned());
    }

    /// Chooses a name similar to `wanted`, and reserves it in the innermost scope.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let taken = |name: &str| self.is_reserved(name);
        let base = outside_families(identifier(wanted), &taken);
        let numbered = (2u32..).map(|number| match base.as_bytes().last() {
            Some(b'0'..=b'9') => format!("{base}_{number}"),
            _ if taken(&format!("{base}{number}")) => format!("{base}_{number}"),
            _ => format!("{base}{number}"),
        });
        let name = std::iter::once(base.clone())
            .chain(numbered)
            .find(|name| self.is_free(name))
            .unwrap_or(base);
        self.take(&name);
        name
    }

    /// Chooses a name for a counter without a name of its own that `depth` counters enclose: `i`,
    /// `j`, `k`, …. Reserves it in the innermost scope.
    pub fn counter(&mut self, depth: usize) -> String {
        let letters = LETTERS.chars().skip(depth.min(3));
        let numbered = (1u32..).map(|number| format!("i{number}"));
        let name = letters
            .map(String::from)
            .chain(numbered)
            .find(|name| self.is_free(name))
            .unwrap_or_default();
        self.take(&name);
        name
    }

    fn take(&mut self, name: &str) {
        if let Some(scope) = self.open.last_mut() {
            scope.insert(name.to_owned());
        }
    }

    pub fn bind(&mut self, id: Id, name: String) {
        self.ids.insert(id, name);
    }

    pub fn bind_var(&mut self, var: Var, name: String) {
        self.vars.insert(var, name);
    }

    pub fn id(&self, id: Id) -> Option<&str> {
        self.ids.get(&id).map(String::as_str)
    }

    pub fn var(&self, var: Var) -> Option<&str> {
        self.vars.get(&var).map(String::as_str)
    }
}

/// Returns the name; if it is reserved and stays so with a number behind it, as names that start
/// with `as_` in OpenCL C, the name with `v_` in front.
fn outside_families(name: String, taken: &dyn Fn(&str) -> bool) -> String {
    match taken(&name) && taken(&format!("{name}_2")) {
        true => format!("v_{name}"),
        false => name,
    }
}

/// Returns a name in which the characters that C does not allow are replaced by `_`. If the result
/// starts with `_` or a digit, an `x` is put in front; an empty name and `_` become `tmp`.
pub(crate) fn identifier(name: &str) -> String {
    let mut out: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let is_reserved_form = out.starts_with('_') && out != "_";
    if out.is_empty() || out == "_" {
        return "tmp".to_owned();
    }
    if is_reserved_form || out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, 'x');
    }
    out
}
