//! The prompts of a project, read in all ways that there are.

use mcpctl_stage::controller::{Ctx, Hooks, Prompt};
use mcpctl_stage::testing::{self, Session, Tool};
use mcpctl_stage::{Outcome, PASS};
use std::cell::RefCell;

thread_local! {
    static ALL: RefCell<Vec<Prompt>> = RefCell::default();
}

/// Several pages of prompts, with texts of all kinds.
fn many(n: usize) -> Vec<testing::Prompt> {
    let pieces = ["", "gate", "é \"", "日本", "😀\\", "{}", "[,]\t"];
    let text = |k: usize| pieces[k % 7].repeat(k % 3) + pieces[k / 7 % 7];
    let one = |i: usize| testing::Prompt {
        name: format!("p{:03}", i * 7919 % 1000),
        priority: (i % 11) as i64,
        summary: text(i),
        chapters: (0..i % 4).map(|k| text(i + k) + ".").collect(),
        body: text(3 * i),
        link: if i % 5 == 0 { format!("p/s:{}", text(i)) } else { String::new() },
        link_status: if i % 5 == 0 { ["", "dead", "unknown"][i / 5 % 3].into() } else { String::new() },
        ..testing::Prompt::default()
    };
    (0..n).map(one).collect()
}

/// Reads them by each way, and keeps what it has read.
fn read(c: &mut Ctx) -> Outcome {
    let all: Vec<Prompt> = c.prompts().collect();
    let list = c.prompt_list()?;
    assert_eq!((list.len(), list.is_empty()), (all.len(), all.is_empty()));
    for (i, p) in all.iter().enumerate() {
        assert_eq!((list.get(i).as_ref(), list.name(i).as_ref()), (Some(p), Some(&p.name)));
    }
    assert_eq!((list.get(all.len()), list.name(usize::MAX)), (None, None));
    let mut seen = 0;
    for page in list.pages() {
        assert_eq!((page.first, page.is_empty()), (seen, false));
        for i in 0..page.len() {
            let p = &all[page.first + i];
            let lines: String =
                [&p.name, &p.summary].into_iter().chain(&p.chapters).map(|l| l.clone() + "\n").collect();
            assert_eq!(
                (page.lines(i), page.name(i), page.priorities[i]),
                (lines.as_str(), p.name.as_str(), p.priority)
            );
        }
        assert_eq!((page.lines(page.len()), page.starts.len()), ("", page.len() + 1));
        seen += page.len();
    }
    assert_eq!(seen, all.len());
    list.free();
    ALL.with(|kept| *kept.borrow_mut() = all);
    PASS
}

fn read_all(prompts: Vec<testing::Prompt>, read: fn(&mut Ctx) -> Outcome) -> Vec<Prompt> {
    let mut s = Session::new("looker", Hooks { tool_call: Some(read), ..Hooks::NONE });
    s.tools.push(Tool::new("a/b"));
    s.prompts = prompts;
    let e = s.call("a/b", "");
    assert!(e.passed(), "{}", e.reason);
    ALL.with(|kept| kept.take())
}

#[test]
fn prompts_are_the_same_however_they_are_read() {
    for n in [0, 1, 2, 127, 128, 129, 700] {
        let wrote = many(n);
        let got = read_all(wrote.clone(), read);
        assert_eq!(got.len(), n);
        for (a, b) in got.iter().zip(got.iter().skip(1)) {
            assert!(
                a.priority > b.priority || a.priority == b.priority && a.name < b.name,
                "{} before {}",
                a.name,
                b.name
            );
        }
        for w in &wrote {
            let p = got.iter().find(|p| p.name == w.name).expect("it is listed");
            assert_eq!((&p.summary, &p.chapters, &p.link), (&w.summary, &w.chapters, &w.link));
            assert_eq!((p.bytes, p.hash.len(), p.project.as_str()), (w.body.len() as i64, 64, "test"));
        }
    }
}

/// A list is of its moment: one that is made later has the ref.
#[test]
fn a_prompt_has_a_ref_once_it_was_read() {
    fn look(c: &mut Ctx) -> Outcome {
        let before = c.prompt_list()?;
        c.prompt_body("a")?;
        let after = c.prompt_list()?;
        let refs = [before, after].map(|l| l.get(0).unwrap_or_default().content_ref.len());
        assert_eq!(refs, [0, 16]);
        PASS
    }
    read_all(vec![testing::Prompt { name: "a".into(), body: "text".into(), ..testing::Prompt::default() }], look);
}
