package team

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// Limits of a Transfer.
const (
	maxTransfer    = 64 << 30 // bytes of the answer
	transferPause  = time.Minute
	expectLimit    = 10 * time.Second // until the body of a request is sent without an answer to its header
	expectContinue = "100-continue"
)

// Transfer is a call whose request or answer is not held in memory, or for which mcpd may
// need minutes.
type Transfer struct {
	Method, Path string
	Query        url.Values
	Header       http.Header
	Body         io.Reader // nil: none
}

// Transfer makes a call and returns the body of its answer, which the caller closes. The body
// of the request is sent when mcpd has accepted the header. Only ctx limits the time until the
// answer begins; then a pause of a minute ends it.
//
// Errors, also of reading: as Call.
func (c *Client) Transfer(ctx context.Context, t Transfer) (io.ReadCloser, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	req, err := c.newRequest(ctx, t.Method, t.Path, t.Query, t.Body)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	for name, values := range t.Header {
		req.Header[name] = values
	}
	if t.Body != nil {
		req.Header.Set("Expect", expectContinue)
	}
	resp, err := c.do(&http.Client{Transport: c.relay, CheckRedirect: refuseRedirect}, req) //nolint:bodyclose // the caller closes it
	if err != nil {
		cancel(nil)
		return nil, err
	}
	timer := time.AfterFunc(transferPause, func() { cancel(errPaused) })
	return &transferred{client: c, ctx: ctx, body: resp.Body, left: maxTransfer, timer: timer, cancel: cancel}, nil
}

// errPaused is the error of an answer that has paused.
var errPaused = fmt.Errorf("it has sent nothing for %v", transferPause)

// transferred is the body of an answer.
type transferred struct {
	client *Client
	ctx    context.Context
	body   io.ReadCloser
	left   int64
	timer  *time.Timer
	cancel context.CancelCauseFunc
}

// Read implements io.Reader.
func (t *transferred) Read(p []byte) (int, error) {
	t.timer.Reset(transferPause)
	n, err := t.body.Read(p)
	t.timer.Stop() // the reader may pause
	if t.left -= int64(n); t.left < 0 {
		return 0, fmt.Errorf("%w: the answer of mcpd %s has more than %d GiB", abi.ErrLimit, t.client.base, int64(maxTransfer)>>30)
	}
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return n, err
	case errors.Is(context.Cause(t.ctx), errPaused):
		return n, fmt.Errorf("%w: mcpd %s: %w", abi.ErrUnavailable, t.client.base, errPaused)
	}
	return n, t.client.netError(t.ctx, err)
}

// Close implements io.Closer.
func (t *transferred) Close() error {
	t.timer.Stop()
	t.cancel(nil)
	return t.body.Close()
}
