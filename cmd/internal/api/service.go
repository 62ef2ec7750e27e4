// Package api is management as the programs speak it: one Service, its REST
// form under /api/v1 (Handler, in the daemon) and the Client of that form (in
// the CLI). The daemon's Service and the CLI's own, for when no daemon runs, are
// the same code in cmd/internal/manage.
package api

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// Service is all that management can do.
//
// Errors: of the kinds of package abi; over REST they arrive as
// *problem.Problem of the same kind.
type Service interface {
	Prompts
	Originals
	ServerControl
	Probes

	Status(ctx context.Context) (Status, error)

	// Objects lists the objects of a kind ("server", "project", ...); all
	// projects' prompts if project is empty.
	Objects(ctx context.Context, kind, project string) ([]Object, error)
	Object(ctx context.Context, kind, project, name string) (Object, error)
	// Apply writes YAML documents as objects and returns once they are in force.
	//
	// Errors: abi.ErrConflict if a file is not ApplyRequest.Base any more.
	Apply(ctx context.Context, req ApplyRequest) ([]Applied, error)
	// Delete removes an object or a local stage.
	//
	// Errors: abi.ErrConflict, which names the users, for a proxymodel or stage whose
	// users would lose it, unless force is set.
	Delete(ctx context.Context, kind, project, name string, force bool) error

	Stages(ctx context.Context) ([]Stage, error)
	// LLMProviders lists the configured providers, in the order of config.yaml.
	LLMProviders(ctx context.Context) ([]LLMProvider, error)
	// ResolveLLM says which providers answer the requests of a project.
	//
	// Errors: abi.ErrNotFound for an unknown project; abi.ErrUnavailable if it names
	// a provider that does not exist.
	ResolveLLM(ctx context.Context, project string) (LLMResolution, error)
	CacheStats(ctx context.Context) (CacheStats, error)
	CacheEntries(ctx context.Context, project string) ([]CacheEntry, error)
	// CacheClear drops the cached values of a project, or all if it is empty.
	// Originals stay. It returns how many values went.
	CacheClear(ctx context.Context, project string) (int, error)

	// Events returns the events that the daemon still keeps, oldest first; of all
	// projects if project is empty.
	//
	// Errors: abi.ErrUnavailable without a daemon: nobody else keeps any.
	Events(ctx context.Context, project string) ([]Event, error)

	// Reload reads everything on disk anew and returns once it is in force.
	Reload(ctx context.Context) error
}

// Object is a Server, Project, ProxyModel, Prompt or PromptRequest as it is
// listed. Secrets are references in it, never values.
type Object struct {
	Kind     string          `json:"kind"`
	Name     string          `json:"name"`
	Project  string          `json:"project,omitempty"` // of prompts and prompt requests
	Source   string          `json:"source"`            // built-in or local
	File     string          `json:"file,omitempty"`
	Revision string          `json:"revision,omitempty"` // of the file
	Manifest json.RawMessage `json:"manifest"`           // kind, metadata, spec
	Problem  string          `json:"problem,omitempty"`  // all Problems as one line
	Problems []string        `json:"problems,omitempty"` // each mistake with its place
	Details  json.RawMessage `json:"details,omitempty"`  // what describe adds: state, effective config, users

	FileError string `json:"fileError,omitempty"` // why the file is invalid; the Manifest is then of its last valid version
}

// ApplyRequest is a set of YAML documents from one file.
type ApplyRequest struct {
	File   string `json:"file"` // for positions in errors
	YAML   string `json:"yaml"`
	DryRun bool   `json:"dryRun,omitempty"`
	Base   string `json:"base,omitempty"` // Object.Revision that the text was edited from; "" writes over any
}

// Applied says what became of one document: created, configured or unchanged.
type Applied struct {
	Kind    string   `json:"kind"`
	Name    string   `json:"name"`
	Project string   `json:"project,omitempty"`
	Action  string   `json:"action"`
	Warning []string `json:"warnings,omitempty"` // accepted; each is one line
	Invalid string   `json:"invalid,omitempty"`  // written, but it does not serve: what serves instead
}

// Status is the health of the daemon and of what it runs.
type Status struct {
	Running   bool            `json:"running"`
	Version   string          `json:"version"`
	PID       int             `json:"pid,omitempty"`
	Home      string          `json:"home"`
	Listening string          `json:"listening,omitempty"`
	Socket    string          `json:"socket,omitempty"`
	Started   time.Time       `json:"started,omitzero"`
	Sessions  int             `json:"sessions"`
	Proposals int             `json:"proposals"`   // of models, that wait for approval
	Saved     int64           `json:"savedTokens"` // est., since the daemon started; drill-downs netted off
	Mcpd      string          `json:"mcpd"`
	Servers   []ServerStatus  `json:"servers"`
	Projects  []ProjectStatus `json:"projects"`
	LLM       []LLMProvider   `json:"llmProviders,omitempty"`
	Problems  []string        `json:"problems,omitempty"` // what is not as it should be, each one line with its place
	Warnings  []string        `json:"warnings,omitempty"` // what is accepted and should be written otherwise
}

// ServerStatus is the state of one Upstream over all sessions.
type ServerStatus struct {
	Name        string   `json:"name"`
	State       string   `json:"state"`               // idle, starting, ready, failed
	Error       string   `json:"error,omitempty"`     // why it failed, or its tools could not be listed when last asked
	LastError   string   `json:"lastError,omitempty"` // why it was started again last, while it is ready
	Connections int      `json:"connections"`
	Tools       int      `json:"tools"`
	Restarts    int      `json:"restarts"`
	Dropped     int64    `json:"dropped"`               // frames that were no answer to anything
	LastDropped string   `json:"lastDropped,omitempty"` // size and error of the last one that was no message: mostly a line that belongs on stderr
	Stderr      string   `json:"stderr,omitempty"`
	ErrorLine   string   `json:"errorLine,omitempty"` // the line of Stderr that explains Error best
	Notes       []string `json:"notes,omitempty"`     // what is wrong with its lists, such as a list that was not read to its end
}

// ProjectStatus is what status says about one Project.
type ProjectStatus struct {
	Name       string   `json:"name"`
	ProxyModel string   `json:"proxyModel"`
	Servers    []string `json:"servers"`
	Endpoint   string   `json:"endpoint,omitempty"`
}

// Stage is one role as `get stages` lists it.
type Stage struct {
	Name        string          `json:"name"`
	Kind        abi.RoleKind    `json:"kind"`
	Source      string          `json:"source"` // built-in or local
	Status      string          `json:"status"` // ready, compiling, untrusted, failed: why
	RequiresLLM string          `json:"requiresLLM"`
	ABI         string          `json:"abi,omitempty"`
	Language    string          `json:"language,omitempty"`
	Hash        string          `json:"hash,omitempty"`
	File        string          `json:"file,omitempty"`
	Plugin      *PluginFolder   `json:"plugin,omitempty"` // unknown for built-in modules and those copied in by hand
	Module      json.RawMessage `json:"module,omitempty"` // manifest, imports, size
	Role        *abi.Role       `json:"role,omitempty"`
	LastError   *StageError     `json:"lastError,omitempty"` // in live traffic; none if no run failed since the module was loaded
}

// StageError is how a stage failed last.
type StageError struct {
	Cause string    `json:"cause"`
	Count int       `json:"count"` // since it last ran well; 0 if it has since
	Time  time.Time `json:"time"`
	Now   bool      `json:"now"` // the last run failed
}

// PluginFolder leads from a local module to the folder it was built in: manifest,
// sources, tests.
type PluginFolder struct {
	Folder    string    `json:"folder,omitempty"`
	Installed time.Time `json:"installed,omitzero"`
	Problem   string    `json:"problem,omitempty"` // why the folder is not that of this module any more
}

// Event is one record of traffic as the daemon keeps it: the fields that a table
// shows, and all of it.
type Event struct {
	ID      uint64    `json:"id"`
	Type    string    `json:"type"`
	Time    time.Time `json:"time"`
	Project string    `json:"project,omitempty"`
	Source  string    `json:"source,omitempty"` // server/tool, prompt name or URI
	Method  string    `json:"method,omitempty"`
	In      int       `json:"inTokens,omitempty"`  // est., as the server sent it
	Out     int       `json:"outTokens,omitempty"` // est., as the client got it
	Micros  int64     `json:"micros,omitempty"`
	IsError bool      `json:"isError,omitempty"`
	Error   string    `json:"error,omitempty"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON keeps the whole record beside the fields.
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

// hiddenCause is what went wrong in a stage or a controller though the client was
// told nothing, or why a stage went out of service.
func hiddenCause(b []byte) string {
	var e struct {
		Runs []struct {
			Stages []struct{ Outcome, Error string }
		}
		Hooks  []struct{ Outcome, Error string }
		Type   string
		Change struct{ Reason string }
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
	if e.Type == "stage_failed" || e.Type == "stage_reloaded" {
		return e.Change.Reason
	}
	return ""
}

// MarshalJSON prints the whole record.
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
