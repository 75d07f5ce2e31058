//! A parser of the Python literals that occur in headers.

/// The largest nesting depth of brackets.
const MAX_DEPTH: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
    Text(String),
    Number(u64),
    Bool(bool),
    /// A list or a tuple.
    Many(Vec<Literal>),
    Dict(Vec<(Literal, Literal)>),
}

/// Parses a literal; `None` if it is malformed or nested too deeply, or if other text follows it.
pub fn parse(text: &str) -> Option<Literal> {
    let mut parser = Parser {
        rest: text.trim_start(),
    };
    let literal = parser.literal(0)?;
    parser.rest.is_empty().then_some(literal)
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn literal(&mut self, depth: usize) -> Option<Literal> {
        if depth > MAX_DEPTH {
            return None;
        }
        let element = |parser: &mut Self| parser.literal(depth + 1);
        match self.rest.chars().next()? {
            quote @ ('\'' | '"') => self.text(quote),
            '0'..='9' => self.number(),
            _ if self.eat("True") => Some(Literal::Bool(true)),
            _ if self.eat("False") => Some(Literal::Bool(false)),
            _ if self.eat("(") => self.list(")", element).map(Literal::Many),
            _ if self.eat("[") => self.list("]", element).map(Literal::Many),
            _ if self.eat("{") => {
                let entry = |parser: &mut Self| {
                    let key = element(parser)?;
                    let value = parser.eat(":").then(|| element(parser))??;
                    Some((key, value))
                };
                self.list("}", entry).map(Literal::Dict)
            }
            _ => None,
        }
    }

    fn eat(&mut self, word: &str) -> bool {
        match self.rest.strip_prefix(word) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    /// Parses a string without escapes, which names and types do not need.
    fn text(&mut self, quote: char) -> Option<Literal> {
        let rest = self.rest.strip_prefix(quote)?;
        let end = rest.find([quote, '\\', '\n'])?;
        let text = rest[..end].to_owned();
        self.rest = rest[end..].strip_prefix(quote)?.trim_start();
        Some(Literal::Text(text))
    }

    fn number(&mut self) -> Option<Literal> {
        let end = self
            .rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(self.rest.len());
        let number = self.rest[..end].parse().ok()?;
        self.rest = &self.rest[end..];
        // The suffix of long integers in Python 2.
        self.eat("L");
        self.rest = self.rest.trim_start();
        Some(Literal::Number(number))
    }

    /// Parses items up to a closing bracket.
    fn list<T>(&mut self, close: &str, item: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut all = Vec::new();
        while !self.eat(close) {
            all.push(item(self)?);
            if !self.eat(",") && !self.rest.starts_with(close) {
                return None;
            }
        }
        Some(all)
    }
}
