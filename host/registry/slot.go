package registry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

const (
	failuresOfNew = 3   // after so many a new version gives way to the one before it
	usesOfProven  = 100 // after so many a version is new no more
)

// slot is one module by its name: a file of stages/, or a built-in.
type slot[M Module] struct {
	name string
	file string // name in stages/; empty for a built-in

	want    string // hash of the file as it was last read; empty if it could not be
	loading bool
	begun   string // hash of what is being loaded
	next    []byte // file with the hash want, if that is another one
	err     error  // why the file as it is now does not serve

	current  *version[M] // serves; nil if none
	previous *version[M] // served before it, while current is new
	bad      string      // hash of a version that gave way
	why      error       // it did
}

func (s *slot[M]) builtin() bool { return s.file == "" }

// label names the slot for people.
func (s *slot[M]) label() string {
	if s.builtin() {
		return "built-in " + s.name
	}
	return folderStages + "/" + s.file
}

// version is one loaded module.
type version[M Module] struct {
	hash     string // of the file
	id       string // Module.Hash
	module   M
	manifest abi.Manifest
	uses     int  // how often it was acquired
	failures int  // reported
	refs     int  // calls that use it now
	retired  bool // closed as soon as refs is 0
}

func (v *version[M]) isProven() bool { return v.uses-v.failures >= usesOfProven }

// key of a slot: a file and a built-in may have one name.
func slotKey(name, file string) string {
	if file == "" {
		return "built-in/" + name
	}
	return file
}

// offer hands in a file as it is now; it is loaded unless that was done before.
func (r *Registry[M]) offer(name, file string, content []byte) {
	sum := sha256.Sum256(content)
	hash := hex.EncodeToString(sum[:])
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	s := r.slot(name, file)
	if s.want == hash && (s.loading || !errors.Is(s.err, abi.ErrUnavailable)) {
		return
	}
	s.want = hash
	switch {
	case s.loading && s.begun == hash:
		s.next = nil
		return
	case s.loading:
		s.next = content
		return
	case s.current != nil && s.current.hash == hash:
		s.err = nil
	case s.previous != nil && s.previous.hash == hash:
		s.err, s.current, s.previous = nil, s.previous, s.current
	case s.bad == hash:
		s.err = s.why
	default:
		r.load(s, content)
		r.broadcast() // no Change yet: the roles are what they were
		return
	}
	r.settle()
}

// refuse notes that a file is nothing to load, and why.
func (r *Registry[M]) refuse(name, file string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	s := r.slot(name, file)
	if s.want == "" && s.err != nil && s.err.Error() == err.Error() {
		return
	}
	s.want, s.next, s.err = "", nil, err
	r.log.Warn("module is not loaded", "file", s.label(), "cause", err)
	r.settle()
}

func (r *Registry[M]) slot(name, file string) *slot[M] {
	key := slotKey(name, file)
	s := r.slots[key]
	if s == nil {
		s = &slot[M]{name: name, file: file}
		r.slots[key] = s
	}
	return s
}

// load starts to load a file. The caller holds the lock.
func (r *Registry[M]) load(s *slot[M], content []byte) {
	s.loading, s.begun, s.next = true, s.want, nil
	hash, begin := s.want, time.Now()
	r.routines.Go(func() {
		m, err := r.build(s, content)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.loaded(s, hash, m, err)
		if err == nil {
			r.log.Info("module loaded", "file", s.label(), "hash", hash, "took", time.Since(begin))
		}
	})
}

// build calls the loader; a panic in it is the file's fault.
func (r *Registry[M]) build(s *slot[M], content []byte) (m M, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%w: module %q: host panicked while it was loaded: %v", abi.ErrGuest, s.name, v)
		}
	}()
	return r.loader.Load(r.life, s.name, content, s.builtin())
}

// loaded takes over the end of a load.
func (r *Registry[M]) loaded(s *slot[M], hash string, m M, err error) {
	s.loading = false
	gone := r.slots[slotKey(s.name, s.file)] != s || r.closed
	if err == nil && s.current != nil {
		if err = abi.CheckKinds(s.current.manifest.Roles, m.Manifest().Roles); err != nil {
			r.discard(m)
		}
	}
	switch {
	case err == nil && gone:
		r.discard(m)
	case err == nil:
		r.publish(s, &version[M]{hash: hash, id: m.Hash(), module: m, manifest: m.Manifest()})
	case gone: // nobody asks any more
	case s.want == hash:
		s.err = err
		r.log.Warn("module cannot be loaded", "file", s.label(), "cause", err, "serves", s.serves())
	}
	if s.next != nil && !gone {
		r.load(s, s.next)
	}
	r.settle()
}

// discard closes a module that never serves.
func (r *Registry[M]) discard(m M) {
	v := &version[M]{module: m}
	r.live[v] = struct{}{}
	r.retire(v)
}

// publish puts a version into service. The one before it stays loaded until the
// new one is proven.
func (r *Registry[M]) publish(s *slot[M], v *version[M]) {
	r.live[v] = struct{}{}
	if s.want == v.hash {
		s.err = nil
	}
	if s.current != nil {
		r.retire(s.previous)
		s.previous = s.current
	}
	s.current = v
}

// serves says what calls get while the file as it is does not serve.
func (s *slot[M]) serves() string {
	if s.current != nil {
		return "previous version"
	}
	return "nothing of it"
}

// retire takes a version out of service; it is closed when the last call that
// uses it has ended.
func (r *Registry[M]) retire(v *version[M]) {
	if v == nil || v.retired {
		return
	}
	v.retired = true
	r.closeIfIdle(v)
}

func (r *Registry[M]) closeIfIdle(v *version[M]) {
	if !v.retired || v.refs > 0 {
		return
	}
	if _, ok := r.live[v]; !ok {
		return
	}
	delete(r.live, v)
	r.routines.Go(func() {
		if err := v.module.Close(context.WithoutCancel(r.life)); err != nil {
			r.log.Warn("module cannot be closed", "hash", v.hash, "cause", err)
		}
	})
}

// drop removes a slot: its file is gone.
func (r *Registry[M]) drop(key string, s *slot[M]) {
	delete(r.slots, key)
	s.next = nil
	r.retire(s.current)
	r.retire(s.previous)
	s.current, s.previous = nil, nil
	r.settle()
}

// settle makes a change visible. The caller holds the lock.
func (r *Registry[M]) settle() {
	r.assign()
	r.broadcast()
	r.notices.add(folderStages)
}
