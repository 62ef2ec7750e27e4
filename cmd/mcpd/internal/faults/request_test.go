package faults

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/mcpdtest"
)

func TestRequestOf33MiB(t *testing.T) {
	s, token := start(t, filepath.Join(t.TempDir(), "db"))
	body := mcpdtest.ApplyBody(strings.Repeat("# comment\n", 33<<20/10))
	for _, path := range []string{"/api/v1/apply", "/api/v1/auth/can-i", "/api/v1/tokens"} {
		if got := s.Do(t, token, "POST", path, body); got.Status != http.StatusRequestEntityTooLarge && got.Status != http.StatusBadRequest || !strings.Contains(got.Body, "E_") {
			t.Errorf("%s: %d %.300s", path, got.Status, got.Body)
		}
	}
	if got := s.Do(t, token, "POST", "/api/v1/apply", body); got.Status != 413 || !strings.Contains(got.Body, "the request is over 32768 KiB") {
		t.Errorf("apply: %d %.300s", got.Status, got.Body)
	}
}

func TestManifestOf20MB(t *testing.T) {
	s, token := start(t, filepath.Join(t.TempDir(), "db"))
	version := s.Feed.Version()
	got := s.Do(t, token, "POST", "/api/v1/apply", mcpdtest.ApplyBody(prompt("a", strings.Repeat("x", 20_000_000))))
	if got.Status != 422 && got.Status != 413 || !strings.Contains(got.Body, "limit") || len(got.Body) > 10_000 {
		t.Errorf("got %d %.500s", got.Status, got.Body)
	}
	if s.Feed.Version() != version {
		t.Error("something was written")
	}
}

func TestThousandObjectsInOneApply(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s, token := start(t, address)
		version := s.Feed.Version()
		var yaml strings.Builder
		for i := range 1000 {
			if i > 0 {
				yaml.WriteString("---\n")
			}
			yaml.WriteString(prompt(fmt.Sprintf("n%d", i), fmt.Sprint(i)))
		}
		for _, action := range []string{"created", "unchanged"} {
			var applied []api.Applied
			s.Do(t, token, "POST", "/api/v1/apply", mcpdtest.ApplyBody(yaml.String())).Decode(t, &applied)
			if len(applied) != 1000 || applied[999].Action != action {
				t.Fatalf("%d objects, the last one %+v, want %s", len(applied), applied[len(applied)-1], action)
			}
		}
		if got := s.Feed.Version(); got != version+1000 {
			t.Errorf("version %d, want %d", got, version+1000)
		}
		bad := strings.Replace(yaml.String(), `content: "999"`, `content: "new", priority: 99`, 1)
		bad = strings.ReplaceAll(bad, `content: "5`, `content: "changed 5`)
		if got := s.Do(t, token, "POST", "/api/v1/apply", mcpdtest.ApplyBody(bad)); got.Status != 422 || s.Feed.Version() != version+1000 {
			t.Errorf("one of a thousand is invalid: %d %.300s", got.Status, got.Body)
		}
	})
}

// Some logins are answered and the others are told when to try again.
func TestTwoHundredLoginsAtOnce(t *testing.T) {
	s, token := start(t, filepath.Join(t.TempDir(), "db"))
	const text = "correct horse battery"
	if err := s.Access.SetPassword(t.Context(), "root", nil, text); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	statuses := make(map[int]int)
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			got := s.Do(t, "", "POST", "/api/v1/auth/login", `{"user":"root","password":"`+text+`"}`)
			mu.Lock()
			defer mu.Unlock()
			statuses[got.Status]++
			if got.Status == http.StatusTooManyRequests && got.Header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
		})
	}
	if got := s.Do(t, token, "GET", "/api/v1/auth/whoami", ""); got.Status != 200 { // others are served meanwhile
		t.Errorf("another request: %+v", got)
	}
	all.Wait()
	if statuses[200]+statuses[429] != 200 || statuses[200] == 0 {
		t.Errorf("got %v", statuses)
	}
}

func TestMalformedEverything(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s, token := start(t, address)
		bodies := []string{"", "null", "{}", "[]", "0", `""`, "{", `{"":`, "\x00", "\xff\xfe", `{"user":null}`, `{"yaml":"\u0000"}`, `{"yaml":"\ud800"}`, `{"yaml":"kind: !!binary x"}`,
			`{"a":1,"a":2}`, strings.Repeat("[", 20_000), `{"name":"` + strings.Repeat("\\u0000", 50) + `"}`, `{"jsonrpc":"2.0","method":"\u0000"}`, `{"file":"\u0000","yaml":"kind: X"}`, `{"base":"\u0000","yaml":""}`,
			`{"user":"\u0000","new":"0123456789abc"}`, `{"verb":"view","kind":"user","name":"\u0000","project":"\u0000"}`, `{"name":"x","serviceAccount":"\u0000"}`, `{"name":"x","ttl":"\u0000"}`}
		queries := []string{"", "?project=%00", "?project=%ff", "?project=..%2f", "?limit=-1", "?limit=99999999999999999999", "?cursor=%00", "?cursor=Lw", "?since=%00", "?since=1e9", "?since=2026-13-01T00:00:00Z", "?dryRun=maybe", "?force=1", "?%zz", "?project=a&project=b", "?a=b;c"}
		for _, route := range s.Routes() {
			if strings.HasSuffix(route.Path, "/logout") || strings.HasSuffix(route.Path, "/watch") {
				continue // ends the token; a stream has no end
			}
			for i, name := range []string{"root", "%00", "%ff", "a%2fb", "%2e%2e", strings.Repeat("a", 300)} {
				path := strings.NewReplacer("{kinds}", []string{"users", "servers"}[i%2], "{name}", name, "{id}", name).Replace(route.Path)
				if i > 0 && path == route.Path {
					break
				}
				for _, q := range queries {
					check(t, s.Do(t, token, route.Method, path+q, ""), route.Method, path+q, "")
				}
				if route.Method == "POST" {
					for _, body := range bodies {
						check(t, s.Do(t, token, route.Method, path, body), route.Method, path, body)
					}
				}
			}
		}
		for _, header := range []string{"Bearer", "Bearer ", "bearer x", "Basic cm9vdDpyb290", "Bearer mcpd_" + strings.Repeat("0", 49), "Bearer \xff", "Bearer " + token + " x", "Bearer " + token + ", Bearer " + token, "Bearer " + strings.Repeat("x", 100_000), strings.Repeat(" ", 100)} {
			if got := s.Do(t, "", "GET", "/api/v1/status", "", "Authorization", header); got.Status != 401 {
				t.Errorf("Authorization %.40q: %d", header, got.Status)
			}
		}
	})
}

// check checks that a malformed request is the fault of the client.
func check(t *testing.T, got mcpdtest.Answer, method, path, body string) {
	t.Helper()
	if got.Status >= 500 && got.Status != 502 && got.Status != 501 { // 502: of the relay; 501: regenerate-summary
		t.Errorf("%s %.100s %.60q: %d %.300s", method, path, body, got.Status, got.Body)
	}
}
