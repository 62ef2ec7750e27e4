package content

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Options are the settings of a Store. Zero fields have their default.
type Options struct {
	MaxBytes int64            // limit of all files; the project with the most bytes is evicted from first; default 1 GiB
	MaxFiles int              // limit of files, two per Original, so that small ones do not fill memory and directory; default 100,000
	TTL      time.Duration    // time since the last use after which files expire; default 24 h
	Memory   int64            // bytes of Originals cached in memory; default 64 MiB
	Pending  int64            // unwritten bytes above which Put waits; default 64 MiB
	Now      func() time.Time // default time.Now
}

func (o Options) withDefaults() Options {
	if o.MaxBytes <= 0 {
		o.MaxBytes = 1 << 30
	}
	if o.MaxFiles <= 0 {
		o.MaxFiles = 100_000
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

// minKeyBytes is the minimum length of the key of Refs in bytes.
const minKeyBytes = 16

// Store stores Originals and Refs. It is safe for concurrent use.
type Store struct {
	opt    Options
	key    []byte
	disk   disk
	opened time.Time

	mu sync.Mutex
	index
	memory memory
	stats  Stats
	swept  instant

	queue
	failure error            // of the last write; nil if it succeeded
	unsaved map[string]error // errors of the latest files that could not be written
	closing chan struct{}    // closed with the Store
	running sync.WaitGroup   // the goroutines of the Store
}

// file is the metadata of a file on disk. There are many: its size matters.
type file struct {
	name       string
	entry      *entry // of a Ref that this process has read or written
	quota      *quota // of the owner
	prev, next *file  // in quota, used before and after this one
	size       int64
	at         instant // last use
	stamped    instant // last use on disk
	checked    bool    // written or verified by this process
}

// entry is a valid Ref. It contains the encoded head of the record, which is smaller than
// an Info and does not keep a larger string in memory.
type entry struct {
	head  string
	since instant
	view  checksum // of the View; an equal View is not written again
	key   [32]byte // View.Key; zero if unknown
}

func newEntry(r *record, since instant) *entry {
	return &entry{head: string(r.encodeHead()), since: since, view: r.sum}
}

func (e *entry) hash() hash { return hash([]byte(e.head[:sha256.Size])) }

func (e *entry) info() Info {
	var r record
	r.parseHead(e.head, recordVersion)
	return r.info
}

// Open opens the Store in a directory and creates the directory if necessary. It
// removes partial files of a process that was killed.
//
// Refs depend on key: with another key, existing Refs are not found.
//
// Errors: abi.ErrConfig for a key shorter than 16 bytes, or an error of the system for
// an unusable directory.
func Open(path string, key []byte, opt Options) (*Store, error) {
	if len(key) < minKeyBytes {
		return nil, fmt.Errorf("%w: key of refs has %d bytes, want at least %d", abi.ErrConfig, len(key), minKeyBytes)
	}
	d, err := openDir(path)
	if err != nil {
		return nil, fmt.Errorf("originals: %w", err)
	}
	s, err := open(d, key, opt)
	if err != nil {
		return nil, errors.Join(err, d.close())
	}
	return s, nil
}

func open(d disk, key []byte, opt Options) (*Store, error) {
	o := opt.withDefaults()
	s := &Store{
		opt: o, key: bytes.Clone(key), disk: d,
		opened: o.Now(), index: index{files: map[string]*file{}, quotas: map[string]*quota{}},
		queue: newQueue(), unsaved: map[string]error{}, closing: make(chan struct{}),
	}
	s.memory = newMemory(s.opt.Memory)
	s.wake = sync.NewCond(&s.mu)
	found, err := d.list()
	if err != nil {
		return nil, fmt.Errorf("originals: %w", err)
	}
	slices.SortFunc(found, func(a, b stat) int { return a.used.Compare(b.used) })
	owners, open := readOwners(d, found), lastOpen(d, found)
	for _, f := range found {
		at := lastUse(instantOf(s.opened), instantOf(f.used), open, s.opt.TTL)
		s.add(&file{name: f.name, size: f.size, at: at, stamped: at}, owners[f.name])
		if at != instantOf(f.used) {
			s.tidyLater(f.name)
		}
	}
	s.makeRoom()
	s.running.Add(smallWriters + largeWriters + 1)
	go s.sweepRegularly()
	for range smallWriters {
		go s.writeSmall()
	}
	for range largeWriters {
		go s.writeLarge()
	}
	return s, nil
}

// Put stores b for scope and returns its Ref. Equal bytes have the same Ref and are not
// written again. The caller must not modify b afterwards.
//
// Put computes one SHA-256. The file is written in the background; until then Get
// returns b.
//
// Errors: abi.ErrLimit for more than Options.MaxBytes; abi.ErrUnavailable if the last
// write failed and this one fails too, because content that cannot be stored must not
// be transformed.
func (s *Store) Put(scope flow.Scope, b []byte, info Info) (string, error) {
	return s.PutSum(scope, b, sha256.Sum256(b), info)
}

// PutSum is like Put for a caller that has the SHA-256 of b.
func (s *Store) PutSum(scope flow.Scope, b []byte, sum [32]byte, info Info) (string, error) {
	if int64(len(b)) > s.opt.MaxBytes {
		return "", fmt.Errorf("%w: content is %d bytes, originals hold %d (set originals.size)", abi.ErrLimit, len(b), s.opt.MaxBytes)
	}
	h := hash(sum)
	ref := makeRef(s.key, h, scope)
	s.load(ref) // verifies a Ref of an earlier process

	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Puts++
	if s.closed {
		return "", errClosed
	}
	now := s.now()
	original := s.writeOriginal(scope, h.name(), b, now)
	s.memory.add(h.name(), b)
	var reference *write
	if e := s.entryOf(ref); e == nil || e.hash() != h { // a record of version 2 may be that of another Ref
		r := record{hash: h, project: scope.Project, info: info}
		reference = s.writeRecord(scope, ref, &r, now)
	} else {
		s.touch(ref, now)
	}
	s.addOwner(h.name(), scope.Project)
	s.addOwner(ref, scope.Project)
	if s.failure != nil || s.waiting > s.opt.Pending {
		if err := s.wait(original, reference); err != nil {
			return "", err
		}
	}
	return ref, nil
}

// writeOriginal queues the write of an Original unless it is on disk or queued. It returns the
// pending write, if any.
func (s *Store) writeOriginal(scope flow.Scope, name string, b []byte, now instant) *write {
	if w := s.pending[name]; w != nil {
		s.stats.Repeated++
		return w
	}
	f := s.touch(name, now)
	if f != nil && f.checked {
		s.stats.Repeated++
		return nil
	}
	return s.enqueue(&write{name: name, scope: scope, data: b, compare: f != nil}, now)
}

// writeRecord queues the write of the record of a Ref.
func (s *Store) writeRecord(scope flow.Scope, ref string, r *record, now instant) *write {
	w := s.enqueue(&write{name: ref, scope: scope, data: r.encode(ref)}, now)
	s.files[ref].entry = newEntry(r, instantOf(s.opt.Now()))
	return w
}
