// Package api defines the management API: the interface Service, its REST server under
// /api/v1 (Handler, in the daemon) and its Client (in the CLI). Package manage implements
// Service for the daemon, and for the CLI if no daemon runs.
package api

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// Service is the management API.
//
// Errors are of the kinds of package abi. Client returns them as *problem.Problem of the
// same kind.
type Service interface {
	Prompts
	Originals
	ServerControl
	Probes
	ClientTools

	// Studio returns the operations with which a person sees and steers traffic.
	Studio() Studio
	// Recordings returns the operations on recorded sessions.
	Recordings() Recordings
	// Team returns the operations on the login to the team server.
	Team() Team

	Status(ctx context.Context) (Status, error)

	// Objects lists the objects of a kind ("server", "project", ...). If project is empty,
	// it lists the prompts of all projects.
	Objects(ctx context.Context, kind, project string) ([]Object, error)
	Object(ctx context.Context, kind, project, name string) (Object, error)
	// Apply writes YAML documents as objects and returns once they are effective.
	//
	// Errors: abi.ErrConflict if a file has changed since ApplyRequest.Base.
	Apply(ctx context.Context, req ApplyRequest) ([]Applied, error)
	// Delete removes an object or a local stage.
	//
	// Errors: abi.ErrConflict with the users of a proxymodel or stage that is in use, unless
	// force is set.
	Delete(ctx context.Context, kind, project, name string, force bool) error

	Stages(ctx context.Context) ([]Stage, error)
	// LLMProviders lists the configured providers, in the order of config.yaml.
	LLMProviders(ctx context.Context) ([]LLMProvider, error)
	// ResolveLLM returns the providers that answer the LLM requests of a project.
	//
	// Errors: abi.ErrNotFound for an unknown project; abi.ErrUnavailable if its provider
	// does not exist.
	ResolveLLM(ctx context.Context, project string) (LLMResolution, error)
	CacheStats(ctx context.Context) (CacheStats, error)
	CacheEntries(ctx context.Context, project string) ([]CacheEntry, error)
	// CacheClear removes the cached values of a project, or of all projects if project is
	// empty, and returns their number. Originals are kept.
	CacheClear(ctx context.Context, project string) (int, error)

	// Events returns the stored events that q selects, oldest first.
	//
	// Errors: abi.ErrUnavailable without a daemon, because only the daemon stores events;
	// abi.ErrConfig for a query that is not valid.
	Events(ctx context.Context, q EventQuery) ([]Event, error)

	// Reload reads all files of the home again and returns once they are effective.
	Reload(ctx context.Context) error
}

// Object is a Server, Project, ProxyModel, Prompt or PromptRequest in a listing. It
// contains references to secrets, never their values.
type Object struct {
	Kind     string          `json:"kind"`
	Name     string          `json:"name"`
	Project  string          `json:"project,omitempty"` // of prompts and prompt requests
	Source   string          `json:"source"`            // built-in, local or SourceTeam
	File     string          `json:"file,omitempty"`
	Revision string          `json:"revision,omitempty"` // of the file, or of the object in mcpd
	Manifest json.RawMessage `json:"manifest"`           // kind, metadata, spec
	Problem  string          `json:"problem,omitempty"`  // all Problems as one line
	Problems []string        `json:"problems,omitempty"` // each error with its position
	Details  json.RawMessage `json:"details,omitempty"`  // for describe: state, effective config, users

	FileError string `json:"fileError,omitempty"` // why the file is invalid; Manifest is then its last valid version
}

// ApplyRequest is a set of YAML documents from one file.
type ApplyRequest struct {
	File   string `json:"file"` // for positions in errors
	YAML   string `json:"yaml"`
	DryRun bool   `json:"dryRun,omitempty"`
	Base   string `json:"base,omitempty"` // Object.Revision that was edited; "": metadata.revision of each document, if any; or AnyRevision
	To     string `json:"to,omitempty"`   // ToTeam or ToFiles; "" changes each object where it is, and creates files

	// More are further files that are applied together with the first one, all or none. Only
	// mcpd accepts them.
	More []ApplyFile `json:"more,omitempty"`
	// Prune are projects whose prompts are deleted if no file has them. Only mcpd accepts it.
	Prune []string `json:"prune,omitempty"`
}

// ApplyFile is a file of an ApplyRequest.
type ApplyFile struct {
	File string `json:"file"`
	YAML string `json:"yaml"`
}

// AnyRevision is the ApplyRequest.Base that ignores the revisions of documents.
const AnyRevision = "*"

// Values of ApplyRequest.To.
const (
	ToTeam  = "team"
	ToFiles = "files"
)

// Applied is the result of one document. Action is created, configured or unchanged, and deleted
// for an object that was pruned; commands that delete objects print it too.
type Applied struct {
	Kind    string   `json:"kind"`
	Name    string   `json:"name"`
	Project string   `json:"project,omitempty"`
	Action  string   `json:"action"`
	Warning []string `json:"warnings,omitempty"` // accepted; each is one line
	Invalid string   `json:"invalid,omitempty"`  // written, but not used: what is used instead
}

// Status is the health of the daemon and of its servers, projects and LLM providers.
type Status struct {
	Running   bool            `json:"running"`
	Version   string          `json:"version"`
	PID       int             `json:"pid,omitempty"`
	Home      string          `json:"home"`
	Listening string          `json:"listening,omitempty"`
	Socket    string          `json:"socket,omitempty"`
	Started   time.Time       `json:"started,omitzero"`
	Sessions  int             `json:"sessions"`
	Proposals int             `json:"proposals"`             // prompt requests of models that wait for approval
	Saved     int64           `json:"savedTokens"`           // est., since the daemon started, minus drill-downs
	Mcpd      string          `json:"mcpd"`                  // the team server, the user, and whether it is followed
	Shared    string          `json:"sharedCache,omitempty"` // how the cache of the team is used, and its figures; empty if it is not
	Servers   []ServerStatus  `json:"servers"`
	Projects  []ProjectStatus `json:"projects"`
	LLM       []LLMProvider   `json:"llmProviders,omitempty"`
	Problems  []string        `json:"problems,omitempty"` // one line each, with position
	Warnings  []string        `json:"warnings,omitempty"` // accepted settings that should be changed
}

// ServerStatus is the state of one Upstream over all sessions.
type ServerStatus struct {
	Name        string   `json:"name"`
	State       string   `json:"state"`               // idle, starting, ready, failed
	Error       string   `json:"error,omitempty"`     // why it failed, or why the last tools/list failed
	LastError   string   `json:"lastError,omitempty"` // the reason for the last restart of a ready server
	Connections int      `json:"connections"`
	Tools       int      `json:"tools"`
	Restarts    int      `json:"restarts"`
	Dropped     int64    `json:"dropped"`               // messages that answer no request, or exceed a limit or a queue
	LastDropped string   `json:"lastDropped,omitempty"` // size and error of the last frame that is not a message, usually a log line
	Stderr      string   `json:"stderr,omitempty"`
	ErrorLine   string   `json:"errorLine,omitempty"` // the line of Stderr that best explains Error
	Notes       []string `json:"notes,omitempty"`     // problems of its lists, such as a list that was not read completely
}

// ProjectStatus is the status of one Project.
type ProjectStatus struct {
	Name       string   `json:"name"`
	ProxyModel string   `json:"proxyModel"`
	Servers    []string `json:"servers"`
	Endpoint   string   `json:"endpoint,omitempty"`
}

// Stage is one role in the output of `get stages`.
type Stage struct {
	Name        string          `json:"name"`
	Kind        abi.RoleKind    `json:"kind"`
	Source      string          `json:"source"` // built-in or local
	Status      string          `json:"status"` // ready, compiling, untrusted, "failed: REASON"
	RequiresLLM string          `json:"requiresLLM"`
	ABI         string          `json:"abi,omitempty"`
	Language    string          `json:"language,omitempty"`
	Hash        string          `json:"hash,omitempty"`
	File        string          `json:"file,omitempty"`
	Plugin      *PluginDir      `json:"plugin,omitempty"` // nil for built-in modules and manually copied modules
	Module      json.RawMessage `json:"module,omitempty"` // manifest, imports, size
	Role        *abi.Role       `json:"role,omitempty"`
	LastError   *StageError     `json:"lastError,omitempty"` // in live traffic; nil if no run has failed since the module was loaded
}

// StageError is the last failure of a stage.
type StageError struct {
	Cause string    `json:"cause"`
	Count int       `json:"count"` // consecutive failures; 0 if the last run succeeded
	Time  time.Time `json:"time"`
	Now   bool      `json:"now"` // the last run failed
}

// PluginDir is the plugin directory that a local module was built in.
type PluginDir struct {
	Path      string    `json:"folder,omitempty"`
	Installed time.Time `json:"installed,omitzero"`
	Problem   string    `json:"problem,omitempty"` // why the directory no longer belongs to the module
}

// Event is one stored record of traffic: the fields that commands use, and the whole
// record in Raw.
type Event struct {
	ID       uint64    `json:"id"`
	Type     string    `json:"type"`
	Time     time.Time `json:"time"`
	Request  uint64    `json:"request,omitempty"` // equal for all events of one request
	Project  string    `json:"project,omitempty"`
	Session  string    `json:"session,omitempty"`
	Client   string    `json:"client,omitempty"`
	Server   string    `json:"server,omitempty"`
	Source   string    `json:"source,omitempty"` // server/tool, prompt name or URI
	Method   string    `json:"method,omitempty"`
	Section  string    `json:"section,omitempty"`   // that was read
	InBytes  int       `json:"inBytes,omitempty"`   // sent by the server
	OutBytes int       `json:"outBytes,omitempty"`  // received by the client
	In       int       `json:"inTokens,omitempty"`  // est., sent by the server
	Out      int       `json:"outTokens,omitempty"` // est., received by the client
	Micros   int64     `json:"micros,omitempty"`
	Upstream int64     `json:"upstreamMicros,omitempty"` // part of Micros
	Changed  bool      `json:"changed,omitempty"`
	Refs     []string  `json:"refs,omitempty"`  // of the originals
	Shown    []string  `json:"shown,omitempty"` // of the texts that the client received, if they differ
	Runs     []Run     `json:"runs,omitempty"`
	Hold     *HoldEnd  `json:"hold,omitempty"`
	Change   *Change   `json:"change,omitempty"`
	IsError  bool      `json:"isError,omitempty"`
	Code     int       `json:"code,omitempty"` // of a JSON-RPC error
	Error    string    `json:"error,omitempty"`

	Raw json.RawMessage `json:"-"`
}

// Run is one pass of a part of a result through the stages.
type Run struct {
	Model  string     `json:"model"`
	Type   string     `json:"type,omitempty"` // detected
	Stages []RunStage `json:"stages"`
}

// RunStage is one stage of a Run. Hashes are the first 16 hex digits of a SHA-256.
type RunStage struct {
	Role       string            `json:"role"`
	ModuleHash string            `json:"moduleHash,omitempty"`
	Outcome    string            `json:"outcome"`
	Error      string            `json:"error,omitempty"`
	Micros     int64             `json:"micros"`
	InBytes    int               `json:"inBytes"`
	OutBytes   int               `json:"outBytes"`
	InHash     string            `json:"inHash,omitempty"`
	OutHash    string            `json:"outHash,omitempty"`
	CacheKey   string            `json:"cacheKey,omitempty"`
	Memory     int               `json:"memoryBytes,omitempty"`
	Meta       map[string]string `json:"meta,omitempty"`
}

// HoldEnd describes how long an answer was held, and how that ended: released, edited,
// dropped, expired or cancelled.
type HoldEnd struct {
	ID      uint64 `json:"id"`
	Micros  int64  `json:"micros,omitempty"`
	Outcome string `json:"outcome,omitempty"`
}

// Change is the change of an event that is not about a request.
type Change struct {
	Name   string `json:"name,omitempty"`
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// UnmarshalJSON decodes the fields and stores the whole record in Raw.
func (e *Event) UnmarshalJSON(b []byte) error {
	type fields Event
	if err := json.Unmarshal(b, (*fields)(e)); err != nil {
		return err
	}
	e.Raw = append(json.RawMessage(nil), b...)
	if e.Error == "" {
		e.Error = hiddenCause(b)
	}
	return nil
}

// hiddenCause returns the error of a stage or controller that the client did not get, or
// the reason why a stage was disabled.
func hiddenCause(b []byte) string {
	var e struct {
		Runs []struct {
			Stages []struct{ Outcome, Error string }
		}
		Hooks  []struct{ Outcome, Error string }
		Type   string
		Change struct{ Name, Reason string }
	}
	if json.Unmarshal(b, &e) != nil {
		return ""
	}
	for _, r := range e.Runs {
		for _, st := range r.Stages {
			if st.Error != "" && (st.Outcome == "failed" || st.Outcome == "blocked") {
				return st.Error
			}
		}
	}
	for _, h := range e.Hooks {
		if h.Error != "" && h.Outcome == "failed" {
			return h.Error
		}
	}
	if (e.Type == "stage_failed" || e.Type == "stage_reloaded") && e.Change.Reason != "" {
		return e.Change.Name + ": " + e.Change.Reason
	}
	return ""
}

// MarshalJSON returns the whole record.
func (e Event) MarshalJSON() ([]byte, error) { return e.Raw, nil }

// CacheStats are the figures of the stage cache.
type CacheStats struct {
	Entries    int     `json:"entries"`
	Bytes      int64   `json:"bytes"`
	LimitBytes int64   `json:"limitBytes"`
	Hits       int64   `json:"hits"`
	Misses     int64   `json:"misses"`
	HitRate    float64 `json:"hitRate"`
	Originals  int     `json:"originals"`
	OrigBytes  int64   `json:"originalBytes"`
	Problem    string  `json:"problem,omitempty"` // why the cache is off

	Team TeamCacheStats `json:"team"` // since the daemon started
}

// TeamCacheStats are the figures of the cache that a team shares on mcpd.
type TeamCacheStats struct {
	Hits       int64 `json:"hits"`
	Misses     int64 `json:"misses"`
	Unanswered int64 `json:"unanswered"` // look-ups that mcpd did not answer in time
	Refused    int64 `json:"refused"`    // results that failed a check; also misses
	Pushed     int64 `json:"pushed"`
	Withheld   int64 `json:"withheld"` // own results that may not leave this machine
	Dropped    int64 `json:"dropped"`  // own results that mcpd did not take
}

// CacheEntry is one cached run.
type CacheEntry struct {
	Key     string    `json:"key"`
	Project string    `json:"project"`
	Role    string    `json:"role"`
	Module  string    `json:"module"`
	Bytes   int       `json:"bytes"`
	Used    time.Time `json:"used"`
}
