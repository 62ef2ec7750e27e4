package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
)

// helpWidth is the width of help texts if the width of the output is unknown.
const helpWidth = 80

// wrapHelp wraps the help of all commands at the width of the output.
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
		_ = page.Close() // cobra ignores write errors of help too
	})
}
