package pageaccess

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

// Paths of the page.
const (
	root        = "/ui/"
	sessionPath = "/ui/session"
	ticketPath  = "/api/v1/ui/ticket"
)

// maxRequest is the size limit of the requests that this package decodes.
const maxRequest = 4 << 10

// WithTickets adds the request that mints a ticket to the handler of the unix socket, whose
// callers are the owner of the daemon.
func (s *Store) WithTickets(next http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+ticketPath, func(w http.ResponseWriter, _ *http.Request) {
		text, expires := s.MintTicket()
		answer(w, http.StatusOK, ticket{text, expires})
	})
	mux.Handle("/", next)
	return mux
}

type ticket struct {
	Ticket  string    `json:"ticket"`
	Expires time.Time `json:"expires,omitzero"`
}

// Door returns a handler that accepts, without the token of the home:
//
//   - GET of the files of the page, which contain no data
//   - the exchange of a ticket for a page token
//   - with a page token, the requests of pageRoutes
//
// It serves them with inside, and all other requests with next. It rejects requests of
// other web pages, also of other ports of this machine. The caller checks the Host, which
// excludes DNS rebinding.
func (s *Store) Door(inside, next http.Handler) http.Handler {
	routes := pageRoutes(inside)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == sessionPath:
			s.exchange(w, r)
		case isFile(r):
			ownOrigin(inside).ServeHTTP(w, r)
		case s.Use(bearerOf(r)):
			ownOrigin(routes).ServeHTTP(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isFile reports whether a request is about a file of the page. The path without the final
// slash is redirected.
func isFile(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && (strings.HasPrefix(r.URL.Path, root) || r.URL.Path+"/" == root)
}

func bearerOf(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return token
}

// ownOrigin rejects requests that another web page caused.
func ownOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isOwnOrigin(r) {
			refuse(w, http.StatusForbidden, "the request comes from another web page")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isOwnOrigin reports whether a request was caused by the page itself, by the user, or by a
// program that is not a browser. Browsers send Origin with all requests that change
// something, and Sec-Fetch-Site with all requests.
func isOwnOrigin(r *http.Request) bool {
	for _, site := range r.Header["Sec-Fetch-Site"] {
		if site != "same-origin" && site != "none" {
			return false
		}
	}
	for _, origin := range r.Header["Origin"] {
		if origin != "http://"+r.Host {
			return false
		}
	}
	return true
}

// exchange answers the request for a page token. It requires a content type that other web
// pages cannot send without a CORS preflight, which is never answered.
func (s *Store) exchange(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, http.StatusMethodNotAllowed, "only POST exchanges a ticket")
		return
	}
	if !isOwnOrigin(r) || !isJSON(r) {
		refuse(w, http.StatusForbidden, "the request does not come from the page")
		return
	}
	var in ticket
	if err := decode(w, r, &in); err != nil {
		refuse(w, http.StatusBadRequest, "the request is not a ticket in JSON")
		return
	}
	token, ok := s.Exchange(in.Ticket)
	if !ok || isForeignPeer(r) {
		refuse(w, http.StatusUnauthorized, "the address of the page has expired or was used before")
		return
	}
	answer(w, http.StatusOK, pageToken{token})
}

type pageToken struct {
	Token string `json:"token"`
}

// pageRoutes returns a handler of the requests that the page may make. In particular it may
// not edit answers, because the model would read the text as that of a server.
func pageRoutes(inside http.Handler) http.Handler {
	mux := http.NewServeMux()
	for _, route := range []string{
		"GET /inspect", "GET /api/v1/status", "GET /api/v1/events", "GET /api/v1/events/{id}/{view}", "GET /api/v1/sessions",
		"GET /api/v1/holds", "GET /api/v1/holds/{id}", "DELETE /api/v1/holds",
	} {
		mux.Handle(route, inside)
	}
	mux.Handle("POST /api/v1/holds/{id}", withoutEdits(inside))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusForbidden, "the page may not make this request")
	})
	return mux
}

// withoutEdits lets an answer be released or dropped only.
func withoutEdits(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Action string `json:"action"`
		}
		if err := decode(w, r, &in); err != nil || in.Action != "release" && in.Action != "drop" {
			refuse(w, http.StatusForbidden, "the page may only release or drop an answer")
			return
		}
		body, err := json.Marshal(in) // the text that was checked, not the one that was received
		if err != nil {
			refuse(w, http.StatusInternalServerError, "the request cannot be passed on")
			return
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		next.ServeHTTP(w, r)
	})
}

func isJSON(r *http.Request) bool {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	return strings.TrimSpace(kind) == "application/json"
}

func decode(w http.ResponseWriter, r *http.Request, into any) error {
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may be gone
}

// refuse answers with an error in the form of the management API.
func refuse(w http.ResponseWriter, status int, text string) {
	type problem struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Hint    string `json:"hint"`
	}
	answer(w, status, map[string]problem{"error": {"E_DENIED", text, "mcpctl ui"}})
}
