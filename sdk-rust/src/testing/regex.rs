//! A small matcher for the common part of RE2's syntax, with its rule of which match
//! counts: the leftmost, and of those the one that the pattern prefers. Time is linear.

/// Why there is no matcher for a pattern.
#[derive(Debug, PartialEq)]
pub enum Refusal {
    /// It is none; the host refuses it as well.
    Wrong(String),
    /// The host may know it; this matcher does not.
    Unknown(String),
}

/// A pattern, ready to match.
#[derive(Debug)]
pub struct Regex {
    program: Vec<Step>,
}

#[derive(Debug, Clone)]
enum Step {
    One(Class),
    Look(Look),
    Split(usize, usize), // the first is preferred
    Jump(usize),
    Match,
}

#[derive(Debug, Clone, Default)]
struct Class {
    ranges: Vec<(char, char)>,
    negated: bool,
    any_case: bool,
}

impl Class {
    fn has(&self, c: char) -> bool {
        let within = |c: char| self.ranges.iter().any(|r| r.0 <= c && c <= r.1);
        let cased = || c.to_lowercase().any(within) || c.to_uppercase().any(within);
        (within(c) || self.any_case && cased()) != self.negated
    }
}

#[derive(Debug, Clone, Copy)]
enum Look {
    TextStart,
    TextEnd,
    LineStart,
    LineEnd,
    Word,
    NoWord,
}

#[derive(Debug, Clone)]
enum Tree {
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

type Parsed<T> = Result<T, Refusal>;

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

impl Regex {
    /// Reads a pattern with the flags of buf_grep.
    pub fn new(pattern: &str, flags: i32) -> Parsed<Regex> {
        use crate::raw::*;
        let modes = Modes {
            any_case: flags & GREP_IGNORE_CASE != 0,
            lines: flags & GREP_LINES != 0,
            dot_all: flags & GREP_DOT_ALL != 0,
        };
        let mut p = Parser { pattern: pattern.chars().collect(), at: 0, modes };
        let tree = if flags & GREP_LITERAL != 0 {
            Tree::All(pattern.chars().map(|c| p.char(c)).collect())
        } else {
            let tree = p.either()?;
            if p.at < p.pattern.len() {
                return wrong("unexpected )");
            }
            tree
        };
        let mut r = Regex { program: Vec::new() };
        r.compile(&tree);
        r.program.push(Step::Match);
        if r.program.len() > 50_000 {
            return wrong("expression too large");
        }
        Ok(r)
    }

    fn compile(&mut self, tree: &Tree) {
        if self.program.len() > 50_000 {
            return;
        }
        match tree {
            Tree::Empty => {}
            Tree::One(class) => self.program.push(Step::One(class.clone())),
            Tree::Look(look) => self.program.push(Step::Look(*look)),
            Tree::All(parts) => parts.iter().for_each(|part| self.compile(part)),
            Tree::Either(ways) => self.compile_either(ways),
            Tree::Repeat { of, least, most, lazy } => {
                (0..*least).for_each(|_| self.compile(of));
                match most {
                    None => {
                        let split = self.hole();
                        self.compile(of);
                        self.program.push(Step::Jump(split));
                        self.fill(split, *lazy);
                    }
                    Some(most) => {
                        let splits: Vec<usize> = (*least..*most)
                            .map(|_| {
                                let split = self.hole();
                                self.compile(of);
                                split
                            })
                            .collect();
                        splits.into_iter().for_each(|split| self.fill(split, *lazy));
                    }
                }
            }
        }
    }

    fn compile_either(&mut self, ways: &[Tree]) {
        let mut ends = Vec::new();
        for (i, way) in ways.iter().enumerate() {
            if i + 1 == ways.len() {
                self.compile(way);
                break;
            }
            let split = self.hole();
            self.compile(way);
            ends.push(self.hole());
            self.fill(split, false);
        }
        let end = self.program.len();
        ends.into_iter().for_each(|at| self.program[at] = Step::Jump(end));
    }

    fn hole(&mut self) -> usize {
        self.program.push(Step::Match);
        self.program.len() - 1
    }

    /// Makes a hole the choice between what follows it and what comes now.
    fn fill(&mut self, hole: usize, lazy: bool) {
        let end = self.program.len();
        self.program[hole] = if lazy { Step::Split(end, hole + 1) } else { Step::Split(hole + 1, end) };
    }

    /// Up to most matches, not overlapping, as start and end.
    pub fn find_all(&self, text: &str, most: usize) -> Vec<(usize, usize)> {
        let (mut found, mut from, mut last) = (Vec::new(), 0, None);
        while found.len() < most && from <= text.len() {
            let (start, end) = match self.find(text, from) {
                Some(m) => m,
                None => break,
            };
            if end > from {
                from = end;
            } else {
                from += text[from..].chars().next().map_or(1, char::len_utf8);
            }
            if start != end || last != Some(start) {
                found.push((start, end));
            }
            last = Some(end);
        }
        found
    }

    fn find(&self, text: &str, from: usize) -> Option<(usize, usize)> {
        let (mut now, mut best) = (Threads::new(self.program.len()), None);
        let mut at = from;
        loop {
            if best.is_none() {
                self.follow(&mut now, 0, at, text, at);
            }
            let c = text[at..].chars().next();
            let mut next = Threads::new(self.program.len());
            for &(step, start) in &now.list {
                match &self.program[step] {
                    Step::Match => {
                        best = Some((start, at));
                        break; // those behind are of less worth
                    }
                    Step::One(class) => {
                        if let Some(c) = c.filter(|c| class.has(*c)) {
                            self.follow(&mut next, step + 1, start, text, at + c.len_utf8());
                        }
                    }
                    _ => {}
                }
            }
            at += match c {
                Some(c) if best.is_none() || !next.list.is_empty() => c.len_utf8(),
                _ => return best,
            };
            now = next;
        }
    }

    /// Adds a thread, and all that it leads to without taking a character.
    fn follow(&self, threads: &mut Threads, step: usize, start: usize, text: &str, at: usize) {
        let mut stack = vec![step];
        while let Some(step) = stack.pop() {
            if std::mem::replace(&mut threads.seen[step], true) {
                continue;
            }
            match self.program[step] {
                Step::Jump(to) => stack.push(to),
                Step::Split(first, second) => stack.extend([second, first]),
                Step::Look(look) if look.holds(text, at) => stack.push(step + 1),
                Step::Look(_) => {}
                _ => threads.list.push((step, start)),
            }
        }
    }
}

struct Threads {
    list: Vec<(usize, usize)>, // step, and where its match starts
    seen: Vec<bool>,
}

impl Threads {
    fn new(n: usize) -> Threads {
        Threads { list: Vec::new(), seen: vec![false; n] }
    }
}

impl Look {
    fn holds(self, text: &str, at: usize) -> bool {
        let (before, after) = (text[..at].bytes().last(), text[at..].bytes().next());
        let word = |c: Option<u8>| c.map_or(false, |c| c.is_ascii_alphanumeric() || c == b'_');
        match self {
            Look::TextStart => before.is_none(),
            Look::TextEnd => after.is_none(),
            Look::LineStart => before.map_or(true, |c| c == b'\n'),
            Look::LineEnd => after.map_or(true, |c| c == b'\n'),
            Look::Word => word(before) != word(after),
            Look::NoWord => word(before) == word(after),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_are_those_of_re2() {
        for (pattern, flags, text, want) in [
            ("b+", 0, "abbab", "bb b"),
            ("a|ab", 0, "ab", "a"),
            ("ab|a", 0, "ab", "ab"),
            ("(?:a|ab)(?:c|bcd)?", 0, "abcd", "abcd"),
            ("^# .*", 2, "# A\ntext\n# B\n", "# A,# B"),
            ("^# .*", 0, "# A\n# B", "# A"),
            ("a.b", 0, "a\nb", "none"),
            ("a.b", 4, "a\nb", "a\nb"),
            ("(?s)a.b", 0, "a\nb", "a\nb"),
            ("HEL", 1, "hello", "hel"),
            ("(?i)é", 0, "É", "É"),
            ("a.c", 8, "abc a.c", "a.c"),
            (r"\d{2,3}", 0, "1 12 12345", "12 123 45"),
            (r"\d{2,}?", 0, "12345", "12 34"),
            (r"\bto\b", 0, "to tom to", "to to"),
            (r"[^a-c\]]+", 0, "abxy]z", "xy z"),
            ("[[:upper:]]+", 0, "abCDe", "CD"),
            ("x*", 0, "axb", " x "),
            ("a{,2}", 0, "a{,2}", "a{,2}"),
            (r"(?P<n>\w+)=\x{41}\x42", 0, "k=AB", "k=AB"),
            (r"\.", 0, "a.b", "."),
            ("^$", 2, "a\n\nb", ""),
            ("a++", 0, "", "invalid nested repetition operator"),
            ("(", 0, "", "missing closing )"),
            (")", 0, "", "unexpected )"),
            ("[z-a]", 0, "", "invalid character class range"),
            ("*", 0, "", "missing argument to repetition operator"),
            (r"\pL", 0, "", "unknown \\p"),
            ("a{1001}", 0, "", "invalid repeat count"),
        ] {
            let got = match Regex::new(pattern, flags) {
                Err(Refusal::Wrong(why)) => why,
                Err(Refusal::Unknown(what)) => format!("unknown {what}"),
                Ok(r) => {
                    let found: Vec<&str> = r.find_all(text, 100).iter().map(|m| &text[m.0..m.1]).collect();
                    let joint = if want.contains(',') && want != "a{,2}" { "," } else { " " };
                    if found.is_empty() {
                        "none".into()
                    } else {
                        found.join(joint)
                    }
                }
            };
            assert_eq!(got, want, "{pattern} with {flags} in {text:?}");
        }
    }

    #[test]
    fn time_is_linear() {
        let text = "a".repeat(3000);
        assert_eq!(Regex::new("(a*)*b", 0).unwrap().find_all(&text, 1), []);
    }
}
