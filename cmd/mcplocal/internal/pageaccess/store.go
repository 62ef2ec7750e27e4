// Package pageaccess gives the web page of the daemon access to the parts of the management
// API that the page needs.
//
// A Store holds tickets and page tokens. `mcpctl ui` gets a ticket over the unix socket and
// opens the page with it; the page exchanges it for a page token, which the Door accepts for
// a fixed list of requests. Both exist only in the memory of this process. The package does
// not serve the files of the page, and it does not check the token of the home.
package pageaccess

import (
	"crypto/rand"
	"crypto/sha256"
	"sync"
	"time"
)

// TicketLife is the time for which a ticket is valid. A browser may have to start.
const TicketLife = 60 * time.Second

// idleLife is the time after which an unused page token becomes invalid.
const idleLife = 12 * time.Hour

// Limits of a Store. The oldest entry is removed if one is reached.
const (
	maxTickets = 16
	maxTokens  = 64
)

// Store holds the tickets and page tokens that are valid. It is safe for concurrent use.
type Store struct {
	now func() time.Time

	mu      sync.Mutex
	tickets validity
	tokens  validity
}

// validity holds the time at which each secret becomes invalid. The keys are hashes, so that
// the duration of a look-up reveals no part of a secret.
type validity map[[sha256.Size]byte]time.Time

// NewStore returns an empty Store. now is the clock.
func NewStore(now func() time.Time) *Store {
	return &Store{now: now, tickets: validity{}, tokens: validity{}}
}

// MintTicket returns a new ticket and the time at which it becomes invalid.
func (s *Store) MintTicket() (ticket string, expires time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ticket, expires = rand.Text(), s.now().Add(TicketLife)
	s.tickets.add(ticket, expires, s.now(), maxTickets)
	return ticket, expires
}

// Exchange returns a new page token for a ticket, which becomes invalid. It returns false if
// the ticket is not valid.
func (s *Store) Exchange(ticket string) (token string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.tickets.has(ticket, s.now()) {
		return "", false
	}
	delete(s.tickets, sha256.Sum256([]byte(ticket)))
	token = rand.Text()
	s.tokens.add(token, s.now().Add(idleLife), s.now(), maxTokens)
	return token, true
}

// Use reports whether a page token is valid, and extends its validity.
func (s *Store) Use(token string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.tokens.has(token, s.now()) {
		return false
	}
	s.tokens[sha256.Sum256([]byte(token))] = s.now().Add(idleLife)
	return true
}

// add adds a secret. It removes the secrets that are no longer valid and, at the limit, the
// one that becomes invalid first.
func (v validity) add(secret string, until, now time.Time, limit int) {
	for len(v) > 0 {
		first, found := [sha256.Size]byte{}, false
		for key, t := range v {
			if !found || t.Before(v[first]) {
				first, found = key, true
			}
		}
		if now.Before(v[first]) && len(v) < limit {
			break
		}
		delete(v, first)
	}
	v[sha256.Sum256([]byte(secret))] = until
}

func (v validity) has(secret string, now time.Time) bool {
	return now.Before(v[sha256.Sum256([]byte(secret))])
}
