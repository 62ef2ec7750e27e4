use crate::know::getters;
use crate::words::fate;
use crate::{llm, session};
use mcpctl_stage::controller::{Ctx, Hooks, Kind};
use mcpctl_stage::{Error, Outcome, Result, DONE, PASS};

pub const STEER: Hooks = Hooks {
    initialize: Some(steer),
    tools_list: Some(steer),
    tool_call: Some(steer),
    tool_result: Some(steer),
    close: Some(steer),
};

fn steer(c: &mut Ctx) -> Outcome {
    match c.str("case", "").as_str() {
        "pass" => {
            c.answer.write("dropped")?;
            PASS
        }
        "done" => answer(c, c.hook().name()),
        "fail" => {
            c.state.set("k", "v")?;
            Err(Error::fail(format!("no at {}", c.hook().name())))
        }
        "context" => session::context(c),
        "buffers" => buffers(c),
        "base" => base(c),
        "count" => count(c),
        "state" => state(c),
        "list" => session::list(c),
        "tools" => session::tools(c),
        "servers" => session::servers(c),
        "prompts" => session::prompts(c),
        "prompt" => session::prompt(c),
        "propose" => session::propose(c),
        "content" => session::content(c),
        "refuse" => c.refuse(&c.str("text", "")),
        "whole" => answer_as(c, Kind::WHOLE_RESULT),
        "stages" => answer_as(c, Kind::IS_ERROR | Kind::STAGES),
        "blocks" => blocks(c),
        "rewrite" => rewrite(c),
        "notify" => notify(c),
        "early" => early(c),
        "think" => answer(c, &llm::ask(c)),
        "close" => close(c),
        other => Err(Error::fail(format!("case {other:?} unknown"))),
    }
}

fn answer(c: &Ctx, text: &str) -> Outcome {
    c.answer.write(text)?;
    DONE
}

/// Writes text and a newline.
pub fn reply(c: &Ctx, text: impl AsRef<str>) -> Result<()> {
    c.answer.write(text.as_ref())?;
    c.answer.write("\n")
}

fn answer_as(c: &Ctx, kind: Kind) -> Outcome {
    c.answer_is(kind)?;
    answer(c, &c.str("text", ""))
}

fn buffers(c: &Ctx) -> Outcome {
    for b in [c.client, c.input, c.original] {
        c.answer.span(b, ..)?;
        c.answer.write("\n")?;
    }
    DONE
}

fn base(c: &Ctx) -> Outcome {
    let (key, value) = (c.str("text", ""), c.str("more", ""));
    let kept = c.cache.get(&key).unwrap_or_else(|| b"miss".to_vec());
    c.meta("type", "markdown")?;
    c.log.info("here", &[]);
    c.answer.write(getters(c))?;
    reply(c, String::from_utf8_lossy(&kept))?;
    reply(c, fate(&c.cache.set(&key, value)))?;
    DONE
}

fn count(c: &Ctx) -> Outcome {
    let n = 1 + c.state.text("n").and_then(|n| n.parse().ok()).unwrap_or(0);
    c.state.set("n", n.to_string())?;
    c.log.info(&fate(&c.state.delete("old")), &[]);
    answer(c, &n.to_string())
}

fn state(c: &Ctx) -> Outcome {
    reply(c, fate(&c.state.delete("nobody")))?;
    reply(c, fate(&c.state.set("", "v")))?;
    reply(c, fate(&c.state.set("k", "v")))?;
    for key in ["k", "nobody"] {
        reply(c, c.state.text(key).unwrap_or_else(|| "missing".into()))?;
    }
    DONE
}

fn blocks(c: &Ctx) -> Outcome {
    let first = c.before()?;
    first.write("one")?;
    let second = c.before()?;
    second.write("two")?;
    second.span(c.input, ..)?;
    c.after()?.write("three")?;
    c.log.info(&fate(&first.write("more")), &[]);
    PASS
}

fn rewrite(c: &Ctx) -> Outcome {
    let (at, _) = c.input.json().span("/arguments")?;
    c.log
        .info(&fate(&c.rewrite(&c.str("text", ""), c.input, at)), &[]);
    PASS
}

fn notify(c: &Ctx) -> Outcome {
    c.log.info(&fate(&c.tools_changed()), &[]);
    c.log.info(
        &fate(&c.notify("notifications/message", r#"{"level":"info","data":"kit"}"#)),
        &[],
    );
    c.log.info(&fate(&c.notify(&c.str("text", ""), "")), &[]);
    PASS
}

fn early(c: &Ctx) -> Outcome {
    let tool = c.str("text", "");
    c.log.info(&fate(&c.before()), &[]);
    c.log.info(&fate(&c.answer_is(Kind::IS_ERROR)), &[]);
    c.log.info(&fate(&c.rewrite(&tool, c.input, ..)), &[]);
    c.log.info(&fate(&c.hide_tool(&tool)), &[]);
    c.log.info(&fate(&c.add_tool(session::VIRTUAL)), &[]);
    PASS
}

fn close(c: &Ctx) -> Outcome {
    c.log.info(&c.input.json().str("/reason")?, &[]);
    PASS
}
