package api

import (
	"context"
	"net/http"
)

// Probes try out what a home refers to.
type Probes interface {
	// ProbeServer starts a server beside those of sessions, lists its tools and ends it.
	//
	// Errors: abi.ErrNotFound; why it cannot be used.
	ProbeServer(ctx context.Context, name string) (ServerProbe, error)
	// ProbeLLM sends one short request to a provider of LLM answers.
	//
	// Errors: abi.ErrNotFound; why it does not answer.
	ProbeLLM(ctx context.Context, name string) error
}

// ServerProbe is what a server answered.
type ServerProbe struct {
	Tools []string `json:"tools"`
}

func (h handler) probeRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST /api/v1/servers/{name}/probe", func(w http.ResponseWriter, r *http.Request) {
		if err := jsonOnly(r); err != nil {
			answer(w, nil, err)
			return
		}
		v, err := h.s.ProbeServer(r.Context(), r.PathValue("name"))
		answer(w, v, err)
	})
	mux.HandleFunc("POST /api/v1/llmproviders/{name}/probe", func(w http.ResponseWriter, r *http.Request) {
		err := jsonOnly(r)
		if err == nil {
			err = h.s.ProbeLLM(r.Context(), r.PathValue("name"))
		}
		answer(w, struct{}{}, err)
	})
}

// ProbeServer implements Service.
func (c *Client) ProbeServer(ctx context.Context, name string) (p ServerProbe, err error) {
	return p, c.call(ctx, http.MethodPost, objectPath("server", name)+"/probe", nil, nil, &p)
}

// ProbeLLM implements Service.
func (c *Client) ProbeLLM(ctx context.Context, name string) error {
	return c.call(ctx, http.MethodPost, objectPath("llmprovider", name)+"/probe", nil, nil, nil)
}
