package docstest

import (
	"fmt"
	"strings"
)

// Words makes a stage of the column of a language in the table below a heading: each
// of its cells is a call, and the stage makes all of them. The steps write the stage
// into the folder words and test it.
//
// Errors: there is no such table, or a cell that is no code.
func Words(page, heading, language string) ([]Step, error) {
	frame, ok := frames[language]
	if !ok {
		return nil, fmt.Errorf("no frame for a stage in %s", language)
	}
	var calls strings.Builder
	rows := Table(page, heading)
	for _, row := range rows {
		cell, err := row.cell(language)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&calls, frame.call, cell)
	}
	if len(rows) < 10 {
		return nil, fmt.Errorf("%d rows below %q; is the test blind?", len(rows), heading)
	}
	create := "mcpctl create stage words --no-build --lang " + strings.ToLower(language)
	return []Step{
		{Command: create + " && rm words/testdata/*"},
		{Dir: "words", File: frame.file, Text: strings.Replace(frame.text, "CALLS", calls.String(), 1)},
		{Dir: "words", File: "plugin.yaml", Text: wordsManifest},
		{Dir: "words", File: "testdata/all.txtar", Text: wordsTest},
		{Command: "mcpctl stage test words", Want: []string{"ok    all"}},
	}, nil
}

// cell is the code in the column of a language: Go, Rust, AssemblyScript in this order.
func (r Row) cell(language string) (string, error) {
	for i, l := range Languages {
		if l != language || len(r) <= i+1 {
			continue
		}
		if code, ok := strings.CutPrefix(r[i+1], "`"); ok && strings.HasSuffix(code, "`") {
			return strings.TrimSuffix(code, "`"), nil
		}
	}
	return "", fmt.Errorf("no code for %s in the row %q", language, r)
}

const wordsManifest = `name: words
kind: stage
abi: 1
llm: optional
capabilities: [cache, llm]
config:
- {name: least, type: int, default: 2}
`

// A misuse fails the call, so the calls are right if it passes.
const wordsTest = `-- input --
{"items":[{"name":"pump"}]}
-- llm --
answer: short
-- want --
short{"items"12
`

// frame is a stage round calls.
type frame struct{ file, call, text string }

var frames = map[string]frame{
	"Go": {"words.go", "\t%s\n", `package main

import (
	"errors"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() { stage.Register("words", all) }

func words() ([]byte, error) { return []byte("12"), nil }

func all(c *stage.Ctx) error {
	request := stage.Request{Parts: []stage.Text{stage.Quote(c.Input, 0, -1)}}
	var err error
CALLS	kept, ok := c.Cache.Get("words")
	if !ok || !errors.Is(err, nil) {
		return stage.Fail("nothing was kept")
	}
	_, err = c.Out.Write(kept)
	return err
}

func main() {}
`},
	"Rust": {"src/lib.rs", "    let _ = %s;\n", `use mcpctl_stage::*;

stage!("words", all);

fn words() -> Result<Vec<u8>> {
    Ok(b"12".to_vec())
}

fn all(c: &mut Ctx) -> Outcome {
    let request = Request { parts: &[Part::quote(c.input, ..)], ..Request::default() };
    let err = Error::fail("");
CALLS    let kept = c.cache.get("words").ok_or(Code::NotFound)?;
    c.out.write(kept)?;
    DONE
}
`},
	"AssemblyScript": {"assembly/index.ts", "  %s;\n", `import { BY_LINE, Ctx, lastCode, NOT_FOUND, register, TOP, UNAVAILABLE } from "mcpctl-stage";

export * from "mcpctl-stage/abi";

function words(c: Ctx): string | null { return "12"; }

register("words", (c: Ctx): i32 => {
  const request = c.llm.ask().quote(c.input);
CALLS  const kept = c.cache.get("words");
  return kept ? c.out.span(kept) : NOT_FOUND;
});
`},
}
