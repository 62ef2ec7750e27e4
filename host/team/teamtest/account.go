package teamtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// AddUser adds a user with a password, and returns a token of it.
func (m *Mcpd) AddUser(name, password string) (token string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.users[name] = password
	return m.newToken(name)
}

func (m *Mcpd) newToken(user string) string {
	m.issued++
	token := fmt.Sprintf("mcpd_%043d%06d", m.issued, 7)
	m.tokens[token] = user
	return token
}

// Revoke makes a token invalid; streams get the event revoked.
func (m *Mcpd) Revoke(token string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.tokens, token)
	m.wake()
}

// RevokeAll is Revoke for all tokens.
func (m *Mcpd) RevokeAll() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.tokens)
	m.wake()
}

// ExpireAll makes all tokens expire; streams get the event revoked with that reason.
func (m *Mcpd) ExpireAll() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for token := range m.tokens {
		m.expired[token] = true
	}
	clear(m.tokens)
	m.wake()
}

func bearer(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

func (m *Mcpd) userOf(token string) (string, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	user, ok := m.tokens[token]
	return user, ok
}

func (m *Mcpd) whyInvalid(token string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.expired[token] {
		return "the token has expired"
	}
	return "the token is missing, unknown or revoked"
}

func (m *Mcpd) authorized(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if _, ok := m.userOf(bearer(r)); !ok {
			fail(w, http.StatusUnauthorized, m.whyInvalid(bearer(r)))
			return
		}
		next(w, r)
	}
}

func (m *Mcpd) login(w http.ResponseWriter, r *http.Request) {
	var in struct{ User, Password string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		fail(w, http.StatusBadRequest, "invalid JSON")
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if password, ok := m.users[in.User]; !ok || password != in.Password {
		fail(w, http.StatusUnauthorized, "user or password is wrong")
		return
	}
	answer(w, map[string]any{"token": m.newToken(in.User), "user": in.User, "expires": time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)})
}

func (m *Mcpd) logout(w http.ResponseWriter, r *http.Request) {
	m.Revoke(bearer(r))
	answer(w, struct{}{})
}

func (m *Mcpd) whoami(w http.ResponseWriter, r *http.Request) {
	user, _ := m.userOf(bearer(r))
	answer(w, map[string]any{"kind": "User", "name": user, "groups": []string{"web"}, "expires": time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)})
}

// rules are the bindings of all users.
func (m *Mcpd) rules(w http.ResponseWriter, r *http.Request) {
	rules := []any{map[string]any{"binding": "all-read", "verbs": []string{"view"}}}
	if project := r.URL.Query().Get("project"); project == "" || project == "web" {
		rules = append(rules, map[string]any{"binding": "web-edits", "verbs": []string{"edit", "create"}, "kinds": []string{"Prompt", "Project"},
			"names": []string{"a*"}, "projects": []string{"web"}})
	}
	answer(w, rules)
}

func (m *Mcpd) createToken(w http.ResponseWriter, r *http.Request) {
	var in struct{ Name string }
	_ = json.NewDecoder(r.Body).Decode(&in)
	user, _ := m.userOf(bearer(r))
	m.mu.Lock()
	defer m.mu.Unlock()
	answer(w, map[string]any{"id": "id-1", "name": in.Name, "user": user, "token": m.newToken(user), "expires": time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)})
}
