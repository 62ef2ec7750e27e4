// Package password hashes the passwords of mcpd's users with argon2id and verifies them.
//
// A Hasher bounds the memory of all hashes that it computes at the same time, and the
// number of calls that wait for memory, so that a flood of logins can neither exhaust the
// server nor build a queue that outlasts it. Check holds the rules for new passwords.
//
// Passwords are compared byte by byte: no Unicode normalisation takes place. The package
// does not limit how often a user may try; the caller does.
package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"sync/atomic"

	"golang.org/x/crypto/argon2"
	"golang.org/x/sync/semaphore"

	"github.com/mcpctl/mcpctl/abi"
)

// Options configure a Hasher.
type Options struct {
	// MemoryMiB bounds the memory of all hashes that are computed at the same time.
	// Default 128, which is two hashes: more at once finish no earlier, because each uses 4
	// threads. A hash that needs more is computed alone. The process takes up to twice as
	// much until the garbage collector has run.
	MemoryMiB int
	// Waiting bounds the calls that wait for memory. Default 32.
	Waiting int
}

const (
	defaultMemoryMiB = 128
	defaultWaiting   = 32
)

// Hasher computes hashes of passwords. It is safe for concurrent use.
//
// A hash takes 64 MiB and some tenths of a second. A hash that has begun is computed to its
// end, even if its context ends.
type Hasher struct {
	cost   cost                // of new hashes
	memory *semaphore.Weighted // KiB
	budget int64               // KiB

	waiting    atomic.Int64
	maxWaiting int64
}

// New returns a Hasher with the second recommended cost of RFC 9106: 64 MiB, 3 passes, 4
// threads.
func New(o Options) *Hasher { return newHasher(o, recommended) }

func newHasher(o Options, c cost) *Hasher {
	if o.MemoryMiB <= 0 {
		o.MemoryMiB = defaultMemoryMiB
	}
	if o.Waiting <= 0 {
		o.Waiting = defaultWaiting
	}
	budget := max(int64(o.MemoryMiB)<<10, int64(c.memory))
	return &Hasher{cost: c, memory: semaphore.NewWeighted(budget), budget: budget, maxWaiting: int64(o.Waiting)}
}

// Hash returns a new salted hash of password as a PHC string.
//
// It returns abi.ErrConfig if the length of the password is not allowed, abi.ErrLimit if
// too many calls wait, or the error of ctx if it ends before the hash begins.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	if err := checkLength(password); err != nil {
		return "", err
	}
	r := record{cost: h.cost, salt: make([]byte, saltBytes)}
	_, _ = rand.Read(r.salt) // never fails: crypto/rand ends the program instead
	key, err := h.derive(ctx, r, password, keyBytes)
	if err != nil {
		return "", err
	}
	r.key = key
	return r.String(), nil
}

// Verify reports whether phc is a hash of password, and whether a new hash should be stored
// because this one is weaker than those that Hash returns. A stronger one is kept.
//
// Call Verify with an empty phc if the user does not exist or has no password: it then
// takes as long as for a user who has one and returns false, so that the time of an answer
// does not disclose which names exist. A damaged phc takes as long too and returns
// abi.ErrConfig. Other errors are those of Hash; they are no statement about the password.
func (h *Hasher) Verify(ctx context.Context, phc, password string) (ok, rehash bool, err error) {
	if len(password) > maxBytes {
		return false, false, nil // no such password was ever stored
	}
	r, damage := parse(phc)
	if damage != nil {
		r = record{cost: h.cost, salt: make([]byte, saltBytes), key: make([]byte, keyBytes)}
	}
	key, err := h.derive(ctx, r, password, len(r.key))
	if err != nil {
		return false, false, err
	}
	equal := subtle.ConstantTimeCompare(key, r.key) == 1
	switch {
	case phc == "":
		return false, false, nil
	case damage != nil:
		return false, false, damage
	}
	return equal, equal && h.isWeak(r), nil
}

// isWeak reports whether r costs an attacker less than a new hash.
func (h *Hasher) isWeak(r record) bool {
	return r.memory < h.cost.memory || r.passes < h.cost.passes || len(r.salt) < saltBytes || len(r.key) < keyBytes
}

// derive waits for memory and returns the key of password with the cost and the salt of r.
func (h *Hasher) derive(ctx context.Context, r record, password string, size int) ([]byte, error) {
	memory := min(int64(r.memory), h.budget) // a larger hash is computed alone
	if err := h.acquire(ctx, memory); err != nil {
		return nil, err
	}
	defer h.memory.Release(memory)
	return argon2.IDKey([]byte(password), r.salt, r.passes, r.memory, r.threads, uint32(size)), nil
}

// acquire waits until memory is free. Calls are served in their order.
func (h *Hasher) acquire(ctx context.Context, memory int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if h.memory.TryAcquire(memory) {
		return nil
	}
	if n := h.waiting.Add(1); n > h.maxWaiting {
		h.waiting.Add(-1)
		return fmt.Errorf("%w: %d logins are waiting for their passwords to be verified, limit %d; try again later", abi.ErrLimit, h.maxWaiting, h.maxWaiting)
	}
	defer h.waiting.Add(-1)
	return h.memory.Acquire(ctx, memory)
}
