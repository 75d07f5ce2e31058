//! Prints concrete syntax trees in the notation of the tests of `syntax`.

use tree_sitter::Node;

/// A printer for the trees of one text.
pub struct Dump<'t> {
    text: &'t str,
}

impl<'t> Dump<'t> {
    pub fn new(text: &'t str) -> Self {
        Dump { text }
    }

    /// Prints every item by `item`, after its documentation.
    pub fn file(&self, root: Node<'_>, item: &dyn Fn(Node<'_>) -> String) -> Vec<String> {
        let mut items = Vec::new();
        let mut docs: Vec<&str> = Vec::new();
        for node in root.named_children(&mut root.walk()) {
            match node.kind() {
                "doc_comment" => {
                    let line = self.slice(node).trim_start_matches("///");
                    docs.push(line.strip_prefix(' ').unwrap_or(line));
                }
                "comment" => {}
                _ => items.push(format!(
                    "{:?} {}",
                    std::mem::take(&mut docs).join("\n"),
                    item(node)
                )),
            }
        }
        items
    }

    pub fn slice(&self, node: Node<'_>) -> &'t str {
        &self.text[node.byte_range()]
    }

    pub fn field<'n>(&self, node: Node<'n>, name: &str) -> Node<'n> {
        node.child_by_field_name(name)
            .unwrap_or_else(|| panic!("{} has no {name}", node.kind()))
    }

    /// Prints `(head field …)`.
    fn fields(&self, head: &str, node: Node<'_>, names: &[&str]) -> String {
        let children = names.iter().map(|name| self.node(self.field(node, name)));
        list(std::iter::once(head.to_owned()).chain(children))
    }

    /// Returns the named children that are not comments.
    pub fn children<'n>(&self, node: Node<'n>) -> Vec<Node<'n>> {
        node.named_children(&mut node.walk())
            .filter(|child| !matches!(child.kind(), "comment" | "doc_comment"))
            .collect()
    }

    fn all(&self, nodes: &[Node<'_>]) -> Vec<String> {
        nodes.iter().map(|&node| self.node(node)).collect()
    }

    fn operator(&self, node: Node<'_>) -> &'t str {
        self.slice(self.field(node, "operator"))
    }

    pub fn node(&self, node: Node<'_>) -> String {
        match node.kind() {
            "import" => self.fields("import", node, &["path"]),
            "definition" => self.definition(node),
            "foreign_definition" => self.foreign(node),
            "parameter" | "dependent_parameter" => self.parameter(node),
            "parameters" | "dependent_parameters" | "foreign_parameters" => {
                list(self.all(&self.children(node)))
            }
            "definition_parameters" | "implicit_parameters" => {
                let word = node.kind().trim_end_matches("_parameters").to_owned();
                list(std::iter::once(word).chain(self.all(&self.children(node))))
            }
            "hole" if is_binder(node) => "-".to_owned(),
            "identifier" | "boolean" | "hole" | "half" | "metavariable" => {
                self.slice(node).to_owned()
            }
            "quoted_identifier" => unquoted(self.slice(node)).to_owned(),
            "kind" => self.slice(node).to_owned(),
            "string" => format!("{:?}", unescape(self.slice(node))),
            "integer" | "float" => number(self.slice(node)),
            "operator" => format!("(op {})", self.slice(node).trim_matches(['(', ')', ' '])),
            "scalar_type" => format!("(scalar {})", self.slice(node)),
            "address_space" => format!("(address {})", self.slice(node)),
            "array_type" => self.array(node),
            "dependent_array_type" => self.sized(node, "depArray", "elements"),
            "application" => self.application(node),
            _ => self.plain(node),
        }
    }

    /// Prints nodes that consist of their fields.
    fn plain(&self, node: Node<'_>) -> String {
        match node.kind() {
            "divides" => self.fields("binary |", node, &["left", "right"]),
            "binary" | "pipeline" | "composition" => self.fields(
                &format!("binary {}", self.operator(node)),
                node,
                &["left", "right"],
            ),
            "unary" => self.fields(
                &format!("unary {}", self.operator(node)),
                node,
                &["operand"],
            ),
            "projection" => self.fields("project", node, &["pair", "half"]),
            "lambda" => self.fields("fun", node, &["parameters", "body"]),
            "dependent_lambda" => self.fields("depFun", node, &["parameters", "body"]),
            "let" => self.local(node),
            "pattern" => {
                list(std::iter::once("pattern".to_owned()).chain(self.all(&self.children(node))))
            }
            "size_function" => self.fields("natFun", node, &["parameter", "body"]),
            "data_function" => self.fields("dataFun", node, &["parameter", "body"]),
            "pair" => self.fields("pair", node, &["first", "second"]),
            "ascription" => self.fields("ascribe", node, &["value", "type"]),
            "parenthesized" => format!("(paren {})", self.all(&self.children(node)).join(" ")),
            "tuple_type" => self.fields("Tuple", node, &["first", "second"]),
            "vector_type" => self.fields("Vec", node, &["size", "element"]),
            "index_type" => self.fields("Idx", node, &["size"]),
            "dependent_pair_type" => self.fields("DepPair", node, &["parameter", "body"]),
            "function_type" => self.fields("arrow", node, &["parameter", "result"]),
            "conditional_type" => {
                list(std::iter::once("where".to_owned()).chain(self.all(&self.children(node))))
            }
            "dependent_function_type" => self.kinded("pi", node),
            "implicit_function_type" => self.kinded("implicit", node),
            "assignment" => self.fields("assign", node, &["acceptor", "value"]),
            "sequence" => match self.all(&self.children(node)).as_slice() {
                [only] => only.clone(),
                all => list(std::iter::once("seq".to_owned()).chain(all.iter().cloned())),
            },
            "conditional" => self.fields("if", node, &["condition", "consequence", "alternative"]),
            "block" => self.all(&self.children(node)).join(" "),
            "skip" => "skip".to_owned(),
            "expression_type" => self.fields("Exp", node, &["data", "access"]),
            "acceptor_type" => self.fields("Acc", node, &["data"]),
            "command_type" => "Comm".to_owned(),
            "access" => format!("(access {})", self.slice(node)),
            "list" => {
                list(std::iter::once("list".to_owned()).chain(self.all(&self.children(node))))
            }
            kind => panic!("no words for {kind}"),
        }
    }

    fn kinded(&self, head: &str, node: Node<'_>) -> String {
        format!(
            "({head} {} {})",
            self.parameter(node),
            self.node(self.field(node, "result"))
        )
    }

    /// Prints `x`, `(x TYPE)` or `(n KIND)`.
    fn parameter(&self, node: Node<'_>) -> String {
        let name = self.node(self.field(node, "name"));
        let annotation = node
            .child_by_field_name("type")
            .or(node.child_by_field_name("kind"));
        match annotation {
            Some(annotation) => format!("({name} {})", self.node(annotation)),
            None => name,
        }
    }

    /// Prints a `let` of a value, or of a definition with parameters.
    fn local(&self, node: Node<'_>) -> String {
        if let Some(size) = node.child_by_field_name("size") {
            return self.local_size(node, size);
        }
        let mut cursor = node.walk();
        let groups: Vec<String> = (node.children_by_field_name("parameters", &mut cursor))
            .map(|group| self.node(group))
            .collect();
        let bound = match groups.is_empty() {
            true => self.parameter(node),
            false => {
                let ty = node.child_by_field_name("type");
                let ty = ty.map_or("-".to_owned(), |ty| self.node(ty));
                let name = self.node(self.field(node, "name"));
                format!("{name} {} {ty}", groups.join(" "))
            }
        };
        let [value, body] = ["value", "body"].map(|field| self.node(self.field(node, field)));
        format!("(let {bound} {value} {body})")
    }

    /// Prints a `let` of a size, and of a value if it has a name.
    fn local_size(&self, node: Node<'_>, size: Node<'_>) -> String {
        let name = node.child_by_field_name("name");
        let words = ["letSize".to_owned(), self.node(size)].into_iter();
        let words = words.chain(name.map(|_| self.parameter(node)));
        let rest = ["value", "body"].map(|field| self.node(self.field(node, field)));
        list(words.chain(rest))
    }

    fn definition(&self, node: Node<'_>) -> String {
        let mut words = vec!["def".to_owned()];
        words.extend(self.annotations(node));
        words.push(self.slice(self.field(node, "name")).to_owned());
        let mut cursor = node.walk();
        for group in node.children_by_field_name("parameters", &mut cursor) {
            words.push(self.node(group));
        }
        words.push(
            node.child_by_field_name("type")
                .map_or("-".to_owned(), |ty| self.node(ty)),
        );
        words.push(self.node(self.field(node, "body")));
        list(words)
    }

    fn foreign(&self, node: Node<'_>) -> String {
        let mut words = vec!["foreign".to_owned()];
        words.extend(self.annotations(node));
        for field in ["name", "parameters", "type"] {
            words.push(self.node(self.field(node, field)));
        }
        words.push(
            node.child_by_field_name("body")
                .map_or("-".to_owned(), |body| {
                    let source = body.named_child(0).map_or("", |source| self.slice(source));
                    format!("{source:?}")
                }),
        );
        list(words)
    }

    /// Prints the annotations before an item, which ELEVATE calls attributes.
    pub fn annotations(&self, node: Node<'_>) -> Vec<String> {
        let annotations = self
            .children(node)
            .into_iter()
            .filter(|child| matches!(child.kind(), "annotation" | "attribute"));
        annotations
            .map(|annotation| self.annotation(annotation))
            .collect()
    }

    fn annotation(&self, node: Node<'_>) -> String {
        let mut words = vec![
            "@".to_owned(),
            self.slice(self.field(node, "name")).to_owned(),
        ];
        let arguments = node.child_by_field_name("arguments");
        for argument in arguments
            .map(|node| self.children(node))
            .unwrap_or_default()
        {
            words.push(match argument.kind() {
                "named_argument" => {
                    let name = self.slice(self.field(argument, "name"));
                    format!("(= {name} {})", self.node(self.field(argument, "value")))
                }
                _ => self.node(argument),
            });
        }
        list(words)
    }

    fn application(&self, node: Node<'_>) -> String {
        let mut words = vec!["apply".to_owned(), self.node(self.field(node, "function"))];
        words.extend(self.all(&self.children(self.field(node, "arguments"))));
        list(words)
    }

    fn array(&self, node: Node<'_>) -> String {
        let long = self.slice(node).starts_with("Array");
        self.sized(node, if long { "Array" } else { "array" }, "element")
    }

    /// Prints an array type, in which two sizes may be one float token.
    fn sized(&self, node: Node<'_>, head: &str, element: &str) -> String {
        let size = self.field(node, "size");
        let element = self.node(self.field(node, element));
        match self
            .slice(size)
            .split_once('.')
            .filter(|_| size.kind() == "float")
        {
            Some((first, second)) => {
                format!(
                    "(array {} ({head} {} {element}))",
                    number(first),
                    number(second)
                )
            }
            None => format!("({head} {} {element})", self.node(size)),
        }
    }
}

/// Returns a name without its backquotes.
pub fn unquoted(name: &str) -> &str {
    name.trim_matches('`').trim()
}

pub fn list(words: impl IntoIterator<Item = String>) -> String {
    format!("({})", words.into_iter().collect::<Vec<_>>().join(" "))
}

/// Prints a number as `(int 3 i32)` or `(float 0.5 f32)`.
pub fn number(text: &str) -> String {
    let sign = usize::from(text.starts_with('-'));
    let digits = sign
        + text[sign..]
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len() - sign);
    let is_float = text[digits..].starts_with(['.', 'e', 'E']);
    let end = if is_float {
        text.find(['f', 'F']).unwrap_or(text.len())
    } else {
        digits
    };
    let head = if is_float { "float" } else { "int" };
    match &text[end..] {
        "" => format!("({head} {})", &text[..end]),
        "f" => format!("({head} {} f32)", &text[..end]),
        suffix => format!("({head} {} {suffix})", &text[..end]),
    }
}

pub fn unescape(literal: &str) -> String {
    let inner = &literal[1..literal.len() - 1];
    let mut text = String::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                other => text.extend(other),
            },
            (c, false) => text.push(c),
        }
    }
    text
}

/// Returns true for the `_` in place of the name of a value.
fn is_binder(node: Node<'_>) -> bool {
    let of = |parent: Node<'_>| parent.child_by_field_name("name") == Some(node);
    node.parent().is_some_and(of)
}
