//! From words and signs to what belongs to what. What holds tighter stands further down.

use std::ops::Range;

use jiff::SignedDuration;

use super::error::Wrong;
use super::lexer::{Placed, Token};

/// A part of a rule, and where it stands in its text.
#[derive(Debug)]
pub(super) struct Syntax {
    pub node: Node,
    pub at: Range<usize>,
}

#[derive(Debug)]
pub(super) enum Node {
    Null,
    Boolean(bool),
    Number(f64),
    Duration(SignedDuration),
    Text(String),
    Name(String),
    Call(String, Vec<Syntax>),
    List(Vec<Syntax>),
    Not(Box<Syntax>),
    Minus(Box<Syntax>),
    /// Two or more joined by `and`.
    All(Vec<Syntax>),
    /// Two or more joined by `or`.
    Any(Vec<Syntax>),
    Compare(Comparison, Box<Syntax>, Box<Syntax>),
    Sum(Sign, Box<Syntax>, Box<Syntax>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    Unequal,
    Less,
    AtMost,
    More,
    AtLeast,
    In,
    Contains,
    Matches,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Plus,
    Minus,
}

/// Rules are written by people; what is nested deeper is a mistake, or meant to be one.
const MAX_DEPTH: usize = 64;
const RESERVED: [&str; 9] =
    ["and", "or", "not", "in", "contains", "matches", "true", "false", "null"];

/// `tokens` ends with an `End`.
pub(super) fn parse(tokens: &[Placed]) -> Result<Syntax, Wrong> {
    let mut parser = Parser { tokens, at: 0, depth: 0 };
    let syntax = parser.any()?;
    match parser.token() {
        Token::End => Ok(syntax),
        _ => Err(parser.unexpected("`and`, `or` or the end of the rule")),
    }
}

struct Parser<'t> {
    tokens: &'t [Placed],
    at: usize,
    depth: usize,
}

type Parsed = Result<Syntax, Wrong>;

impl Parser<'_> {
    fn any(&mut self) -> Parsed {
        self.joined("or", Parser::all, Node::Any)
    }

    fn all(&mut self) -> Parsed {
        self.joined("and", Parser::not, Node::All)
    }

    /// One or more parts; a single one stays what it is.
    fn joined(
        &mut self,
        word: &str,
        part: fn(&mut Self) -> Parsed,
        join: fn(Vec<Syntax>) -> Node,
    ) -> Parsed {
        let first = part(self)?;
        if !self.is_word(word) {
            return Ok(first);
        }
        let from = first.at.start;
        let mut parts = vec![first];
        while self.takes_word(word) {
            parts.push(part(self)?);
        }
        Ok(self.since(from, join(parts)))
    }

    fn not(&mut self) -> Parsed {
        let from = self.here().start;
        if !self.takes_word("not") {
            return self.comparison();
        }
        let what = self.deeper(Parser::not)?;
        Ok(self.since(from, Node::Not(Box::new(what))))
    }

    fn comparison(&mut self) -> Parsed {
        let left = self.sum()?;
        let from = left.at.start;
        let Some((comparison, negated)) = self.takes_comparison() else { return Ok(left) };
        let right = self.sum()?;
        let compared = Node::Compare(comparison, Box::new(left), Box::new(right));
        let mut syntax = self.since(from, compared);
        if negated {
            syntax = self.since(from, Node::Not(Box::new(syntax)));
        }
        let here = self.here();
        if self.takes_comparison().is_some() {
            let what = "comparisons do not follow one another";
            return Err(Wrong::new(here, what, "write `a < b and b < c`"));
        }
        Ok(syntax)
    }

    /// A sign, a word, or `not` and a word, as in `lang not in ["en"]`.
    fn takes_comparison(&mut self) -> Option<(Comparison, bool)> {
        if self.is_word("not") {
            let after = self.tokens.get(self.at + 1)?;
            let found =
                comparison_of(&after.token).filter(|_| matches!(after.token, Token::Word(_)))?;
            self.at += 2;
            return Some((found, true));
        }
        let found = comparison_of(self.token())?;
        self.at += 1;
        Some((found, false))
    }

    fn sum(&mut self) -> Parsed {
        let mut left = self.signed()?;
        let mut count = 0;
        while let Some(sign) = self.sign() {
            // Each one nests the ones before it a level deeper.
            count += 1;
            if count > MAX_DEPTH {
                return Err(self.too_deep());
            }
            self.at += 1;
            let right = self.signed()?;
            let from = left.at.start;
            left = self.since(from, Node::Sum(sign, Box::new(left), Box::new(right)));
        }
        Ok(left)
    }

    fn sign(&self) -> Option<Sign> {
        match self.token() {
            Token::Sign("+") => Some(Sign::Plus),
            Token::Sign("-") => Some(Sign::Minus),
            _ => None,
        }
    }

    fn signed(&mut self) -> Parsed {
        let from = self.here().start;
        if !self.takes("-") {
            return self.single();
        }
        let what = self.deeper(Parser::signed)?;
        Ok(self.since(from, Node::Minus(Box::new(what))))
    }

    fn single(&mut self) -> Parsed {
        let Placed { token, at } = self.tokens[self.at].clone();
        let node = match token {
            Token::Number(number) => Node::Number(number),
            Token::Duration(duration) => Node::Duration(duration),
            Token::Text(text) => Node::Text(text),
            Token::Word(word) => return self.word(word),
            Token::Sign("(") => return self.group(),
            Token::Sign("[") => {
                self.at += 1;
                let parts = self.parts("]")?;
                return Ok(self.since(at.start, Node::List(parts)));
            }
            Token::Sign(_) | Token::End => return Err(self.unexpected("a value")),
        };
        self.at += 1;
        Ok(Syntax { node, at })
    }

    fn word(&mut self, word: String) -> Parsed {
        let from = self.here().start;
        let node = match word.as_str() {
            "null" => Node::Null,
            "true" => Node::Boolean(true),
            "false" => Node::Boolean(false),
            _ if RESERVED.contains(&word.as_str()) => return Err(self.unexpected("a value")),
            _ => {
                self.at += 1;
                let is_call = self.takes("(");
                let node =
                    if is_call { Node::Call(word, self.parts(")")?) } else { Node::Name(word) };
                return Ok(self.since(from, node));
            }
        };
        self.at += 1;
        Ok(self.since(from, node))
    }

    fn group(&mut self) -> Parsed {
        self.at += 1;
        let inner = self.deeper(Parser::any)?;
        match self.takes(")") {
            true => Ok(inner),
            false => Err(self.unexpected("`)`")),
        }
    }

    /// Values with commas between them up to `end`.
    fn parts(&mut self, end: &'static str) -> Result<Vec<Syntax>, Wrong> {
        let mut parts = Vec::new();
        loop {
            if self.takes(end) {
                return Ok(parts);
            }
            parts.push(self.deeper(Parser::any)?);
            if !self.takes(",") && *self.token() != Token::Sign(end) {
                return Err(self.unexpected(&format!("`,` or `{end}`")));
            }
        }
    }

    fn deeper(&mut self, part: fn(&mut Self) -> Parsed) -> Parsed {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let parsed = part(self);
        self.depth -= 1;
        parsed
    }

    fn too_deep(&self) -> Wrong {
        let what = format!("the rule is nested more than {MAX_DEPTH} deep");
        Wrong::new(self.here(), what, "write it in fewer levels")
    }

    fn unexpected(&self, expected: &str) -> Wrong {
        let found = match self.token() {
            Token::End => "the rule ends here".to_owned(),
            Token::Sign(sign) => format!("`{sign}` cannot stand here"),
            Token::Word(word) => format!("`{word}` cannot stand here"),
            _ => "this cannot stand here".to_owned(),
        };
        Wrong::new(self.here(), found, format!("expected {expected}"))
    }

    fn token(&self) -> &Token {
        &self.tokens[self.at].token
    }

    fn here(&self) -> Range<usize> {
        self.tokens[self.at].at.clone()
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.token(), Token::Word(found) if found == word)
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    fn takes(&mut self, sign: &'static str) -> bool {
        let found = *self.token() == Token::Sign(sign);
        self.at += usize::from(found);
        found
    }

    /// A node from `from` to the last token taken.
    fn since(&self, from: usize, node: Node) -> Syntax {
        let to = self.tokens[self.at.saturating_sub(1)].at.end;
        Syntax { node, at: from..to.max(from) }
    }
}

fn comparison_of(token: &Token) -> Option<Comparison> {
    let written = match token {
        Token::Sign(sign) => sign,
        Token::Word(word) => word.as_str(),
        _ => return None,
    };
    Some(match written {
        "==" => Comparison::Equal,
        "!=" => Comparison::Unequal,
        "<" => Comparison::Less,
        "<=" => Comparison::AtMost,
        ">" => Comparison::More,
        ">=" => Comparison::AtLeast,
        "in" => Comparison::In,
        "contains" => Comparison::Contains,
        "matches" => Comparison::Matches,
        _ => return None,
    })
}
