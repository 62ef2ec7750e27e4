//! The API of controllers, on the test stub.

use mcpctl_stage::controller::{Ctx, Hooks, Kind, ToolKind};
use mcpctl_stage::testing::{run_hook, Call, Outcome as Ended};
use mcpctl_stage::{Code, Outcome, DONE, PASS};

const LOCK: Hooks = Hooks { tools_list: Some(hide), tool_call: Some(unlock), ..Hooks::NONE };

/// Hides the tools that write until the model asks for them.
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
    c.patch_tool("files/read", r#"{"title":"Read"}"#)?;
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

fn call(tool: &str, input: &str) -> Call {
    Call::of(input).with_context(format!(r#"{{"call":{{"tool":"{tool}"}}}}"#))
}

#[test]
fn edits_of_the_tool_list_are_recorded() {
    let tools = r#"[
        {"name":"files/read","wire":"files__read","kind":"upstream","tool":{"annotations":{"readOnlyHint":true}}},
        {"name":"files/write","wire":"files__write","kind":"upstream","tool":{}},
        {"name":"read_section","wire":"read_section","kind":"host","tool":{}}]"#;
    let got = run_hook("lock", LOCK.tools_list, &Call { tools: tools.into(), ..Call::of(r#"{"reason":"list"}"#) });
    let want = [
        "hide files/write",
        r#"patch files/read {"title":"Read"}"#,
        r#"add {"name":"unlock","inputSchema":{"type":"object"}}"#,
    ];
    assert_eq!((got.outcome, got.effects.as_slice()), (Ended::Pass, &want.map(String::from)[..]), "{}", got.reason);
}

#[test]
fn state_of_one_call_is_read_by_the_next() {
    let write = call("files/write", "{}");
    let refused = run_hook("lock", LOCK.tool_call, &write);
    assert_eq!((refused.output.as_str(), refused.kind), ("Locked: call unlock and say why.", Kind::IS_ERROR));

    let unlocked = run_hook("lock", LOCK.tool_call, &call("unlock", r#"{"why":"a typo"}"#));
    assert_eq!((unlocked.output.as_str(), unlocked.state["open"].as_slice()), ("Unlocked.", &b"a typo"[..]));
    assert_eq!(unlocked.effects, ["notify notifications/tools/list_changed"]);

    let open = Call { state: unlocked.state, ..write };
    assert_eq!(run_hook("lock", LOCK.tool_call, &open).outcome, Ended::Pass);
}

#[test]
fn missing_argument_fails_the_call() {
    let failed = run_hook("lock", LOCK.tool_call, &call("unlock", "{}"));
    assert_eq!((failed.outcome, failed.reason.as_str(), failed.state.len()), (Ended::Fail, "not found", 0));
}

#[test]
fn missing_hook_passes() {
    assert_eq!(run_hook("lock", LOCK.close, &Call::default()).outcome, Ended::Pass);
}

#[test]
fn closed_block_is_refused() {
    fn blocks(c: &mut Ctx) -> Outcome {
        let before = c.before()?;
        before.write("about: ")?;
        before.span(c.input, ..3)?;
        c.after()?.write("end")?;
        assert!(before.write("late").unwrap_err().is(Code::Unsupported));
        PASS
    }
    let got = run_hook("b", Some(blocks), &Call::of("a \"text\""));
    assert_eq!((got.before, got.after), (vec!["about: a \"".to_string()], vec!["end".to_string()]), "{}", got.reason);
}

#[test]
fn call_is_rewritten_with_a_span() {
    fn route(c: &mut Ctx) -> Outcome {
        let (arguments, _) = c.input.json().span("/arguments")?;
        c.rewrite("files/write", c.input, arguments)?;
        PASS
    }
    let got = run_hook("r", Some(route), &call("files/read", r#"{"arguments": {"a": 1} }"#));
    assert_eq!(got.effects, [r#"rewrite files/write {"a": 1}"#], "{}", got.reason);
}

#[test]
#[should_panic(expected = "the test stub has no prompts: test this with `mcpctl stage test`")]
fn import_that_the_stub_lacks_panics() {
    fn list(c: &mut Ctx) -> Outcome {
        drop(c.prompts());
        PASS
    }
    run_hook("p", Some(list), &Call::default());
}
