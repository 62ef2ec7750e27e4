//! The API of stages, on the test stub.

use mcpctl_stage::testing::{run, Call, Outcome as Ended, Section as Added};
use mcpctl_stage::{Code, Ctx, Grep, Outcome, Part, Request, Section, SectionKind, Tier, DONE, PASS, TOP};

#[test]
fn outcome_follows_from_return_value_and_output() {
    fn nothing(_: &mut Ctx) -> Outcome {
        DONE
    }
    fn half_a_character(c: &mut Ctx) -> Outcome {
        c.out.span(c.input, ..1)?;
        DONE
    }
    fn panics(_: &mut Ctx) -> Outcome {
        panic!("boom")
    }
    fn beyond_the_end(c: &mut Ctx) -> Outcome {
        c.out.write(c.input.hash(3..9))?;
        DONE
    }
    fn wrong_type(c: &mut Ctx) -> Outcome {
        c.out.write(c.str("limit", "usual"))?;
        DONE
    }
    fn own_reason(_: &mut Ctx) -> Outcome {
        Err("lines 0 not in 1..9".into())
    }
    let call = Call::of("é").with_config(r#"{"limit":7}"#);
    for (stage, reason) in [
        (nothing as mcpctl_stage::StageFn, "returned DONE without output"),
        (half_a_character, "output is not UTF-8"),
        (panics, "panic: boom"),
        (beyond_the_end, "span 3, length 6 of a buffer of 2"),
        (wrong_type, "config \"limit\" is no string"),
        (own_reason, "lines 0 not in 1..9"),
    ] {
        let got = run("s", stage, &call);
        assert_eq!((got.outcome, got.reason.as_str()), (Ended::Fail, reason));
    }
}

#[test]
fn config_is_read_by_type() {
    fn read(c: &mut Ctx) -> Outcome {
        let list = c.strings("list", &["x"]).join("+");
        let (int, float, flag) = (c.int("int", 7), c.float("float", 0.5), c.bool("flag", true));
        c.out.write(format!("{} {int} {float} {flag} {list} {}", c.str("text", "none"), c.has("text")))?;
        DONE
    }
    let config = r#"{"text":"a\u00e9","int":-3,"float":1.5,"flag":false,"list":["p","q"]}"#;
    assert_eq!(run("s", read, &Call::of("")).output, "none 7 0.5 true x false");
    assert_eq!(run("s", read, &Call::of("").with_config(config)).output, "aé -3 1.5 false p+q true");
}

#[test]
fn context_has_fields_of_the_test_and_defaults() {
    fn read(c: &mut Ctx) -> Outcome {
        c.out.write(format!("{} {} {} {}", c.role(), c.project(), c.mime(), c.source()))?;
        DONE
    }
    let call = Call { source: "files/read".into(), ..Call::of("").with_context(r#"{"mime":"text/csv"}"#) };
    assert_eq!(run("look", read, &call).output, "look test text/csv files/read");
}

#[test]
fn sections_have_kind_span_and_texts() {
    fn split(c: &mut Ctx) -> Outcome {
        let mut last = TOP;
        for line in c.input.lines(0) {
            let title = c.input.view(line.start..line.end - 1)?.text();
            last = c.sections.add(TOP, c.original, line, &title)?;
        }
        let group = c.sections.group(TOP, "others")?;
        c.sections.derived(group, "own words", "")?;
        c.sections.set_summary(last, "in short")?;
        c.sections.set_id(last, "über-uns")?;
        assert!(c.sections.add(TOP, c.original, 12..13, "half").unwrap_err().is(Code::BadArg));
        assert!(c.sections.add(TOP, c.original, 3..99, "far").unwrap_err().is(Code::BadArg));
        assert_eq!(c.sections.title(Section::at(99)).unwrap_err().code(), Some(Code::NotFound));
        let list = c.sections.list();
        assert_eq!((c.sections.len(), list[1].span.clone(), list[3].children, list[4].depth), (5, 6..12, 1, 1));
        PASS
    }
    let got = run("s", split, &Call::of("Setup\nSetup\nÜber uns\n"));
    let titles: Vec<&str> = got.sections.iter().map(|s| s.title.as_str()).collect();
    assert_eq!(titles, ["Setup", "Setup", "Über uns", "others", ""], "{}", got.reason);
    let want = Added {
        parent: None,
        kind: SectionKind::Exact,
        start: 12,
        end: 22,
        id: "über-uns".into(),
        title: "Über uns".into(),
        summary: "in short".into(),
        body: "Über uns\n".into(),
    };
    assert_eq!((&got.sections[2], got.sections[4].kind), (&want, SectionKind::Derived));
}

#[test]
fn section_of_a_json_string_is_decoded() {
    fn split(c: &mut Ctx) -> Outcome {
        let string = c.input.json().get("/a")?;
        c.sections.add(TOP, string, 2..4, "line")?;
        c.out.index(TOP, 0, 0)?;
        DONE
    }
    let got = run("s", split, &Call::of(r#"{"a":"x\ny\n"}"#));
    let s = &got.sections[0];
    assert_eq!((s.kind, s.body.as_str(), s.start, got.indexes), (SectionKind::Decoded, "y\n", 2, vec![0]), "{}", got.reason);
}

#[test]
fn no_llm_is_configured() {
    fn ask(c: &mut Ctx) -> Outcome {
        assert_eq!((c.llm.available(Tier::Fast), c.llm.ready().count()), (0, 0));
        let parts = [Part::words("Name "), Part::quote(c.input, ..)];
        let reply = c.llm.complete(&Request { parts: &parts, ..Request::default() })?;
        c.out.span(reply.text, ..)?;
        DONE
    }
    assert_eq!(run("s", ask, &Call::of("it")).reason, "no LLM provider configured");
}

#[test]
fn cached_value_is_not_computed_again() {
    fn count(c: &mut Ctx) -> Outcome {
        let value = c.cache.get_or_compute("n", || Ok(c.input.bytes()))?;
        c.out.write(value)?;
        DONE
    }
    let first = run("s", count, &Call::of("one"));
    let second = run("s", count, &Call { cache: first.cache, ..Call::of("two") });
    assert_eq!((first.output.as_str(), second.output.as_str()), ("one", "one"));
}

#[test]
#[should_panic(expected = "mcpctl stage test")]
fn pattern_panics() {
    fn letters(c: &mut Ctx) -> Outcome {
        let _ = c.input.grep(0, r"\pL+", Grep::PLAIN);
        PASS
    }
    run("s", letters, &Call::of("x"));
}

#[test]
fn lines_children_and_matches_beyond_a_page() {
    fn count(c: &mut Ctx) -> Outcome {
        let lines: Vec<_> = c.input.lines(0).collect();
        assert_eq!(lines.last().map_or(0, |l| l.end), c.input.len());
        let list = format!("[{}0]", "0,".repeat(999));
        let children = c.put(list)?.json().each("").count();
        let found = c.input.grep(0, "a", Grep::LITERAL)?.len();
        c.out.write(format!("{} {children} {found}", lines.len()))?;
        DONE
    }
    for n in [0, 1, 1023, 1024, 1025, 3000] {
        let want = format!("{n} 1000 {n}");
        assert_eq!(run("s", count, &Call::of("a\n".repeat(n))).output, want);
        let open = "a\n".repeat(n) + "-";
        assert_eq!(run("s", count, &Call::of(open)).output, format!("{} 1000 {n}", n + 1));
    }
}

#[test]
fn batch_equals_single_calls() {
    const MANY: usize = 1000;
    fn id(i: usize) -> String {
        if i % 3 > 0 {
            return format!("n{i}");
        }
        String::new()
    }
    fn one_by_one(c: &mut Ctx) -> Outcome {
        let all = c.sections.group(TOP, "All of them")?;
        c.sections.set_id(all, "all")?;
        for i in 0..MANY {
            let at = c.sections.add(all, c.input, i * 10..i * 10 + 9, &"t".repeat(i % 90))?;
            if !id(i).is_empty() {
                c.sections.set_id(at, &id(i))?;
            }
        }
        PASS
    }
    fn batched(c: &mut Ctx) -> Outcome {
        let mut batch = c.sections.batch();
        let all = batch.group(TOP, "all", "All of them")?;
        for i in 0..MANY {
            batch.add(all, c.input, i * 10..i * 10 + 9, &id(i), &"t".repeat(i % 90))?;
        }
        assert!(batch.has(all) && !batch.has(Section::at(MANY)));
        batch.flush()?;
        PASS
    }
    let call = Call::of(&"0123456789".repeat(MANY));
    let (want, got) = (run("s", one_by_one, &call), run("s", batched, &call));
    assert_eq!(want.sections.len(), MANY + 1, "{}", want.reason);
    assert!(got.sections == want.sections, "{}", got.reason);
}

#[test]
fn stage_reads_question() {
    fn echo(c: &mut Ctx) -> Outcome {
        let query = c.arguments().json().str("/query").unwrap_or_default();
        c.out.write(format!("{query}|{}", c.question()))?;
        DONE
    }
    let with = |arguments: &str| run("s", echo, &Call { arguments: arguments.into(), ..Call::of("x") }).output;
    assert_eq!(with(r#"{"query":"boat","_question":"which one?"}"#), "boat|which one?");
    assert_eq!(with(""), "|");
}

#[test]
fn refused_batch_adds_nothing() {
    fn split(c: &mut Ctx) -> Outcome {
        let mut batch = c.sections.batch();
        let empty = batch.add(TOP, c.input, 3..3, "", "").unwrap_err();
        assert!(empty.is(Code::BadArg), "{empty:?}");
        batch.add(TOP, c.input, ..1, "", "first")?;
        batch.flush()?;
        for start in [1, 3, 9, 5] {
            batch.add(TOP, c.input, start..start + 2, "", "x")?;
        }
        assert!(batch.flush().unwrap_err().is(Code::BadArg));
        assert_eq!(batch.add(TOP, c.input, 1..2, "", "second")?, Section::at(1));
        batch.group(TOP, "g", "third")?;
        batch.flush()?;
        PASS
    }
    let got = run("s", split, &Call::of("0123456789"));
    let titles: Vec<&str> = got.sections.iter().map(|s| s.title.as_str()).collect();
    assert_eq!(titles, ["first", "second", "third"], "{}", got.reason);
}
