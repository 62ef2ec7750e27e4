//! What a controller of an author meets in tests without WebAssembly.

use mcpctl_stage::controller::{Ctx, Hooks, Kind, ToolKind};
use mcpctl_stage::testing::{content_ref, Outcome as Ended, Prompt, Reply, Session, Tool};
use mcpctl_stage::{Code, Outcome, Part, Request, DONE, PASS};

const LOCK: Hooks = Hooks { tools_list: Some(hide), tool_call: Some(unlock), ..Hooks::NONE };

/// Hides what writes until the model has asked for it.
fn hide(c: &mut Ctx) -> Outcome {
    if c.state.get("open").is_some() {
        return PASS;
    }
    for t in c.tools() {
        let reads = t.field("/annotations/readOnlyHint").map_or(false, |hint| hint == "true");
        if t.kind == ToolKind::Upstream && !reads {
            c.hide_tool(&t.name)?;
        }
    }
    c.patch_tool("files/read", r#"{"description":null,"title":"Read"}"#)?;
    assert!(c.hide_tool("nobody").unwrap_err().text().contains("nobody"));
    c.add_tool(r#"{"name":"unlock","inputSchema":{"type":"object"}}"#)?;
    PASS
}

fn unlock(c: &mut Ctx) -> Outcome {
    match (c.tool().as_str(), c.state.text("open")) {
        ("unlock", _) => {
            c.state.set("open", c.input.json().str("/why")?)?;
            c.tools_changed()?;
            c.answer.write("Unlocked.")?;
            DONE
        }
        (_, None) if !c.called().read_only => c.refuse("Locked: call unlock and say why."),
        _ => PASS,
    }
}

#[test]
fn a_session_is_steered() {
    let mut s = Session::new("lock", LOCK);
    s.tools.push(Tool::new("files/read").with_definition(
        r#"{"name":"files__read","description":"x","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}"#,
    ));
    s.tools.push(Tool::new("files/write"));
    let listed = s.tools_list().listed;
    let names: Vec<&str> = listed.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["unlock", "files/read", "read_section"]);
    assert_eq!(
        listed[1].definition,
        r#"{"name":"files__read","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"title":"Read"}"#
    );
    let refused = s.call("files__write", r#"{"path":"a"}"#);
    assert_eq!((refused.answer.as_str(), refused.kind), ("Locked: call unlock and say why.", Kind::IS_ERROR));
    assert!(s.call("files/read", "").passed());

    let failed = s.call("unlock", "{}");
    assert_eq!((failed.outcome, s.state.len()), (Ended::Fail, 0), "{}", failed.reason);
    let e = s.call("unlock", r#"{"why":"a typo"}"#);
    assert_eq!((e.answer.as_str(), e.notes[0].0.as_str()), ("Unlocked.", "notifications/tools/list_changed"));
    assert!(s.call("files/write", "").passed());
    assert_eq!(s.tools_list().listed.len(), 3);
    s.close("");
    assert!(s.state.is_empty() && !s.call("files/write", "").passed());
}

#[test]
fn results_are_stored_and_get_company() {
    fn company(c: &mut Ctx) -> Outcome {
        let part = &c.result().contents[0];
        let stored = c.open_content(&part.content_ref)?;
        let bytes = c.content_meta(&part.content_ref)?.json().int("/bytes")?;
        let before = c.before()?;
        before.write(format!("{} bytes: ", bytes))?;
        before.span(stored, ..3)?;
        c.after()?.span(c.section(&part.content_ref, "?x")?, ..)?;
        assert!(before.write("late").unwrap_err().is(Code::Unsupported));
        assert!(c.open_content("aaaaaaaaaaaaaaaa").unwrap_err().is(Code::NotFound));
        PASS
    }
    let mut s = Session::new("c", Hooks { tool_result: Some(company), ..Hooks::NONE });
    s.tools.push(Tool::new("files/read"));
    s.call("files/read", "");
    let e = s.result(r#"{"content":[{"type":"text","text":"a \"text\""}]}"#);
    assert_eq!(
        (e.before, e.after),
        (vec!["8 bytes: a \"".to_string()], vec!["a \"text\"".to_string()]),
        "{}",
        e.reason
    );
    assert_eq!(s.contents[0].content_ref, content_ref("a \"text\""));
    assert_eq!(s.result("{}").reason, "no call that a server answers");
}

#[test]
fn calls_are_rewritten_and_answers_checked() {
    fn route(c: &mut Ctx) -> Outcome {
        if c.has("whole") {
            c.answer_is(Kind::WHOLE_RESULT)?;
            c.answer.write(c.str("whole", ""))?;
            return DONE;
        }
        let (arguments, _) = c.input.json().span("/arguments")?;
        c.rewrite("files/write", c.input, arguments)?;
        assert!(c.rewrite("read_section", c.input, ..).unwrap_err().is(Code::NotFound));
        assert!(c.notify("notifications/own", "").unwrap_err().is(Code::Denied));
        PASS
    }
    let mut s = Session::new("r", Hooks { tool_call: Some(route), ..Hooks::NONE });
    s.tools.extend([Tool::new("files/read"), Tool::new("files/write")]);
    let e = s.call("files/read", r#"{"arguments": {"a": 1} }"#);
    assert_eq!(e.rewrite, Some(("files/write".to_string(), r#"{"a": 1}"#.to_string())), "{}", e.reason);
    s.config = r#"{"whole":"{\"content\":[{\"type\":\"text\"}]}"}"#.into();
    assert_eq!(s.call("files/read", "").reason, "answer is not a tool result: content[0].text missing");
    s.config = r#"{"whole":"{\"content\":[]}"}"#.into();
    assert_eq!(s.call("files/read", "").answer, r#"{"content":[]}"#);
    assert_eq!(s.call("nobody", "").reason, "unknown tool \"nobody\"");
}

#[test]
fn prompts_are_read_and_proposed() {
    fn brief(c: &mut Ctx) -> Outcome {
        for p in c.prompts() {
            c.answer.write(format!("{} {} {:?} ", p.name, p.priority, p.chapters))?;
        }
        c.answer.span(c.prompt_body("tone")?, ..)?;
        assert_eq!(c.prompts().nth(1).map(|p| p.content_ref), Some(content_ref("Be kind.")));
        assert!(c.prompt_body("gone").unwrap_err().is(Code::Unavailable));
        let id = c.propose_prompt(r#"{"name":"n","content":"c","priority":3}"#)?;
        let parts = [Part::words(&id)];
        let reply = c.llm.complete(&Request { parts: &parts, ..Request::default() })?;
        c.answer.span(reply.text, ..)?;
        assert!(c.before().unwrap_err().is(Code::Unsupported));
        DONE
    }
    let mut s = Session::new("b", Hooks { initialize: Some(brief), ..Hooks::NONE });
    s.set_llm(|q| Reply::text(format!(" [{}]", q.prompt)));
    let gone = Prompt { name: "gone".into(), priority: 9, link_status: "dead".into(), ..Prompt::default() };
    let chapters = vec!["A \"b\"".to_string()];
    s.prompts.extend([Prompt { name: "tone".into(), body: "Be kind.".into(), chapters, ..Prompt::default() }, gone]);
    let e = s.initialize("");
    assert_eq!(e.answer, r#"gone 9 [] tone 5 ["A \"b\""] Be kind. [request-1]"#, "{}", e.reason);
    assert_eq!(s.proposals[0].name, "n");
}

/// The parts of an archive of a session are those that mcpctl stage test knows.
#[test]
fn an_archive_plays_a_session_from_its_beginning_to_its_end() {
    fn greet(c: &mut Ctx) -> Outcome {
        for p in c.prompts() {
            c.answer.write(format!("{} {} {}", p.name, p.priority, p.chapters.join("+")))?;
        }
        DONE
    }
    fn read(c: &mut Ctx) -> Outcome {
        c.answer.write(c.prompt_body("tone")?.text())?;
        c.answer.write(if c.llm.complete(&Request::default()).is_err() { "alone" } else { "answered" })?;
        c.tools_changed()?;
        if c.cache.get("called").is_none() && c.cache.set("called", "once").is_err() {
            c.answer.write(", not kept")?;
        }
        DONE
    }
    fn end(_: &mut Ctx) -> Outcome {
        Err(mcpctl_stage::Error::fail("no end"))
    }
    let dir = std::env::temp_dir().join(format!("mcpctl-archive-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let text = "All of them.\n-- tools --\na/b {\"name\":\"a__b\"}\n-- prompts --\ntone | 7 | how we talk | One; Two\n-- body tone --\nBe kind.\n\
        -- llm --\nfails\n-- initialize --\n-- want --\ndone\ntone 7 One+Two\n-- call a/b --\n-- want --\ndone\n\
        notifies notifications/tools/list_changed\nBe kind.\nalone\n-- kept --\ncalled: once\n\
        -- call a/b --\n-- kept --\n-- cache --\noff\n-- call a/b --\n-- want --\ndone\n\
        notifies notifications/tools/list_changed\nBe kind.\nalone, not kept\n-- close --\n-- want --\nfail\nno end\n";
    std::fs::write(dir.join("all.txtar"), text).unwrap();
    let hooks = Hooks { initialize: Some(greet), tool_call: Some(read), close: Some(end), ..Hooks::NONE };
    mcpctl_stage::testing::run_sessions("archive", hooks, dir.to_str().unwrap());
    std::fs::remove_dir_all(&dir).unwrap();
}
