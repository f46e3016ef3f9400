//! Arithmetic in texts: `"$n * 1.1 + 0.5"` wherever an item wants a number.
//!
//! A recursive-descent parser that computes while it reads, so that every fault points at the very
//! characters that cause it. The grammar, with the usual precedence:
//!
//! ```text
//! sum     = product { ("+" | "-") product }        number   12  0.5  1e-3
//! product = unary { ("*" | "/") unary }            variable $name
//! unary   = "-" unary | primary                    function min max abs sin cos …
//! primary = number | variable | function "(" sum { "," sum } ")" | "(" sum ")"
//! ```
//!
//! Angles are in degrees, as everywhere in a level. A crate would not do: of those on the registry
//! none gives the place of an error inside the text, and all bring much more of a language than
//! level authors need.

use std::ops::Range;

use super::diagnostic::{suggestion, ticked};
use super::scope::{Scope, Value};

/// The longest expression, in bytes.
const LONGEST: usize = 1000;
/// Parentheses, functions and signs within each other, at most.
const DEEPEST: usize = 50;

/// What is wrong with an expression: where in its text, and why.
#[derive(Debug, PartialEq)]
pub(super) struct Fault {
    pub(super) range: Range<usize>,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

/// The functions: name and number of arguments, `None` for one or more.
const FUNCTIONS: [(&str, Option<usize>); 11] = [
    ("min", None),
    ("max", None),
    ("abs", Some(1)),
    ("sin", Some(1)),
    ("cos", Some(1)),
    ("floor", Some(1)),
    ("ceil", Some(1)),
    ("round", Some(1)),
    ("sqrt", Some(1)),
    ("sign", Some(1)),
    ("mod", Some(2)),
];

/// Whether a text in the place of a number is meant to be computed, and no stray word.
pub(super) fn is_meant(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit() || b"$+*/()".contains(&byte))
}

/// The value of an expression; always finite.
pub(super) fn evaluate(text: &str, scope: &Scope) -> Result<f64, Fault> {
    if text.len() > LONGEST {
        let message = format!("an expression has at most {LONGEST} characters");
        return Err(Fault { range: 0..text.len(), message, help: None });
    }
    let mut parser = Parser { text, at: 0, depth: 0, scope };
    let value = parser.sum()?;
    parser.skip_blanks();
    if parser.at < text.len() {
        return Err(parser.unexpected("an operator or the end"));
    }
    Ok(whole_if_near(value))
}

/// `0.1 * 30` is meant to be 3: a count must not fail by the last bit.
fn whole_if_near(value: f64) -> f64 {
    let whole = value.round();
    if (value - whole).abs() <= 1e-12 * whole.abs().max(1.0) { whole } else { value }
}

struct Parser<'e> {
    text: &'e str,
    at: usize,
    depth: usize,
    scope: &'e Scope,
}

impl<'e> Parser<'e> {
    fn sum(&mut self) -> Result<f64, Fault> {
        let start = self.start();
        let mut value = self.product()?;
        while let Some(operator) = self.operator(b"+-") {
            let right = self.product()?;
            value = if operator == b'+' { value + right } else { value - right };
            self.check(value, start)?;
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<f64, Fault> {
        let start = self.start();
        let mut value = self.unary()?;
        while let Some(operator) = self.operator(b"*/") {
            let divisor_start = self.start();
            let right = self.unary()?;
            if operator == b'/' && right == 0.0 {
                return Err(self.fault(divisor_start..self.at, "division by zero"));
            }
            value = if operator == b'*' { value * right } else { value / right };
            self.check(value, start)?;
        }
        Ok(value)
    }

    fn unary(&mut self) -> Result<f64, Fault> {
        if self.operator(b"-").is_none() {
            return self.primary();
        }
        self.enter()?;
        let value = -self.unary()?;
        self.depth -= 1;
        Ok(value)
    }

    fn primary(&mut self) -> Result<f64, Fault> {
        let start = self.start();
        match self.peek() {
            Some(b'(') => {
                self.at += 1;
                self.enter()?;
                let value = self.sum()?;
                self.close(start)?;
                Ok(value)
            }
            Some(b'$') => {
                self.at += 1;
                let name = self.name();
                self.variable(name, start)
            }
            Some(byte) if byte.is_ascii_digit() || byte == b'.' => self.number(start),
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
                let name = self.name();
                self.function(name, start)
            }
            _ => Err(self.unexpected("a number, a $variable or a function")),
        }
    }

    fn variable(&self, name: &str, start: usize) -> Result<f64, Fault> {
        let range = start..self.at;
        match self.scope.get(name) {
            Some(Value::Number(value)) => Ok(*value),
            Some(Value::Text(_)) => {
                Err(self.fault(range, format!("{} is a text, not a number", ticked(name))))
            }
            None if name.is_empty() => {
                Err(self.fault(range, "a name is missing after the dollar sign"))
            }
            None => Err(unknown_variable(name, range, self.scope)),
        }
    }

    fn number(&mut self, start: usize) -> Result<f64, Fault> {
        let bytes = self.text.as_bytes();
        let digits = |mut at: usize| {
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            at
        };
        self.at = digits(self.at);
        if bytes.get(self.at) == Some(&b'.') {
            self.at = digits(self.at + 1);
        }
        if matches!(bytes.get(self.at), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(self.at + 1), Some(b'+' | b'-')));
            let end = digits(self.at + 1 + sign);
            if end > self.at + 1 + sign {
                self.at = end;
            }
        }
        match self.text[start..self.at].parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            Ok(_) => Err(self.fault(start..self.at, "the number is too large")),
            Err(_) => Err(self.fault(start..self.at, "this is not a number")),
        }
    }

    fn function(&mut self, name: &str, start: usize) -> Result<f64, Fault> {
        let range = start..self.at;
        self.skip_blanks();
        let open = self.at;
        let known = FUNCTIONS.iter().find(|(known, _)| *known == name);
        let Some(&(_, count)) = known else {
            if self.scope.get(name).is_some() {
                let help = Some(format!("write ${name}"));
                let message = format!("the variable {} needs a dollar sign", ticked(name));
                return Err(Fault { range, message, help });
            }
            let help = suggestion(name, FUNCTIONS.map(|(known, _)| known), "functions");
            let message = format!("unknown function {}", ticked(name));
            return Err(Fault { range, message, help: Some(help) });
        };
        if self.peek() != Some(b'(') {
            let help = Some(format!("write {name}( … )"));
            let message = format!("{} needs its arguments in parentheses", ticked(name));
            return Err(Fault { range, message, help });
        }
        self.at += 1;
        self.enter()?;
        let mut arguments = vec![self.sum()?];
        while self.operator(b",").is_some() {
            arguments.push(self.sum()?);
        }
        self.close(open)?;
        let given = arguments.len();
        if let Some(count) = count.filter(|&count| count != given) {
            let plural = if count == 1 { "argument" } else { "arguments" };
            let message = format!("{} takes {count} {plural}, not {given}", ticked(name));
            return Err(self.fault(start..self.at, message));
        }
        let value = match (name, arguments.as_slice()) {
            ("min", list) => list.iter().copied().fold(f64::INFINITY, f64::min),
            ("max", list) => list.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            ("abs", [x]) => x.abs(),
            ("sin", [x]) => whole_if_near(x.to_radians().sin()),
            ("cos", [x]) => whole_if_near(x.to_radians().cos()),
            ("floor", [x]) => whole_if_near(*x).floor(),
            ("ceil", [x]) => whole_if_near(*x).ceil(),
            ("round", [x]) => x.round(),
            ("sqrt", [x]) if *x < 0.0 => {
                return Err(self.fault(start..self.at, "the square root of a negative number"));
            }
            ("sqrt", [x]) => x.sqrt(),
            ("sign", [x]) => f64::from(i8::from(*x > 0.0) - i8::from(*x < 0.0)),
            ("mod", [_, divisor]) if *divisor == 0.0 => {
                return Err(self.fault(start..self.at, "division by zero"));
            }
            ("mod", [x, divisor]) => x.rem_euclid(*divisor),
            _ => f64::NAN,
        };
        self.check(value, start)?;
        Ok(value)
    }

    fn check(&self, value: f64, start: usize) -> Result<(), Fault> {
        if value.is_finite() {
            return Ok(());
        }
        Err(self.fault(start..self.at, "the value is too large for a number"))
    }

    /// Goes one level deeper.
    fn enter(&mut self) -> Result<(), Fault> {
        self.depth += 1;
        if self.depth <= DEEPEST {
            return Ok(());
        }
        let message = format!("parentheses and signs are nested more than {DEEPEST} deep");
        Err(self.fault(self.at.saturating_sub(1)..self.at, message))
    }

    /// The parenthesis that closes the one at `open`.
    fn close(&mut self, open: usize) -> Result<(), Fault> {
        self.depth -= 1;
        if self.operator(b")").is_some() {
            return Ok(());
        }
        if self.peek().is_none() {
            return Err(self.fault(open..open + 1, "this parenthesis is never closed"));
        }
        Err(self.unexpected("an operator or a closing parenthesis"))
    }

    fn operator(&mut self, among: &[u8]) -> Option<u8> {
        self.skip_blanks();
        let found = self.peek().filter(|byte| among.contains(byte));
        self.at += usize::from(found.is_some());
        found
    }

    /// Letters, digits and underscores from here on.
    fn name(&mut self) -> &'e str {
        let text = self.text;
        let start = self.at;
        let rest = text.as_bytes()[start..].iter();
        self.at += rest.take_while(|&&byte| in_name(byte)).count();
        &text[start..self.at]
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Where the next thing begins.
    fn start(&mut self) -> usize {
        self.skip_blanks();
        self.at
    }

    fn unexpected(&self, wanted: &str) -> Fault {
        let Some(found) = self.text[self.at..].chars().next() else {
            let end = self.text.len();
            return self.fault(end..end, format!("expected {wanted}, found the end"));
        };
        let range = self.at..self.at + found.len_utf8();
        self.fault(range, format!("expected {wanted}, found {}", ticked(&found.to_string())))
    }

    fn fault(&self, range: Range<usize>, message: impl Into<String>) -> Fault {
        Fault { range, message: message.into(), help: None }
    }
}

/// The fault of a name that stands for nothing here.
pub(super) fn unknown_variable(name: &str, range: Range<usize>, scope: &Scope) -> Fault {
    const INDICES: [&str; 3] = ["i", "ix", "iy"];
    let message = format!("no variable {} is known here", ticked(&format!("${name}")));
    let help = if INDICES.contains(&name) {
        "index variables are there in the copies of an item with `repeat`; hand them on to a \
         prefab as parameters"
            .to_owned()
    } else {
        suggestion(name, scope.names(), "variables")
    };
    Fault { range, message, help: Some(help) }
}

/// Whether the name of a variable may have that letter, digit or underscore.
pub(super) fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scope() -> Scope {
        let mut scope = Scope::default();
        scope.set("n", Value::Number(5.0));
        scope.set("i", Value::Number(2.0));
        scope.set("wood", Value::Text("oak".into()));
        scope
    }

    #[test]
    fn arithmetic() {
        let cases = [
            ("1 + 2 * 3", 7.0),
            ("(1 + 2) * 3", 9.0),
            ("2 - 3 - 4", -5.0),
            ("12 / 3 / 2", 2.0),
            ("-2 * -3", 6.0),
            ("--2", 2.0),
            ("-$n + 1", -4.0),
            ("$n * 1.1 + 0.5", 6.0),
            (" $n*$i ", 10.0),
            ("1e2 + 1.5E-1", 100.15),
            (".5 + 5.", 5.5),
            ("min(3, 1, 2) + max(4)", 5.0),
            ("abs(-3) + sign(-3) + sign(0)", 2.0),
            ("sin(30)", 0.5),
            ("cos(60) + cos(90)", 0.5),
            ("floor(-1.5) + ceil(1.2) + round(2.5)", 3.0),
            ("sqrt(2 * 8)", 4.0),
            ("mod(-1, 3)", 2.0),
            ("0.1 * 30", 3.0),
            ("floor(0.7 / 0.1)", 7.0),
        ];
        for (text, expected) in cases {
            let value = evaluate(text, &scope()).unwrap_or_else(|e| panic!("{text}: {e:?}"));
            assert!((value - expected).abs() < 1e-12, "{text} = {value}, not {expected}");
        }
        assert_eq!(evaluate("0.1 * 30", &scope()), Ok(3.0));
    }

    #[test]
    fn faults_point_at_their_characters() {
        let cases = [
            ("", 0..0, "expected a number, a $variable or a function, found the end"),
            ("1 +", 3..3, "expected a number, a $variable or a function, found the end"),
            ("1 + * 2", 4..5, "expected a number, a $variable or a function, found `*`"),
            ("1 2", 2..3, "expected an operator or the end, found `2`"),
            ("2 * (3 + 4", 4..5, "this parenthesis is never closed"),
            ("(1 ; 2)", 3..4, "expected an operator or a closing parenthesis, found `;`"),
            ("3 + $m", 4..6, "no variable `$m` is known here"),
            ("3 + $", 4..5, "a name is missing after the dollar sign"),
            ("1 + $wood", 4..9, "`wood` is a text, not a number"),
            ("1 + n", 4..5, "the variable `n` needs a dollar sign"),
            ("sinn(3)", 0..4, "unknown function `sinn`"),
            ("2 * sin 3", 4..7, "`sin` needs its arguments in parentheses"),
            ("abs(1, 2)", 0..9, "`abs` takes 1 argument, not 2"),
            ("1 / ($n - 5)", 4..12, "division by zero"),
            ("1 + sqrt(-1)", 4..12, "the square root of a negative number"),
            ("1e308 * 10", 0..10, "the value is too large for a number"),
            ("1e999", 0..5, "the number is too large"),
            ("1 + .", 4..5, "this is not a number"),
            ("2 × 3", 2..4, "expected an operator or the end, found `×`"),
        ];
        for (text, range, message) in cases {
            let fault = evaluate(text, &scope()).expect_err(text);
            assert_eq!((fault.range, fault.message.as_str()), (range, message), "{text}");
        }
        let deep = "(".repeat(1000);
        assert!(evaluate(&deep, &scope()).is_err_and(|fault| fault.message.contains("50 deep")));
        let long = "1+".repeat(600) + "1";
        assert!(evaluate(&long, &scope()).is_err_and(|fault| fault.message.contains("1000")));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn random_texts_never_panic(text in "\\PC{0,60}") {
            let _ = evaluate(&text, &scope());
        }

        #[test]
        fn random_expressions_give_a_finite_value_or_a_place(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "1", "0.5", "$n", "$i", "$wood", "$x", "+", "-", "*", "/", "(", ")", ",", " ",
                    "sin(", "sqrt(", "mod(", "min(", "n", "1e300", "é",
                ]),
                0..24,
            )
        ) {
            let text = parts.concat();
            match evaluate(&text, &scope()) {
                Ok(value) => prop_assert!(value.is_finite()),
                Err(fault) => prop_assert!(text.get(fault.range).is_some()),
            }
        }
    }
}
