//! Adds a Section for each heading of Markdown with the text below it, and marks an
//! index. The host finds candidates for headings; the guest reads only the line of
//! each.

use mcpctl_stage::{stage, Ctx, Grep, Outcome, Result, DONE, PASS, TOP};

stage!("heading-split", split);

fn split(c: &mut Ctx) -> Outcome {
    let (mut start, mut sections) = (0, 0);
    for rule in c.input.grep(0, "\n#", Grep::LITERAL)? {
        sections += chapter(c, start, rule.start + 1)?;
        start = rule.start + 1;
    }
    sections += chapter(c, start, c.input.len())?;
    if sections == 0 {
        return PASS;
    }
    c.out.index(TOP, 0, 0)?;
    DONE
}

/// Adds a Section for the text from start to end if it starts with a heading.
fn chapter(c: &Ctx, start: usize, end: usize) -> Result<usize> {
    let mut line = [0; 256];
    let n = c.input.read(start, &mut line)?;
    match title(&line[..n]) {
        Some(title) => c.sections.add(TOP, c.input, start..end, title).map(|_| 1),
        None => Ok(0),
    }
}

/// Returns the title of a line that is a heading, cut at the bytes that were read.
fn title(line: &[u8]) -> Option<&str> {
    let level = line.iter().position(|&b| b != b'#')?;
    if !(1..=6).contains(&level) || line[level] != b' ' {
        return None;
    }
    let title = &line[level + 1..];
    let title = &title[..title.iter().position(|&b| b == b'\n').unwrap_or(title.len())];
    match core::str::from_utf8(title) {
        Ok(whole) => Some(whole),
        Err(cut) => core::str::from_utf8(&title[..cut.valid_up_to()]).ok(),
    }
}
