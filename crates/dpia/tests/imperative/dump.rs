//! Phrases as text, for snapshots.

use dpia::{Phrase, PhraseProgram, Prim};
use rise::core::Form;
use rise::print::{arg_text, nat_text};
use rise::types::Names;
use rise::{Arg, Type};
use syntax::ast::Literal;

pub fn dump(program: &PhraseProgram) -> String {
    let names = Names(program.names.iter().cloned().collect());
    let mut dump = Dump {
        names: &names,
        out: String::new(),
        indent: 0,
    };
    dump.phrase(&program.body);
    dump.out.push('\n');
    dump.out
}

struct Dump<'a> {
    names: &'a Names,
    out: String,
    indent: usize,
}

impl Dump<'_> {
    fn line(&mut self) {
        self.out.push('\n');
        self.out.push_str(&"  ".repeat(self.indent));
    }

    fn phrase(&mut self, phrase: &Phrase) {
        match &phrase.form {
            Form::Var(local) => self.out.push_str(&local.name),
            Form::Literal(Literal::Bool(value)) => self.out.push_str(&value.to_string()),
            Form::Literal(Literal::Int { value, .. }) => self.out.push_str(&value.to_string()),
            Form::Literal(Literal::Float { text, .. }) => self.out.push_str(text),
            Form::Nat(nat) => self.out.push_str(&nat_text(nat, self.names)),
            Form::Lambda(..) | Form::DepLambda(..) => self.function(phrase),
            Form::Apply(f, x) => self.call("", &[], &[f.clone(), x.clone()]),
            Form::DepApply(f, arg) => {
                let arg = arg_text(arg, self.names);
                self.call("", &[arg], std::slice::from_ref(f));
            }
            Form::Foreign(f, args) => self.call(&f.name, &[], args),
            Form::Global(..) => self.out.push_str("global"),
            Form::Primitive(prim, types, args) => self.primitive(*prim, types, args),
        }
    }

    fn function(&mut self, phrase: &Phrase) {
        let word = match &phrase.form {
            Form::Lambda(..) => "fun(",
            _ => "depFun(",
        };
        self.out.push_str(word);
        let mut rest = phrase;
        let mut comma = "";
        loop {
            match &rest.form {
                Form::Lambda(param, body) if word == "fun(" => {
                    self.out.push_str(comma);
                    self.out.push_str(&param.local.name);
                    rest = body;
                }
                Form::DepLambda(var, _, body) if word == "depFun(" => {
                    self.out.push_str(comma);
                    self.out.push_str(&self.names.get(*var));
                    rest = body;
                }
                _ => break,
            }
            comma = ", ";
        }
        self.out.push_str(" =>");
        if matches!(&*rest.ty, Type::Comm) {
            self.indent += 1;
            self.line();
            self.phrase(rest);
            self.indent -= 1;
        } else {
            self.out.push(' ');
            self.phrase(rest);
        }
        self.out.push(')');
    }

    fn primitive(&mut self, prim: Prim, types: &[Arg], args: &[Phrase]) {
        let operator = match prim {
            Prim::Add => " + ",
            Prim::Sub => " - ",
            Prim::Mul => " * ",
            Prim::Div => " / ",
            Prim::Mod => " % ",
            Prim::Lt => " < ",
            Prim::Ge => " >= ",
            Prim::Gt => " > ",
            Prim::Equal => " == ",
            Prim::Assign => " = ",
            _ => "",
        };
        match (prim, args) {
            (Prim::Seq, [a, b]) => {
                self.phrase(a);
                self.out.push(';');
                self.line();
                self.phrase(b);
            }
            (Prim::Skip, _) => self.out.push_str("skip"),
            (Prim::If, [condition, a, b]) => {
                self.out.push_str("if (");
                self.phrase(condition);
                self.out.push_str(") {");
                for (branch, end) in [(a, "} else {"), (b, "}")] {
                    self.indent += 1;
                    self.line();
                    self.phrase(branch);
                    self.indent -= 1;
                    self.line();
                    self.out.push_str(end);
                }
            }
            (_, [a, b]) if !operator.is_empty() => {
                let nested = prim != Prim::Assign;
                self.out.push_str(if nested { "(" } else { "" });
                self.phrase(a);
                self.out.push_str(operator);
                self.phrase(b);
                self.out.push_str(if nested { ")" } else { "" });
            }
            _ => {
                let explicit = self.explicit(prim, types);
                self.call(prim.name(), &explicit, args);
            }
        }
    }

    /// The type-level arguments that are always written, an optional one first.
    fn explicit(&self, prim: Prim, types: &[Arg]) -> Vec<String> {
        let mut ty = &prim.scheme().ty;
        let mut explicit = Vec::new();
        for arg in types {
            match &**ty {
                Type::Pi(pi) => {
                    if !pi.implicit {
                        explicit.push(arg_text(arg, self.names));
                    }
                    ty = &pi.body;
                }
                _ => explicit.insert(0, arg_text(arg, self.names)),
            }
        }
        explicit
    }

    fn call(&mut self, name: &str, types: &[String], args: &[Phrase]) {
        self.out.push_str(name);
        self.out.push('(');
        self.out.push_str(&types.join(", "));
        for (at, arg) in args.iter().enumerate() {
            if at > 0 || !types.is_empty() {
                self.out.push_str(", ");
            }
            self.phrase(arg);
        }
        self.out.push(')');
    }
}
