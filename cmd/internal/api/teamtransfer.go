package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// TeamTransfer is a call of mcpd's API whose request or answer is not held in memory, or for
// which mcpd may need minutes.
type TeamTransfer struct {
	Method, Path string // one of the transfers
	Query        url.Values
	Type         string       // content type of Body
	Identities   []Credential // of age, for a restore
	Body         io.Reader    // nil: none
}

// LogValue returns the transfer without its credentials.
func (t TeamTransfer) LogValue() slog.Value { return slog.StringValue(t.Method + " " + t.Path) }

// HeaderAgeIdentity is the header of POST /restore with an identity of age, which decrypts the
// credentials of a backup. It can be repeated.
const HeaderAgeIdentity = "Mcpctl-Age-Identity"

// TypeArchive is the content type of a backup.
const TypeArchive = "application/zstd"

// The calls that Team.Transfer makes.
var transfers = []string{"GET /audit/export", "POST /audit/verify", "GET /backup", "POST /restore"}

// CheckTransfer returns a problem for a call that is not made by Team.Transfer.
func CheckTransfer(t TeamTransfer) error {
	if !slices.Contains(transfers, t.Method+" "+t.Path) {
		return problem.Usagef("%s %s is no call with a stream", t.Method, t.Path)
	}
	return nil
}

// transferPause is the longest pause of a client that sends the body of a transfer.
const transferPause = time.Minute

func (h teamHandler) addTransfers(mux *http.ServeMux) {
	for _, call := range transfers {
		method, path, _ := strings.Cut(call, " ")
		mux.HandleFunc(method+" /api/v1/team/api"+path, func(w http.ResponseWriter, r *http.Request) { h.transfer(w, r, method, path) })
	}
}

// transfer passes a call on to mcpd without holding its bodies. If the answer ends early, so
// does the connection: the client must not take it for a complete one.
func (h teamHandler) transfer(w http.ResponseWriter, r *http.Request, method, path string) {
	t := TeamTransfer{Method: method, Path: path, Query: r.URL.Query()}
	for _, id := range r.Header.Values(HeaderAgeIdentity) {
		t.Identities = append(t.Identities, Credential(id))
	}
	if method == http.MethodPost {
		var err error
		t.Type, _, err = mime.ParseMediaType(r.Header.Get("Content-Type"))
		if err != nil || t.Type != TypeArchive && t.Type != "application/json" { // a web page cannot send these to another site
			writeAnswer(w, nil, problem.Usagef("content type %q, want %s or application/json", t.Type, TypeArchive))
			return
		}
		t.Body = pacedBody{r.Body, http.NewResponseController(w)}
	}
	answer, err := h.s.Team().Transfer(r.Context(), t)
	if err != nil {
		writeAnswer(w, nil, err)
		return
	}
	defer answer.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	_ = http.NewResponseController(w).Flush() // the client must see that the answer has begun
	if _, err := io.Copy(w, answer); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// pacedBody is the body of a request that may take any time as a whole, without long pauses.
type pacedBody struct {
	io.Reader
	connection *http.ResponseController
}

// Read implements io.Reader.
func (b pacedBody) Read(p []byte) (int, error) {
	_ = b.connection.SetReadDeadline(time.Now().Add(transferPause)) // fails only in tests, which have no connection
	n, err := b.Reader.Read(p)
	if err != nil {
		_ = b.connection.SetReadDeadline(time.Time{}) // the server reads on, to notice that the client is gone
	}
	return n, err
}

// Transfer implements Team.
func (t teamClient) Transfer(ctx context.Context, in TeamTransfer) (io.ReadCloser, error) {
	target := t.c.URL("/api/v1/team/api" + in.Path)
	if len(in.Query) > 0 {
		target += "?" + in.Query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, in.Method, target, in.Body)
	if err != nil {
		return nil, err
	}
	for name, values := range in.Header() {
		req.Header[name] = values
	}
	if in.Body != nil {
		req.Header.Set("Expect", "100-continue") // no body to a daemon that refuses the call
	}
	resp, err := t.c.do(req)
	if err != nil {
		return nil, err
	}
	return cutBody{resp.Body}, nil
}

// Header returns the header of a request.
func (t TeamTransfer) Header() http.Header {
	h := make(http.Header)
	if t.Type != "" {
		h.Set("Content-Type", t.Type)
	}
	for _, id := range t.Identities {
		h.Add(HeaderAgeIdentity, string(id))
	}
	return h
}

// cutBody is the body of an answer of the daemon, with an error for users if it ends early.
type cutBody struct{ io.ReadCloser }

// Read implements io.Reader.
func (b cutBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return n, err
	}
	cut := problem.New(abi.ErrUnavailable, "the answer of the team server ended early")
	cut.Cause = fmt.Sprintf("mcpd or the daemon has ended the connection: %v", err)
	return n, cut.WithHint("mcpctl status")
}
