package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
)

// maxUnread is the size, in bytes, of the names of tools that a client has not read.
const maxUnread = 4000

// describeUnread returns the names of the tools that are shown now and were not in the list
// that the client has read last, with their arguments. All tools are callable, but the
// model of a client that ignores list_changed does not know these. It returns no text if
// there are none.
func (x *index) describeUnread(ctx context.Context, req *request) [][]byte {
	read := make(map[string]bool)
	if last := x.read.Load(); last != nil {
		for _, tool := range last.Edited() {
			read[tool.Wire] = !tool.Hidden
		}
	}
	x.refresh(ctx, &req.event, req.project, catalog.Tools, forNames)
	var text strings.Builder
	left := 0
	for _, tool := range x.lastTools().Edited() {
		if tool.Hidden || read[tool.Wire] {
			continue
		}
		line := "\n- " + tool.Wire + describeArguments(tool)
		if left > 0 || text.Len()+len(line) > maxUnread {
			left++
			continue
		}
		text.WriteString(line)
	}
	if text.Len() == 0 {
		return nil
	}
	if left > 0 {
		fmt.Fprintf(&text, "\n- %d more", left)
	}
	return [][]byte{[]byte("The list of tools has changed, but this client has not read it again. Call these tools by name, although it does not list them:" + text.String())}
}

// maxArguments is the number of arguments of a tool that are named.
const maxArguments = 20

// isArgument matches names of arguments that are plain words.
var isArgument = regexp.MustCompile(`^[A-Za-z0-9_.$-]{1,64}$`)

// describeArguments returns the names of the arguments of a tool in parentheses, required
// ones first, optional ones with a question mark.
func describeArguments(tool flow.ListedTool) string {
	var definition struct {
		InputSchema struct {
			Properties map[string]json.RawMessage `json:"properties"`
			Required   []string                   `json:"required"`
		} `json:"inputSchema"`
	}
	_ = json.Unmarshal(tool.Definition, &definition) // a schema of another form has no arguments to name
	required, optional := definition.InputSchema.Required, []string(nil)
	for name := range definition.InputSchema.Properties {
		if !slices.Contains(required, name) {
			optional = append(optional, name+"?")
		}
	}
	slices.Sort(optional)
	all := slices.DeleteFunc(slices.Concat(required, optional), func(name string) bool { return !isArgument.MatchString(strings.TrimSuffix(name, "?")) })
	if len(all) > maxArguments {
		all = append(all[:maxArguments], "...")
	}
	return "(" + strings.Join(all, ", ") + ")"
}

// recordRead records the list of tools that the client has read.
func (x *index) recordRead(k catalog.Kind) {
	if k == catalog.Tools {
		x.read.Store(x.lastTools())
	}
}
