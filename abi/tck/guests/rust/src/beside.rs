use crate::words::{fate, line};
use mcpctl_stage::{Ctx, Outcome, Result, DONE, PASS};

pub fn meta(c: &mut Ctx) -> Outcome {
    c.meta("type", "markdown")?;
    c.meta("count", "3")?;
    c.log.info(&fate(&c.meta("", "x")), &[]);
    PASS
}

pub fn log(c: &mut Ctx) -> Outcome {
    let (n, text) = (c.int("number", 0), c.str("text", ""));
    c.log.debug("message", &[("n", &n), ("text", &text)]);
    c.log.info("message", &[("n", &n), ("text", &text)]);
    c.log.warn("message", &[("n", &n), ("text", &text)]);
    c.log.error("message", &[("n", &n), ("text", &text)]);
    PASS
}

pub fn cache(c: &mut Ctx) -> Outcome {
    let key = c.str("text", "");
    look(c, &key)?;
    line(c, fate(&c.cache.set(&key, c.str("more", ""))))?;
    look(c, &key)?;
    DONE
}

fn look(c: &Ctx, key: &str) -> Result<()> {
    match c.cache.get(key) {
        Some(value) => line(c, format!("hit {}", String::from_utf8_lossy(&value))),
        None => line(c, "miss"),
    }
}

pub fn compute(c: &mut Ctx) -> Outcome {
    let key = c.str("text", "");
    for _ in 0..2 {
        let value = c.cache.get_or_compute(&key, || {
            c.log.info("computing", &[]);
            Ok(format!("value of {key}").into())
        })?;
        line(c, String::from_utf8_lossy(&value))?;
    }
    DONE
}
