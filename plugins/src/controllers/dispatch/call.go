package dispatch

import (
	"errors"

	"github.com/mcpctl/mcpctl/plugins/src/internal/argument"
	"github.com/mcpctl/mcpctl/plugins/src/internal/toolname"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// maxThreshold is the largest threshold in bytes, and the size limit of a result.
const maxThreshold = 32 << 20

// routeCall routes the action call to the tool that it names.
func routeCall(c *controller.Ctx, args *argument.Reader) error {
	tool, connection := args.Text("tool", ""), args.Text("connection", "")
	if tool == "" {
		args.Fail("tool is missing: name it, action search finds it")
	}
	args.Bool("resultToFile", false)
	args.Int("resultSizeThreshold", 0, 0, maxThreshold)
	from, span, err := readArguments(c, args)
	if err != nil {
		return err
	}
	if args.Problem() != "" {
		return c.Refuse(args.Problem())
	}
	found, problem := toolname.Find(toolname.List(c), tool, connection)
	if problem != "" {
		return c.Refuse(problem)
	}
	if err := c.Rewrite(found.Label, from, span.Start, span.Len()); err != nil {
		return c.Refuse("arguments of " + found.Label + ": " + err.Error())
	}
	return controller.Pass
}

// readArguments returns the buffer and span of the arguments of the call. Those in a
// file stay with the host; the guest does not read them.
func readArguments(c *controller.Ctx, args *argument.Reader) (stage.Buf, stage.Span, error) {
	if ref := args.Text("argumentsFile", ""); ref != "" {
		if args.Has("arguments") {
			args.Fail("arguments and argumentsFile are both there, want one")
		}
		b, err := c.OpenContent(ref)
		switch {
		case errors.Is(err, stage.NotFound):
			args.Fail(describeUnknownRef("argumentsFile", ref))
			return b, stage.Span{}, nil
		case err != nil:
			return b, stage.Span{}, err
		}
		if kind, err := b.JSON().Kind(""); err != nil || kind != stage.KindObject {
			args.Fail("argumentsFile " + ref + " holds no JSON object")
		}
		return b, stage.Span{Start: 0, End: b.Len()}, nil
	}
	if b, span, ok := args.Object("arguments"); ok {
		return b, span, nil
	}
	empty, err := c.Put("{}")
	return empty, stage.Span{Start: 0, End: 2}, err
}

// describeUnknownRef returns the error for an unknown ref. A ref of another session is unknown too.
func describeUnknownRef(name, ref string) string {
	return name + " " + argument.Quote(ref) + " unknown: want a resultFile of an earlier answer; results are kept for a limited time, call the tool again"
}
