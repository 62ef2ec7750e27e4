package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/mcpdtest"
)

// stuckClient is the connection of a client that does not read.
type stuckClient struct {
	http.ResponseWriter
	blocked  chan<- struct{}
	released <-chan struct{}
	once     sync.Once

	mu       sync.Mutex
	deadline time.Time
}

func (c *stuckClient) Write(p []byte) (int, error) {
	c.once.Do(func() { c.blocked <- struct{}{} })
	<-c.released
	return len(p), nil
}

func (c *stuckClient) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
	return nil
}

// Clients that do not read hold few snapshots, and each has a deadline.
func TestSnapshotsAreLimited(t *testing.T) {
	s := mcpdtest.Start(t, filepath.Join(t.TempDir(), "mcpd.db"))
	s.Apply(t, team)
	handler, token := s.Handler(), s.Token(t, "viewer")
	blocked, released := make(chan struct{}), make(chan struct{})
	var open sync.WaitGroup
	for range 4 {
		client := &stuckClient{ResponseWriter: httptest.NewRecorder(), blocked: blocked, released: released}
		open.Go(func() {
			r := httptest.NewRequest("GET", "/api/v1/snapshot", nil)
			r.Header.Set("Authorization", "Bearer "+token)
			handler.ServeHTTP(client, r)
			if client.deadline.IsZero() {
				t.Error("the answer has no deadline")
			}
		})
		select {
		case <-blocked:
		case <-time.After(time.Minute):
			t.Fatal("no answer is written")
		}
	}
	got := s.Do(t, token, "GET", "/api/v1/snapshot", "")
	if got.Status != http.StatusTooManyRequests || got.Header.Get("Retry-After") == "" {
		t.Errorf("a fifth snapshot: %+v", got)
	}
	if got := s.Do(t, s.Token(t, "editor"), "GET", "/api/v1/snapshot", ""); got.Status != http.StatusOK {
		t.Errorf("a snapshot of another user: %+v", got)
	}
	close(released)
	open.Wait()
	got = s.Do(t, token, "GET", "/api/v1/snapshot", "")
	var snapshot api.Snapshot
	got.Decode(t, &snapshot)
	if got.Status != http.StatusOK || len(snapshot.Objects) == 0 || snapshot.Version == "" {
		t.Errorf("a snapshot after the others have ended: %+v", got)
	}
}

// A caller has a limited number of streams of changes.
func TestStreamsAreLimited(t *testing.T) {
	const limit = 200
	s := mcpdtest.Start(t, filepath.Join(t.TempDir(), "mcpd.db"))
	s.Apply(t, team)
	var snapshot api.Snapshot
	s.Do(t, s.Token(t, "viewer"), "GET", "/api/v1/snapshot", "").Decode(t, &snapshot)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	watch := func(token string) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(ctx, "GET", s.URL+"/api/v1/watch?since="+snapshot.Version, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return resp
	}
	token := s.Token(t, "viewer")
	for i := range limit {
		if resp := watch(token); resp.StatusCode != http.StatusOK {
			t.Fatalf("stream %d: %s", i+1, resp.Status)
		}
	}
	if resp := watch(token); resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == "" {
		t.Errorf("one more stream: %s", resp.Status)
	}
	if resp := watch(s.Token(t, "editor")); resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		t.Errorf("a stream of another user: %s", resp.Status)
	}
}
