use crate::words::{fate, line, or_fate, place, span, thousandths};
use mcpctl_stage::{pointer, Ctx, Json, Outcome, Result, DONE};

pub fn values(c: &mut Ctx) -> Outcome {
    let j = c.input.json();
    line(c, j.is_valid().to_string())?;
    for pointer in c.strings("list", &[]) {
        line(c, format!("{pointer} {}", or_fate(value(j, &pointer))))?;
    }
    DONE
}

/// Describes the value at a pointer.
fn value(j: Json, pointer: &str) -> Result<String> {
    let (at, kind) = j.span(pointer)?;
    assert_eq!(kind, j.kind(pointer)?);
    Ok(format!(
        "{} {} {}",
        kind.name(),
        place(&at),
        j.str(pointer)?
    ))
}

pub fn children(c: &mut Ctx) -> Outcome {
    let (j, pointer) = (c.input.json(), c.str("text", ""));
    let n = match j.len(&pointer) {
        Ok(n) => n,
        refused => {
            line(c, fate(&refused))?;
            return DONE;
        }
    };
    line(c, n.to_string())?;
    for (i, child) in j.each(&pointer).enumerate() {
        let key = if child.key.is_empty() {
            "-".into()
        } else {
            j.text(child.key)?.text()
        };
        c.out.write(format!("{i} {key} "))?;
        span(c, c.input, child.value)?;
    }
    DONE
}

pub fn numbers(c: &mut Ctx) -> Outcome {
    let j = c.input.json();
    for pointer in c.strings("list", &[]) {
        let whole = or_fate(j.int(&pointer).map(|v| v.to_string()));
        let real = or_fate(j.float(&pointer).map(|v| thousandths(v).to_string()));
        line(c, format!("{pointer} {whole} {real}"))?;
    }
    DONE
}

pub fn pointers(c: &mut Ctx) -> Outcome {
    let list = c.strings("list", &[]);
    let segments: Vec<&str> = list.iter().map(String::as_str).collect();
    line(c, pointer(&segments))?;
    DONE
}
