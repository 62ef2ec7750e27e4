package pageaccess

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// served is the handler of the daemon. It answers with the request that reached it.
var served = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	_, _ = io.WriteString(w, "served "+r.Method+" "+r.URL.Path+" "+string(body))
})

// withoutToken is the next handler of the Door, which requires the token of the home.
var withoutToken = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })

// knock sends a request to a Door; headers are "Name: value".
func knock(s *Store, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, "http://127.0.0.1:3200"+path, strings.NewReader(body))
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	s.Door(served, withoutToken).ServeHTTP(w, req)
	return w
}

const (
	own     = "Origin: http://127.0.0.1:3200"
	jsonDoc = "Content-Type: application/json"
)

func openPage(t *testing.T, s *Store) (auth string) {
	t.Helper()
	ticket, _ := s.MintTicket()
	w := knock(s, http.MethodPost, "/ui/session", `{"ticket":"`+ticket+`"}`, own, jsonDoc, "Sec-Fetch-Site: same-origin")
	token, ok := strings.CutPrefix(strings.TrimSpace(w.Body.String()), `{"token":"`)
	if w.Code != http.StatusOK || !ok || w.Header().Get("Cache-Control") != "no-store" {
		t.Fatalf("status %d, %v: %s", w.Code, w.Header(), w.Body)
	}
	return "Authorization: Bearer " + strings.TrimSuffix(token, `"}`)
}

// The page may make the requests of the table and no others.
func TestRequestsOfThePage(t *testing.T) {
	s, _ := newStore()
	auth := openPage(t, s)
	for _, c := range []struct {
		method, path string
		want         int
	}{
		{"GET", "/inspect", 200},
		{"GET", "/api/v1/status", 200},
		{"GET", "/api/v1/events", 200},
		{"GET", "/api/v1/events/7/original", 200},
		{"GET", "/api/v1/events/7/sections", 200},
		{"GET", "/api/v1/sessions", 200},
		{"GET", "/api/v1/holds", 200},
		{"GET", "/api/v1/holds/7", 200},
		{"DELETE", "/api/v1/holds", 200},
		{"POST", "/api/v1/apply", 403},
		{"POST", "/api/v1/reload", 403},
		{"POST", "/api/v1/events/7/replay", 403},
		{"DELETE", "/api/v1/servers/x", 403},
		{"DELETE", "/api/v1/events", 403},
		{"DELETE", "/api/v1/cache", 403},
		{"GET", "/api/v1/servers", 403},
		{"PUT", "/api/v1/projects/p/hold", 403},
		{"GET", "/api/v1/corrections", 403},
		{"POST", "/api/v1/ui/ticket", 403},
		{"POST", "/projects/home/mcp", 403},
		{"GET", "/metrics", 403},
		{"GET", "/api/v1/holds/../servers", 307}, // the client may not have a path that is read in two ways
		{"GET", "//inspect", 307},
	} {
		if got := knock(s, c.method, c.path, "{}", auth, own); got.Code != c.want {
			t.Errorf("%s %s: status %d, want %d: %s", c.method, c.path, got.Code, c.want, got.Body)
		}
		if got := knock(s, c.method, c.path, "{}", own); got.Code != 401 {
			t.Errorf("%s %s without the page token: status %d, want 401", c.method, c.path, got.Code)
		}
	}
}

// The page may release or drop an answer, and not edit it: the model would read the text.
func TestPageDoesNotEdit(t *testing.T) {
	s, _ := newStore()
	auth := openPage(t, s)
	for body, want := range map[string]string{
		`{"action":"release"}`:                                                  `served POST /api/v1/holds/7 {"action":"release"}`,
		`{"action":"drop"}`:                                                     `served POST /api/v1/holds/7 {"action":"drop"}`,
		`{"action":"release"} {"action":"edit"}`:                                `served POST /api/v1/holds/7 {"action":"release"}`,
		`{"action":"edit","Action":"release","action":"drop"}`:                  `served POST /api/v1/holds/7 {"action":"drop"}`,
		`{"action":"edit"}`:                                                     "",
		`{"action":"edit","texts":["evil"]}`:                                    "",
		`{"action":"release","texts":["evil"]}`:                                 "",
		`{"action":"release","note":"` + strings.Repeat("x", maxRequest) + `"}`: "",
		`[]`: "", ``: "", `{}`: "",
	} {
		got := knock(s, http.MethodPost, "/api/v1/holds/7", body, auth, own, jsonDoc)
		if want == "" && got.Code != http.StatusForbidden || want != "" && strings.TrimSpace(got.Body.String()) != want {
			t.Errorf("%.60s: status %d, %s", body, got.Code, got.Body)
		}
	}
}

// Only the page itself, the user and programs that are not browsers are let in. Other ports
// of this machine are other origins.
func TestOtherWebPagesAreRejected(t *testing.T) {
	s, _ := newStore()
	auth := openPage(t, s)
	for _, c := range []struct {
		headers []string
		want    bool
	}{
		{nil, true}, // no browser
		{[]string{own}, true},
		{[]string{own, "Sec-Fetch-Site: same-origin"}, true},
		{[]string{"Sec-Fetch-Site: same-origin"}, true},
		{[]string{"Sec-Fetch-Site: none"}, true}, // an address that the user opened
		{[]string{"Sec-Fetch-Site: cross-site"}, false},
		{[]string{"Sec-Fetch-Site: same-site"}, false},
		{[]string{"Sec-Fetch-Site: SAME-ORIGIN"}, false},
		{[]string{own, "Sec-Fetch-Site: cross-site"}, false},
		{[]string{own, "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"}, false},
		{[]string{"Origin: null"}, false},
		{[]string{"Origin: http://evil.example"}, false},
		{[]string{"Origin: http://127.0.0.1:3201"}, false},
		{[]string{"Origin: http://localhost:3200"}, false},
		{[]string{"Origin: https://127.0.0.1:3200"}, false},
		{[]string{"Origin: http://127.0.0.1:3200.evil.example"}, false},
		{[]string{own, "Origin: http://evil.example"}, false},
		{[]string{"Origin: "}, false},
	} {
		ticket, _ := s.MintTicket()
		for path, headers := range map[string][]string{
			"GET /ui/": nil, "GET /ui/app.js": nil, "HEAD /ui": nil, "GET /api/v1/events": {auth}, "DELETE /api/v1/holds": {auth}, "GET /inspect": {auth}, "POST /ui/session": {jsonDoc},
		} {
			method, path, _ := strings.Cut(path, " ")
			got := knock(s, method, path, `{"ticket":"`+ticket+`"}`, append(headers, c.headers...)...)
			want := http.StatusForbidden
			if c.want {
				want = http.StatusOK
			}
			if got.Code != want {
				t.Errorf("%v: %s %s: status %d, want %d", c.headers, method, path, got.Code, want)
			}
			if cors := got.Header().Get("Access-Control-Allow-Origin"); cors != "" {
				t.Errorf("%v: %s %s: a CORS header %q", c.headers, method, path, cors)
			}
		}
	}
}

// A ticket is accepted from the page only, in a form that other pages cannot send.
func TestExchangeIsStrict(t *testing.T) {
	s, _ := newStore()
	for _, c := range []struct {
		name, method, body string
		headers            []string
		want               int
	}{
		{"form", "POST", `{"ticket":"%"}`, []string{own, "Content-Type: text/plain"}, 403},
		{"no type", "POST", `{"ticket":"%"}`, []string{own}, 403},
		{"GET", "GET", `{"ticket":"%"}`, []string{own, jsonDoc}, 405},
		{"OPTIONS", "OPTIONS", "", []string{"Origin: http://evil.example", "Access-Control-Request-Method: POST"}, 405},
		{"unknown field", "POST", `{"ticket":"%","x":1}`, []string{own, jsonDoc}, 400},
		{"no JSON", "POST", `ticket=%`, []string{own, jsonDoc}, 400},
		{"large", "POST", `{"ticket":"` + strings.Repeat("x", maxRequest) + `"}`, []string{own, jsonDoc}, 400},
		{"wrong ticket", "POST", `{"ticket":"AAAA"}`, []string{own, jsonDoc}, 401},
		{"page token as a ticket", "POST", `{"ticket":"` + strings.TrimPrefix(openPage(t, s), "Authorization: Bearer ") + `"}`, []string{own, jsonDoc}, 401},
	} {
		ticket, _ := s.MintTicket()
		got := knock(s, c.method, "/ui/session", strings.Replace(c.body, "%", ticket, 1), c.headers...)
		if got.Code != c.want || strings.Contains(got.Body.String(), "token\":") {
			t.Errorf("%s: status %d, want %d: %s", c.name, got.Code, c.want, got.Body)
		}
		if _, ok := s.Exchange(ticket); !ok {
			t.Errorf("%s: a rejected request used the ticket", c.name)
		}
	}
}

// Only the unix socket mints tickets.
func TestTicketsComeFromTheSocket(t *testing.T) {
	s, _ := newStore()
	w := httptest.NewRecorder()
	s.WithTickets(served).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "http://localhost"+ticketPath, nil))
	text, ok := strings.CutPrefix(w.Body.String(), `{"ticket":"`)
	if text, _, _ = strings.Cut(text, `"`); !ok {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	if _, ok := s.Exchange(text); !ok {
		t.Errorf("ticket %q is not valid", text)
	}
	if got := knock(s, http.MethodPost, ticketPath, ""); got.Code != http.StatusUnauthorized {
		t.Errorf("TCP: status %d", got.Code)
	}
	w = httptest.NewRecorder()
	s.WithTickets(served).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/api/v1/status", nil))
	if got := strings.TrimSpace(w.Body.String()); got != "served GET /api/v1/status" {
		t.Errorf("another request: %q", got)
	}
}

func TestForeignOwnerOfConnection(t *testing.T) {
	const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0C80 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 11 1
   1: 0100007F:0C80 0100007F:D431 01 00000000:00000000 00:00000000 00000000  1000        0 12 1
   2: 0100007F:D431 0100007F:0C80 01 00000000:00000000 00:00000000 00000000  1001        0 13 1
`
	for uid, want := range map[int]bool{1001: false, 1000: true, 0: true} {
		if got := hasForeignOwner(strings.NewReader(table), "127.0.0.1:54321", "127.0.0.1:3200", uid); got != want {
			t.Errorf("user %d: %v, want %v", uid, got, want)
		}
	}
	for _, from := range []string{"127.0.0.1:54322", "nonsense", ""} {
		if hasForeignOwner(strings.NewReader(table), from, "127.0.0.1:3200", 7) {
			t.Errorf("%q: an unknown owner is foreign", from)
		}
	}
}

// The owner of a real connection is this user.
func TestOwnConnectionIsNotForeign(t *testing.T) {
	if _, err := os.Stat("/proc/net/tcp"); err != nil {
		t.Skip("no /proc here")
	}
	foreign := true
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { foreign = isForeignPeer(r) }))
	defer srv.Close()
	resp, err := http.Get(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if foreign {
		t.Error("a connection of this process is foreign")
	}
}
