// Command controllers is the module of the built-in controllers: one file of
// WebAssembly with a role for each folder beside this one. It stands apart from
// that of the stages, since each guest pays for the code of its whole module.
package main

import (
	_ "github.com/mcpctl/mcpctl/plugins/src/controllers/dispatch"
	_ "github.com/mcpctl/mcpctl/plugins/src/controllers/explore"
	_ "github.com/mcpctl/mcpctl/plugins/src/controllers/gate"
	_ "github.com/mcpctl/mcpctl/plugins/src/controllers/narrow"
)

func main() {}
