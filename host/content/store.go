package content

import (
	"bytes"
	"container/list"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// Options of a Store; the zero value takes the default of every field.
type Options struct {
	MaxBytes int64            // of all files; the longest unused go first; default 1 GiB
	TTL      time.Duration    // since the last use; default 24 h
	Memory   int64            // bytes of Originals kept in memory for reading; default 64 MiB
	Pending  int64            // bytes being written before Put waits; default 64 MiB
	Now      func() time.Time // default time.Now
}

func (o Options) withDefaults() Options {
	if o.MaxBytes <= 0 {
		o.MaxBytes = 1 << 30
	}
	if o.TTL <= 0 {
		o.TTL = 24 * time.Hour
	}
	if o.Memory <= 0 {
		o.Memory = 64 << 20
	}
	if o.Pending <= 0 {
		o.Pending = 64 << 20
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// leastKey is how long the key of Refs must be, in bytes.
const leastKey = 16

// Store holds Originals and Refs. It is safe for concurrent use.
type Store struct {
	opt  Options
	key  []byte
	disk disk

	mu     sync.Mutex
	files  map[string]*list.Element // of *file, by name
	used   *list.List               // the longest unused first
	refs   map[string]*entry        // those that were read or written by this process
	memory memory
	bytes  int64 // of all files
	stats  Stats
	swept  time.Time

	queue   []*write
	pending map[string]*write // by file name: queued or being written
	waiting int64             // bytes of pending
	wake    *sync.Cond
	failure error // of the last write; nil once one succeeds
	closed  bool
	done    chan struct{}
}

// file is what is known of a file without looking at it.
type file struct {
	name    string
	size    int64
	at      time.Time // last use
	stamped time.Time // last use as the disk knows it
	checked bool      // written or found whole by this process
}

// entry is a Ref that is known to be whole.
type entry struct {
	hash hash
	info Info
	view checksum // a View that is set again is not written again
}

// Stats are the figures of a Store.
type Stats struct {
	Originals, Refs                   int
	Bytes                             int64 // of all files
	PendingBytes, MemoryBytes         int64
	Puts, Repeated, Gets, FromMemory  int64
	Evicted, Expired, Damaged, Failed int64
	Failure                           string // of the last write, if it failed
}

// Open opens the Store in a folder, which it makes if need be. Partial files of
// a process that died are removed, whole ones are kept.
//
// key makes Refs: with another key, no Ref given out before is found.
// Errors: abi.ErrConfig for a key under 16 bytes, abi.ErrUnavailable for a
// folder that cannot be used.
func Open(path string, key []byte, opt Options) (*Store, error) {
	if len(key) < leastKey {
		return nil, fmt.Errorf("%w: key of refs has %d bytes, want at least %d", abi.ErrConfig, len(key), leastKey)
	}
	d, err := openDir(path)
	if err != nil {
		return nil, fmt.Errorf("%w: originals: %w", abi.ErrUnavailable, err)
	}
	s, err := open(d, key, opt)
	if err != nil {
		return nil, errors.Join(err, d.close())
	}
	return s, nil
}

func open(d disk, key []byte, opt Options) (*Store, error) {
	s := &Store{
		opt: opt.withDefaults(), key: bytes.Clone(key), disk: d,
		files: map[string]*list.Element{}, used: list.New(), refs: map[string]*entry{},
		pending: map[string]*write{}, done: make(chan struct{}),
	}
	s.memory = newMemory(s.opt.Memory)
	s.wake = sync.NewCond(&s.mu)
	found, err := d.list()
	if err != nil {
		return nil, fmt.Errorf("%w: originals: %w", abi.ErrUnavailable, err)
	}
	slices.SortFunc(found, func(a, b stat) int { return a.used.Compare(b.used) })
	for _, f := range found {
		s.files[f.name] = s.used.PushBack(&file{name: f.name, size: f.size, at: f.used, stamped: f.used})
		s.bytes += f.size
	}
	s.makeRoom()
	go s.writeBehind()
	return s, nil
}

// Put stores b for scope and returns its Ref, the same one for the same bytes.
// Bytes that are stored already are not written again. The caller must not
// modify b from then on.
//
// Speed: one SHA-256; the file is written behind, while b serves reads.
// Errors: abi.ErrLimit for more than Options.MaxBytes. abi.ErrUnavailable naming
// the disk, if the write before failed and this one does too: what cannot be
// stored must not be transformed. The first Put that succeeds ends that.
func (s *Store) Put(scope abi.Scope, b []byte, info Info) (string, error) {
	if int64(len(b)) > s.opt.MaxBytes {
		return "", fmt.Errorf("%w: content is %d bytes, originals hold %d", abi.ErrLimit, len(b), s.opt.MaxBytes)
	}
	h := hash(sha256.Sum256(b))
	ref := makeRef(s.key, h, scope)
	s.load(ref) // one of an earlier process may be damaged

	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Puts++
	if s.closed {
		return "", errClosed
	}
	now := s.opt.Now()
	original := s.keep(h.name(), b, now)
	s.memory.add(h.name(), b)
	var reference *write
	if e := s.refs[ref]; e == nil || s.files[ref] == nil {
		r := record{hash: h, info: info}
		reference = s.enter(ref, &r, now)
	} else {
		s.touch(ref, now)
	}
	if s.failure != nil || s.waiting > s.opt.Pending {
		if err := s.wait(original, reference); err != nil {
			return "", err
		}
	}
	return ref, nil
}

// keep makes sure that the original is on disk or on its way.
func (s *Store) keep(name string, b []byte, now time.Time) *write {
	if w := s.pending[name]; w != nil {
		s.stats.Repeated++
		return w
	}
	f := s.touch(name, now)
	if f != nil && f.checked {
		s.stats.Repeated++
		return nil
	}
	return s.enqueue(&write{name: name, data: b, compare: f != nil}, now)
}

// enter writes the record of a Ref.
func (s *Store) enter(ref string, r *record, now time.Time) *write {
	data := r.encode()
	s.refs[ref] = &entry{hash: r.hash, info: r.info, view: r.sum}
	return s.enqueue(&write{name: ref, data: data}, now)
}

// Get returns the Original that scope knows by ref.
//
// Errors: abi.ErrNotFound for a Ref that is unknown, another project's or
// subject's, expired, or whose file is damaged: all read the same.
func (s *Store) Get(scope abi.Scope, ref string) ([]byte, Info, error) {
	e, err := s.entry(scope, ref)
	if err != nil {
		return nil, Info{}, err
	}
	b, err := s.original(e.hash, ref)
	if err != nil {
		return nil, Info{}, err
	}
	return b, e.info, nil
}

// entry finds a Ref and checks that it is scope's.
func (s *Store) entry(scope abi.Scope, ref string) (*entry, error) {
	if !IsRef(ref) {
		return nil, notFound(ref)
	}
	e := s.load(ref)
	if e == nil || !hmac.Equal([]byte(makeRef(s.key, e.hash, scope)), []byte(ref)) {
		return nil, notFound(ref)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.opt.Now()
	if f := s.touch(ref, now); f == nil {
		return nil, notFound(ref) // evicted or expired meanwhile
	}
	return e, nil
}

// load returns a Ref that is whole, from disk if this process has not seen it.
func (s *Store) load(ref string) *entry {
	s.mu.Lock()
	e := s.refs[ref]
	s.mu.Unlock()
	if e != nil {
		return e
	}
	data, at, err := s.disk.read(ref)
	if err != nil {
		return nil
	}
	r, err := decodeRecord(data)
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.refs[ref]; e != nil {
		return e
	}
	if err != nil {
		s.stats.Damaged++
		s.forget(ref)
		return nil
	}
	e = &entry{hash: r.hash, info: r.info, view: r.sum}
	s.refs[ref] = e
	s.found(ref, int64(len(data)), at)
	return e
}

// original returns the bytes of a hash, checked.
func (s *Store) original(h hash, ref string) ([]byte, error) {
	name := h.name()
	s.mu.Lock()
	s.stats.Gets++
	f := s.touch(name, s.opt.Now())
	b, ok := s.memory.get(name)
	if w := s.pending[name]; w != nil {
		b, ok = w.data, true
	}
	if ok && f != nil {
		s.stats.FromMemory++
		s.mu.Unlock()
		return b, nil
	}
	s.mu.Unlock()

	b, at, err := s.disk.read(name)
	if err != nil {
		return nil, notFound(ref)
	}
	whole := hash(sha256.Sum256(b)) == h
	s.mu.Lock()
	defer s.mu.Unlock()
	if !whole {
		s.stats.Damaged++
		s.forget(name)
		return nil, notFound(ref)
	}
	if f := s.found(name, int64(len(b)), at); f == nil {
		return nil, notFound(ref)
	}
	s.memory.add(name, b)
	return b, nil
}

// SetView keeps what stages made of an Original, and returns once it and the
// Original are written: an answer that names ref may then go out. A View that
// is there already is not written again.
//
// Errors: abi.ErrNotFound for a Ref that is not scope's; abi.ErrUnavailable if
// it could not be written: the content must then go on untransformed.
func (s *Store) SetView(scope abi.Scope, ref string, v View) error {
	e, err := s.entry(scope, ref)
	if err != nil {
		return err
	}
	r := record{hash: e.hash, info: e.info, view: &v}
	data := r.encode()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	original, reference := s.pending[e.hash.name()], s.pending[ref]
	if now := s.refs[ref]; now == nil || now.view != r.sum {
		s.refs[ref] = &entry{hash: e.hash, info: e.info, view: r.sum}
		reference = s.enqueue(&write{name: ref, data: data}, s.opt.Now())
	}
	if err := s.wait(original, reference); err != nil {
		return err
	}
	if s.files[e.hash.name()] == nil {
		return fmt.Errorf("%w: the original of ref %s could not be written", abi.ErrUnavailable, ref)
	}
	return nil
}

// View returns what SetView kept; the zero View if nothing was, or if its file
// is damaged: the content is then read in windows.
//
// Errors: abi.ErrNotFound for a Ref that is not scope's.
func (s *Store) View(scope abi.Scope, ref string) (View, error) {
	if _, err := s.entry(scope, ref); err != nil {
		return View{}, err
	}
	s.mu.Lock()
	var data []byte
	if w := s.pending[ref]; w != nil {
		data = w.data
	}
	s.mu.Unlock()
	if data == nil {
		data, _, _ = s.disk.read(ref)
	}
	r, err := decodeRecord(data)
	if err != nil || r.view == nil {
		return View{}, nil
	}
	return *r.view, nil
}

// Stats returns the figures of now.
func (s *Store) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.stats
	for name := range s.files {
		if IsRef(name) {
			st.Refs++
		} else {
			st.Originals++
		}
	}
	st.Bytes, st.PendingBytes, st.MemoryBytes = s.bytes, s.waiting, s.memory.bytes
	if s.failure != nil {
		st.Failure = s.failure.Error()
	}
	return st
}
