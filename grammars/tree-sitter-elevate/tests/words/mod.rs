//! Prints concrete syntax trees of ELEVATE in the notation of the tests of `syntax`.

use tree_sitter::Node;

use crate::support::{Dump, list, number, unescape, unquoted};

/// Prints the items of a tree without errors, each after its documentation.
pub fn items(text: &str, root: Node<'_>) -> Vec<String> {
    let terms = Dump::new(text);
    let strategies = Strategies { terms: &terms };
    terms.file(root, &|node| strategies.item(node))
}

/// A printer for the nodes that are not RISE terms.
struct Strategies<'d, 't> {
    terms: &'d Dump<'t>,
}

/// The syntactic category of a node: the notation of some nodes depends on it.
#[derive(Clone, Copy)]
enum As {
    Strategy,
    Condition,
    Pattern,
    Type,
    Term,
}

impl<'t> Strategies<'_, 't> {
    fn slice(&self, node: Node<'_>) -> &'t str {
        self.terms.slice(node)
    }

    fn node(&self, node: Node<'_>, what: As) -> String {
        match what {
            As::Strategy => self.strategy(node),
            As::Condition => self.condition(node),
            As::Pattern => self.pattern(node),
            As::Type => self.ty(node),
            As::Term => self.terms.node(node),
        }
    }

    fn all(&self, nodes: &[Node<'_>], what: As) -> Vec<String> {
        nodes.iter().map(|&node| self.node(node, what)).collect()
    }

    fn children(&self, node: Node<'_>, what: As) -> Vec<String> {
        self.all(&self.terms.children(node), what)
    }

    fn field(&self, node: Node<'_>, name: &str, what: As) -> String {
        self.node(self.terms.field(node, name), what)
    }

    /// Prints a field, or `-` if it is absent.
    fn optional(&self, node: Node<'_>, name: &str, what: As) -> String {
        node.child_by_field_name(name)
            .map_or("-".to_owned(), |node| self.node(node, what))
    }

    /// Prints `(head field …)`.
    fn fields(&self, head: &str, node: Node<'_>, names: &[&str], what: As) -> String {
        let fields = names.iter().map(|name| self.field(node, name, what));
        list(std::iter::once(head.to_owned()).chain(fields))
    }

    /// Prints `(head child …)`.
    fn listed(&self, head: &str, children: Vec<String>) -> String {
        list(std::iter::once(head.to_owned()).chain(children))
    }

    /// Prints a name, in backquotes if it is not an identifier.
    fn name(&self, node: Node<'_>) -> String {
        let name = unquoted(self.slice(node));
        let plain = |c: char| c == '_' || c == '-' || c.is_alphanumeric();
        match name.chars().all(plain) {
            true => name.to_owned(),
            false => format!("`{name}`"),
        }
    }

    fn field_name(&self, node: Node<'_>) -> String {
        self.name(self.terms.field(node, "name"))
    }

    fn item(&self, node: Node<'_>) -> String {
        let mut words = self.terms.annotations(node);
        words.extend(self.has_word(node, "unsafe").then(|| "(unsafe)".to_owned()));
        words.push(match node.kind() {
            "import" => list(["import".to_owned(), self.field(node, "path", As::Term)]),
            "language_declaration" => list(["language".to_owned(), self.field_name(node)]),
            "traversal_declaration" => {
                let order = self.slice(self.terms.field(node, "order"));
                format!("(traversal {order})")
            }
            "tune_definition" => self.tune(node),
            "example" => self.example(node),
            "main" => self.listed("main", self.children(node, As::Strategy)),
            _ => self.definition(node),
        });
        words.join(" ")
    }

    fn has_word(&self, node: Node<'_>, word: &str) -> bool {
        node.children(&mut node.walk())
            .any(|child| child.kind() == word)
    }

    fn definition(&self, node: Node<'_>) -> String {
        let head = match node.kind() {
            "rule_definition" => "rule",
            "strategy_definition" => "strategy",
            "value_definition" => "val",
            "predicate_definition" => "pred",
            "normal_form_definition" => "normalform",
            kind => panic!("no words for {kind}"),
        };
        let mut words = vec![head.to_owned(), self.field_name(node)];
        if let Some(params) = node.child_by_field_name("type_parameters") {
            words.push(format!("[{}]", self.children(params, As::Type).join(" ")));
        }
        for params in node.children_by_field_name("parameters", &mut node.walk()) {
            words.push(self.parameters(params));
        }
        if matches!(head, "strategy" | "val") {
            words.push(self.optional(node, "type", As::Type));
        }
        let body = self.terms.field(node, "body");
        match (head, body.kind()) {
            ("rule", "hole") => {}
            ("rule", _) => words.extend(self.alternatives(body)),
            (_, "patterns") => {
                words.push(format!("{{{}}}", self.children(body, As::Term).join(" ")))
            }
            _ => words.push(self.strategy(body)),
        }
        list(words)
    }

    fn parameters(&self, node: Node<'_>) -> String {
        let parameters = self.terms.children(node).into_iter().map(|node| {
            let name = unquoted(self.slice(self.terms.field(node, "name"))).to_owned();
            let ty = node.child_by_field_name("type");
            let default = node.child_by_field_name("default");
            if ty.is_none() && default.is_none() {
                return name;
            }
            let mut words = vec![name, self.optional(node, "type", As::Type)];
            words.extend(default.map(|default| self.strategy(default)));
            list(words)
        });
        list(parameters)
    }

    fn alternatives(&self, node: Node<'_>) -> Vec<String> {
        match node.kind() {
            "alternative" => vec![self.alternative(node)],
            _ => {
                let nodes = self.terms.children(node);
                nodes.iter().map(|&node| self.alternative(node)).collect()
            }
        }
    }

    fn alternative(&self, node: Node<'_>) -> String {
        let mut words = vec!["alt".to_owned()];
        words.push(self.field(node, "left", As::Term));
        words.push(self.field(node, "right", As::Term));
        for clause in node.children_by_field_name("clause", &mut node.walk()) {
            words.push(match clause.kind().trim_end_matches("_clause") {
                "let" => {
                    let value = self.field(clause, "value", As::Term);
                    list(["let".to_owned(), self.field_name(clause), value])
                }
                word => self.fields(word, clause, &["condition"], As::Condition),
            });
        }
        list(words)
    }

    fn tune(&self, node: Node<'_>) -> String {
        let range = node.child_by_field_name("range");
        list([
            "tune".to_owned(),
            self.field_name(node),
            self.optional(node, "type", As::Type),
            range.map_or("-".to_owned(), |range| self.range(range)),
            self.optional(node, "condition", As::Condition),
            self.optional(node, "value", As::Strategy),
        ])
    }

    fn range(&self, node: Node<'_>) -> String {
        let sizes = self.children(node, As::Term);
        if node.child_by_field_name("of").is_some() {
            return self.listed("divisors", sizes);
        }
        if node.child_by_field_name("from").is_none() {
            return self.listed("set", sizes);
        }
        let mut words = sizes[..2].to_vec();
        for (field, word) in [("step", "step"), ("factor", "pow")] {
            let step = node.child_by_field_name(field);
            words.extend(step.map(|step| format!("({word} {})", self.terms.node(step))));
        }
        self.listed("between", words)
    }

    fn example(&self, node: Node<'_>) -> String {
        let expected = self.terms.field(node, "expect");
        let expected = match expected.kind() {
            "failure" => "failure".to_owned(),
            "trace" => {
                let rules = self.terms.children(expected);
                self.listed("trace", rules.iter().map(|&rule| self.name(rule)).collect())
            }
            _ => self.terms.node(expected),
        };
        let mut words = vec!["example".to_owned(), self.optional(node, "title", As::Term)];
        words.push(self.fields("input", node, &["input"], As::Term));
        words.push(self.fields("apply", node, &["apply"], As::Strategy));
        words.push(format!("(expect {expected})"));
        let modulo = node.child_by_field_name("modulo");
        words.extend(modulo.map(|name| format!("(modulo {})", unquoted(self.slice(name)))));
        list(words)
    }

    fn condition(&self, node: Node<'_>) -> String {
        let operator = || {
            let operator = self.terms.field(node, "operator");
            self.slice(operator)
        };
        match node.kind() {
            "binary" => {
                let word = match operator() {
                    "or" | "||" => "or",
                    _ => "and",
                };
                self.fields(word, node, &["left", "right"], As::Condition)
            }
            "unary" => self.fields("not", node, &["operand"], As::Condition),
            "parenthesized" => self.listed("paren", self.children(node, As::Condition)),
            "comparison" => self.fields(operator(), node, &["left", "right"], As::Term),
            "divisibility" => self.fields("divides", node, &["divisor", "size"], As::Term),
            "not_in" => self.fields("notIn", node, &["name", "term"], As::Term),
            "typing" => {
                let kind = self.terms.field(node, "type").kind();
                let head = if kind == "kind" { "kind" } else { "type" };
                self.fields(head, node, &["term", "type"], As::Term)
            }
            "property" => {
                let name = self.slice(self.terms.field(node, "function"));
                let mut words = vec!["property".to_owned(), unquoted(name).to_owned()];
                words.extend(self.children(self.terms.field(node, "arguments"), As::Term));
                list(words)
            }
            "holds" => list([
                "holds".to_owned(),
                self.field(node, "strategy", As::Strategy),
                self.field(node, "term", As::Term),
            ]),
            kind => panic!("no words for the condition {kind}"),
        }
    }

    fn strategy(&self, node: Node<'_>) -> String {
        match node.kind() {
            "identifier" | "quoted_identifier" => self.name(node),
            "hole" | "boolean" => self.slice(node).to_owned(),
            "integer" | "float" => number(self.slice(node)),
            "string" => format!("{:?}", unescape(self.slice(node))),
            "address_space" => self.terms.node(node),
            "lambda" | "dependent_lambda" => self.listed("rise", vec![self.terms.node(node)]),
            "quotation" => self.fields("rise", node, &["term"], As::Term),
            "parenthesized" => self.listed("paren", self.children(node, As::Strategy)),
            "list" | "tuple" => self.listed(node.kind(), self.children(node, As::Strategy)),
            "call" => self.call(node),
            "member" => list([
                "member".to_owned(),
                self.field(node, "object", As::Strategy),
                self.field_name(node),
            ]),
            "choice" | "sequence" | "location" | "binary" => {
                let operator = self.operator(node);
                let head = format!("binary {operator}");
                self.fields(&head, node, &["left", "right"], As::Strategy)
            }
            "unary" => {
                let head = match self.operator(node).as_str() {
                    "-" => "neg",
                    _ => "not",
                };
                self.fields(head, node, &["operand"], As::Strategy)
            }
            "function" => list([
                "lambda".to_owned(),
                self.parameters(self.terms.field(node, "parameters")),
                self.field(node, "body", As::Strategy),
            ]),
            "match" => self.matching(node),
            "conditional" => {
                let parts = ["condition", "consequence", "alternative"];
                self.fields("if", node, &parts, As::Strategy)
            }
            "anonymous_rule" => {
                let body = self.terms.field(node, "body");
                self.listed("anonymous", self.alternatives(body))
            }
            "with" => self.fields("with", node, &["normal_form", "body"], As::Strategy),
            _ => self.listed("type", vec![self.terms.node(node)]),
        }
    }

    /// Returns an operator without its quotes; of two spellings the symbolic one.
    fn operator(&self, node: Node<'_>) -> String {
        let text = self.slice(self.terms.field(node, "operator"));
        let text = text.trim_matches(['`', '‘', '’', '‛', '´', '′', ' ', '\t']);
        match text {
            "and" => "&&".to_owned(),
            "or" => "||".to_owned(),
            text => text.to_owned(),
        }
    }

    fn call(&self, node: Node<'_>) -> String {
        let function = self.terms.field(node, "function");
        let arguments = self.terms.children(self.terms.field(node, "arguments"));
        let arguments = arguments.into_iter().map(|argument| match argument.kind() {
            "named_argument" => {
                let name = unquoted(self.slice(self.terms.field(argument, "name")));
                format!("(= {name} {})", self.field(argument, "value", As::Strategy))
            }
            _ => self.strategy(argument),
        });
        let mut words = match self.slice(function) {
            list @ ("List" | "Seq") => vec![list.to_owned()],
            _ => vec!["call".to_owned(), self.strategy(function)],
        };
        words.extend(arguments);
        list(words)
    }

    fn matching(&self, node: Node<'_>) -> String {
        let mut words = vec![
            "match".to_owned(),
            self.field(node, "scrutinee", As::Strategy),
        ];
        let cases = self.terms.children(node);
        for case in cases.into_iter().filter(|node| node.kind() == "case") {
            let mut parts = vec!["case".to_owned(), self.field(case, "pattern", As::Pattern)];
            if case.child_by_field_name("guard").is_some() {
                parts.push(self.fields("if", case, &["guard"], As::Strategy));
            }
            parts.push(self.field(case, "body", As::Strategy));
            words.push(list(parts));
        }
        list(words)
    }

    fn pattern(&self, node: Node<'_>) -> String {
        match node.kind() {
            "identifier" | "quoted_identifier" => self.name(node),
            "hole" | "boolean" => self.slice(node).to_owned(),
            "integer" | "float" => number(self.slice(node)),
            "string" => format!("{:?}", unescape(self.slice(node))),
            "list_pattern" => self.listed("list", self.children(node, As::Pattern)),
            "cons_pattern" => self.fields("cons", node, &["head", "tail"], As::Pattern),
            "node_pattern" => {
                let head = self.slice(self.terms.field(node, "node")).to_lowercase();
                let parts: Vec<_> = node
                    .children_by_field_name("part", &mut node.walk())
                    .collect();
                self.listed(&head, self.all(&parts, As::Pattern))
            }
            _ => self.listed("term", vec![self.terms.node(node)]),
        }
    }

    fn ty(&self, node: Node<'_>) -> String {
        match node.kind() {
            "type_name" | "identifier" | "quoted_identifier" => {
                unquoted(self.slice(node)).to_owned()
            }
            "generic_type" => {
                let parts = self.children(node, As::Type);
                list(parts)
            }
            "function_type" => self.fields("arrow", node, &["parameter", "result"], As::Type),
            "product_type" => self.listed("tuple", self.children(node, As::Type)),
            kind => panic!("no words for the type {kind}"),
        }
    }
}
