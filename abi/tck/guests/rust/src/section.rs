use crate::words::{fate, line, place};
use mcpctl_stage::{Ctx, Grep, Outcome, Result, Section, SectionKind, DONE, PASS, TOP};
use std::ops::Range;

pub fn tree(c: &mut Ctx) -> Outcome {
    add_sections(c)?;
    for (i, s) in c.sections.list().iter().enumerate() {
        let kind = match s.kind {
            SectionKind::Exact => "exact",
            SectionKind::Group => "group",
            SectionKind::Decoded => "decoded",
            SectionKind::Derived => "derived",
        };
        let parent = s.parent.position().map_or(-1, |p| p as i64);
        line(
            c,
            format!(
                "{parent} {kind} {} {} {} {}",
                place(&s.span),
                s.depth,
                s.children,
                s.has_summary
            ),
        )?;
        let i = Section::at(i);
        let texts = [
            c.sections.id(i)?,
            c.sections.title(i)?,
            c.sections.summary(i)?,
            c.sections.body(i)?.text(),
        ];
        line(c, texts.join(","))?;
    }
    DONE
}

/// Adds a Section of each kind.
fn add_sections(c: &Ctx) -> Result<()> {
    let (j, s) = (c.input.json(), &c.sections);
    let first = s.add(TOP, c.original, j.span("/a")?.0, "a")?;
    s.set_id(first, "first")?;
    s.add(first, j.get("/a")?, ..3, "one")?;
    let rest = s.group(TOP, "rest")?;
    let b = s.add(rest, c.input, j.span("/b")?.0, "")?;
    s.set_title_span(b, c.input, 1..4)?;
    s.set_summary_span(b, c.original, ..5)?;
    let notes = s.derived(TOP, "own words", "notes")?;
    s.set_title(notes, "mine")?;
    s.set_summary(notes, "in short")
}

pub fn refused(c: &mut Ctx) -> Outcome {
    let s = &c.sections;
    let add = |parent, span: Range<usize>| s.add(parent, c.original, span, "").map(drop);
    let fates = [
        add(TOP, 0..0),
        add(Section::at(99), 0..1),
        add(TOP, 1..100_000),
        add(TOP, 0..2),
        s.set_id(Section::at(0), ""),
        s.set_title(Section::at(7), "x"),
        s.title(Section::at(7)).map(drop),
    ];
    for f in &fates {
        line(c, fate(f))?;
    }
    DONE
}

pub fn extend(c: &mut Ctx) -> Outcome {
    line(c, c.sections.len().to_string())?;
    let first = Section::at(0);
    c.sections.set_title(first, "new")?;
    let start = c.sections.list()[0].span.start;
    c.sections
        .add(first, c.original, start..start + 2, "child")?;
    PASS
}

pub fn chapters(c: &mut Ctx) -> Outcome {
    let heads = c.input.grep(0, "^# .*", Grep::BY_LINE)?;
    for (i, head) in heads.iter().enumerate() {
        let end = heads.get(i + 1).map_or(c.input.len(), |next| next.start);
        let section = c.sections.add(TOP, c.input, head.start..end, "")?;
        c.sections
            .set_title_span(section, c.input, head.start + 2..head.end)?;
    }
    c.meta("type", "markdown")?;
    PASS
}

pub fn batch(c: &mut Ctx) -> Outcome {
    let mut batch = c.sections.batch();
    let all = batch.group(TOP, "all", "All")?;
    for (n, at) in c.input.lines(0).enumerate() {
        let text = c.input.view(at.clone())?.text();
        let text = text.trim_end_matches('\n');
        let id = if n % 2 == 1 {
            format!("n{n}")
        } else {
            String::new()
        };
        batch.add(all, c.input, at.start..at.start + text.len(), &id, text)?;
    }
    line(c, fate(&batch.flush()))?;
    batch.group(TOP, "", "late")?;
    batch.group(Section::at(10_000), "", "late")?;
    line(c, fate(&batch.flush()))?;
    line(c, c.sections.len().to_string())?;
    DONE
}

pub fn filter(c: &mut Ctx) -> Outcome {
    line(c, fate(&c.sections.add(TOP, c.input, 0..1, "")))?;
    line(c, fate(&c.out.index(TOP, 0, 0)))?;
    c.out.span(c.input, ..)?;
    DONE
}
