//! The syntax of patterns: what RE2 and this matcher both know.

use crate::raw;

/// Why there is no matcher for a pattern.
#[derive(Debug, PartialEq)]
pub enum Refusal {
    /// It is none; the host refuses it as well.
    Wrong(String),
    /// The host may know it; this matcher does not.
    Unknown(String),
}

/// What one character may be.
#[derive(Debug, Clone, Default)]
pub struct Class {
    ranges: Vec<(char, char)>,
    negated: bool,
    any_case: bool,
}

impl Class {
    pub fn has(&self, c: char) -> bool {
        let within = |c: char| self.ranges.iter().any(|r| r.0 <= c && c <= r.1);
        let cased = || c.to_lowercase().any(within) || c.to_uppercase().any(within);
        (within(c) || self.any_case && cased()) != self.negated
    }
}

/// What must be so at a place.
#[derive(Debug, Clone, Copy)]
pub enum Look {
    TextStart,
    TextEnd,
    LineStart,
    LineEnd,
    Word,
    NoWord,
}

/// A pattern as it is written.
#[derive(Debug, Clone)]
pub enum Tree {
    Empty,
    One(Class),
    Look(Look),
    All(Vec<Tree>),
    Either(Vec<Tree>),
    Repeat { of: Box<Tree>, least: usize, most: Option<usize>, lazy: bool },
}

#[derive(Clone, Copy, Default)]
struct Modes {
    any_case: bool,
    lines: bool,
    dot_all: bool,
}

struct Parser {
    pattern: Vec<char>,
    at: usize,
    modes: Modes,
}

/// What was read, or why it was not.
pub type Parsed<T> = Result<T, Refusal>;

fn wrong<T>(why: &str) -> Parsed<T> {
    Err(Refusal::Wrong(why.into()))
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.pattern.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek();
        self.at += 1;
        c
    }

    fn eat(&mut self, text: &str) -> bool {
        let there = text.chars().enumerate().all(|(i, c)| self.pattern.get(self.at + i) == Some(&c));
        self.at += if there { text.chars().count() } else { 0 };
        there
    }

    fn either(&mut self) -> Parsed<Tree> {
        let modes = self.modes;
        let mut ways = vec![self.all()?];
        while self.eat("|") {
            ways.push(self.all()?);
        }
        self.modes = modes;
        Ok(if ways.len() == 1 { ways.remove(0) } else { Tree::Either(ways) })
    }

    fn all(&mut self) -> Parsed<Tree> {
        let mut parts = Vec::new();
        while self.peek().map_or(false, |c| c != '|' && c != ')') {
            let atom = self.atom()?;
            parts.push(self.repeated(atom)?);
        }
        Ok(Tree::All(parts))
    }

    fn repeated(&mut self, mut tree: Tree) -> Parsed<Tree> {
        let mut before = false;
        loop {
            let (least, most) = match self.peek() {
                Some('*') => (0, None),
                Some('+') => (1, None),
                Some('?') => (0, Some(1)),
                Some('{') => match self.counts()? {
                    Some(counts) => counts,
                    None => return Ok(tree),
                },
                _ => return Ok(tree),
            };
            if before {
                return wrong("invalid nested repetition operator");
            }
            self.at += 1;
            before = true;
            let lazy = self.eat("?");
            tree = Tree::Repeat { of: Box::new(tree), least, most, lazy };
        }
    }

    /// Reads {n}, {n,} or {n,m} up to its last brace; what looks otherwise is text.
    fn counts(&mut self) -> Parsed<Option<(usize, Option<usize>)>> {
        let rest: String = self.pattern[self.at + 1..].iter().take_while(|c| **c != '}').collect();
        let closed = self.pattern.get(self.at + 1 + rest.chars().count()) == Some(&'}');
        let number = |s: &str| s.parse::<usize>().ok().filter(|_| s.bytes().all(|c| c.is_ascii_digit()));
        let counts = match rest.split_once(',') {
            None => number(&rest).map(|n| (n, Some(n))),
            Some((low, "")) => number(low).map(|n| (n, None)),
            Some((low, high)) => number(low).zip(number(high)).map(|(n, m)| (n, Some(m))),
        };
        match counts.filter(|_| closed) {
            None => Ok(None),
            Some((n, m)) if n > 1000 || m.map_or(false, |m| m > 1000 || m < n) => wrong("invalid repeat count"),
            Some(counts) => {
                self.at += 1 + rest.chars().count();
                Ok(Some(counts))
            }
        }
    }

    fn atom(&mut self) -> Parsed<Tree> {
        let modes = self.modes;
        Ok(match self.next() {
            Some('(') => return self.group(),
            Some('[') => Tree::One(self.class()?),
            Some('.') if modes.dot_all => Tree::One(Class { negated: true, ..Class::default() }),
            Some('.') => Tree::One(Class { ranges: vec![('\n', '\n')], negated: true, any_case: false }),
            Some('^') => Tree::Look(if modes.lines { Look::LineStart } else { Look::TextStart }),
            Some('$') => Tree::Look(if modes.lines { Look::LineEnd } else { Look::TextEnd }),
            Some('*' | '+' | '?') => return wrong("missing argument to repetition operator"),
            Some('\\') => return self.escape(),
            Some(c) => self.char(c),
            None => Tree::Empty,
        })
    }

    fn char(&self, c: char) -> Tree {
        Tree::One(Class { ranges: vec![(c, c)], negated: false, any_case: self.modes.any_case })
    }

    fn group(&mut self) -> Parsed<Tree> {
        let modes = self.modes;
        if self.eat("?") {
            if self.eat("P<") || self.eat("<") {
                if matches!(self.peek(), Some('=' | '!')) {
                    return wrong("invalid or unsupported Perl syntax: lookbehind");
                }
                while self.next().ok_or_else(|| Refusal::Wrong("missing >".into()))? != '>' {}
            } else if self.flags()? {
                return Ok(Tree::Empty); // they hold to the end of the group around
            }
        }
        let tree = self.either()?;
        self.modes = modes;
        if !self.eat(")") {
            return wrong("missing closing )");
        }
        Ok(tree)
    }

    /// Reads flags up to a colon, or to the brace: then true.
    fn flags(&mut self) -> Parsed<bool> {
        let mut on = true;
        loop {
            match self.next() {
                Some('i') => self.modes.any_case = on,
                Some('m') => self.modes.lines = on,
                Some('s') => self.modes.dot_all = on,
                Some('-') if on => on = false,
                Some(':') => return Ok(false),
                Some(')') => return Ok(true),
                Some('U') => return Err(Refusal::Unknown("flag U".into())),
                _ => return wrong("invalid or unsupported Perl syntax"),
            }
        }
    }

    fn escape(&mut self) -> Parsed<Tree> {
        let c = match self.next() {
            Some(c) => c,
            None => return wrong("trailing backslash"),
        };
        Ok(match c {
            'A' => Tree::Look(Look::TextStart),
            'z' => Tree::Look(Look::TextEnd),
            'b' => Tree::Look(Look::Word),
            'B' => Tree::Look(Look::NoWord),
            'd' | 'D' | 'w' | 'W' | 's' | 'S' => Tree::One(perl(c)),
            'p' | 'P' | 'Q' | 'C' => return Err(Refusal::Unknown(format!("\\{c}"))),
            c => {
                let c = self.escaped(c)?;
                self.char(c)
            }
        })
    }

    /// The character behind a backslash.
    fn escaped(&mut self, c: char) -> Parsed<char> {
        Ok(match c {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'f' => '\x0c',
            'v' => '\x0b',
            'a' => '\x07',
            'x' => {
                let digits: String = if self.eat("{") {
                    let digits = self.pattern[self.at..].iter().take_while(|c| **c != '}').collect::<String>();
                    self.at += digits.chars().count() + 1;
                    digits
                } else {
                    self.at += 2;
                    self.pattern[self.at - 2..].iter().take(2).collect()
                };
                match u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32) {
                    Some(c) => c,
                    None => return wrong("invalid escape sequence \\x"),
                }
            }
            c if c.is_ascii_alphanumeric() => return wrong(&format!("invalid escape sequence \\{c}")),
            c => c,
        })
    }

    fn class(&mut self) -> Parsed<Class> {
        let mut class = Class { any_case: self.modes.any_case, ..Class::default() };
        class.negated = self.eat("^");
        let mut first = true;
        loop {
            match self.peek() {
                None => return wrong("missing closing ]"),
                Some(']') if !first => {
                    self.at += 1;
                    return Ok(class);
                }
                Some('[') if self.pattern.get(self.at + 1) == Some(&':') => class.ranges.extend(self.posix()?),
                Some('\\') if matches!(self.pattern.get(self.at + 1), Some('d' | 'w' | 's')) => {
                    class.ranges.extend(perl(self.pattern[self.at + 1]).ranges);
                    self.at += 2;
                }
                Some('\\') if matches!(self.pattern.get(self.at + 1), Some('D' | 'W' | 'S' | 'p' | 'P')) => {
                    return Err(Refusal::Unknown(format!("\\{} in a class", self.pattern[self.at + 1])));
                }
                Some(_) => {
                    let low = self.class_char()?;
                    let ranged = self.peek() == Some('-') && self.pattern.get(self.at + 1).map_or(false, |c| *c != ']');
                    let high = if ranged {
                        self.at += 1;
                        self.class_char()?
                    } else {
                        low
                    };
                    if high < low {
                        return wrong("invalid character class range");
                    }
                    class.ranges.push((low, high));
                }
            }
            first = false;
        }
    }

    fn class_char(&mut self) -> Parsed<char> {
        match self.next() {
            Some('\\') => match self.next() {
                Some(c) => self.escaped(c),
                None => wrong("trailing backslash"),
            },
            Some(c) => Ok(c),
            None => wrong("missing closing ]"),
        }
    }

    fn posix(&mut self) -> Parsed<Vec<(char, char)>> {
        for (name, ranges) in [
            ("[:alpha:]", &[('a', 'z'), ('A', 'Z')][..]),
            ("[:digit:]", &[('0', '9')]),
            ("[:alnum:]", &[('a', 'z'), ('A', 'Z'), ('0', '9')]),
            ("[:upper:]", &[('A', 'Z')]),
            ("[:lower:]", &[('a', 'z')]),
            ("[:space:]", &[('\t', '\r'), (' ', ' ')]),
            ("[:xdigit:]", &[('0', '9'), ('a', 'f'), ('A', 'F')]),
            ("[:punct:]", &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')]),
            ("[:word:]", &[('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')]),
        ] {
            if self.eat(name) {
                return Ok(ranges.to_vec());
            }
        }
        Err(Refusal::Unknown("a class in [: :]".into()))
    }
}

/// A class of Perl, such as \d.
fn perl(c: char) -> Class {
    let ranges = match c.to_ascii_lowercase() {
        'd' => vec![('0', '9')],
        'w' => vec![('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')],
        _ => vec![('\t', '\n'), ('\x0c', '\r'), (' ', ' ')],
    };
    Class { ranges, negated: c.is_ascii_uppercase(), any_case: false }
}

/// Reads a pattern with the flags of buf_grep.
pub fn parse(pattern: &str, flags: i32) -> Parsed<Tree> {
    let modes = Modes {
        any_case: flags & raw::GREP_IGNORE_CASE != 0,
        lines: flags & raw::GREP_LINES != 0,
        dot_all: flags & raw::GREP_DOT_ALL != 0,
    };
    let mut p = Parser { pattern: pattern.chars().collect(), at: 0, modes };
    if flags & raw::GREP_LITERAL != 0 {
        return Ok(Tree::All(pattern.chars().map(|c| p.char(c)).collect()));
    }
    let tree = p.either()?;
    if p.at < p.pattern.len() {
        return wrong("unexpected )");
    }
    Ok(tree)
}
