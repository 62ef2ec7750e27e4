package api

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// EventQuery selects events.
//
// The default view, and every other query without type:, contain no content_original and
// no content_transformed events, because they repeat parts of the events of their
// requests. The query type:* selects all events.
type EventQuery struct {
	Project string // empty for all projects
	Query   string // in the query language, see docs/query.md; empty for the default view
	After   uint64 // id: only later events
	Limit   int    // the newest ones; 0 for all
}

// Studio is the part of Service with which a person, the page or a second model sees the
// texts that clients received, and steers sessions. All methods need a daemon; without one
// they return abi.ErrUnavailable.
type Studio interface {
	// Body returns the texts of an event: the originals, or the texts that the client
	// received.
	//
	// Errors: abi.ErrNotFound if the event or a text is no longer stored.
	Body(ctx context.Context, event uint64, kind BodyKind) (Body, error)
	// Coverage returns the sections of an event's originals, and the ones that the client
	// has read until now.
	Coverage(ctx context.Context, event uint64) (Coverage, error)
	// Replay runs the originals of an event through the stages of its project as they are
	// now. It does not change what the client received.
	Replay(ctx context.Context, event uint64) (Replay, error)

	// Sessions lists the sessions that are open, and those whose events are still stored.
	Sessions(ctx context.Context, project string) ([]Session, error)

	// HoldRule returns the rule that holds the answers of a project.
	HoldRule(ctx context.Context, project string) (HoldRule, error)
	// SetHoldRule replaces the rule. Held answers stay held until they are released.
	//
	// Errors: abi.ErrConfig for a query that is not valid.
	SetHoldRule(ctx context.Context, project string, rule HoldRule) (HoldRule, error)
	// Holds lists the held answers without their texts, oldest first.
	Holds(ctx context.Context, project string) ([]Hold, error)
	// Hold returns a held answer with its texts.
	//
	// Errors: abi.ErrNotFound if it has been released.
	Hold(ctx context.Context, id uint64) (Hold, error)
	// Release ends a hold. An edit stores a Correction.
	//
	// Errors: abi.ErrNotFound if it was already released.
	Release(ctx context.Context, id uint64, r Release) error
	// ReleaseAll releases all held answers of a project and returns their number.
	ReleaseAll(ctx context.Context, project string) (int, error)

	// Corrections lists the edits of held answers, oldest first; session may be empty.
	Corrections(ctx context.Context, project, session string) ([]Correction, error)
	// Correction returns one edit.
	//
	// Errors: abi.ErrNotFound.
	Correction(ctx context.Context, id string) (Correction, error)
}

// BodyKind selects the texts of an event.
type BodyKind string

// The kinds of bodies.
const (
	BodyOriginal BodyKind = "original" // from the server, after the filters
	BodyShown    BodyKind = "shown"    // received by the client
)

// Body is the texts of an event.
type Body struct {
	Event uint64     `json:"event"`
	Kind  BodyKind   `json:"kind"`
	Parts []BodyPart `json:"parts"`
}

// BodyPart is one text of a result: a text block, structuredContent or the text of a
// resource.
type BodyPart struct {
	Ref         string          `json:"ref,omitempty"`
	ContentType abi.ContentType `json:"contentType,omitempty"`
	Source      string          `json:"source,omitempty"`
	MIME        string          `json:"mime,omitempty"`
	Text        string          `json:"text"`
}

// Coverage describes how much of an event's originals the model has read.
type Coverage struct {
	Event uint64         `json:"event"`
	Parts []CoveragePart `json:"parts"`
}

// CoveragePart is one original. Sections is empty if it has no sections.
type CoveragePart struct {
	Ref      string            `json:"ref"`
	Bytes    int               `json:"bytes"`
	Whole    bool              `json:"whole"` // the client received the original itself
	Read     [][2]int          `json:"read"`  // the byte ranges that were read, sorted and disjoint
	Sections []CoverageSection `json:"sections,omitempty"`
}

// CoverageSection is a section of an original, of which Start to End are bytes.
type CoverageSection struct {
	ID       string            `json:"id"` // path for read_section
	Title    string            `json:"title,omitempty"`
	Start    int               `json:"start"`
	End      int               `json:"end"`
	Read     bool              `json:"read"` // all of it was read
	Children []CoverageSection `json:"children,omitempty"`
}

// Replay is the result of a run of an event's originals through the present stages.
type Replay struct {
	Event uint64       `json:"event"`
	Model string       `json:"model"`
	Parts []ReplayPart `json:"parts"`
}

// ReplayPart is the outcome for one original.
type ReplayPart struct {
	Text    string        `json:"text"` // that a client would receive now
	Same    bool          `json:"same"` // equal to the text that the client received
	IsError bool          `json:"isError,omitempty"`
	Tokens  int           `json:"tokens"` // est., of Text
	Stages  []ReplayStage `json:"stages"`
}

// ReplayStage is one stage of a replay, in order.
type ReplayStage struct {
	Role    string            `json:"role"`
	Outcome string            `json:"outcome"` // done, pass, cached, failed, blocked
	Error   string            `json:"error,omitempty"`
	Module  string            `json:"moduleHash,omitempty"`
	Micros  int64             `json:"micros"`
	Text    string            `json:"text"` // its output; the input of the next stage
	Meta    map[string]string `json:"meta,omitempty"`
	Log     []string          `json:"log,omitempty"`
}

// Session is a client's connection to a project.
type Session struct {
	ID      string    `json:"id"` // as in events
	Project string    `json:"project"`
	Client  string    `json:"client,omitempty"`
	Model   string    `json:"model"` // proxymodel of the project now; of a session that has ended, the last one that it used
	Open    bool      `json:"open"`
	Opened  time.Time `json:"opened,omitzero"`
	Last    time.Time `json:"last,omitzero"` // of the last event
	Events  int       `json:"events"`        // that are stored
	Held    int       `json:"held"`          // answers that are held now

	AllTools bool `json:"allTools,omitempty"` // open, and its client gets all tools at once because it ignores list_changed
}

// HoldRule selects the answers of a project that are held. The zero value holds none.
type HoldRule struct {
	All     bool   `json:"all,omitempty"`
	Query   string `json:"query,omitempty"`   // in the query language; the rule holds what it selects
	Pending int    `json:"pending,omitempty"` // held answers; set by the daemon
	Passed  int    `json:"passed,omitempty"`  // answers that were not held because the limit was reached; set by the daemon
}

// Hold is an answer that is held.
type Hold struct {
	ID        uint64          `json:"id"`
	Request   uint64          `json:"request"` // as in events
	Project   string          `json:"project"`
	Session   string          `json:"session"`
	Client    string          `json:"client,omitempty"`
	Method    string          `json:"method"`
	Source    string          `json:"source,omitempty"`
	Model     string          `json:"model,omitempty"`
	Since     time.Time       `json:"since"`
	Deadline  time.Time       `json:"deadline"` // when it is released unchanged
	InTokens  int             `json:"inTokens,omitempty"`
	OutTokens int             `json:"outTokens,omitempty"`
	IsError   bool            `json:"isError,omitempty"`
	Type      abi.ContentType `json:"contentType,omitempty"`
	Original  []string        `json:"original,omitempty"` // the texts of the server; only of Hold
	Shown     []string        `json:"shown,omitempty"`    // the texts for the client; only of Hold
}

// Release ends a hold.
type Release struct {
	Action string   `json:"action"`          // release, drop or edit
	Texts  []string `json:"texts,omitempty"` // of edit: all texts of Hold.Shown, edited
}

// Correction is an edit of a held answer.
type Correction struct {
	ID          string          `json:"id"`
	EventType   string          `json:"eventType"` // content_edited
	Project     string          `json:"project"`
	SessionID   string          `json:"sessionId"`
	ContentType abi.ContentType `json:"contentType"`
	SourceName  string          `json:"sourceName"`
	Original    string          `json:"original"`
	Transformed string          `json:"transformed"`
	Edited      string          `json:"edited"`
	ActiveModel string          `json:"activeModel"`
	Stages      []UsedStage     `json:"activeStages"`
	Timestamp   time.Time       `json:"timestamp"`
	Hint        string          `json:"hint,omitempty"`
}

// UsedStage is a stage that took part in a result.
type UsedStage struct {
	Role       string `json:"role"`
	ModuleHash string `json:"moduleHash"`
	Outcome    string `json:"outcome"`
	Changed    bool   `json:"changed"` // its output differs from its input
}

// studioHandler serves the methods of Studio.
type studioHandler struct{ s Service }

func (h studioHandler) addRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/v1/events/{id}/{view}", h.eventView)
	mux.HandleFunc("POST /api/v1/events/{id}/replay", h.replay)
	mux.HandleFunc("GET /api/v1/sessions", h.sessions)
	mux.HandleFunc("GET /api/v1/projects/{name}/hold", h.holdRule)
	mux.HandleFunc("PUT /api/v1/projects/{name}/hold", h.setHoldRule)
	mux.HandleFunc("GET /api/v1/holds", h.holds)
	mux.HandleFunc("DELETE /api/v1/holds", h.releaseAll)
	mux.HandleFunc("GET /api/v1/holds/{id}", h.hold)
	mux.HandleFunc("POST /api/v1/holds/{id}", h.release)
	mux.HandleFunc("GET /api/v1/corrections", h.corrections)
	mux.HandleFunc("GET /api/v1/corrections/{id}", h.correction)
}

func (h studioHandler) eventView(w http.ResponseWriter, r *http.Request) {
	id, err := idOf(r)
	if err != nil {
		writeAnswer(w, nil, err)
		return
	}
	var v any
	switch view := r.PathValue("view"); view {
	case string(BodyOriginal), string(BodyShown):
		v, err = h.s.Studio().Body(r.Context(), id, BodyKind(view))
	case "sections":
		v, err = h.s.Studio().Coverage(r.Context(), id)
	default:
		err = problem.New(abi.ErrNotFound, "no management call %s %s", r.Method, r.URL.Path)
	}
	writeAnswer(w, v, err)
}

func (h studioHandler) replay(w http.ResponseWriter, r *http.Request) {
	id, err := idOf(r)
	if err == nil {
		err = requireJSON(r)
	}
	var v Replay
	if err == nil {
		v, err = h.s.Studio().Replay(r.Context(), id)
	}
	writeAnswer(w, v, err)
}

func (h studioHandler) sessions(w http.ResponseWriter, r *http.Request) {
	v, err := h.s.Studio().Sessions(r.Context(), r.URL.Query().Get("project"))
	writeAnswer(w, v, err)
}

func (h studioHandler) holdRule(w http.ResponseWriter, r *http.Request) {
	v, err := h.s.Studio().HoldRule(r.Context(), r.PathValue("name"))
	writeAnswer(w, v, err)
}

func (h studioHandler) setHoldRule(w http.ResponseWriter, r *http.Request) {
	var rule HoldRule
	err := decode(w, r, &rule)
	if err == nil {
		rule, err = h.s.Studio().SetHoldRule(r.Context(), r.PathValue("name"), rule)
	}
	writeAnswer(w, rule, err)
}

func (h studioHandler) holds(w http.ResponseWriter, r *http.Request) {
	v, err := h.s.Studio().Holds(r.Context(), r.URL.Query().Get("project"))
	writeAnswer(w, v, err)
}

func (h studioHandler) releaseAll(w http.ResponseWriter, r *http.Request) {
	n, err := h.s.Studio().ReleaseAll(r.Context(), r.URL.Query().Get("project"))
	writeAnswer(w, released{n}, err)
}

type released struct {
	Released int `json:"released"`
}

func (h studioHandler) hold(w http.ResponseWriter, r *http.Request) {
	id, err := idOf(r)
	var v Hold
	if err == nil {
		v, err = h.s.Studio().Hold(r.Context(), id)
	}
	writeAnswer(w, v, err)
}

func (h studioHandler) release(w http.ResponseWriter, r *http.Request) {
	var req Release
	id, err := idOf(r)
	if err == nil {
		err = decodeLimit(w, r, &req, maxEdit)
	}
	if err == nil {
		err = h.s.Studio().Release(r.Context(), id, req)
	}
	writeAnswer(w, struct{}{}, err)
}

func (h studioHandler) corrections(w http.ResponseWriter, r *http.Request) {
	v, err := h.s.Studio().Corrections(r.Context(), r.URL.Query().Get("project"), r.URL.Query().Get("session"))
	writeAnswer(w, v, err)
}

func (h studioHandler) correction(w http.ResponseWriter, r *http.Request) {
	v, err := h.s.Studio().Correction(r.Context(), r.PathValue("id"))
	writeAnswer(w, v, err)
}

// idOf returns the number in the path of a request.
func idOf(r *http.Request) (uint64, error) {
	id, err := strconv.ParseUint(r.PathValue("id"), 10, 64)
	if err != nil {
		return 0, problem.Usagef("id %q is not a number", r.PathValue("id"))
	}
	return id, nil
}

// eventQueryOf returns the query of a request.
func eventQueryOf(r *http.Request) (q EventQuery, err error) {
	v := r.URL.Query()
	q = EventQuery{Project: v.Get("project"), Query: v.Get("l")}
	if s := v.Get("after"); s != "" {
		if q.After, err = strconv.ParseUint(s, 10, 64); err != nil {
			return q, problem.Usagef("after %q is not an event id", s)
		}
	}
	if s := v.Get("limit"); s != "" {
		if q.Limit, err = strconv.Atoi(s); err != nil || q.Limit < 0 {
			return q, problem.Usagef("limit %q is not a number of events", s)
		}
	}
	return q, nil
}

func (q EventQuery) values() url.Values {
	v := url.Values{}
	if q.Project != "" {
		v.Set("project", q.Project)
	}
	if q.Query != "" {
		v.Set("l", q.Query)
	}
	if q.After > 0 {
		v.Set("after", strconv.FormatUint(q.After, 10))
	}
	if q.Limit > 0 {
		v.Set("limit", strconv.Itoa(q.Limit))
	}
	return v
}

func eventPath(id uint64, view string) string {
	return "/events/" + strconv.FormatUint(id, 10) + "/" + view
}

func holdPath(id uint64) string { return "/holds/" + strconv.FormatUint(id, 10) }

func holdRulePath(project string) string { return "/projects/" + url.PathEscape(project) + "/hold" }

// studioClient is the Studio of a running daemon.
type studioClient struct{ *Client }

// Studio implements Service.
func (c *Client) Studio() Studio { return studioClient{c} }

// Body implements Studio.
func (c studioClient) Body(ctx context.Context, event uint64, kind BodyKind) (b Body, err error) {
	return b, c.call(ctx, http.MethodGet, eventPath(event, string(kind)), nil, nil, &b)
}

// Coverage implements Studio.
func (c studioClient) Coverage(ctx context.Context, event uint64) (v Coverage, err error) {
	return v, c.call(ctx, http.MethodGet, eventPath(event, "sections"), nil, nil, &v)
}

// Replay implements Studio.
func (c studioClient) Replay(ctx context.Context, event uint64) (r Replay, err error) {
	return r, c.call(ctx, http.MethodPost, eventPath(event, "replay"), nil, struct{}{}, &r)
}

// Sessions implements Studio.
func (c studioClient) Sessions(ctx context.Context, project string) (s []Session, err error) {
	return s, c.call(ctx, http.MethodGet, "/sessions", projectQuery(project), nil, &s)
}

// HoldRule implements Studio.
func (c studioClient) HoldRule(ctx context.Context, project string) (r HoldRule, err error) {
	return r, c.call(ctx, http.MethodGet, holdRulePath(project), nil, nil, &r)
}

// SetHoldRule implements Studio.
func (c studioClient) SetHoldRule(ctx context.Context, project string, rule HoldRule) (r HoldRule, err error) {
	return r, c.call(ctx, http.MethodPut, holdRulePath(project), nil, rule, &r)
}

// Holds implements Studio.
func (c studioClient) Holds(ctx context.Context, project string) (h []Hold, err error) {
	return h, c.call(ctx, http.MethodGet, "/holds", projectQuery(project), nil, &h)
}

// Hold implements Studio.
func (c studioClient) Hold(ctx context.Context, id uint64) (h Hold, err error) {
	return h, c.call(ctx, http.MethodGet, holdPath(id), nil, nil, &h)
}

// Release implements Studio.
func (c studioClient) Release(ctx context.Context, id uint64, r Release) error {
	return c.call(ctx, http.MethodPost, holdPath(id), nil, r, nil)
}

// ReleaseAll implements Studio.
func (c studioClient) ReleaseAll(ctx context.Context, project string) (int, error) {
	var n released
	err := c.call(ctx, http.MethodDelete, "/holds", projectQuery(project), nil, &n)
	return n.Released, err
}

// Corrections implements Studio.
func (c studioClient) Corrections(ctx context.Context, project, session string) (list []Correction, err error) {
	q := url.Values{}
	if project != "" {
		q.Set("project", project)
	}
	if session != "" {
		q.Set("session", session)
	}
	return list, c.call(ctx, http.MethodGet, "/corrections", q, nil, &list)
}

// Correction implements Studio.
func (c studioClient) Correction(ctx context.Context, id string) (v Correction, err error) {
	return v, c.call(ctx, http.MethodGet, "/corrections/"+url.PathEscape(id), nil, nil, &v)
}
