package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// maxBody is the size limit of a management request. A YAML file has at most 1 MiB.
const maxBody = 2 << 20

// maxEdit is the size limit of an edited answer, which may be larger than a YAML file.
const maxEdit = 64 << 20

// Kinds maps the path segment of a collection to its kind.
var Kinds = map[string]string{
	"servers":        "server",
	"projects":       "project",
	"proxymodels":    "proxymodel",
	"prompts":        "prompt",
	"promptrequests": "promptrequest",

	// Those of the team server.
	"users":           "user",
	"groups":          "group",
	"serviceaccounts": "serviceaccount",
	"rbacbindings":    "rbacbinding",
}

// Handler serves s under /api/v1. The caller of Handler checks authorization.
func Handler(s Service) http.Handler {
	h := handler{s}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/status", h.status)
	mux.HandleFunc("POST /api/v1/apply", h.apply)
	mux.HandleFunc("POST /api/v1/reload", h.reload)
	mux.HandleFunc("GET /api/v1/stages", h.stages)
	mux.HandleFunc("GET /api/v1/llmproviders", h.llmProviders)
	mux.HandleFunc("GET /api/v1/projects/{name}/llm", h.resolveLLM)
	mux.HandleFunc("GET /api/v1/events", h.events)
	mux.HandleFunc("GET /api/v1/cache", h.cacheEntries)
	mux.HandleFunc("GET /api/v1/cache/stats", h.cacheStats)
	mux.HandleFunc("DELETE /api/v1/cache", h.cacheClear)
	mux.HandleFunc("DELETE /api/v1/originals", h.clearOriginals)
	mux.HandleFunc("GET /api/v1/projects/{name}/originals/{ref}", h.original)
	mux.HandleFunc("POST /api/v1/projects/{name}/clienttools", h.showClientTool)
	h.promptRoutes(mux)
	h.serverRoutes(mux)
	h.probeRoutes(mux)
	studioHandler{s}.addRoutes(mux)
	recordingHandler{s}.addRoutes(mux)
	teamHandler{s}.addRoutes(mux)
	mux.HandleFunc("GET /api/v1/{kinds}", h.objects)
	mux.HandleFunc("GET /api/v1/{kinds}/{name}", h.object)
	mux.HandleFunc("DELETE /api/v1/{kinds}/{name}", h.delete)
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		writeAnswer(w, nil, problem.New(abi.ErrNotFound, "no management call %s %s", r.Method, r.URL.Path))
	})
	return mux
}

type handler struct{ s Service }

func (h handler) status(w http.ResponseWriter, r *http.Request) {
	v, err := h.s.Status(r.Context())
	writeAnswer(w, v, err)
}

func (h handler) apply(w http.ResponseWriter, r *http.Request) {
	var req ApplyRequest
	if err := decode(w, r, &req); err != nil {
		writeAnswer(w, nil, err)
		return
	}
	v, err := h.s.Apply(r.Context(), req)
	writeAnswer(w, v, err)
}

func (h handler) reload(w http.ResponseWriter, r *http.Request) {
	err := requireJSON(r)
	if err == nil {
		err = h.s.Reload(r.Context())
	}
	writeAnswer(w, struct{}{}, err)
}

func (h handler) stages(w http.ResponseWriter, r *http.Request) {
	v, err := h.s.Stages(r.Context())
	writeAnswer(w, v, err)
}

func (h handler) events(w http.ResponseWriter, r *http.Request) {
	q, err := eventQueryOf(r)
	var v []Event
	if err == nil {
		v, err = h.s.Events(r.Context(), q)
	}
	if errors.Is(err, abi.ErrConfig) {
		RefuseParameter(w, err)
		return
	}
	writeAnswer(w, v, err)
}

// RefuseParameter answers a request for events with an invalid parameter: status 400, and
// the problem as JSON.
func RefuseParameter(w http.ResponseWriter, err error) {
	WriteProblem(w, http.StatusBadRequest, problem.From(err))
}

func (h handler) cacheEntries(w http.ResponseWriter, r *http.Request) {
	v, err := h.s.CacheEntries(r.Context(), r.URL.Query().Get("project"))
	writeAnswer(w, v, err)
}

func (h handler) cacheStats(w http.ResponseWriter, r *http.Request) {
	v, err := h.s.CacheStats(r.Context())
	writeAnswer(w, v, err)
}

func (h handler) cacheClear(w http.ResponseWriter, r *http.Request) {
	n, err := h.s.CacheClear(r.Context(), r.URL.Query().Get("project"))
	writeAnswer(w, cleared{n}, err)
}

type cleared struct {
	Cleared int `json:"cleared"`
}

func (h handler) objects(w http.ResponseWriter, r *http.Request) {
	kind, err := kindOf(r)
	if err != nil {
		writeAnswer(w, nil, err)
		return
	}
	v, err := h.s.Objects(r.Context(), kind, r.URL.Query().Get("project"))
	writeAnswer(w, v, err)
}

func (h handler) object(w http.ResponseWriter, r *http.Request) {
	kind, err := kindOf(r)
	if err != nil {
		writeAnswer(w, nil, err)
		return
	}
	v, err := h.s.Object(r.Context(), kind, r.URL.Query().Get("project"), r.PathValue("name"))
	writeAnswer(w, v, err)
}

func (h handler) delete(w http.ResponseWriter, r *http.Request) {
	kind, err := kindOf(r)
	if r.PathValue("kinds") == "stages" {
		kind, err = "stage", nil
	}
	if err != nil {
		writeAnswer(w, nil, err)
		return
	}
	err = h.s.Delete(r.Context(), kind, r.URL.Query().Get("project"), r.PathValue("name"), r.URL.Query().Get("force") == "true")
	writeAnswer(w, struct{}{}, err)
}

func kindOf(r *http.Request) (string, error) {
	if kind, ok := Kinds[r.PathValue("kinds")]; ok {
		return kind, nil
	}
	return "", problem.New(abi.ErrNotFound, "no management call %s %s", r.Method, r.URL.Path)
}

// requireJSON rejects the content types that a web page can send without a CORS preflight:
// forms and plain text.
func requireJSON(r *http.Request) error {
	if ct, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); strings.TrimSpace(ct) != "application/json" {
		return problem.Usagef("content type %q, want application/json", ct)
	}
	return nil
}

// decode reads a JSON body.
func decode(w http.ResponseWriter, r *http.Request, into any) error {
	return decodeLimit(w, r, into, maxBody)
}

func decodeLimit(w http.ResponseWriter, r *http.Request, into any, limit int64) error {
	if err := requireJSON(r); err != nil {
		return err
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, limit))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return fmt.Errorf("%w: request is over %d MiB", abi.ErrLimit, limit>>20)
		}
		return problem.Usagef("request is not valid JSON: %v", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return problem.Usagef("request contains more than one JSON value")
	}
	return nil
}

func writeAnswer(w http.ResponseWriter, v any, err error) {
	if err != nil {
		p := problem.From(err)
		WriteProblem(w, p.HTTPStatus(), p)
		return
	}
	writeJSON(w, v)
}

// WriteProblem answers a call that failed, as defined by RFC 9457. The member error has the
// parts of the problem, which Client returns.
func WriteProblem(w http.ResponseWriter, status int, p *problem.Problem) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	encode(w, failure{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: p.Error(), Error: p})
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	encode(w, v)
}

func encode(w http.ResponseWriter, v any) {
	_ = json.NewEncoder(w).Encode(v) // an error means that the client has disconnected
}

// failure is the body of WriteProblem.
type failure struct {
	Type   string           `json:"type"`
	Title  string           `json:"title"`
	Status int              `json:"status"`
	Detail string           `json:"detail"`
	Error  *problem.Problem `json:"error"`
}
