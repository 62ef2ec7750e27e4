package docstest

var stages = role{
	manifest: `name: words
kind: stage
abi: 1
llm: optional
capabilities: [cache, llm]
config:
- {name: least, type: int, default: 2}
`,
	test: `-- input --
{"items":[{"name":"pump"}]}
-- llm --
answer: short
-- want --
short{"items"
-- kept --
words: 12
`,
	frames: map[string]frame{
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
CALLS	return errors.Join(err)
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
CALLS    DONE
}
`},
		"AssemblyScript": {"assembly/index.ts", "  %s;\n", `import { BY_LINE, Ctx, DONE, lastCode, register, TOP, UNAVAILABLE } from "mcpctl-stage";

export * from "mcpctl-stage/abi";

function words(c: Ctx): string | null { return "12"; }

register("words", (c: Ctx): i32 => {
  const request = c.llm.ask().quote(c.input);
CALLS  return DONE;
});
`},
	},
}
