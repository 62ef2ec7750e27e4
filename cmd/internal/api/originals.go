package api

import (
	"context"
	"net/http"
	"net/url"

	"github.com/mcpctl/mcpctl/abi"
)

// Originals is the part of Service about stored originals.
type Originals interface {
	// Original returns the content of a ref that an event of the project contains.
	//
	// Errors: abi.ErrNotFound for a ref that is unknown, expired or of another project;
	// abi.ErrUnavailable without a daemon.
	Original(ctx context.Context, project, ref string) (Original, error)
	// ClearOriginals removes the originals of all projects and returns their number. All
	// refs become invalid.
	ClearOriginals(ctx context.Context) (int, error)
}

// Original is stored content, after the filters and before the first stage.
type Original struct {
	ContentType abi.ContentType `json:"contentType"`
	Source      string          `json:"source"` // server/tool, prompt name or URI
	MIME        string          `json:"mime,omitempty"`
	Hint        string          `json:"hint,omitempty"`
	Text        string          `json:"text"`
}

func (h handler) original(w http.ResponseWriter, r *http.Request) {
	v, err := h.s.Original(r.Context(), r.PathValue("name"), r.PathValue("ref"))
	writeAnswer(w, v, err)
}

// Original implements Service.
func (c *Client) Original(ctx context.Context, project, ref string) (o Original, err error) {
	return o, c.call(ctx, http.MethodGet, "/projects/"+url.PathEscape(project)+"/originals/"+url.PathEscape(ref), nil, nil, &o)
}

func (h handler) clearOriginals(w http.ResponseWriter, r *http.Request) {
	n, err := h.s.ClearOriginals(r.Context())
	writeAnswer(w, cleared{n}, err)
}

// ClearOriginals implements Service.
func (c *Client) ClearOriginals(ctx context.Context) (int, error) {
	var n cleared
	err := c.call(ctx, http.MethodDelete, "/originals", nil, nil, &n)
	return n.Cleared, err
}
