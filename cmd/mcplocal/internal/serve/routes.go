package serve

import (
	"fmt"
	"net/http"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/ui"
	"github.com/mcpctl/mcpctl/host"
)

// routes returns the handler of both listeners.
func routes(h *host.Host, s api.Service) *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("/projects/", h.Endpoint())
	mux.Handle("/api/", api.Handler(s))
	mux.Handle("GET /inspect", h.Inspect(api.RefuseParameter))
	mux.Handle("GET /metrics", h.Metrics())
	mux.Handle("GET /ui/", ui.Handler())
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprintln(w, "ok")
	})
	return mux
}
