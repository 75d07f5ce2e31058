//! Evaluates formulas over sizes: `2 * n * m`, `n / 8`, `32 * ceilDiv(n, 32)`.

use std::collections::BTreeMap;

/// Returns the value of a formula; an error if it cannot be parsed or a name has no value.
pub fn value(formula: &str, sizes: &BTreeMap<String, u64>) -> Result<f64, String> {
    let mut reader = Reader {
        rest: formula,
        sizes,
    };
    let value = reader.sum();
    match value {
        Ok(value) if reader.peek().is_none() => Ok(value),
        Ok(_) => Err(format!("`{formula}`: `{}` is left over", reader.rest)),
        Err(error) => Err(format!("`{formula}`: {error}")),
    }
}

/// Returns the value of a formula that must be a natural number.
pub fn count(formula: &str, sizes: &BTreeMap<String, u64>) -> Result<u64, String> {
    let value = value(formula, sizes)?;
    if value < 0.0 || value.fract() != 0.0 || value > 1e15 {
        return Err(format!("`{formula}` is {value}, which is not a count"));
    }
    Ok(value as u64)
}

struct Reader<'a> {
    rest: &'a str,
    sizes: &'a BTreeMap<String, u64>,
}

impl<'a> Reader<'a> {
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.rest = &self.rest[wanted.len_utf8()..];
        }
        found
    }

    fn sum(&mut self) -> Result<f64, String> {
        let mut sum = self.product()?;
        loop {
            if self.eat('+') {
                sum += self.product()?;
            } else if self.eat('-') {
                sum -= self.product()?;
            } else {
                return Ok(sum);
            }
        }
    }

    fn product(&mut self) -> Result<f64, String> {
        let mut product = self.factor()?;
        loop {
            if self.eat('*') {
                product *= self.factor()?;
            } else if self.eat('/') {
                product /= self.factor()?;
            } else {
                return Ok(product);
            }
        }
    }

    fn factor(&mut self) -> Result<f64, String> {
        if self.eat('(') {
            let inner = self.sum()?;
            return match self.eat(')') {
                true => Ok(inner),
                false => Err("`)` is missing".to_owned()),
            };
        }
        let first = self.peek().ok_or("it ends early")?;
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let end = self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        if first.is_ascii_digit() {
            return word
                .parse()
                .map_err(|_| format!("`{word}` is not a number"));
        }
        if word == "ceilDiv" && self.eat('(') {
            let number = self.sum()?;
            if !self.eat(',') {
                return Err("`,` is missing".to_owned());
            }
            let divisor = self.sum()?;
            return match self.eat(')') {
                true => Ok((number / divisor).ceil()),
                false => Err("`)` is missing".to_owned()),
            };
        }
        match self.sizes.get(word) {
            Some(value) => Ok(*value as f64),
            None => Err(format!("there is no size `{word}`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_computed() {
        let sizes = BTreeMap::from([("n".to_owned(), 12), ("m".to_owned(), 4)]);
        assert_eq!(value("2*n*m + (n - 2) / 4", &sizes), Ok(98.5));
        assert_eq!(count("n / m", &sizes), Ok(3));
        assert_eq!(count("32 * ceilDiv(n + 1, m)", &sizes), Ok(128));
        assert!(count("m / n", &sizes).is_err());
        assert!(value("n k", &sizes).is_err());
        assert!(value("(n", &sizes).is_err());
        assert!(value("k", &sizes).is_err());
    }
}
