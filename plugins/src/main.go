// Command src is the module of the built-in stages: one file of WebAssembly with
// a role for each folder beside this one, controllers excepted. See ../embed.go for how it is
// built.
package main

import (
	_ "github.com/mcpctl/mcpctl/plugins/src/compress"
	_ "github.com/mcpctl/mcpctl/plugins/src/enhance"
	_ "github.com/mcpctl/mcpctl/plugins/src/index"
	_ "github.com/mcpctl/mcpctl/plugins/src/paginate"
	_ "github.com/mcpctl/mcpctl/plugins/src/passthrough"
	_ "github.com/mcpctl/mcpctl/plugins/src/section-split"
	_ "github.com/mcpctl/mcpctl/plugins/src/summarize"
	_ "github.com/mcpctl/mcpctl/plugins/src/summarize-tree"
)

func main() {}
