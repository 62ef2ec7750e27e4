use crate::steer::reply;
use crate::words::{fate, or_fate};
use mcpctl_stage::controller::{Ctx, Hook};
use mcpctl_stage::{Buf, Error, Outcome, Result, DONE, PASS};

/// The virtual tool of the kit.
pub const VIRTUAL: &str = r#"{"name":"kit_hello","inputSchema":{"type":"object"}}"#;

pub fn context(c: &Ctx) -> Outcome {
    let (position, client, hook) = (c.position(), c.client_info(), c.hook());
    reply(
        c,
        format!(
            "hook={}\nrole={}\nproject={}",
            hook.name(),
            c.role(),
            c.project()
        ),
    )?;
    reply(
        c,
        format!(
            "gated={}\ntimeMs={}\nprotocol={}",
            c.gated(),
            c.time_millis(),
            c.protocol()
        ),
    )?;
    reply(
        c,
        format!("controller={} {}", position.index, position.count),
    )?;
    reply(
        c,
        format!(
            "client={} {} {} {} {}",
            client.name,
            client.version,
            client.list_changed,
            client.structured_only,
            client.instructions_chars
        ),
    )?;
    reply(c, format!("tool={}\nsession={}", c.tool(), c.session()))?;
    if matches!(hook, Hook::ToolCall | Hook::ToolResult) {
        let call = c.called();
        let flags =
            [call.is_virtual, call.rewritten, call.listed, call.read_only].map(|f| f.to_string());
        reply(
            c,
            format!(
                "call={} {} {} {}",
                call.id,
                call.tool,
                call.wire,
                flags.join(" ")
            ),
        )?;
    }
    if hook == Hook::ToolResult {
        let r = c.result();
        reply(
            c,
            format!(
                "result={} {} {} {}",
                r.is_error, r.protocol_error, r.answered_by, r.bytes
            ),
        )?;
        for part in r.contents {
            let (at, n) = (part.index, part.bytes);
            reply(
                c,
                format!(
                    "content={} {} {at} {n} {}",
                    part.content_ref, part.kind, part.mime
                ),
            )?;
        }
    }
    DONE
}

pub fn list(c: &Ctx) -> Outcome {
    c.log.info(&fate(&c.hide_tool(&c.str("text", ""))), &[]);
    c.log.info(
        &fate(&c.patch_tool(&c.str("more", ""), r#"{"description":"patched"}"#)),
        &[],
    );
    c.log.info(&fate(&c.add_tool(VIRTUAL)), &[]);
    PASS
}

pub fn tools(c: &Ctx) -> Outcome {
    for t in c.tools() {
        let about = t.field("/description").unwrap_or_else(|_| "-".into());
        reply(
            c,
            format!(
                "{} {} {} {} {} {} {about}",
                t.name,
                t.wire,
                t.kind.name(),
                t.own,
                t.hidden,
                t.stale
            ),
        )?;
    }
    DONE
}

pub fn servers(c: &Ctx) -> Outcome {
    for s in c.servers() {
        reply(c, format!("{} {} {} {}", s.name, s.state, s.tools, s.error))?;
    }
    DONE
}

pub fn prompts(c: &Ctx) -> Outcome {
    let list = c.prompt_list()?;
    let paged: usize = list.pages().map(|page| page.len()).sum();
    for (i, p) in c.prompts().enumerate() {
        if list.get(i).as_ref() != Some(&p) || paged != list.len() {
            return Err(Error::fail(format!("{} reads otherwise in the list", p.name)));
        }
        let (priority, bytes) = (p.priority.to_string(), p.bytes.to_string());
        let fields = [
            p.name,
            p.project,
            priority,
            p.summary,
            p.chapters.join(","),
            bytes,
            p.hash,
            p.link,
            p.link_status,
            p.content_ref,
        ];
        reply(c, fields.join("|"))?;
    }
    DONE
}

pub fn prompt(c: &Ctx) -> Outcome {
    let name = c.str("text", "");
    reply(c, or_fate(c.prompt_body(&name).map(Buf::text)))?;
    reply(c, or_fate(c.prompt_stored(&name).map(Buf::text)))?;
    DONE
}

pub fn propose(c: &Ctx) -> Outcome {
    reply(c, or_fate(c.propose_prompt(&c.str("text", ""))))?;
    DONE
}

pub fn content(c: &Ctx) -> Outcome {
    for part in c.result().contents {
        c.answer.span(c.open_content(&part.content_ref)?, ..)?;
        let bytes = c.content_meta(&part.content_ref)?.json().int("/bytes")?;
        reply(
            c,
            format!(
                "\n{bytes}\n{}",
                c.section(&part.content_ref, "?two")?.text()
            ),
        )?;
    }
    let nobody = "aaaaaaaaaaaaaaaa";
    let fates: [Result<Buf>; 3] = [
        c.open_content(nobody),
        c.content_meta(nobody),
        c.section(nobody, "?two"),
    ];
    for f in &fates {
        reply(c, fate(f))?;
    }
    DONE
}
