package host

import (
	"errors"
	"log/slog"
	"path/filepath"
	"sync"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/registry"
	"github.com/mcpctl/mcpctl/host/trust"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// approval checks local modules against stages.lock and records what it decides. Safe for
// concurrent use.
type approval struct {
	home homedir.Dir
	dev  bool // modules that are not approved are loaded
	log  *slog.Logger
	lock *trust.Reader

	mu      sync.Mutex
	decided map[string]bool // what was recorded: action, name and hash
}

func newApproval(home homedir.Dir, dev bool, log *slog.Logger) *approval {
	return &approval{home: home, dev: dev, log: log, lock: trust.NewReader(home.StagesLock()), decided: make(map[string]bool)}
}

// admission reads which modules may be loaded. The function that it returns returns an error for
// a module that is not approved. Without a lock all may be loaded.
//
// Errors of that function: *trust.Held; abi.ErrConfig for an invalid lock.
func (a *approval) admission() func(name string, f registry.File) error {
	lock, ok, err := a.lock.Read()
	accepted := sync.OnceValues(func() (trust.Accepted, error) { return trust.ReadAccepted(a.home.TrustLog()) })
	return func(name string, f registry.File) error {
		if err != nil || !ok || a.dev {
			return err
		}
		return a.check(lock, accepted, name, f)
	}
}

func (a *approval) check(lock trust.Lock, accepted func() (trust.Accepted, error), name string, f registry.File) error {
	var version string // of a signed module that has changed
	m, err := trust.OpenModule(filepath.Join(a.home.Stages(), name+".wasm"), f.Hash, f.Read, func(file []byte) (abi.Manifest, error) {
		info, err := module.Inspect(name, file)
		version = info.Manifest.Version
		return info.Manifest, err
	})
	if err != nil {
		return err
	}
	err = lock.Check(m, accepted)
	var held *trust.Held
	switch {
	case err == nil && lock.Stages[name].SHA256 != m.SHA256:
		a.record(trust.Decision{Action: trust.ActionAccept, Name: name, SHA256: m.SHA256, Signer: lock.Stages[name].Signer, Version: version})
	case errors.As(err, &held):
		a.record(trust.Decision{Action: "hold", Name: name, SHA256: m.SHA256, Grants: held.Grants, Why: held.Why})
	}
	return err
}

// approved reads which of the modules that are loaded the user has approved.
func (a *approval) approved() func(name, hash string) bool {
	lock, ok, err := a.lock.Read()
	return func(name, hash string) bool {
		e, known := lock.Stages[name]
		return err == nil && ok && known && (!a.dev || e.SHA256 == hash)
	}
}

// record records a decision once in the life of this process.
func (a *approval) record(d trust.Decision) {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := d.Action + " " + d.Name + " " + d.SHA256
	if a.decided[key] {
		return
	}
	a.decided[key] = true
	if err := trust.Record(a.home.TrustLog(), d); err != nil {
		a.log.Warn("a decision about a module cannot be recorded", "module", d.Name, "err", err)
	}
}
