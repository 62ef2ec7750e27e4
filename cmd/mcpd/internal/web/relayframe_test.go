package web_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/mcpdtest"
)

// A server that does not read the body of a DELETE would take it for the next request on a
// connection that other callers use. No server gets such a body, or a trailer.
func TestRelayedRequestsAreFramed(t *testing.T) {
	frames := make(chan string, 1)
	u := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		frames <- fmt.Sprintf("%s %d bytes, encoding %v, trailer %v, accepts %q, %v", r.Method, len(body), r.TransferEncoding, r.Trailer, r.Header.Get("Accept-Encoding"), err)
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(u.Close)
	s := mcpdtest.Start(t, filepath.Join(t.TempDir(), "mcpd.db"))
	s.Apply(t, team)
	s.Apply(t, serverYAML("s", u.URL))
	token := s.Token(t, "sa-robot")
	for method, want := range map[string]string{
		"GET":    `GET 0 bytes, encoding [], trailer map[], accepts "", <nil>`,
		"DELETE": `DELETE 0 bytes, encoding [], trailer map[], accepts "", <nil>`,
		"POST":   `POST 40 bytes, encoding [], trailer map[], accepts "", <nil>`,
	} {
		for _, chunked := range []bool{false, true} {
			var body io.Reader = strings.NewReader(`{"jsonrpc":"2.0","method":"notify/x"}   `)
			if chunked {
				body = io.MultiReader(body) // whose length is unknown
			}
			r, err := http.NewRequestWithContext(t.Context(), method, s.URL+"/api/v1/servers/s/mcp?project=p", body)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+token)
			r.Header.Set("Content-Type", "application/json")
			if chunked {
				r.Trailer = http.Header{"X-User": {"admin"}}
			}
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusAccepted {
				t.Fatalf("%s, chunked %v: status %s", method, chunked, resp.Status)
			}
			if got := <-frames; got != want {
				t.Errorf("chunked %v: the server got %s, want %s", chunked, got, want)
			}
		}
	}
}
