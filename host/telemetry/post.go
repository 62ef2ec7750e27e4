package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Delays between attempts: OTLP asks for an exponential backoff with jitter. An answer with
// Retry-After sets the delay, up to maxRetryAfter.
const (
	firstDelay    = time.Second
	maxDelay      = 30 * time.Second
	maxRetryAfter = 5 * time.Minute
	maxAttempts   = 6 // about a minute
)

// state records the failures that have been logged. Only the sending goroutine uses it.
type state struct {
	failing  map[string]bool // paths whose messages are refused; "" if the endpoint does not answer
	rejected bool
}

// post sends a message and reports whether it was accepted. It repeats a message that the
// endpoint could not process now; one that it refuses is dropped.
func (x *Exporter) post(ctx context.Context, path string, message any) bool {
	body, err := json.Marshal(message)
	if err != nil {
		x.failed(path, err)
		return false
	}
	delay := firstDelay
	for attempt := 1; ; attempt++ {
		wait, err := x.try(ctx, path, body)
		if err == nil {
			x.recovered(path)
			return true
		}
		x.failed(path, err)
		var refused *refusedError
		if errors.As(err, &refused) || attempt == maxAttempts {
			return false
		}
		if wait == 0 {
			wait = delay/2 + rand.N(delay/2)
			delay = min(2*delay, maxDelay)
		}
		if !pause(x.reading, wait) { // it is closing: there is no time for another attempt
			return false
		}
	}
}

// refusedError is an answer after which the message must not be sent again.
type refusedError struct{ text string }

func (e *refusedError) Error() string { return e.text }

// maxAnswer is the size limit of an answer that is read, in bytes.
const maxAnswer = 64 << 10

// try sends a message once. wait is the delay that the endpoint asks for.
func (x *Exporter) try(ctx context.Context, path string, body []byte) (wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, x.opts.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, x.opts.Endpoint+path, bytes.NewReader(body))
	if err != nil {
		return 0, &refusedError{"the endpoint is not a URL"}
	}
	header, err := x.opts.Headers()
	if err != nil {
		return 0, err // a variable that is not set now
	}
	req.Header = header.Clone()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "mcpctl/"+x.opts.Version)
	resp, err := x.http.Do(req)
	if err != nil {
		var at *url.Error
		if errors.As(err, &at) {
			err = at.Err // without the address, which the log line has
		}
		return 0, err
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(io.LimitReader(resp.Body, maxAnswer)) // so that the connection can be used again
	switch resp.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		x.checkPartial(path, answer)
		return 0, nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return retryAfter(resp.Header.Get("Retry-After"), x.opts.Now()), fmt.Errorf("status %d", resp.StatusCode)
	}
	return 0, &refusedError{fmt.Sprintf("status %d", resp.StatusCode)} // its text is not logged: it may quote the message
}

// checkPartial logs once that an endpoint has accepted only a part of a message. The rest
// must not be sent again.
func (x *Exporter) checkPartial(path string, answer []byte) {
	var m struct {
		PartialSuccess struct {
			RejectedSpans      json.RawMessage
			RejectedDataPoints json.RawMessage
		}
	}
	if x.state.rejected || json.Unmarshal(answer, &m) != nil {
		return
	}
	for _, raw := range []json.RawMessage{m.PartialSuccess.RejectedSpans, m.PartialSuccess.RejectedDataPoints} {
		n, err := strconv.ParseInt(string(bytes.Trim(raw, `"`)), 10, 64)
		if err == nil && n > 0 {
			x.state.rejected = true
			x.opts.Log.Warn("the endpoint rejected a part of the telemetry", "endpoint", x.opts.Endpoint+path, "rejected", n)
		}
	}
}

// retryAfter parses the header: seconds, or a date.
func retryAfter(s string, now time.Time) time.Duration {
	var d time.Duration
	if n, err := strconv.Atoi(s); err == nil {
		d = time.Duration(min(max(n, 0), int(maxRetryAfter/time.Second))) * time.Second
	} else if at, err := http.ParseTime(s); err == nil {
		d = at.Sub(now)
	}
	return min(max(d, 0), maxRetryAfter)
}

// pause waits; it returns false if ctx ends before.
func pause(ctx context.Context, d time.Duration) bool {
	if ctx.Err() != nil {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// failed logs the first failure only: an endpoint that is down for a night is one line.
func (x *Exporter) failed(path string, err error) {
	key := ""
	var refused *refusedError
	if errors.As(err, &refused) {
		key = path
	}
	if !x.state.failing[key] {
		x.opts.Log.Warn("telemetry cannot be sent, trying again in the background", "endpoint", x.opts.Endpoint+path, "cause", err.Error())
	}
	x.state.failing[key] = true
}

func (x *Exporter) recovered(path string) {
	if x.state.failing[path] || x.state.failing[""] {
		x.opts.Log.Info("telemetry is sent again", "endpoint", x.opts.Endpoint+path, "dropped", x.meter.lost())
	}
	delete(x.state.failing, path)
	delete(x.state.failing, "")
}
