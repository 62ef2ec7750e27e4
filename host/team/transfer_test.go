package team

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/secret"
)

// readers counts the bytes that are read from a Reader.
type readers struct {
	io.Reader
	n int
}

func (r *readers) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.n += n
	return n, err
}

// transferClient returns a client of a mcpd with one handler.
func transferClient(t *testing.T, h http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	c, err := NewClient(Settings{URL: server.URL, Login: Login{URL: server.URL, Token: secret.New("mcpd_token-of-anna")}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestTransfer(t *testing.T) {
	c := transferClient(t, func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		_, _ = io.WriteString(w, r.Method+" "+r.URL.RequestURI()+" "+r.Header.Get("X")+" "+r.Header.Get("Authorization")+" "+string(text))
	})
	body, err := c.Transfer(t.Context(), Transfer{Method: "POST", Path: "/restore", Query: map[string][]string{"merge": {"true"}}, Header: http.Header{"X": {"x"}}, Body: strings.NewReader("bytes")})
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	if want := "POST /api/v1/restore?merge=true x Bearer mcpd_token-of-anna bytes"; err != nil || string(text) != want {
		t.Errorf("got %q, %v, want %q", text, err, want)
	}
}

// A body is not sent to a mcpd that refuses the call.
func TestRefusedTransferSendsNoBody(t *testing.T) {
	c := transferClient(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"detail":"anna is not an administrator"}`)
	})
	sent := &readers{Reader: strings.NewReader(strings.Repeat("x", 1<<20))}
	_, err := c.Transfer(t.Context(), Transfer{Method: "POST", Path: "/restore", Body: sent})
	if !errors.Is(err, abi.ErrDenied) || !strings.Contains(err.Error(), "not an administrator") || sent.n > 0 {
		t.Errorf("%v, %d bytes were sent", err, sent.n)
	}
}

func TestTransferThatEndsEarly(t *testing.T) {
	c := transferClient(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "begin")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	body, err := c.Transfer(t.Context(), Transfer{Method: "GET", Path: "/backup"})
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	if text, err := io.ReadAll(body); string(text) != "begin" || !errors.Is(err, abi.ErrUnavailable) {
		t.Errorf("got %q, %v", text, err)
	}
}

// A call ends with its context, also at mcpd.
func TestCanceledTransfer(t *testing.T) {
	gone := make(chan struct{})
	c := transferClient(t, func(w http.ResponseWriter, r *http.Request) {
		defer close(gone)
		for r.Context().Err() == nil { // without end
			if _, err := w.Write(make([]byte, 32<<10)); err != nil {
				return
			}
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	body, err := c.Transfer(ctx, Transfer{Method: "GET", Path: "/audit/export"})
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	if _, err := io.ReadFull(body, make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.Copy(io.Discard, body); !errors.Is(err, context.Canceled) {
		t.Errorf("read: %v", err)
	}
	<-gone
}

func TestTransferRefusesRedirect(t *testing.T) {
	c := transferClient(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://other.example/", http.StatusTemporaryRedirect)
	})
	if _, err := c.Transfer(t.Context(), Transfer{Method: "GET", Path: "/backup"}); err == nil || !strings.Contains(err.Error(), "is not followed") {
		t.Errorf("got %v", err)
	}
}

// errors of a limit and of a pause are reported by the reader.
func TestTransferLimits(t *testing.T) {
	c := transferClient(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "12345")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	begin := func() *transferred {
		body, err := c.Transfer(t.Context(), Transfer{Method: "GET", Path: "/backup"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { body.Close() })
		return body.(*transferred)
	}
	large := begin()
	large.left = 4
	if _, err := io.ReadAll(large); !errors.Is(err, abi.ErrLimit) || !strings.Contains(err.Error(), "GiB") {
		t.Errorf("a large answer: %v", err)
	}
	paused := begin()
	if _, err := io.ReadFull(paused, make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	paused.cancel(errPaused) // as its timer does
	if _, err := io.ReadAll(paused); !errors.Is(err, abi.ErrUnavailable) || !strings.Contains(err.Error(), "it has sent nothing for 1m0s") {
		t.Errorf("a pause: %v", err)
	}
}
