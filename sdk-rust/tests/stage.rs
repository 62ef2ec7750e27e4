//! What a stage of an author meets in tests without WebAssembly.

use mcpctl_stage::testing::{run, Call, Outcome as Ended, Reply};
use mcpctl_stage::{Code, Ctx, Grep, Outcome, Part, Request, Section, SectionKind, DONE, PASS, TOP};

#[test]
fn an_outcome_is_judged_as_the_host_does() {
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
    fn beyond(c: &mut Ctx) -> Outcome {
        c.out.write(c.input.hash(3..9))?;
        DONE
    }
    fn wrong_kind(c: &mut Ctx) -> Outcome {
        c.out.write(c.str("limit", "usual"))?;
        DONE
    }
    fn own(_: &mut Ctx) -> Outcome {
        Err("lines 0 not in 1..9".into())
    }
    let call = Call::of("é").with_config(r#"{"limit":7}"#);
    for (stage, reason) in [
        (nothing as mcpctl_stage::StageFn, "returned DONE without output"),
        (half_a_character, "output is not UTF-8 at byte 0"),
        (panics, "panic: boom"),
        (beyond, "span 3, length 6 of a buffer of 2"),
        (wrong_kind, "config \"limit\" is no string"),
        (own, "lines 0 not in 1..9"),
    ] {
        let got = run("s", stage, &call);
        assert_eq!((got.outcome, got.reason.as_str()), (Ended::Fail, reason));
    }
}

#[test]
fn sections_are_checked_and_named() {
    fn split(c: &mut Ctx) -> Outcome {
        let mut last = TOP;
        for line in c.input.lines(0) {
            let title = c.input.view(line.start..line.end - 1)?.text();
            last = c.sections.add(TOP, c.original, line, &title)?;
        }
        let group = c.sections.group(TOP, "others")?;
        c.sections.derived(group, "own words", "")?;
        c.sections.set_summary(last, "in short")?;
        let back = c.sections.add(TOP, c.original, 0..2, "again").unwrap_err();
        assert!(back.is(Code::BadArg) && back.text().contains("before its sibling"), "{back:?}");
        assert_eq!(c.sections.title(Section::at(99)).unwrap_err().code(), Some(Code::NotFound));
        assert_eq!((c.sections.len(), c.sections.list()[1].span.clone()), (5, 6..12));
        PASS
    }
    let got = run("s", split, &Call::of("Setup\nSetup\nÜber uns\n"));
    let ids: Vec<&str> = got.sections.iter().map(|s| s.id.as_str()).collect();
    assert_eq!(ids, ["setup", "setup-2", "über-uns", "@others", "0"], "{}", got.reason);
    assert_eq!((got.sections[4].kind, got.sections[2].summary.as_str()), (SectionKind::Derived, "in short"));

    fn overlaps(c: &mut Ctx) -> Outcome {
        let (a, b) = (c.sections.group(TOP, "a")?, c.sections.group(TOP, "b")?);
        c.sections.add(a, c.input, 0..4, "one")?;
        c.sections.add(b, c.input, 2..6, "two")?;
        PASS
    }
    assert_eq!(run("s", overlaps, &Call::of("123456")).reason, "sections \"one\" and \"two\" overlap at byte 2");

    fn filters(c: &mut Ctx) -> Outcome {
        assert!(c.sections.group(TOP, "a").unwrap_err().is(Code::Unsupported));
        c.out.span(c.input, ..)?;
        DONE
    }
    let mut call = Call::of("x");
    call.context.filter = true;
    assert_eq!(run("s", filters, &call).output, "x");
}

#[test]
fn answers_come_or_do_not() {
    fn ask(c: &mut Ctx) -> Outcome {
        let parts = [Part::words("Name "), Part::quote(c.input, ..)];
        let reply = c.llm.complete(&Request { parts: &parts, json: true, ..Request::default() })?;
        c.out.span(reply.text, ..)?;
        DONE
    }
    let call = |reply: Reply| {
        Call::of("it").with_llm(move |q| {
            assert_eq!((q.prompt.as_str(), q.max_tokens), ("Name <quote>it</quote>", 256));
            reply.clone()
        })
    };
    assert_eq!(run("s", ask, &call(Reply::text("[1]"))).output, "[1]");
    let later = Reply { later: true, ..Reply::default() };
    for (reply, code) in
        [(Reply::text("no JSON"), Code::Upstream), (Reply::error(Code::Limit), Code::Limit), (later, Code::Timeout)]
    {
        let got = run("s", ask, &call(reply));
        assert_eq!(got.outcome, Ended::Fail, "{code:?}");
    }
    assert_eq!(run("s", ask, &Call::of("it")).reason, "no LLM provider configured");
}

#[test]
fn what_is_cached_is_not_computed_again() {
    fn count(c: &mut Ctx) -> Outcome {
        let value = c.cache.get_or_compute("n", || Ok(c.input.bytes()))?;
        c.out.write(value)?;
        DONE
    }
    let first = run("s", count, &Call::of("one"));
    let second = run("s", count, &Call { cache: first.cache, ..Call::of("two") });
    assert_eq!((first.output.as_str(), second.output.as_str()), ("one", "one"));
}

// A stage that remembers its title, and marks an index below it.
fn titled(c: &mut Ctx) -> Outcome {
    let title = c.cache.get_or_compute("title", || Ok(c.input.view(..3)?.bytes()))?;
    let outer = c.sections.add(TOP, c.input, .., "outer")?;
    let inner = c.sections.add(outer, c.input, ..3, "inner")?;
    c.out.write(&title)?;
    c.out.index(TOP, 0, 0)?;
    c.out.index(inner, 3, 100)?;
    DONE
}

fn archives(name: &str, text: &str) {
    let dir = std::env::temp_dir().join(format!("mcpctl-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("one.txtar"), text).unwrap();
    mcpctl_stage::testing::run_archives("titled", titled, dir.to_str().unwrap());
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn an_archive_says_what_the_cache_holds_and_where_an_index_is() {
    archives(
        "cold",
        "-- input --\none two\n-- want --\none\n-- kept --\ntitle: one\n-- index --\n3 /\n3 /outer/inner 3 100\n",
    );
    archives("warm", "-- input --\none two\n-- cache --\ntitle: hex 6f6c64\n-- want --\nold\n-- kept --\n");
    archives("full", "-- input --\none two\n-- cache --\nfull\n-- want --\none\n-- kept --\n");
    archives("off", "-- input --\none two\n-- cache --\noff\n-- want --\none\n-- kept --\n");
}

#[test]
#[should_panic(expected = "kept in the cache is\ntitle: one\n\nwant\ntitle: two")]
fn an_archive_tells_that_another_value_is_kept() {
    archives("other", "-- input --\none two\n-- want --\none\n-- kept --\ntitle: two\n");
}

#[test]
#[should_panic(expected = "index is\n3 /\n3 /outer/inner 3 100\n\nwant\n0 /")]
fn an_archive_tells_that_an_index_is_elsewhere() {
    archives("elsewhere", "-- input --\none two\n-- want --\none\n-- index --\n0 /\n");
}

#[test]
#[should_panic(expected = "mcpctl stage test")]
fn a_pattern_that_only_the_host_knows_is_told() {
    fn letters(c: &mut Ctx) -> Outcome {
        let _ = c.input.grep(0, r"\pL+", Grep::PLAIN);
        PASS
    }
    run("s", letters, &Call::of("x"));
}

#[test]
fn lines_and_children_beyond_a_page_are_all_there() {
    fn count(c: &mut Ctx) -> Outcome {
        let lines: Vec<_> = c.input.lines(0).collect();
        assert_eq!(lines.last().map_or(0, |l| l.end), c.input.len());
        let list = format!("[{}0]", "0,".repeat(999));
        let children = c.put(list)?.json().each("").count();
        let found = c.input.grep(0, "a", Grep::PLAIN)?.len();
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
fn a_batch_adds_what_one_by_one_would() {
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
fn a_batch_that_is_refused_leaves_nothing() {
    fn split(c: &mut Ctx) -> Outcome {
        let mut batch = c.sections.batch();
        let empty = batch.add(TOP, c.input, 3..3, "", "").unwrap_err();
        assert!(empty.is(Code::BadArg), "{empty:?}");
        batch.add(TOP, c.input, ..1, "", "first")?;
        batch.flush()?;
        for start in [1, 5, 2, 7] {
            batch.add(TOP, c.input, start..start + 2, "", "x")?;
        }
        let back = batch.flush().unwrap_err();
        assert!(back.is(Code::BadArg) && back.text().contains("record 2: starts at 2"), "{back:?}");
        assert_eq!(batch.add(TOP, c.input, 1..2, "", "second")?, Section::at(1));
        batch.group(TOP, "g", "third")?;
        batch.flush()?;
        PASS
    }
    let got = run("s", split, &Call::of("0123456789"));
    let titles: Vec<&str> = got.sections.iter().map(|s| s.title.as_str()).collect();
    assert_eq!(titles, ["first", "second", "third"], "{}", got.reason);

    fn full(c: &mut Ctx) -> Outcome {
        let mut batch = c.sections.batch();
        while batch.group(TOP, "", &"t".repeat(256)).map_err(|e| assert!(e.is(Code::Limit))).is_ok() {}
        PASS
    }
    assert_eq!(run("s", full, &Call::of("x")).sections.len(), (8 << 20) / 256);
}
