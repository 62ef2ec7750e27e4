// Package web serves the API of mcpd under /api/v1, with the wire types of package api. Each
// route is a row of a table with the rule about who may call it; a route without a rule
// cannot be written.
package web

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/access"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/cache"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/devicelogin"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/feed"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/keyring"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/oidc"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/secret"
)

// Server answers the API. Its fields are set before the first request.
type Server struct {
	DB      *database.DB
	Store   *store.Store
	Access  *access.Access
	Feed    *feed.Hub
	Audit   *audit.Log
	Cache   *cache.Cache
	Log     *slog.Logger
	Version string // of the program
	// Logins are those by an OpenID Connect issuer. nil: there is none.
	Logins *devicelogin.Logins

	// Keys seal the audit log.
	Keys *keyring.Ring
	// AuditKey is the key of the hashes of arguments in the audit log.
	AuditKey []byte
	// Secrets returns the values of ${VAR} in the specs of Servers.
	Secrets secret.Lookup
	// SessionKey authenticates the session ids of Servers that callers get.
	SessionKey []byte
	// Closing ends when the process stops: streams end then.
	Closing context.Context

	watchers atomic.Int64 // open streams of changes
	events   eventCache
	indexes  indexCache
	claims   claims
	targets  targetCache
	calls    budget // open requests to servers
	bodies   budget // bytes of bodies

	snapshots     budget // that are read or sent
	snapshotBytes budget
	reads         readSlots
	streams       budget // of changes
}

// Rule is who may call a route.
type Rule string

// The Rules.
const (
	Public  Rule = "public"  // everyone, without a token
	Signed  Rule = "signed"  // everyone with a token; it concerns only the caller
	Objects Rule = "objects" // everyone with a token; each object is authorised by itself
	Admin   Rule = "admin"   // administrators
)

// Route is one row of the table of routes.
type Route struct {
	Method  string
	Path    string // pattern of http.ServeMux
	Rule    Rule
	Summary string
	In, Out any // zero values of the bodies; nil for none
	Query   []string

	limit int64 // bytes of a request; 0: maxBody

	// answer returns the body of the answer. It is nil if the route writes the answer itself.
	answer func(*call) (any, error)
	serve  func(*call)
}

// call is one request.
type call struct {
	*Server
	w      http.ResponseWriter
	r      *http.Request
	caller access.Caller

	recorded bool // the audit log has the reason of a refusal
}

func (c *call) ctx() context.Context    { return c.r.Context() }
func (c *call) query(key string) string { return c.r.URL.Query().Get(key) }

// admit authenticates the caller and applies a rule.
func (c *call) admit(rule Rule) error {
	if rule == Public {
		return nil
	}
	scheme, text, _ := strings.Cut(c.r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return access.ErrToken
	}
	var err error
	if c.caller, err = c.Access.Authenticate(c.ctx(), text); err != nil {
		return err
	}
	if rule == Admin && !c.Access.IsAdmin(c.caller) {
		return problem.New(abi.ErrDenied, "%s is not an administrator", c.caller.Actor())
	}
	return nil
}

// refuse answers a failed request. Denied requests are recorded.
func (c *call) refuse(err error) {
	if !c.recorded && errors.Is(err, abi.ErrDenied) && !errors.Is(err, access.ErrToken) && !errors.Is(err, access.ErrLogin) { // login records its own
		e := audit.Entry{Time: time.Now(), Actor: c.actor(), Action: c.r.Method + " " + c.r.URL.Path, Decision: audit.Denied, Result: problem.From(err).Message}
		addObject(&e, c.r)
		c.Audit.Record(e)
	}
	c.fail(c.w, c.r, err)
}

// addObject adds the object that the path of a request names, if it names one.
func addObject(e *audit.Entry, r *http.Request) {
	collection, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/api/v1/"), "/")
	for _, k := range storedKinds() {
		name, err := object.ParseName(r.PathValue("name"))
		if strings.ToLower(string(k))+"s" != collection || err != nil {
			continue
		}
		e.Kind, e.Name = string(k), string(name)
		if project, err := object.ParseName(r.URL.Query().Get("project")); err == nil {
			e.Project = string(project)
		}
	}
}

// recordAbout adds what the caller did with an object to the audit log.
func (c *call) recordAbout(key object.Key, e audit.Entry) {
	e.Time, e.Actor, e.Kind, e.Project, e.Name = time.Now(), c.actor(), string(key.Kind), string(key.Project), string(key.Name)
	c.Audit.Record(e)
}

// actor returns the caller for the audit log.
func (c *call) actor() string {
	if c.caller.Name == "" {
		return "unknown"
	}
	return c.caller.Actor()
}

// fail answers a failed request. Errors of the program itself, and texts of the database, are
// for the log only.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	p := problem.From(err)
	if f, ok := errors.AsType[*database.Fault](err); ok {
		p = problem.New(f.Kind, "%s", f.Message)
		s.Log.Error("the database has failed", "method", r.Method, "path", clip(r.URL.Path), "cause", err)
	} else if p.HTTPStatus() == http.StatusInternalServerError && r.Context().Err() == nil {
		s.Log.Error("a request has failed", "method", r.Method, "path", clip(r.URL.Path), "cause", err)
		p = &problem.Problem{Code: p.Code, Message: "mcpd could not answer the request; its log has the reason"}
	}
	status := p.HTTPStatus()
	wait, hasToWait := errors.AsType[*access.WaitError](err)
	switch {
	case errors.Is(err, access.ErrToken):
		status = http.StatusUnauthorized
		w.Header().Set("WWW-Authenticate", `Bearer realm="mcpd"`)
	case errors.Is(err, store.ErrCompacted), errors.Is(err, oidc.ErrExpired):
		status = http.StatusGone
	case errors.Is(err, errPrecondition):
		status = http.StatusPreconditionFailed
	case hasToWait:
		status = http.StatusTooManyRequests
		w.Header().Set("Retry-After", strconv.Itoa(int((wait.After+time.Second-1)/time.Second)))
	case status == http.StatusRequestEntityTooLarge && isFull(err):
		status = http.StatusInsufficientStorage
	}
	api.WriteProblem(w, status, p)
}

// isFull reports whether the disk of the database is full.
func isFull(err error) bool {
	f, ok := errors.AsType[*database.Fault](err)
	return ok && errors.Is(f.Kind, abi.ErrLimit)
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(newTimedWriter(w)).Encode(v) // an error means that the client has disconnected
}

// decode reads a JSON body.
func (c *call) decode(into any) error {
	if ct, _, _ := strings.Cut(c.r.Header.Get("Content-Type"), ";"); strings.TrimSpace(ct) != "application/json" {
		return problem.Usagef("content type %q, want application/json", ct)
	}
	d := json.NewDecoder(c.r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return problem.New(abi.ErrLimit, "the request is over %d KiB", tooLarge.Limit>>10)
		}
		return problem.Usagef("the request is not valid JSON: %v", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return problem.Usagef("the request contains more than one JSON value")
	}
	return nil
}

// canView reports whether the caller may see an object.
func (c *call) canView(key object.Key) bool { return c.Access.CanView(c.caller, key) }

// errPrecondition is the error of a request whose If-Match differs.
var errPrecondition = errors.New("precondition failed")

// clip shortens a name that a client sent.
func clip(s string) string {
	const most = 100
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return strings.ToValidUTF8(s, "?")
}
