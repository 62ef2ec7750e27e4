package api

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// Recordings is the part of Service about recorded sessions. Without a daemon only
// Start fails.
type Recordings interface {
	// Start records the sessions of a project for some time. A later call
	// replaces the time, so that a command that ends without Stop records for a
	// limited time.
	//
	// Errors: abi.ErrNotFound for an unknown project; abi.ErrUnavailable without a daemon.
	Start(ctx context.Context, project string, r StartRecording) error
	// Stop ends it, once everything is on disk. A project with recording: true
	// is recorded further.
	Stop(ctx context.Context, project string) error
	// List lists the recordings of a project, or of all projects if project is
	// empty, oldest first.
	List(ctx context.Context, project string) ([]Recording, error)
	// Read returns the bytes of a recording.
	//
	// Errors: abi.ErrNotFound.
	Read(ctx context.Context, name string) ([]byte, error)
	// Delete deletes a recording.
	//
	// Errors: abi.ErrNotFound.
	Delete(ctx context.Context, name string) error
}

// StartRecording is a request to record.
type StartRecording struct {
	Seconds int `json:"seconds"`
}

// maxRecording is the longest time of one Start.
const maxRecording = 24 * time.Hour

// Until returns the time at which the recording ends.
//
// Errors: abi.ErrConfig.
func (r StartRecording) Until(now time.Time) (time.Time, error) {
	d := time.Duration(r.Seconds) * time.Second
	if r.Seconds <= 0 || r.Seconds > int(maxRecording/time.Second) {
		return time.Time{}, problem.New(abi.ErrConfig, "seconds is %d, want 1 to %d", r.Seconds, int(maxRecording/time.Second))
	}
	return now.Add(d), nil
}

// Recording is a recorded session.
type Recording struct {
	Name    string    `json:"name"`
	Project string    `json:"project"`
	File    string    `json:"file"`
	Bytes   int64     `json:"bytes"`
	Started time.Time `json:"started"`
	Written time.Time `json:"written"` // the last exchange
}

// recordingHandler serves Recordings.
type recordingHandler struct{ s Service }

func (h recordingHandler) addRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST /api/v1/projects/{name}/recording", h.start)
	mux.HandleFunc("DELETE /api/v1/projects/{name}/recording", h.stop)
	mux.HandleFunc("GET /api/v1/recordings", h.list)
	mux.HandleFunc("GET /api/v1/recordings/{name}", h.read)
	mux.HandleFunc("DELETE /api/v1/recordings/{name}", h.remove)
}

func (h recordingHandler) start(w http.ResponseWriter, r *http.Request) {
	var req StartRecording
	err := decode(w, r, &req)
	if err == nil {
		err = h.s.Recordings().Start(r.Context(), r.PathValue("name"), req)
	}
	writeAnswer(w, struct{}{}, err)
}

func (h recordingHandler) stop(w http.ResponseWriter, r *http.Request) {
	writeAnswer(w, struct{}{}, h.s.Recordings().Stop(r.Context(), r.PathValue("name")))
}

func (h recordingHandler) list(w http.ResponseWriter, r *http.Request) {
	v, err := h.s.Recordings().List(r.Context(), r.URL.Query().Get("project"))
	writeAnswer(w, v, err)
}

func (h recordingHandler) read(w http.ResponseWriter, r *http.Request) {
	text, err := h.s.Recordings().Read(r.Context(), r.PathValue("name"))
	if err != nil {
		writeAnswer(w, nil, err)
		return
	}
	w.Header().Set("Content-Type", "application/jsonl")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(text) // an error means that the client has disconnected
}

func (h recordingHandler) remove(w http.ResponseWriter, r *http.Request) {
	writeAnswer(w, struct{}{}, h.s.Recordings().Delete(r.Context(), r.PathValue("name")))
}

// Recordings implements Service.
func (c *Client) Recordings() Recordings { return recordingsClient{c} }

// recordingsClient implements Recordings with a daemon.
type recordingsClient struct{ c *Client }

func recordingPath(project string) string {
	return "/projects/" + url.PathEscape(project) + "/recording"
}

// Start implements Recordings.
func (r recordingsClient) Start(ctx context.Context, project string, req StartRecording) error {
	return r.c.call(ctx, http.MethodPost, recordingPath(project), nil, req, nil)
}

// Stop implements Recordings.
func (r recordingsClient) Stop(ctx context.Context, project string) error {
	return r.c.call(ctx, http.MethodDelete, recordingPath(project), nil, nil, nil)
}

// List implements Recordings.
func (r recordingsClient) List(ctx context.Context, project string) (list []Recording, err error) {
	return list, r.c.call(ctx, http.MethodGet, "/recordings", projectQuery(project), nil, &list)
}

// Read implements Recordings.
func (r recordingsClient) Read(ctx context.Context, name string) ([]byte, error) {
	req, err := r.c.request(ctx, http.MethodGet, "/recordings/"+url.PathEscape(name), nil, nil)
	if err != nil {
		return nil, err
	}
	resp, err := r.c.do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

// Delete implements Recordings.
func (r recordingsClient) Delete(ctx context.Context, name string) error {
	return r.c.call(ctx, http.MethodDelete, "/recordings/"+url.PathEscape(name), nil, nil, nil)
}
