package api

import (
	"context"
	"net/http"
	"net/url"
)

// ClientTools is the part of Service about the results of a client's own tools.
type ClientTools interface {
	// ShowClientTool transforms a text that one of a client's own tools returned.
	//
	// Errors: abi.ErrNotFound for an unknown project; abi.ErrUnavailable without a daemon; those
	// of an invalid proxymodel, with which it is not known which filters apply.
	ShowClientTool(ctx context.Context, project string, r ClientToolResult) (ShownText, error)
}

// ClientToolResult is one text of a result.
type ClientToolResult struct {
	Client string `json:"client"` // "claude-code"
	Tool   string `json:"tool"`
	Hint   string `json:"hint,omitempty"` // path, URI or command among the arguments
	Text   string `json:"text"`

	OnlyFilters bool `json:"onlyFilters,omitempty"` // no stage reads the text
}

// ShownText is the text that the model reads.
type ShownText struct {
	Changed bool   `json:"changed"`           // false: the text of the tool, unchanged
	Blocked string `json:"blocked,omitempty"` // why a filter withholds the text
	Text    string `json:"text,omitempty"`
	Ref     string `json:"ref,omitempty"` // of the original
}

func (h handler) showClientTool(w http.ResponseWriter, r *http.Request) {
	var req ClientToolResult
	if err := decodeLimit(w, r, &req, maxEdit); err != nil {
		writeAnswer(w, nil, err)
		return
	}
	v, err := h.s.ShowClientTool(r.Context(), r.PathValue("name"), req)
	writeAnswer(w, v, err)
}

// ShowClientTool implements Service.
func (c *Client) ShowClientTool(ctx context.Context, project string, r ClientToolResult) (s ShownText, err error) {
	return s, c.call(ctx, http.MethodPost, "/projects/"+url.PathEscape(project)+"/clienttools", nil, r, &s)
}
