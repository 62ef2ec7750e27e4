package teamtest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
)

// sharedCache is the cache that users share. The Mcpd has its lock.
type sharedCache struct {
	entries []CacheEntry
	denied  bool // nobody has the right to store results
}

// CacheEntry is one result in the shared cache.
type CacheEntry struct {
	Key        []byte `json:"key"`
	Value      []byte `json:"value"`
	ModuleHash string `json:"moduleHash"`
	Producer   string `json:"producer,omitempty"`
	ProxyModel string `json:"proxyModel,omitempty"`

	project string
}

// DenyCache sets whether storing results is refused to all users.
func (m *Mcpd) DenyCache(denied bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shared.denied = denied
}

// EditCache changes all results.
func (m *Mcpd) EditCache(edit func(e *CacheEntry)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.shared.entries {
		edit(&m.shared.entries[i])
	}
}

// CacheEntries returns the stored results.
func (m *Mcpd) CacheEntries() []CacheEntry {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.shared.entries)
}

// cacheCalls are the calls about the shared cache.
type cacheCalls struct{ *Mcpd }

func (m *Mcpd) addCacheRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST /api/v1/cache/get", m.authorized(cacheCalls{m}.getCache))
	mux.HandleFunc("PUT /api/v1/cache", m.authorized(cacheCalls{m}.putCache))
	mux.HandleFunc("DELETE /api/v1/cache", m.authorized(cacheCalls{m}.purgeCache))
}

// getCache returns the results of a ProxyModel by the caller and by service accounts.
func (m cacheCalls) getCache(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Project, ProxyModel string
		Keys                [][]byte
	}
	_ = json.NewDecoder(r.Body).Decode(&in)
	user, _ := m.userOf(bearer(r))
	m.mu.Lock()
	found, slow := []CacheEntry{}, m.faults.SlowCache
	for _, e := range m.shared.entries {
		isAsked := slices.ContainsFunc(in.Keys, func(k []byte) bool { return string(k) == string(e.Key) })
		if e.project == in.Project && e.ProxyModel == in.ProxyModel && isAsked && (e.Producer == "user "+user || strings.HasPrefix(e.Producer, "serviceaccount ")) {
			found = append(found, e)
		}
	}
	m.mu.Unlock()
	if slow > 0 {
		select {
		case <-time.After(slow):
		case <-r.Context().Done():
		}
	}
	answer(w, map[string]any{"entries": found})
}

func (m cacheCalls) putCache(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Project, ProxyModel string
		Entries             []CacheEntry
	}
	_ = json.NewDecoder(r.Body).Decode(&in)
	user, _ := m.userOf(bearer(r))
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shared.denied {
		fail(w, http.StatusForbidden, "user "+user+" may not cache results")
		return
	}
	for _, e := range in.Entries {
		e.Producer, e.ProxyModel, e.project = "user "+user, in.ProxyModel, in.Project
		m.shared.entries = append(m.shared.entries, e)
	}
	answer(w, struct{}{})
}

func (m cacheCalls) purgeCache(w http.ResponseWriter, r *http.Request) {
	producer := r.URL.Query().Get("producer")
	m.mu.Lock()
	defer m.mu.Unlock()
	before := len(m.shared.entries)
	m.shared.entries = slices.DeleteFunc(m.shared.entries, func(e CacheEntry) bool { return e.Producer == producer })
	answer(w, map[string]int{"removed": before - len(m.shared.entries)})
}
