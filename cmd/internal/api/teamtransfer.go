package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
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
