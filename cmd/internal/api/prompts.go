package api

import (
	"context"
	"net/http"
	"net/url"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// Prompts is the part of Service about prompts and instructions.
type Prompts interface {
	// Prompts lists the prompts that the sessions of a project see, by descending
	// priority, then by name.
	//
	// Errors: abi.ErrNotFound for an unknown project.
	Prompts(ctx context.Context, project string) ([]Prompt, error)
	// Instructions returns the size of the instructions that a session of a project gets at
	// initialize. It runs the controllers, but starts no servers.
	//
	// Errors: abi.ErrNotFound for a project that does not exist or is not served.
	Instructions(ctx context.Context, project string) (Instructions, error)
	// RegenerateSummary regenerates the summary of a prompt with an LLM, in the background.
	//
	// Errors: abi.ErrUnavailable without an LLM or a daemon.
	RegenerateSummary(ctx context.Context, project, name string) error
	// Approve converts a prompt request into a prompt and deletes the request.
	Approve(ctx context.Context, project, name string, dryRun bool) (Applied, error)
}

// Prompt is one prompt as sessions see it. It is also Object.Details of a prompt.
type Prompt struct {
	Name       string   `json:"name"`
	Project    string   `json:"project"`
	Priority   int      `json:"priority"`
	Summary    string   `json:"summary"`
	Chapters   []string `json:"chapters"`
	LinkTarget string   `json:"linkTarget,omitempty"`
	LinkStatus string   `json:"linkStatus,omitempty"` // alive, dead, unknown or LinkPending; empty if it is not a link
	Bytes      int      `json:"bytes"`                // 0 for a link that has not been read yet
	Delivery   string   `json:"delivery,omitempty"`   // how sessions without a gate get it
}

// Instructions is the size of the instructions that a session of an unknown client gets at
// initialize. Characters are UTF-16 code units, which is how clients count them.
type Instructions struct {
	Characters  int      `json:"characters"`
	Limit       int      `json:"limit"`             // characters that clients show
	Bytes       int      `json:"bytes"`             // of UTF-8
	Controllers int      `json:"controllers"`       // characters from controllers; the others are from servers
	Cut         int      `json:"cut,omitempty"`     // characters that do not fit
	Pending     []string `json:"unheard,omitempty"` // servers whose instructions are not known yet
}

// RequestDetails is Object.Details of a prompt request that replaces a prompt.
type RequestDetails struct {
	Replaces string `json:"replaces"` // file of the prompt, relative to the home, or that it is on the team server
}

// indexed is one entry of the compact prompt index.
type indexed struct {
	Name     string   `json:"name"`
	Priority int      `json:"priority"`
	Summary  string   `json:"summary"`
	Chapters []string `json:"chapters"`
}

func (h handler) promptRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/v1/projects/{name}/prompts/visible", h.prompts)
	mux.HandleFunc("GET /api/v1/projects/{name}/prompt-index", h.promptIndex)
	mux.HandleFunc("GET /api/v1/projects/{name}/instructions", h.instructions)
	mux.HandleFunc("POST /api/v1/prompts/{name}/regenerate-summary", h.regenerate)
	mux.HandleFunc("POST /api/v1/promptrequests/{name}/approve", h.approve)
}

func (h handler) prompts(w http.ResponseWriter, r *http.Request) {
	v, err := h.s.Prompts(r.Context(), r.PathValue("name"))
	writeAnswer(w, v, err)
}

func (h handler) promptIndex(w http.ResponseWriter, r *http.Request) {
	list, err := h.s.Prompts(r.Context(), r.PathValue("name"))
	index := make([]indexed, len(list))
	for i, p := range list {
		index[i] = indexed{p.Name, p.Priority, p.Summary, p.Chapters}
	}
	writeAnswer(w, index, err)
}

func (h handler) instructions(w http.ResponseWriter, r *http.Request) {
	v, err := h.s.Instructions(r.Context(), r.PathValue("name"))
	writeAnswer(w, v, err)
}

func (h handler) regenerate(w http.ResponseWriter, r *http.Request) {
	err := requireJSON(r)
	if err == nil {
		err = h.s.RegenerateSummary(r.Context(), r.URL.Query().Get("project"), r.PathValue("name"))
	}
	writeAnswer(w, struct{}{}, err)
}

func (h handler) approve(w http.ResponseWriter, r *http.Request) {
	if err := requireJSON(r); err != nil {
		writeAnswer(w, nil, err)
		return
	}
	q := r.URL.Query()
	v, err := h.s.Approve(r.Context(), q.Get("project"), r.PathValue("name"), q.Get("dryRun") == "true")
	writeAnswer(w, v, err)
}

// Prompts implements Service.
func (c *Client) Prompts(ctx context.Context, project string) (p []Prompt, err error) {
	if project == "" {
		return nil, problem.New(abi.ErrNotFound, "project %q not found", project).WithHint("mcpctl get projects")
	}
	return p, c.call(ctx, http.MethodGet, objectPath("project", project)+"/prompts/visible", nil, nil, &p)
}

// Instructions implements Service.
func (c *Client) Instructions(ctx context.Context, project string) (i Instructions, err error) {
	return i, c.call(ctx, http.MethodGet, objectPath("project", project)+"/instructions", nil, nil, &i)
}

// RegenerateSummary implements Service.
func (c *Client) RegenerateSummary(ctx context.Context, project, name string) error {
	return c.call(ctx, http.MethodPost, objectPath("prompt", name)+"/regenerate-summary", projectQuery(project), nil, nil)
}

// Approve implements Service.
func (c *Client) Approve(ctx context.Context, project, name string, dryRun bool) (a Applied, err error) {
	q := url.Values{}
	if project != "" {
		q.Set("project", project)
	}
	if dryRun {
		q.Set("dryRun", "true")
	}
	return a, c.call(ctx, http.MethodPost, objectPath("promptrequest", name)+"/approve", q, nil, &a)
}
