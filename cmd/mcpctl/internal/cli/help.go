package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
)

// helpWidth is the width of help texts where the output has none.
const helpWidth = 80

// wrapHelp makes the help of all commands fit the width of the output.
func wrapHelp(root *cobra.Command, io *iostreams.Streams) {
	print := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		width := cmp.Or(io.OutWidth, helpWidth)
		page := iostreams.NewFold(io.Out, width)
		long := c.Long
		c.Long = iostreams.Reflow(long, width)
		c.SetOut(page)
		print(c, args)
		c.SetOut(io.Out)
		c.Long = long
		_ = page.Close() // as cobra treats its own writes of help
	})
}
