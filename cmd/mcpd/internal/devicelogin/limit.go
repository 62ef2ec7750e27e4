package devicelogin

import (
	"net/netip"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/oidc"
)

// Network returns the part of an address that one client has: of IPv6 the first 64 bits.
func Network(host string) string {
	ip, err := netip.ParseAddr(host)
	if err != nil || ip.Unmap().Is4() {
		return host
	}
	p, err := ip.WithZone("").Prefix(64)
	if err != nil {
		return host
	}
	return p.String()
}

// window counts requests in a minute.
type window struct {
	mu     sync.Mutex
	began  time.Time
	counts map[string]int
}

// allow counts a request and reports whether it is one of the first in this minute.
func (w *window) allow(who string, limit int, now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.counts == nil || now.Sub(w.began) >= time.Minute || len(w.counts) >= maxEntries {
		w.began, w.counts = now, make(map[string]int)
	}
	w.counts[who]++
	return w.counts[who] <= limit
}

// pace enforces the interval between the polls of each login.
type pace struct {
	mu     sync.Mutex
	logins map[[32]byte]paced
}

type paced struct {
	last time.Time
	more time.Duration // by which the issuer has increased the interval
}

// allow reports whether a login may be polled now.
func (p *pace) allow(key [32]byte, interval time.Duration, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.logins == nil || len(p.logins) >= maxEntries {
		p.logins = make(map[[32]byte]paced)
	}
	one, known := p.logins[key]
	if known && now.Sub(one.last) < interval+one.more-tolerance {
		return false
	}
	one.last = now
	p.logins[key] = one
	return true
}

// slowDown increases the interval of a login.
func (p *pace) slowDown(key [32]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.logins[key]
	one.more += oidc.SlowDown
	p.logins[key] = one
}
