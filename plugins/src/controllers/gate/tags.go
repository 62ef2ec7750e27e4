package gate

import (
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/controllers/gate/internal/keyword"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

const (
	maxTagItems = 10
	maxTagBytes = 4 << 10 // bytes of one tag that are read
)

const (
	beginExample = toolBegin + `({"tags":["zigbee","lights","mqtt","pairing","automation"]}) with about 5 keywords of your task`
	readExample  = toolRead + `({"tags":["security","vpn"]})`
)

// readTags returns the keywords in the argument tags, an array of strings or one
// string. problem describes an invalid argument to a model.
func readTags(c *controller.Ctx, tool string) (keywords []string, problem string) {
	example := readExample
	if tool == toolBegin {
		example = beginExample
	}
	args := c.Input.JSON()
	var tags []string
	switch kind, err := args.Kind("/tags"); {
	case err != nil:
		return nil, tool + ": tags is missing, call " + example
	case kind == stage.KindString:
		span, _, _ := args.Span("/tags")
		tags = append(tags, decodeLiteral(c.Input, span))
	case kind == stage.KindArray:
		if tags, problem = readTagItems(c, args); problem != "" {
			return nil, tool + ": " + problem + ", call " + example
		}
	default:
		return nil, tool + ": tags is " + kind.String() + ", want an array of strings, call " + example
	}
	if keywords = keyword.FromTags(tags); len(keywords) == 0 {
		return nil, tool + ": tags holds no word, call " + example
	}
	return keywords, ""
}

func readTagItems(c *controller.Ctx, args stage.JSON) (tags []string, problem string) {
	if n, _ := args.Len("/tags"); n < 1 || n > maxTagItems {
		return nil, "tags holds " + strconv.Itoa(n) + " keywords, want 1 to " + strconv.Itoa(maxTagItems)
	}
	for i, child := range args.Each("/tags") {
		if kind, _ := args.Kind("/tags/" + strconv.Itoa(i)); kind != stage.KindString {
			return nil, "tags[" + strconv.Itoa(i) + "] is " + kind.String() + ", want string"
		}
		tags = append(tags, decodeLiteral(c.Input, child.Value))
	}
	return tags, ""
}
