use crate::words::{fate, line, place, span};
use mcpctl_stage::{Ctx, Grep, Outcome, DONE, TOP};

pub fn upper(c: &mut Ctx) -> Outcome {
    let mut text = c.input.bytes();
    text.make_ascii_uppercase();
    c.out.write(text)?;
    DONE
}

pub fn original(c: &mut Ctx) -> Outcome {
    span(c, c.original, ..)?;
    line(c, "---")?;
    c.out.span(c.input, ..)?;
    DONE
}

pub fn pieces(c: &mut Ctx) -> Outcome {
    let (mut off, mut piece) = (c.int("number", 0) as usize, [0; 4]);
    loop {
        let n = c.input.read(off, &mut piece)?;
        if n == 0 {
            return DONE;
        }
        c.out.write("[")?;
        c.out.write(&piece[..n])?;
        c.out.write("]")?;
        off += n;
    }
}

pub fn find(c: &mut Ctx) -> Outcome {
    let needle = c.str("text", "");
    let mut found = c.input.find(&needle);
    while let Some(at) = found {
        line(c, at.to_string())?;
        found = c.input.find_from(at + 1, &needle);
    }
    line(c, "end")?;
    DONE
}

pub fn lines(c: &mut Ctx) -> Outcome {
    c.out.write("")?;
    for s in c.input.lines(c.int("number", 0) as usize) {
        line(c, place(&s))?;
    }
    DONE
}

pub fn grep(c: &mut Ctx) -> Outcome {
    let (pattern, flags, most) = (
        c.str("text", ""),
        Grep::from_bits(c.int("number", 0) as i32),
        c.int("most", 0),
    );
    let found = match most {
        0 => c.input.grep(0, &pattern, flags),
        n => c.input.grep_n(0, n as usize, &pattern, flags),
    };
    match found {
        Ok(spans) => c
            .out
            .write(spans.iter().map(|s| place(s) + "\n").collect::<String>())?,
        refused => line(c, fate(&refused))?,
    }
    DONE
}

pub fn hash(c: &mut Ctx) -> Outcome {
    for sum in [c.input.hash(..), c.input.hash(1..3)] {
        line(
            c,
            sum.iter().map(|b| format!("{b:02x}")).collect::<String>(),
        )?;
    }
    DONE
}

pub fn tokens(c: &mut Ctx) -> Outcome {
    line(
        c,
        format!("{}\n{}", c.input.tokens(..), c.input.tokens(..4)),
    )?;
    DONE
}

pub fn views(c: &mut Ctx) -> Outcome {
    let outer = c.input.view(2..8)?;
    let inner = outer.view(1..4)?;
    line(c, inner.len().to_string())?;
    span(c, inner, ..)?;
    inner.free();
    outer.free();
    span(c, c.put("own text")?, ..3)?;
    line(c, fate(&c.input.view(..100_000)))?;
    DONE
}

pub fn handles(c: &mut Ctx) -> Outcome {
    for _ in 0..3000 {
        c.input.view(..1)?.free();
    }
    line(c, "done")?;
    DONE
}

pub fn index(c: &mut Ctx) -> Outcome {
    line(c, "head")?;
    c.out.index(TOP, 3, 100)?;
    line(c, "tail")?;
    line(c, fate(&c.out.index(mcpctl_stage::Section::at(5), 0, 0)))?;
    DONE
}

pub fn marks(c: &mut Ctx) -> Outcome {
    c.out.write("> ")?;
    c.out.span(c.input, ..)?;
    DONE
}
