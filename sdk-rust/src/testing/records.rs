//! The list of prompts as `prompt_records` gives it: number and size of the records, the
//! records, the lines that are searched, all other texts.

use super::session::View;
use super::sha256;
use super::stored::Prompt;
use crate::raw;

/// Prints prompts, in this order.
pub fn of(view: &View, prompts: &[&Prompt]) -> Vec<u8> {
    let lines: Vec<[String; 3]> = prompts.iter().map(|p| searched(p)).collect();
    let searched: String = lines.iter().map(|l| l.concat()).collect();
    let mut others = String::new();
    let mut w = Words(Vec::new());
    w.number(prompts.len());
    w.number(raw::PROMPT_RECORD_SIZE);
    let mut at = 8 + prompts.len() * raw::PROMPT_RECORD_SIZE; // of the next line
    let end = at + searched.len();
    for (p, lines) in prompts.iter().zip(&lines) {
        for part in lines {
            match part.len() {
                0 => w.span(at - 1, 0), // no chapters: the last line feed stands behind them, too
                n => w.span(at, n - 1),
            }
            at += part.len();
        }
        for text in [p.project(view), p.link.clone(), p.content_ref(view)] {
            w.span(end + others.len(), text.len());
            others += &text;
        }
        w.number(p.rank() as usize);
        w.number(p.stored().len());
        w.number(link_status(&p.link_status()) as usize);
        w.number(0);
        w.0.extend_from_slice(&sha256::sum(p.stored().as_bytes()));
    }
    w.0.extend_from_slice(searched.as_bytes());
    w.0.extend_from_slice(others.as_bytes());
    w.0
}

/// Name, summary and chapters, each text on a line of its own.
fn searched(p: &Prompt) -> [String; 3] {
    let line = |text: &String| text.replace('\n', " ") + "\n";
    [line(&p.name), line(&p.summary), p.chapters.iter().map(line).collect()]
}

fn link_status(name: &str) -> i32 {
    match name {
        "alive" => raw::LINK_ALIVE,
        "dead" => raw::LINK_DEAD,
        "unknown" => raw::LINK_UNKNOWN,
        _ => raw::LINK_NONE,
    }
}

struct Words(Vec<u8>);

impl Words {
    fn number(&mut self, n: usize) {
        self.0.extend_from_slice(&(n as u32).to_le_bytes());
    }

    fn span(&mut self, start: usize, len: usize) {
        self.number(start);
        self.number(start + len);
    }
}
