package host

import (
	"context"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy"
)

// ClientTool is the text of one result of a client's own tool, such as Bash, which the client did
// not get from a server.
type ClientTool struct {
	Client string // "claude-code": the server in the source "claude-code/Bash"
	Tool   string
	Hint   string // path, URI or command among the arguments; may be empty
	Text   []byte // valid UTF-8

	OnlyFilters bool // no stage reads the text
}

// minClientText is the size from which the stages read the text of a client's own tool. A model
// reads a shorter one faster than an index and a part.
const minClientText = 8 << 10

// ShowClientTool transforms the result of a client's own tool as the project's proxymodel says for
// a tool result of that source, and records it like one. The original is stored, so that
// read_section opens it. Filters also read a short text.
//
// Errors: abi.ErrNotFound for an unknown project; those of transform.Transform, with which the
// text must not be shown.
func (h *Host) ShowClientTool(ctx context.Context, project string, c ClientTool) (flow.Shown, error) {
	if _, err := h.config.State().Plan.Project(project); err != nil {
		return flow.Shown{}, err
	}
	e := proxy.Event{Start: time.Now(), Scope: flow.Scope{Project: project}, Client: c.Client, Method: "tools/call", Label: c.Client + "/" + c.Tool, InBytes: len(c.Text)}
	content := flow.Content{
		Type: abi.ToolResult, Source: e.Label, Hint: c.Hint, Part: abi.Part{Kind: abi.PartText, Count: 1}, Bytes: c.Text, OnlyFilters: c.OnlyFilters || len(c.Text) < minClientText,
		IsPrivate: true, // a server of the team could have the name of the client
	}
	shown, err := h.transformer.Transform(ctx, e.Scope, content)
	if err == nil {
		shown = boundClientTool(ctx, h, e.Scope, content, shown)
	}
	e.Duration, e.OutBytes, e.Changed = time.Since(e.Start), len(c.Text), shown.Changed
	e.InTokens, e.OutTokens = shown.Tokens, shown.Tokens
	switch {
	case shown.Blocked != "": // the client gets the reason
		e.OutBytes, e.OutTokens = len(shown.Blocked), h.transformer.CountTokens([]byte(shown.Blocked))
	case shown.Changed:
		e.OutBytes, e.OutTokens = len(shown.Text), h.transformer.CountTokens(shown.Text)
	}
	if shown.Run.Model != "" {
		e.Run = []flow.RunReport{shown.Run}
	}
	if shown.Ref != "" {
		e.Refs = []string{shown.Ref}
	}
	switch {
	case err != nil:
		e.Failed, e.Error = true, err.Error()
	case shown.Blocked != "":
		e.Failed, e.Error = true, shown.Blocked
	}
	eventLog{h}.Add(e)
	return shown, err
}

// boundClientTool applies the limit of a project to the result of a client's own tool.
func boundClientTool(ctx context.Context, h *Host, scope flow.Scope, c flow.Content, shown flow.Shown) flow.Shown {
	limit := h.config.AnswerLimit(scope.Project)
	if limit == 0 || shown.Blocked != "" {
		return shown
	}
	tokens := shown.Tokens
	if shown.Changed {
		tokens = h.transformer.CountTokens(shown.Text)
	}
	if tokens <= limit {
		return shown
	}
	return h.transformer.Bound(ctx, scope, c, shown, flow.Overrun{Tokens: tokens, Limit: limit})
}
