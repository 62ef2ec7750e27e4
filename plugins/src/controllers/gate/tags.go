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
	key := keyOfTags(args)
	switch kind, err := args.Kind("/" + key); {
	case err != nil:
		return nil, tool + ": tags is missing, call " + example
	case kind == stage.KindString:
		span, _, _ := args.Span("/" + key)
		tags = append(tags, decodeLiteral(c.Input, span))
	case kind == stage.KindArray:
		if tags, problem = readTagItems(c, args, key); problem != "" {
			return nil, tool + ": " + problem + ", call " + example
		}
	default:
		return nil, tool + ": " + key + " is " + kind.String() + ", want an array of strings, call " + example
	}
	if keywords = keyword.FromTags(tags); len(keywords) == 0 {
		return nil, tool + ": " + key + " holds no word, call " + example
	}
	return keywords, ""
}

// keyOfTags returns the argument that contains the keywords. Names of prompts are keywords
// too, and a model that knows one may write names or name.
func keyOfTags(args stage.JSON) string {
	for _, key := range [...]string{"tags", "names", "name"} {
		if _, err := args.Kind("/" + key); err == nil {
			return key
		}
	}
	return "tags"
}

func readTagItems(c *controller.Ctx, args stage.JSON, key string) (tags []string, problem string) {
	if n, _ := args.Len("/" + key); n < 1 || n > maxTagItems {
		return nil, key + " holds " + strconv.Itoa(n) + " keywords, want 1 to " + strconv.Itoa(maxTagItems)
	}
	for i, child := range args.Each("/" + key) {
		if kind, _ := args.Kind("/" + key + "/" + strconv.Itoa(i)); kind != stage.KindString {
			return nil, key + "[" + strconv.Itoa(i) + "] is " + kind.String() + ", want string"
		}
		tags = append(tags, decodeLiteral(c.Input, child.Value))
	}
	return tags, ""
}
