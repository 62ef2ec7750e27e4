// Package live holds the configuration of an open home: its objects, roles and plan of
// one moment, and how they are reloaded.
//
// A Config is the configuration; its State is immutable and replaced by Reload. The
// package does not watch files and runs no stages.
package live

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/failure"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/llm"
	"github.com/mcpctl/mcpctl/host/llm/llmconfig"
	"github.com/mcpctl/mcpctl/host/proxy"
	"github.com/mcpctl/mcpctl/host/proxymodel"
	"github.com/mcpctl/mcpctl/host/registry"
	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/store"
	"github.com/mcpctl/mcpctl/host/team"
	"github.com/mcpctl/mcpctl/host/transform"
)

// Options of New. Reloaded may be nil.
type Options struct {
	Home         homedir.Dir
	Offline      bool // the files of the home are read, never written
	Log          *slog.Logger
	Store        *store.Store
	Modules      Modules
	BuiltinRoles []abi.Role
	LLM          *llm.Layer
	LLMIdentity  func(project string) string // identifies the LLM of a project in cache keys
	Events       *event.Ring
	Failures     *failure.Log
	Limits       abi.GuestLimits
	Life         context.Context // ends waits for modules
	Team         func() team.Set // the objects of the team server; nil: none
	Load         func()          // starts LoadModules, if it has not been started; never nil
	Changed      func()          // called when the state has changed
	Reloaded     func()          // called after every Reload
}

// Modules are the modules of the home; see registry.Registry.
type Modules interface {
	Rescan(ctx context.Context) error
	WaitForRoles(ctx context.Context, roles []string) error
	Status() []registry.Status
	Lookup(name string) (abi.Role, bool)
}

// Config is the configuration of an open home. It is safe for concurrent use.
type Config struct {
	opts Options

	state        atomic.Pointer[State]
	reloading    sync.Mutex
	validWritten []byte        // last valid proxymodels as written to disk
	settled      atomic.Bool   // all modules have been loaded for the first time
	loaded       chan struct{} // closed when the first state with all modules is set
}

var (
	_ proxy.Projects = (*Config)(nil)
	_ transform.Plan = (*Config)(nil)
)

// New returns a Config without a state. Reload sets the first one.
func New(o Options) *Config { return &Config{opts: o, loaded: make(chan struct{})} }

// State returns the current state, nil before the first Reload.
func (c *Config) State() *State { return c.state.Load() }

// LoadModules waits until all modules have been loaded for the first time, and sets the
// state with them. It returns early if the registry is closed.
func (c *Config) LoadModules(ctx context.Context) {
	if err := c.opts.Modules.Rescan(ctx); err != nil {
		return // closed
	}
	c.settled.Store(true)
	c.Reload()
	close(c.loaded)
}

// Ready calls Options.Load and waits until LoadModules has returned.
//
// Errors: abi.ErrUnavailable once the Host is closed; that of ctx.
func (c *Config) Ready(ctx context.Context) error {
	c.opts.Load()
	select {
	case <-c.loaded:
		return nil
	case <-c.opts.Life.Done():
		return fmt.Errorf("%w: the host is closed", abi.ErrUnavailable)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ReadyFor calls Options.Load and waits until the modules of a project's proxymodels are
// loaded. If a proxymodel is invalid then, it waits like Ready: any module may have the role.
//
// Errors: as Ready.
func (c *Config) ReadyFor(ctx context.Context, project string) error {
	c.opts.Load()
	if s := c.state.Load(); s.Early {
		if err := c.opts.Modules.WaitForRoles(ctx, s.rolesOf(project)); err != nil {
			return err
		}
		if _, _, stages := c.listRoles(); stages != c.state.Load().stages {
			c.Reload() // a moment before the change of the modules causes it
		}
	}
	if s := c.state.Load(); s.Early && !s.isValid(project) {
		return c.Ready(ctx)
	}
	return nil
}

// Reload reads the objects of the home and sets the state that follows from them and
// from the loaded modules.
func (c *Config) Reload() {
	c.reloading.Lock()
	defer c.reloading.Unlock()
	if c.opts.Reloaded != nil {
		defer c.opts.Reloaded()
	}
	files, problems := c.opts.Store.Load()
	snapshot, added := c.addTeam(files)
	problems = append(problems, added.problems...)
	roles, rows, stages := c.listRoles()
	before := c.state.Load()
	early := !c.settled.Load()
	secrets, err := secret.Load(string(c.opts.Home))
	if err != nil {
		problems = append(problems, store.Problem{File: secret.FileName, Err: err})
	}
	problems = append(problems, c.reloadLLM()...)
	c.logProblems(before, problems)
	if before != nil && before.revision() == snapshot.Revision() && before.stages == stages && before.Early == early {
		same := *before // the projects remain the same pointers: nothing changes for sessions
		same.team = added
		same.problems, same.secrets, same.secretsErr, same.rows = problems, secrets.Lookup(os.LookupEnv), err, rows
		c.state.Store(&same)
		c.addStageEvents(before, rows)
		return
	}
	var kept *proxymodel.Kept // nil in an early state
	if !early {
		kept = c.lastValid(before)
	}
	s := &State{Snapshot: snapshot, team: added, problems: problems, Plan: proxymodel.NewPlan(snapshot, roles, kept),
		secrets: secrets.Lookup(os.LookupEnv), secretsErr: err, stages: stages, rows: rows, Epoch: before.nextEpoch(), Early: early}
	s.Projects, s.Chains, s.gated = s.newProjects(), s.newChains(c.ReadyFor, c.opts.Limits), s.gatedProjects()
	s.filters = s.filterSets(rows)
	c.state.Store(s)
	c.opts.Changed()
	c.addStageEvents(before, rows)
	c.addChangeEvents(before, s)
	if !early {
		c.reportBroken(before, s)
		c.writeLastValid(s.Plan.Kept())
	}
	c.opts.Failures.Prune(func(role, module string) bool {
		return slices.ContainsFunc(rows, func(st registry.Status) bool { return st.Name == role && st.Hash == module })
	})
}

// logProblems logs each problem of a file once as long as it lasts.
func (c *Config) logProblems(before *State, problems []store.Problem) {
	known := make(map[string]bool)
	if before != nil {
		for _, p := range before.problems {
			known[p.File+p.Err.Error()] = true
		}
	}
	for _, p := range problems {
		switch {
		case known[p.File+p.Err.Error()]:
		case p.Warning:
			c.opts.Log.Warn("file loaded with a warning", "file", p.File, "warning", p.Err)
		default:
			c.opts.Log.Warn("file not loaded", "file", p.File, "kept", p.Kept, "error", p.Err)
		}
	}
}

// addStageEvents adds an event for each module that cannot be loaded.
func (c *Config) addStageEvents(before *State, rows []registry.Status) {
	known := make(map[string]string) // by file and role: the previous error
	hash := make(map[string]string)  // by file and role: the previous module
	if before != nil {
		for _, st := range before.rows {
			known[st.File+st.Name], hash[st.File+st.Name] = st.Why, st.Hash
		}
	}
	for _, st := range rows {
		key := st.File + st.Name
		if st.State != registry.StateFailed || known[key] == st.Why || hash[key] != st.Hash {
			continue // a replaced module was reported when it was replaced
		}
		c.opts.Events.Add(event.Event{Type: event.StageFailed, Change: &event.Change{Name: st.Name, From: hash[key], To: st.Hash, Reason: st.Why}})
	}
}

// reloadLLM applies the llm section of the settings. If it is invalid the previous one
// remains.
func (c *Config) reloadLLM() (problems []store.Problem) {
	cfg, warnings, err := llmconfig.Load(string(c.opts.Home))
	if err != nil {
		return []store.Problem{{File: homedir.SettingsFile, Err: err, Kept: true}}
	}
	c.opts.LLM.Set(cfg)
	for _, w := range warnings {
		problems = append(problems, store.Problem{File: homedir.SettingsFile, Err: w, Warning: true})
	}
	return problems
}
