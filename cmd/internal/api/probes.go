package api

import (
	"context"
	"net/http"
)

// Probes is the part of Service that tests servers and LLM providers.
type Probes interface {
	// ProbeServer starts a separate instance of a server, lists its tools and stops it.
	//
	// Errors: abi.ErrNotFound; the error of the server.
	ProbeServer(ctx context.Context, name string) (ServerProbe, error)
	// ProbeLLM sends one short request to an LLM provider.
	//
	// Errors: abi.ErrNotFound; the error of the provider.
	ProbeLLM(ctx context.Context, name string) error
}

// ServerProbe is the result of ProbeServer.
type ServerProbe struct {
	Tools []string `json:"tools"`
}

func (h handler) probeRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST /api/v1/servers/{name}/probe", func(w http.ResponseWriter, r *http.Request) {
		if err := requireJSON(r); err != nil {
			writeAnswer(w, nil, err)
			return
		}
		v, err := h.s.ProbeServer(r.Context(), r.PathValue("name"))
		writeAnswer(w, v, err)
	})
	mux.HandleFunc("POST /api/v1/llmproviders/{name}/probe", func(w http.ResponseWriter, r *http.Request) {
		err := requireJSON(r)
		if err == nil {
			err = h.s.ProbeLLM(r.Context(), r.PathValue("name"))
		}
		writeAnswer(w, struct{}{}, err)
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
