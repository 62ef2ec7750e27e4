use crate::words::{fate, line, or_fate};
use mcpctl_stage::{
    Answer, Base, Ctx, Outcome, Part, Request, Result, Span, Tier, DONE, PASS, TOP,
};

pub fn llm(c: &mut Ctx) -> Outcome {
    c.out.write(ask(c))?;
    DONE
}

/// Sends a request and returns the lines of the case.
pub fn ask(c: &Base) -> String {
    let available = c.llm.available(Tier::Heavy);
    let reply = c.llm.complete(&Request {
        tier: Tier::Heavy,
        max_tokens: c.int("number", 0) as usize,
        json: c.bool("flag", false),
        system: "Be brief.",
        parts: &[Part::words("Name it: "), Part::quote(c.input, ..5)],
        ..Request::default()
    });
    let answer = reply.map(|r| if r.cut { "cut " } else { "" }.to_string() + &r.text.text());
    format!("available {available}\n{}\n", or_fate(answer))
}

/// Sends a request that quotes a line of the input without its newline.
fn send(c: &Ctx, line: &Span, background: bool) -> Result<Answer> {
    let quote = Part::quote(c.input, line.start..line.end - 1);
    c.llm.send(&Request {
        max_tokens: 100,
        background,
        parts: &[quote],
        ..Request::default()
    })
}

pub fn each(c: &mut Ctx) -> Outcome {
    let mut texts: Vec<(Result<Answer>, String)> = Vec::new();
    for s in c.input.lines(0) {
        let sent = send(c, &s, false);
        let text = fate(&sent);
        texts.push((sent, text));
    }
    for _ in 0..texts.iter().filter(|t| t.0.is_ok()).count() {
        let answer = c.llm.next(10_000)?;
        if let Some(t) = texts.iter_mut().find(|t| t.0 == Ok(answer)) {
            t.1 = or_fate(answer.result().map(|r| r.text.text()));
        }
    }
    for t in &texts {
        line(c, &t.1)?;
    }
    line(c, fate(&c.llm.next(10_000)))?;
    DONE
}

pub fn late(c: &mut Ctx) -> Outcome {
    let mut asked = Vec::new();
    for s in c.input.lines(0) {
        let section = c.sections.add(TOP, c.input, s.clone(), "")?;
        c.sections
            .set_title_span(section, c.input, s.start..s.end - 1)?;
        asked.push((send(c, &s, true)?, section));
    }
    for answer in c.llm.ready() {
        let about = asked.iter().find(|a| a.0 == answer);
        if let (Some(about), Ok(reply)) = (about, answer.result()) {
            c.sections.set_summary_span(about.1, reply.text, ..)?;
        }
    }
    PASS
}
