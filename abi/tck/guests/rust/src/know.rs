use crate::words::{line, thousandths};
use mcpctl_stage::{Base, Ctx, Outcome, DONE};

pub fn config(c: &mut Ctx) -> Outcome {
    c.out.write(getters(c))?;
    DONE
}

/// Returns the results of the config getters, a line each.
pub fn getters(c: &Base) -> String {
    format!(
        "text={}\nmore={}\nnumber={}\nreal={}\nflag={}\nlist={}\nhas={}\n",
        c.str("text", "none"),
        c.str("more", ""),
        c.int("number", 7),
        thousandths(c.float("real", 0.5)),
        c.bool("flag", true),
        c.strings("list", &["x", "y"]).join(","),
        c.has("text"),
    )
}

pub fn misuse(c: &mut Ctx) -> Outcome {
    line(c, c.int("text", 1).to_string())?;
    DONE
}

pub fn context(c: &mut Ctx) -> Outcome {
    let (part, stage, limits) = (c.part(), c.stage_position(), c.limits());
    line(c, format!("role={}\nproject={}", c.role(), c.project()))?;
    line(
        c,
        format!(
            "contentType={}\nsource={}",
            c.content_type().name(),
            c.source()
        ),
    )?;
    line(c, format!("mime={}\nhint={}", c.mime(), c.hint()))?;
    line(
        c,
        format!("part={} {} {}", part.kind, part.index, part.count),
    )?;
    line(c, format!("stage={} {}", stage.index, stage.count))?;
    let sizes = [
        limits.output_bytes,
        limits.sections,
        limits.memory_bytes,
        limits.llm_millis,
        limits.llm_requests,
    ];
    line(
        c,
        format!("limits={}", sizes.map(|n| n.to_string()).join(" ")),
    )?;
    DONE
}

pub fn arguments(c: &mut Ctx) -> Outcome {
    c.out.span(c.arguments(), ..)?;
    line(c, "")?;
    line(c, c.question())?;
    DONE
}

pub fn session(c: &mut Ctx) -> Outcome {
    line(c, c.session())?;
    DONE
}
