package teamtest

import (
	"encoding/json"
	"net/http"
	"time"
)

// Handle is the handle of all logins by an issuer, which no program may print.
const Handle = "handle-canary"

// deviceRoutes are the calls of logins by an issuer, and about identities.
type deviceRoutes struct{ *Mcpd }

func (m deviceRoutes) add(mux *http.ServeMux) {
	mux.HandleFunc("POST /api/v1/auth/device", m.startDevice)
	mux.HandleFunc("POST /api/v1/auth/device/poll", m.pollDevice)
	for _, method := range []string{"GET", "PUT", "DELETE"} { // without a method it conflicts with the list of objects
		mux.HandleFunc(method+" /api/v1/identities", m.authorized(m.serveIdentities))
	}
}

// SetLogins gives the fake an issuer: the polls of a login are answered with the states
// "pending", "slowDown", "done", "declined", "taken" or "expired", in this order. The last one is
// repeated. Without states the fake has no issuer.
func (m *Mcpd) SetLogins(states ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.logins = states
}

// startDevice sends a code with an escape sequence, as a hostile mcpd can.
func (m deviceRoutes) startDevice(w http.ResponseWriter, _ *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.logins) == 0 {
		fail(w, http.StatusNotFound, "this server has no OpenID Connect issuer; log in with a password")
		return
	}
	answer(w, map[string]any{"handle": Handle, "userCode": "WDJB-MJHT\x1b[2J", "verificationUri": "https://login.example/activate",
		"verificationUriComplete": "https://login.example/activate?user_code=WDJB-MJHT", "interval": 1, "expires": time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)})
}

func (m deviceRoutes) pollDevice(w http.ResponseWriter, r *http.Request) {
	var in struct{ Handle string }
	_ = json.NewDecoder(r.Body).Decode(&in)
	m.mu.Lock()
	defer m.mu.Unlock()
	state := "expired"
	if in.Handle == Handle && len(m.logins) > 0 {
		state = m.logins[0]
		if len(m.logins) > 1 {
			m.logins = m.logins[1:]
		}
	}
	switch state {
	case "declined":
		fail(w, http.StatusForbidden, "the login was declined")
	case "taken":
		fail(w, http.StatusConflict, `the issuer proposes the name "anna" for a new user, but a user of that name exists; an administrator can bind the identity to a user`)
	case "expired":
		failWith(w, http.StatusGone, "E_NOT_FOUND", "the login has expired; start it again")
	case "done":
		answer(w, map[string]any{"state": state, "token": m.newToken("anna"), "user": "anna", "expires": time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)})
	default:
		answer(w, map[string]any{"state": state})
	}
}

// serveIdentities answers the calls about identities: it has the identity
// of the last bind.
func (m deviceRoutes) serveIdentities(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch r.Method {
	case http.MethodGet:
		list := []any{}
		if m.identity != nil {
			list = append(list, m.identity)
		}
		answer(w, list)
	case http.MethodPut:
		var in map[string]any
		_ = json.NewDecoder(r.Body).Decode(&in)
		if in["user"] != "anna" {
			fail(w, http.StatusNotFound, "user not found")
			return
		}
		m.identity = in
		answer(w, struct{}{})
	case http.MethodDelete:
		q := r.URL.Query()
		if m.identity == nil || m.identity["issuer"] != q.Get("issuer") || m.identity["subject"] != q.Get("subject") {
			fail(w, http.StatusNotFound, "no identity without a user has this issuer and subject")
			return
		}
		m.identity = nil
		answer(w, struct{}{})
	}
}
