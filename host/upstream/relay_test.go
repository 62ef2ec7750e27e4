package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// relayFault is what happens to one try of a call.
type relayFault string

const (
	answered      relayFault = "answered"
	notConnected  relayFault = "connection refused"
	cutBefore     relayFault = "cut before the call is executed"
	cutUnanswered relayFault = "cut before the answer"
	cutWithin     relayFault = "cut within the answer"
	cutStream     relayFault = "cut within a stream"
	ownBusy       relayFault = "503 of the team server"
	proxyBusy     relayFault = "503 of a proxy"
	proxyGateway  relayFault = "502 of a proxy"
	proxyTimeout  relayFault = "504 of a proxy, but the call is executed"
	serverDown    relayFault = "502 of the team server: no connection to the server"
	serverLost    relayFault = "502 of the team server: connection to the server lost"
	refused       relayFault = "403 of the team server"
	sessionLost   relayFault = "404 of the team server: no such session"
)

// fakeRelay is a team server in front of the fake. Its faults are those of the tries of one call.
type fakeRelay struct {
	*fakeHTTP

	mu       sync.Mutex
	opening  []relayFault // of the next attempts to open a session; the last one stays
	opened   int          // attempts to open a session
	faults   []relayFault // of the next tries; the last one stays
	ids      []string     // of all tries that arrived
	executed map[string]int
}

func startRelay(t *testing.T, faults ...relayFault) *fakeRelay {
	r := &fakeRelay{fakeHTTP: newFakeHTTP(), faults: faults, executed: make(map[string]int)}
	r.intercept = func(w http.ResponseWriter, req *http.Request, m jsonrpc.Message) bool {
		return m.Method == "tools/call" && r.relay(w, req, m)
	}
	serveFake(t, r.fakeHTTP)
	return r
}

// RoundTrip implements http.RoundTripper: a try may fail before there is a connection, and so may
// an attempt to open a session.
func (r *fakeRelay) RoundTrip(req *http.Request) (*http.Response, error) {
	if isMethod(req, "initialize") {
		switch r.takeOpening() {
		case answered:
		case cutBefore:
			return nil, io.ErrUnexpectedEOF
		case ownBusy:
			return refuse(http.StatusServiceUnavailable, "application/problem+json"), nil
		case proxyGateway:
			return refuse(http.StatusBadGateway, "text/html"), nil
		case serverDown:
			return refuse(http.StatusBadGateway, "application/problem+json"), nil
		case refused:
			return refuse(http.StatusForbidden, "application/problem+json"), nil
		default:
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
		}
	}
	if id := req.Header.Get("X-Request"); id != "" && r.peek() == notConnected {
		r.take(id)
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	}
	return http.DefaultTransport.RoundTrip(req)
}

// isMethod reports whether the body of a request is a message with a method.
func isMethod(req *http.Request, method string) bool {
	if req.GetBody == nil {
		return false
	}
	body, err := req.GetBody()
	if err != nil {
		return false
	}
	defer body.Close()
	var m struct{ Method string }
	return json.NewDecoder(body).Decode(&m) == nil && m.Method == method
}

func refuse(status int, contentType string) *http.Response {
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {contentType}},
		Body: io.NopCloser(strings.NewReader(fmt.Sprintf(`{"detail":"problem %d"}`, status))),
	}
}

// takeOpening returns the fault of an attempt to open a session.
func (r *fakeRelay) takeOpening() relayFault {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.opened++
	if len(r.opening) == 0 {
		return answered
	}
	fault := r.opening[0]
	if len(r.opening) > 1 {
		r.opening = r.opening[1:]
	}
	return fault
}

func (r *fakeRelay) peek() relayFault {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.faults[0]
}

// take returns the fault of a try.
func (r *fakeRelay) take(id string) relayFault {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ids = append(r.ids, id)
	fault := r.faults[0]
	if len(r.faults) > 1 {
		r.faults = r.faults[1:]
	}
	return fault
}

// execute executes the call with an id unless it was executed, as a team server does.
func (r *fakeRelay) execute(id string) (isFirst bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.executed[id] > 0 {
		return false
	}
	r.executed[id]++
	return true
}

func (r *fakeRelay) relay(w http.ResponseWriter, req *http.Request, m jsonrpc.Message) bool {
	id := req.Header.Get("X-Request")
	own := func(status int, outcome string) {
		w.Header().Set("Content-Type", "application/problem+json")
		if outcome != "" {
			w.Header().Set("X-Outcome", outcome)
		}
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"detail":"problem %d"}`, status)
	}
	fault := r.take(id)
	switch fault {
	case cutBefore:
		panic(http.ErrAbortHandler)
	case ownBusy:
		own(http.StatusServiceUnavailable, "")
		return true
	case proxyBusy:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "no backend", http.StatusServiceUnavailable)
		return true
	case proxyGateway:
		http.Error(w, "<html>", http.StatusBadGateway)
		return true
	case serverDown:
		own(http.StatusBadGateway, "")
		return true
	case refused:
		own(http.StatusForbidden, "")
		return true
	case sessionLost:
		own(http.StatusNotFound, "")
		return true
	}
	if !r.execute(id) {
		own(http.StatusConflict, "unknown")
		return true
	}
	answer := `{"jsonrpc":"2.0","id":` + m.ID.String() + `,"result":{"content":[]}}`
	switch fault {
	case cutUnanswered:
		panic(http.ErrAbortHandler)
	case cutWithin:
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		fmt.Fprint(w, answer[:20])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	case cutStream:
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"jsonrpc\"")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	case proxyTimeout:
		http.Error(w, "<html>", http.StatusGatewayTimeout)
	case serverLost:
		own(http.StatusBadGateway, "unknown")
	default:
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, answer)
	}
	return true
}

func (r *fakeRelay) start(t *testing.T, repeatFor time.Duration) *Client {
	cfg := r.config()
	cfg.Transport, cfg.RequestIDHeader, cfg.OutcomeHeader, cfg.RepeatFor = r, "X-Request", "X-Outcome", repeatFor
	cfg.Refusal = func(_ int, body []byte) error {
		var p struct{ Detail string }
		if json.Unmarshal(body, &p) != nil {
			return nil
		}
		return errors.New(p.Detail)
	}
	return startFake(t, cfg, nil)
}

// counts returns how often the call was executed, with any id, and the tries and their ids.
func (r *fakeRelay) counts() (executed, tries, ids int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range r.executed {
		executed += n
	}
	seen := make(map[string]bool)
	for _, id := range r.ids {
		seen[id] = true
	}
	return executed, len(r.ids), len(seen)
}

// A call is repeated with the same id as long as the team server is away, is executed once at
// most, and has one answer.
func TestCallIsRepeatedWhileRelayIsAway(t *testing.T) {
	const unknown = "it is not known whether the call was executed"
	for name, tc := range map[string]struct {
		faults   []relayFault
		executed int
		tries    int
		err      string // part of the error, "" for an answer
	}{
		"no fault":                  {[]relayFault{answered}, 1, 1, ""},
		"not connected":             {[]relayFault{notConnected, notConnected, answered}, 1, 3, ""},
		"cut before":                {[]relayFault{cutBefore, answered}, 1, 2, ""},
		"cut before, several times": {[]relayFault{cutBefore, notConnected, cutBefore, answered}, 1, 4, ""},
		"cut before the answer":     {[]relayFault{cutUnanswered, answered}, 1, 2, unknown},
		"cut within the answer":     {[]relayFault{cutWithin, answered}, 1, 2, unknown},
		"cut within a stream":       {[]relayFault{cutStream, answered}, 1, 2, unknown},
		"503":                       {[]relayFault{ownBusy, answered}, 1, 2, ""},
		"503 of a proxy":            {[]relayFault{proxyBusy, answered}, 1, 2, ""},
		"502 of a proxy":            {[]relayFault{proxyGateway, answered}, 1, 2, ""},
		"504 of a proxy":            {[]relayFault{proxyTimeout, answered}, 1, 2, unknown + ": problem 409; first try: HTTP status 504"},
		"the server is down":        {[]relayFault{serverDown, answered}, 0, 1, "problem 502"},
		"the server is lost":        {[]relayFault{serverLost, answered}, 1, 1, unknown + ": problem 502"},
		"no right":                  {[]relayFault{refused, answered}, 0, 1, "problem 403"},
		"right lost meanwhile":      {[]relayFault{cutBefore, refused}, 0, 2, unknown + "; first try: connection broke: EOF; repeated: problem 403"},
		"right lost, not connected": {[]relayFault{notConnected, refused}, 0, 2, "problem 403"},
	} {
		t.Run(name, func(t *testing.T) {
			r := startRelay(t, tc.faults...)
			c := r.start(t, time.Minute)
			reply, err := c.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"a"}`), nil)
			executed, tries, ids := r.counts()
			if executed != tc.executed || tries != tc.tries || ids != 1 {
				t.Errorf("executed %d times, %d tries with %d ids, want %d, %d with 1", executed, tries, ids, tc.executed, tc.tries)
			}
			if isAnswered := err == nil && reply.Result != nil; isAnswered != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("answer %s, error %v, want %q", reply.Result, err, tc.err)
			}
			if got := c.State().Counts; got.Repeated != int64(tries-1) || got.Calls+got.Failed != 1 {
				t.Errorf("counted %+v", got)
			}
			if s := c.State(); s.Restarts != 0 {
				t.Errorf("%d new connections, although the session at the server exists", s.Restarts)
			}
		})
	}
}

// When the time for repeating is over, the error says whether the call may have been executed.
func TestErrorOfRelayThatStaysAway(t *testing.T) {
	for name, tc := range map[string]struct {
		faults []relayFault
		want   string
	}{
		"not connected":           {[]relayFault{notConnected}, "ms, the call was not executed: cannot connect: connection refused"},
		"503":                     {[]relayFault{ownBusy}, "the call was not executed: problem 503"},
		"503 of a proxy":          {[]relayFault{proxyBusy}, "it is not known whether the call was executed: HTTP status 503"},
		"cut, then not connected": {[]relayFault{cutBefore, notConnected}, "it is not known whether the call was executed: cannot connect"},
	} {
		t.Run(name, func(t *testing.T) {
			r := startRelay(t, tc.faults...)
			c := r.start(t, 300*time.Millisecond)
			_, err := c.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"a"}`), nil)
			if err == nil || !strings.Contains(err.Error(), tc.want) || !errors.Is(err, abi.ErrUnavailable) {
				t.Errorf("%v, want %q", err, tc.want)
			}
			if _, tries, ids := r.counts(); tries < 2 || ids != 1 {
				t.Errorf("%d tries with %d ids", tries, ids)
			}
			if passed := timeIn(t, err); passed < 300*time.Millisecond {
				t.Errorf("%v: given up after %s", err, passed)
			}
		})
	}
}

// timeIn returns the time without an answer of the team server that an error contains.
func timeIn(t *testing.T, err error) time.Duration {
	t.Helper()
	_, rest, _ := strings.Cut(fmt.Sprint(err), "no answer of the team server for ")
	text, _, _ := strings.Cut(rest, ",")
	passed, failed := time.ParseDuration(text)
	if failed != nil {
		t.Fatalf("%v: %v", err, failed)
	}
	return passed
}

// A call without a connection waits for the team server too.
func TestCallAwaitsConnectionOfRelay(t *testing.T) {
	for name, tc := range map[string]struct {
		opening []relayFault
		err     string // part of the error, "" for an answer
	}{
		"not connected":      {[]relayFault{notConnected, notConnected, notConnected, answered}, ""},
		"cut":                {[]relayFault{cutBefore, cutBefore, answered}, ""},
		"503":                {[]relayFault{ownBusy, ownBusy, answered}, ""},
		"502 of a proxy":     {[]relayFault{proxyGateway, proxyGateway, answered}, ""},
		"several":            {[]relayFault{notConnected, proxyGateway, ownBusy, cutBefore, answered}, ""},
		"the server is down": {[]relayFault{serverDown}, "unavailable: initialize: problem 502"},
		"no right":           {[]relayFault{refused}, "initialize: problem 403"},
		"right lost":         {[]relayFault{notConnected, notConnected, refused}, "initialize: problem 403"},
	} {
		t.Run(name, func(t *testing.T) {
			r := startRelay(t, answered)
			r.opening = tc.opening
			c := r.start(t, time.Hour)
			reply, err := c.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"a"}`), nil)
			if isAnswered := err == nil && reply.Result != nil; isAnswered != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("answer %s, error %v, want %q", reply.Result, err, tc.err)
			}
			executed, tries, _ := r.counts()
			if want := map[bool]int{true: 1}[tc.err == ""]; executed != want || tries != want {
				t.Errorf("executed %d times, %d tries, want %d", executed, tries, want)
			}
		})
	}
}

// A call that finds no connection in time was not executed. Other requests do not wait.
func TestRelayThatCannotBeOpened(t *testing.T) {
	r := startRelay(t, answered)
	r.opening = []relayFault{notConnected}
	c := r.start(t, 300*time.Millisecond)
	_, err := c.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"a"}`), nil)
	const want = ", the call was not executed: cannot connect: connection refused"
	if err == nil || !strings.HasSuffix(err.Error(), want) || !errors.Is(err, abi.ErrUnavailable) || timeIn(t, err) < 300*time.Millisecond {
		t.Errorf("%v, want %q", err, want)
	}
	r.mu.Lock()
	opened := r.opened
	r.mu.Unlock()
	if executed, tries, _ := r.counts(); executed+tries > 0 || opened < 2 {
		t.Errorf("executed %d times, %d tries, %d attempts to connect", executed, tries, opened)
	}
	_, err = c.Call(t.Context(), "tools/list", nil, nil)
	if err == nil || strings.Contains(err.Error(), "no answer of the team server") {
		t.Errorf("tools/list: %v", err)
	}
}

// A call that waits for a connection ends when its client cancels it.
func TestCancelledCallAwaitsNoRelay(t *testing.T) {
	r := startRelay(t, answered)
	r.opening = []relayFault{notConnected}
	c := r.start(t, time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := c.Call(ctx, "tools/call", json.RawMessage(`{"name":"a"}`), nil)
		done <- err
	}()
	for attempts := 0; attempts < 3; time.Sleep(time.Millisecond) {
		r.mu.Lock()
		attempts = r.opened
		r.mu.Unlock()
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// A tool that may run twice is called with a new id if it is not known whether the first call
// was executed.
func TestRepeatableCallHasNewID(t *testing.T) {
	r := startRelay(t, cutUnanswered, answered, answered)
	c := r.start(t, time.Minute)
	reply, err := c.CallRepeatable(t.Context(), "tools/call", json.RawMessage(`{"name":"a"}`), nil)
	if executed, tries, ids := r.counts(); err != nil || reply.Result == nil || executed != 2 || tries != 3 || ids != 2 {
		t.Errorf("%s, %v; executed %d times, %d tries with %d ids", reply.Result, err, executed, tries, ids)
	}
}

// A call is sent in a new session, with a new id, only if it was not executed in the lost one.
func TestRepeatedCallWithLostSession(t *testing.T) {
	for name, tc := range map[string]struct {
		first relayFault
		ids   int
		err   string
	}{
		"not executed":       {notConnected, 2, ""},
		"may be executed":    {cutBefore, 1, "it is not known whether the call was executed: the server has forgotten its session; first try: connection broke"},
		"executed, no reply": {cutUnanswered, 1, "it is not known whether the call was executed: the server has forgotten its session; first try: connection broke"},
	} {
		t.Run(name, func(t *testing.T) {
			r := startRelay(t, tc.first, sessionLost, answered)
			c := r.start(t, time.Minute)
			_, err := c.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"a"}`), nil)
			executed, _, ids := r.counts()
			if ids != tc.ids || executed > 1 || (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("executed %d times with %d ids, error %v; want %d ids, %q", executed, ids, err, tc.ids, tc.err)
			}
		})
	}
}

// A client that cancels its call ends the repeating.
func TestCancelledCallIsNotRepeated(t *testing.T) {
	r := startRelay(t, notConnected)
	c := r.start(t, time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := c.Call(ctx, "tools/call", json.RawMessage(`{"name":"a"}`), nil)
		done <- err
	}()
	for _, tries, _ := r.counts(); tries == 0; _, tries, _ = r.counts() {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// A server that is not called through a team server gets no id, and no call is repeated.
func TestCallWithoutRelayIsNotRepeated(t *testing.T) {
	r := startRelay(t, cutBefore, answered)
	c := startFake(t, r.config(), nil)
	_, err := c.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"a"}`), nil)
	if _, tries, _ := r.counts(); err == nil || tries != 1 || r.ids[0] != "" {
		t.Errorf("%v after %d tries, ids %q", err, tries, r.ids)
	}
}
