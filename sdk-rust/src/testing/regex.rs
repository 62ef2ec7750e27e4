//! A small matcher for the common part of RE2's syntax, with its rule of which match
//! counts: the leftmost, and of those the one that the pattern prefers. Time is linear.

use super::pattern::{parse, Class, Look, Parsed, Refusal, Tree};

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

impl Regex {
    /// Reads a pattern with the flags of buf_grep.
    pub fn new(pattern: &str, flags: i32) -> Parsed<Regex> {
        let tree = parse(pattern, flags)?;
        let mut r = Regex { program: Vec::new() };
        r.compile(&tree);
        r.program.push(Step::Match);
        if r.program.len() > 50_000 {
            return Err(Refusal::Wrong("expression too large".into()));
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
