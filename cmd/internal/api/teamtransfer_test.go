package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// transferService is a daemon whose team server answers transfers.
type transferService struct {
	Service
	transfer func(ctx context.Context, t TeamTransfer) (io.ReadCloser, error)
}

func (s transferService) Team() Team { return transferTeam{s: s} }

type transferTeam struct {
	Team
	s transferService
}

func (t transferTeam) Transfer(ctx context.Context, in TeamTransfer) (io.ReadCloser, error) {
	return t.s.transfer(ctx, in)
}

// daemonOf returns a client of a daemon on a unix socket.
func daemonOf(t *testing.T, s Service) *Client {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "s")
	lis, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", Handler(s))
	mux.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	server := &http.Server{Handler: mux}
	go func() { _ = server.Serve(lis) }()
	t.Cleanup(func() { server.Close() })
	return NewClient(socket)
}

func TestTransferThroughDaemon(t *testing.T) {
	c := daemonOf(t, transferService{transfer: func(_ context.Context, in TeamTransfer) (io.ReadCloser, error) {
		sent := ""
		if in.Body != nil {
			b, err := io.ReadAll(in.Body)
			if err != nil {
				return nil, err
			}
			sent = fmt.Sprintf(" %d bytes", len(b))
		}
		text := fmt.Sprint(in.Method, in.Path, " ", in.Query.Encode(), " ", in.Type, len(in.Identities), sent)
		return io.NopCloser(strings.NewReader(text)), nil
	}})
	for _, tt := range []struct {
		in   TeamTransfer
		want string
	}{
		{TeamTransfer{Method: "GET", Path: "/backup", Query: map[string][]string{"audit": {"true"}}}, "GET/backup audit=true 0"},
		{TeamTransfer{Method: "GET", Path: "/audit/export"}, "GET/audit/export  0"},
		{TeamTransfer{Method: "POST", Path: "/restore", Type: TypeArchive, Identities: []Credential{"a", "b"}, Body: strings.NewReader(strings.Repeat("x", 5<<20))}, "POST/restore  application/zstd2 5242880 bytes"},
		{TeamTransfer{Method: "POST", Path: "/audit/verify", Type: "application/json", Body: strings.NewReader("{}")}, "POST/audit/verify  application/json0 2 bytes"},
	} {
		body, err := c.Team().Transfer(t.Context(), tt.in)
		if err != nil {
			t.Errorf("%s: %v", tt.want, err)
			continue
		}
		text, err := io.ReadAll(body)
		body.Close()
		if err != nil || string(text) != tt.want {
			t.Errorf("got %q, %v, want %q", text, err, tt.want)
		}
	}
	// The types that a form of a web page has.
	for _, contentType := range []string{"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"} {
		if _, err := c.Team().Transfer(t.Context(), TeamTransfer{Method: "POST", Path: "/restore", Type: contentType, Body: strings.NewReader("x")}); err == nil || !strings.Contains(err.Error(), "content type") {
			t.Errorf("type %q: %v", contentType, err)
		}
	}
}

// failing fails after a text.
type failing struct{ io.Reader }

func (f failing) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if err == io.EOF {
		err = errors.New("mcpd is gone")
	}
	return n, err
}

// An answer that ends early is not taken for a complete one, also if it had no byte.
func TestTransferEndsEarly(t *testing.T) {
	for _, text := range []string{"", "begin"} {
		c := daemonOf(t, transferService{transfer: func(context.Context, TeamTransfer) (io.ReadCloser, error) {
			return io.NopCloser(failing{strings.NewReader(text)}), nil
		}})
		body, err := c.Team().Transfer(t.Context(), TeamTransfer{Method: "GET", Path: "/backup"})
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(body)
		body.Close()
		if !strings.HasPrefix(text, string(got)) || !errors.Is(err, abi.ErrUnavailable) || !strings.Contains(err.Error(), "ended early") {
			t.Errorf("got %q, %v", got, err)
		}
	}
}

// The call at mcpd ends when the client is gone.
func TestCanceledTransfer(t *testing.T) {
	ended := make(chan struct{})
	c := daemonOf(t, transferService{transfer: func(ctx context.Context, _ TeamTransfer) (io.ReadCloser, error) {
		context.AfterFunc(ctx, func() { close(ended) })
		r, _ := io.Pipe()
		context.AfterFunc(ctx, func() { r.Close() })
		return r, nil
	}})
	ctx, cancel := context.WithCancel(t.Context())
	body, err := c.Team().Transfer(ctx, TeamTransfer{Method: "GET", Path: "/backup"})
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	cancel()
	<-ended
	if _, err := io.ReadAll(body); !errors.Is(err, context.Canceled) {
		t.Errorf("read: %v", err)
	}
}

func TestCheckTransfer(t *testing.T) {
	for call, ok := range map[string]bool{"GET /backup": true, "POST /backup": false, "POST /restore": true, "GET /audit/../backup": false, "GET /servers": false} {
		method, path, _ := strings.Cut(call, " ")
		if err := CheckTransfer(TeamTransfer{Method: method, Path: path}); (err == nil) != ok {
			t.Errorf("%s: %v", call, err)
		}
	}
}
