//! Ids of Sections, as the host makes them.

use super::sha256;
use super::tree::Section;
use crate::section::SectionKind;
use std::collections::HashMap;

/// Gives the Sections from one on their final ids: what they have, the slug of their title,
/// or their number among their siblings, made unique among all children of the nearest
/// ancestor that is no group.
pub fn settle(sections: &mut [Section], earlier: usize) {
    let owners: Vec<Option<usize>> = (0..sections.len()).map(|i| owner(sections, i)).collect();
    let numbers = numbers(sections, &owners);
    let mut taken: HashMap<(Option<usize>, String), usize> = HashMap::new(); // value: the highest number tried
    for i in 0..sections.len() {
        if i >= earlier {
            let want = wanted(&sections[i], numbers[i]);
            sections[i].id = free(&mut taken, owners[i], want);
        }
        taken.insert((owners[i], sections[i].id.clone()), 1);
    }
}

fn wanted(s: &Section, number: usize) -> String {
    let mut id = s.id.clone();
    if id.is_empty() {
        id = slug(&s.title);
    }
    if id.is_empty() {
        id = number.to_string();
    }
    if s.kind == SectionKind::Group && !id.starts_with('@') {
        id.insert(0, '@');
    }
    id
}

/// The id wanted, or the first of id-2, id-3, ... that is not taken.
fn free(taken: &mut HashMap<(Option<usize>, String), usize>, owner: Option<usize>, want: String) -> String {
    let mut n = match taken.get(&(owner, want.clone())) {
        None => return want,
        Some(n) => *n,
    };
    loop {
        n += 1;
        let next = format!("{want}-{n}");
        if !taken.contains_key(&(owner, next.clone())) {
            taken.insert((owner, want), n);
            return next;
        }
    }
}

/// Counts the children of each owner by where they start, each kind for itself.
fn numbers(sections: &[Section], owners: &[Option<usize>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sections.len()).collect();
    order.sort_by_key(|&i| sections[i].start);
    let (mut next, mut numbers) = (HashMap::new(), vec![0; sections.len()]);
    for i in order {
        let n = next.entry((owners[i], sections[i].kind)).or_insert(0);
        numbers[i] = *n;
        *n += 1;
    }
    numbers
}

/// The nearest ancestor that is no group.
fn owner(sections: &[Section], i: usize) -> Option<usize> {
    let mut p = sections[i].parent;
    while let Some(group) = p.filter(|&p| sections[p].kind == SectionKind::Group) {
        p = sections[group].parent;
    }
    p
}

/// Makes an id of a title: letters and digits in lower case, every other run one dash, none
/// at the ends.
fn slug(title: &str) -> String {
    let words: Vec<&str> = title.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    shorten(words.join("-").chars().map(lower).collect())
}

/// The lower case of a character, where it is one character.
fn lower(c: char) -> char {
    let mut all = c.to_lowercase();
    match (all.next(), all.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

/// Escapes what a segment of a path cannot hold, and what a reader does not see.
pub fn segment(id: &str) -> String {
    let mut to = String::new();
    for (i, c) in id.chars().enumerate() {
        let hidden = c.is_whitespace()
            || c.is_control()
            || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}');
        if !hidden && !"/%?![]".contains(c) && (i > 0 || c != '~' && c != '@') {
            to.push(c);
            continue;
        }
        for b in c.encode_utf8(&mut [0; 4]).bytes() {
            to.push_str(&format!("%{b:02X}"));
        }
    }
    shorten(to)
}

/// Ends an id of more than 60 bytes in a hash of the whole. It cuts inside no character and
/// no escape.
fn shorten(id: String) -> String {
    if id.len() <= 60 {
        return id;
    }
    let mut cut = super::keep::boundary(&id, 51);
    if let Some(i) = id.as_bytes()[cut - 2..cut].iter().rposition(|c| *c == b'%') {
        cut = cut - 2 + i;
    }
    format!("{}-{}", &id[..cut], sha256::hex(&sha256::sum(id.as_bytes())[..4]))
}
