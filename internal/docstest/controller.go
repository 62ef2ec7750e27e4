package docstest

var controllers = role{
	manifest: `name: words
kind: controller
abi: 1
capabilities: [cache, llm, session]
hooks: [on_tool_call]
`,
	test: `-- tools --
demo/read_guide {"name":"demo__read_guide","inputSchema":{"type":"object"}}
demo/get_news {"name":"demo__get_news","inputSchema":{"type":"object"}}
-- call demo/get_news --
{"text":"buy milk"}
-- want --
done error
notifies notifications/tools/list_changed
donenokept: milk
`,
	frames: map[string]frame{
		"Go": {"words.go", "\t%s\n", `package main

import "github.com/mcpctl/mcpctl/sdk-go/controller"

func init() { controller.Register("words", controller.Hooks{ToolCall: all}) }

func all(c *controller.Ctx) error {
CALLS	notes, _ := c.State.Get("notes")
	return c.Refuse("kept: " + notes)
}

func main() {}
`},
		"Rust": {"src/lib.rs", "    let _ = %s;\n", `use mcpctl_stage::controller::{Ctx, Hooks};
use mcpctl_stage::{controller, Outcome};

controller!("words", Hooks { tool_call: Some(all), ..Hooks::NONE });

fn all(c: &mut Ctx) -> Outcome {
CALLS    let notes = c.state.text("notes").unwrap_or_default();
    c.refuse(&("kept: ".to_owned() + &notes))
}
`},
		"AssemblyScript": {"assembly/index.ts", "  %s;\n", `import { Ctx, register } from "mcpctl-stage/controller";

export { mcpctl_abi_v1, mcpctl_on_tool_call } from "mcpctl-stage/hooks";

function all(c: Ctx): i32 {
CALLS  const notes = c.state.get("notes");
  return c.refuse("kept: " + (notes ? notes! : ""));
}

register("words", { toolCall: all });
`},
	},
}
