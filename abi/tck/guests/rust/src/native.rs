//! The cases of stages on the SDK's own host: what it answers is what the true one does.

use mcpctl_stage::testing::{run, Call, Mark, Outcome, Question, Reply, Report, Section};
use mcpctl_stage::{Code, SectionKind, Tier};
use std::collections::BTreeMap;
use std::fs;

/// What the SDK's host does not have: a cache that is out of order, roles without a
/// capability, fields of the context that archives of stages do not set.
const NOT_HERE: [&str; 6] = [
    "cache-off",
    "cache-denied",
    "compute-off",
    "llm-denied",
    "context",
    "context-filter",
];

#[test]
fn cases_pass_natively() {
    let (mut ran, mut problems) = (0, String::new());
    for entry in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../cases/stage")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if NOT_HERE.contains(&name.as_str()) {
            continue;
        }
        ran += 1;
        let archive = Archive::parse(&fs::read_to_string(&path).unwrap());
        let role = archive.get("role").unwrap_or("kit");
        let report = run(role, crate::run, &archive.call(role));
        for problem in archive.differences(&report) {
            problems += &format!("{name}: {problem}\n");
        }
    }
    assert!(problems.is_empty(), "\n{problems}");
    assert!(ran > 50, "{ran} cases, want those of the kit");
}

struct Archive(BTreeMap<String, String>);

impl Archive {
    fn parse(text: &str) -> Archive {
        let (mut files, mut name) = (BTreeMap::new(), String::new());
        for line in text.split_inclusive('\n') {
            match line
                .trim_end()
                .strip_prefix("-- ")
                .and_then(|l| l.strip_suffix(" --"))
            {
                Some(next) => {
                    name = next.into();
                    files.insert(name.clone(), String::new());
                }
                None => files
                    .entry(name.clone())
                    .or_insert_with(String::new)
                    .push_str(line),
            }
        }
        Archive(files)
    }

    /// A file without its last newline.
    fn get(&self, name: &str) -> Option<&str> {
        self.0
            .get(name)
            .map(|text| text.strip_suffix('\n').unwrap_or(text))
    }

    fn call(&self, role: &str) -> Call {
        let text = |name| self.get(name).unwrap_or_default().to_string();
        let mut call = Call::of(text("input")).with_config(text("config"));
        call.original = text("original");
        call.session = text("session");
        call.context.filter = role == "kit-filter";
        for line in self.get("cache").unwrap_or_default().lines() {
            let (key, value) = line.split_once(": ").unwrap();
            call.cache.insert(key.into(), value.into());
        }
        for line in self.get("tree").unwrap_or_default().lines() {
            let words: Vec<&str> = line.splitn(4, ' ').collect();
            let (start, end) = words[1].split_once('-').unwrap();
            let mut s = Section::exact(
                start.parse().unwrap()..end.parse().unwrap(),
                words[2],
                words[3],
            );
            s.parent = words[0].parse().ok();
            call.sections.push(s);
        }
        for line in self.get("input-marks").unwrap_or_default().lines() {
            let n: Vec<i32> = line.split(' ').map(|word| word.parse().unwrap()).collect();
            call.marks.push(Mark {
                offset: n[0] as usize,
                section: n[1],
                lines: n[2] as usize,
                bytes: n[3] as usize,
            });
        }
        match self.get("llm").map(String::from) {
            None => call,
            Some(script) if script == "off" => call,
            Some(script) => call.with_llm(move |q| reply(&script, q)),
        }
    }

    /// What differs from what is wanted.
    fn differences(&self, r: &Report) -> Vec<String> {
        let mut problems = Vec::new();
        let mut check = |what: &str, got: String, want: &str| {
            if got.strip_suffix('\n').unwrap_or(&got) != want {
                problems.push(format!("{what} is\n{got}\nwant\n{want}"));
            }
        };
        let reason = self.get("fail").or_else(|| self.get("fail-part"));
        let outcome = match (self.get("want"), reason) {
            (Some(_), _) => Outcome::Done,
            (None, Some(_)) => Outcome::Fail,
            (None, None) => Outcome::Pass,
        };
        check(
            "outcome",
            format!("{:?} {}", r.outcome, r.reason),
            format!("{outcome:?} {}", r.reason).as_str(),
        );
        check(
            "output",
            r.output.clone(),
            self.get("want").unwrap_or_default(),
        );
        if let Some(part) = self.get("fail-part") {
            check("reason", r.reason.contains(part).to_string(), "true");
        }
        let pairs = |map: &BTreeMap<String, String>| {
            map.iter()
                .map(|(k, v)| format!("{k}: {v}\n"))
                .collect::<String>()
        };
        let flags: Vec<&str> = [(r.private, "private"), (r.provisional, "provisional")]
            .iter()
            .filter(|f| f.0)
            .map(|f| f.1)
            .collect();
        let marks = r
            .marks
            .iter()
            .map(|m| format!("{} {} {} {}\n", m.offset, m.section, m.lines, m.bytes))
            .collect();
        for (name, got) in [
            ("meta", pairs(&r.meta)),
            (
                "log",
                r.log
                    .iter()
                    .map(|l| format!("{} {}\n", l.level, l.text))
                    .collect(),
            ),
            ("flags", flags.join(" ")),
            ("marks", marks),
            ("sections", outline(&r.sections, None, "")),
        ] {
            if let Some(want) = self.get(name) {
                check(name, got, want);
            }
        }
        problems
    }
}

fn outline(sections: &[Section], parent: Option<usize>, indent: &str) -> String {
    let mut to = String::new();
    for (i, s) in sections
        .iter()
        .enumerate()
        .filter(|(_, s)| s.parent == parent)
    {
        let (kind, span) = match s.kind {
            SectionKind::Exact => ("exact", format!(" {}-{}", s.start, s.end)),
            SectionKind::Group => ("group", String::new()),
            SectionKind::Decoded => ("decoded", format!(" {}-{}", s.start, s.end)),
            SectionKind::Derived => ("derived", format!(" {}-{}", s.start, s.end)),
        };
        to += &format!("{indent}{} {kind}{span} {:?}", s.id, s.title);
        if !s.summary.is_empty() {
            to += &format!(" {:?}", s.summary);
        }
        to += "\n";
        to += &outline(sections, Some(i), &format!("{indent}  "));
    }
    to
}

/// What the LLM of an archive says.
fn reply(script: &str, q: &Question) -> Reply {
    let quoted = |text: &str| {
        text.split("<quote>")
            .skip(1)
            .map(|p| p.split("</quote>").next().unwrap().into())
            .collect::<Vec<String>>()
    };
    match script {
        "fails" => Reply::error(Code::Upstream),
        "slow" => Reply {
            later: true,
            ..Reply::default()
        },
        // A background request answers after the call.
        "quotes" => Reply {
            later: q.background,
            ..Reply::text(format!("about {}", quoted(&q.prompt).concat()))
        },
        "tell" => {
            let tier = if q.tier == Tier::Heavy {
                "heavy"
            } else {
                "fast"
            };
            let words = q.prompt.split("<quote>").next().unwrap_or_default();
            let quotes: String = quoted(&q.prompt)
                .iter()
                .map(|text| format!(" quote={text:?}"))
                .collect();
            Reply::text(format!(
                "tier={tier} max={} json={} background={} system={:?} words={words:?}{quotes}",
                q.max_tokens, q.json, q.background, q.system
            ))
        }
        text => {
            let text = text.strip_prefix("answer:").unwrap_or(text).trim();
            let most = 4 * q.max_tokens; // so much the LLM of the kit makes of a token
            Reply {
                cut: text.len() > most,
                ..Reply::text(&text[..text.len().min(most)])
            }
        }
    }
}
