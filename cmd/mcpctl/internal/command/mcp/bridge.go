package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/stateless"
)

// bridge carries messages between a client on stdio and the endpoint over HTTP.
//
// A client of a version with sessions has one for its lifetime. A session with the daemon may end (404, or
// the daemon restarts); the bridge then opens a new one using the client's initialize
// request, and repeats the messages that certainly were not processed.
type bridge struct {
	http   *http.Client
	url    string
	dir    string                      // working directory of the client, "" if unknown
	ensure func(context.Context) error // returns once a daemon answers
	out    *jsonrpc.FrameWriter
	life   context.Context // of run: no stream outlives it

	mu    sync.Mutex
	open  *session        // nil before initialize
	first jsonrpc.Message // the client's initialize

	harmless harmlessTools
	cancels  cancels        // of requests without a session
	calls    sync.WaitGroup // requests under way
	streams  sync.WaitGroup // listening streams
}

// session is one session of the daemon's.
type session struct {
	id      string
	version string
	caps    capabilities
	cancel  context.CancelFunc // ends its listening stream
}

// capabilities are those parts of the server's that matter on a new session.
type capabilities struct {
	Tools, Prompts, Resources struct{ ListChanged bool }
}

func newBridge(client *http.Client, url string, ensure func(context.Context) error, out io.Writer) *bridge {
	if t, ok := client.Transport.(*http.Transport); ok {
		t = t.Clone()
		t.ExpectContinueTimeout = continueWait
		client = &http.Client{Transport: t}
	}
	return &bridge{http: client, url: url, ensure: ensure, out: jsonrpc.NewFrameWriter(out)}
}

// run reads the client's messages until the client closes its end or ctx ends: clients end
// an entry by a signal too. Messages that order a session (initialize, notifications,
// answers) are sent in order; requests are sent concurrently.
func (b *bridge) run(ctx context.Context, in io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	b.life = ctx
	defer b.end()
	defer b.streams.Wait()
	defer cancel()
	frames := jsonrpc.NewFrameReader(in, maxFrame)
	for {
		frame, err := frames.Next()
		var long *jsonrpc.FrameTooLongError
		switch {
		case errors.Is(err, io.EOF):
			b.calls.Wait()
			return nil
		case errors.As(err, &long):
			b.refuse(long.ID, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "%v", long))
			continue
		case err != nil && ctx.Err() != nil:
			return nil // calls under way are given up by end, with the session
		case err != nil:
			return err
		}
		msg, err := jsonrpc.Decode(frame, jsonrpc.Limits{FrameBytes: maxFrame})
		if err != nil {
			b.refuse(msg.ID, err)
			continue
		}
		b.carry(ctx, msg)
	}
}

// carry sends one message of the client.
func (b *bridge) carry(ctx context.Context, msg jsonrpc.Message) {
	switch {
	case msg.Method == "initialize" && msg.IsRequest():
		b.initialize(ctx, msg)
	case msg.IsRequest() && stateless.IsModern(msg, ""):
		b.carryStateless(ctx, msg)
	case msg.Method == "notifications/cancelled" && b.cancels.cancel(msg):
	case msg.IsRequest():
		b.calls.Go(func() { b.request(ctx, msg) })
	default:
		// A notification or an answer that finds no daemon concerned a session
		// that is gone.
		_ = b.send(ctx, b.current(), msg, discard)
		if msg.Method == "notifications/initialized" {
			b.listen(ctx)
		}
	}
}

// initialize opens the client's session; the answer goes to the client as it came.
func (b *bridge) initialize(ctx context.Context, msg jsonrpc.Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.first = msg
	if err := b.ensure(ctx); err != nil {
		b.refuse(msg.ID, err)
		return
	}
	s, answer, err := b.handshake(ctx)
	if err != nil {
		b.refuse(msg.ID, err)
		return
	}
	b.open = s
	b.write(answer)
}

// handshake opens a session with the client's own initialize.
func (b *bridge) handshake(ctx context.Context) (*session, jsonrpc.Message, error) {
	s := &session{cancel: func() {}}
	var answer jsonrpc.Message
	err := b.send(ctx, s, b.first, func(m jsonrpc.Message) {
		if m.IsResponse() {
			answer = m
			return
		}
		b.write(m)
	})
	if err != nil {
		return nil, answer, err
	}
	var result struct {
		ProtocolVersion string
		Capabilities    capabilities
	}
	if answer.Result != nil {
		if err := json.Unmarshal(answer.Result, &result); err != nil {
			return nil, answer, fmt.Errorf("daemon's answer to initialize: %w", err)
		}
	}
	s.version, s.caps = result.ProtocolVersion, result.Capabilities
	return s, answer, nil
}

// renew replaces a session that is gone, once for all requests that met it.
// Without ensure no daemon is started for it.
func (b *bridge) renew(ctx context.Context, gone *session, ensure func(context.Context) error) (*session, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open != gone {
		return b.open, nil // another request has done it
	}
	if b.first.Method == "" {
		return nil, fmt.Errorf("%w: the daemon is gone and the client has not sent initialize", abi.ErrUnavailable)
	}
	if ensure != nil {
		if err := ensure(ctx); err != nil {
			return nil, err
		}
	}
	s, answer, err := b.handshake(ctx)
	switch {
	case err != nil:
		return nil, err
	case answer.Error != nil: // the project is gone, or no session is taken
		return nil, jsonrpc.ReadError(answer.Error)
	}
	if gone != nil {
		gone.cancel()
	}
	b.open = s
	initialized := jsonrpc.Message{Method: "notifications/initialized"}
	if err := b.send(ctx, s, initialized, discard); err != nil {
		return nil, err
	}
	b.listenOn(ctx, s)
	b.announce(s.caps)
	return s, nil
}

// announce notifies the client that the lists changed: after a new session they may
// differ.
func (b *bridge) announce(c capabilities) {
	for method, declared := range map[string]bool{
		"notifications/tools/list_changed":     c.Tools.ListChanged,
		"notifications/prompts/list_changed":   c.Prompts.ListChanged,
		"notifications/resources/list_changed": c.Resources.ListChanged,
	} {
		if declared {
			b.write(jsonrpc.Message{Method: method})
		}
	}
}

func (b *bridge) current() *session {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open
}

// listen opens the stream of messages that the server sends on its own.
func (b *bridge) listen(ctx context.Context) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open != nil {
		b.listenOn(ctx, b.open)
	}
}

func (b *bridge) listenOn(ctx context.Context, s *session) {
	ctx, s.cancel = context.WithCancel(ctx)
	b.streams.Go(func() { b.follow(ctx, s) })
}

// follow keeps the listening stream open until the session is replaced. It retries a lost
// daemon with increasing delays, and opens a new session as soon as the daemon is back, so
// that list_changed reaches an idle client. It does not start a daemon: a user who stops it
// while there are no calls wants it to stay stopped.
func (b *bridge) follow(ctx context.Context, s *session) {
	wait := 100 * time.Millisecond
	for ctx.Err() == nil {
		started := time.Now()
		err := b.stream(ctx, s, b.write)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, errNoStream):
			return // the endpoint has none
		case errors.Is(err, errSessionGone):
			// On success this session's context ends; else try again.
			_, _ = b.renew(b.life, s, nil) // not ctx: that one ends with the old session
		}
		if time.Since(started) > time.Second {
			wait = 100 * time.Millisecond
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
			wait = min(2*wait, 5*time.Second)
		}
	}
}

// end gives the session back when the client is gone.
func (b *bridge) end() {
	s := b.current()
	if s == nil {
		return
	}
	s.cancel()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	b.delete(ctx, s)
}

func (b *bridge) write(m jsonrpc.Message) {
	// A client that is gone closes its end of stdin as well, which ends run.
	_ = b.out.Write(m)
}

func discard(jsonrpc.Message) {}
