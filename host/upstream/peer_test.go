package upstream

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

func tooLongOf(n int64, limit int) *jsonrpc.FrameTooLongError {
	return &jsonrpc.FrameTooLongError{Bytes: n, Limit: limit}
}

// transports runs a test over stdio and over HTTP with both kinds of answers.
func transports(t *testing.T, test func(t *testing.T, cfg Config)) {
	talking(t, test)
	t.Run("json", func(t *testing.T) { test(t, serveFake(t, newFakeHTTP()).config()) })
}

// talking runs a test over the transports on which a server can send messages before its
// answer.
func talking(t *testing.T, test func(t *testing.T, cfg Config)) {
	t.Run("stdio", func(t *testing.T) { test(t, fakeConfig(t, "")) })
	t.Run("sse", func(t *testing.T) {
		f := newFakeHTTP()
		f.sse = true
		test(t, serveFake(t, f).config())
	})
}

// Progress reaches the Peer of its call with the caller's token, in order, and before the
// result.
func TestProgressComesWithTheCallersToken(t *testing.T) {
	talking(t, func(t *testing.T, cfg Config) {
		loose := &recorder{}
		c := startFake(t, cfg, loose)
		const n = 50
		for _, token := range []string{`"tok/1"`, `7`} {
			peer := &recorder{}
			params := `{"_meta":{"a":1, "progressToken" : ` + token + `,"z":2},"name":"progress","arguments":{"n":50}}`
			reply, err := c.Call(t.Context(), "tools/call", []byte(params), peer)
			if err != nil || string(reply.Result) != `"progressed"` {
				t.Fatalf("got %s %s, %v", reply.Result, reply.Error, err)
			}
			got := peer.got()
			if len(got) != n {
				t.Fatalf("%d notifications before the result, want %d", len(got), n)
			}
			for i, note := range got {
				if want := fmt.Sprintf(`notifications/progress { "progress":%d,"progressToken": %s,"x":1e2}`, i, token); note != want {
					t.Fatalf("got  %s\nwant %s", note, want)
				}
			}
		}
		if got := loose.got(); len(got) > 0 {
			t.Errorf("the Client's Peer got %q", got)
		}
	})
}

// Params are forwarded unchanged except for the progress token.
func TestParamsGoThroughButForTheToken(t *testing.T) {
	transports(t, func(t *testing.T, cfg Config) {
		c := startFake(t, cfg, nil)
		for _, params := range []string{
			`{"name":"echo","_meta":{"progressToken":"mine","claudecode/toolUseId":"toolu_1"},"big":9007199254740993}`,
			`{"name":"echo","_meta":{"x":{"progressToken":1}},"progressToken":2}`,
		} {
			reply, err := c.Call(t.Context(), "tools/call", []byte(params), nil)
			want := strings.Replace(params, `"mine"`, fmt.Sprint(c.lastID.Load()), 1)
			if err != nil || string(reply.Result) != want {
				t.Errorf("got %s, %v\nwant %s", reply.Result, err, want)
			}
		}
	})
}

// A request of the server during a call goes to the Peer of the call, after earlier
// notifications. The answer is returned unchanged.
func TestServerAsksThePeerOfTheCall(t *testing.T) {
	talking(t, func(t *testing.T, cfg Config) {
		loose := &recorder{}
		c := startFake(t, cfg, loose)
		for _, tt := range []struct {
			rule  string
			reply flow.Reply
			want  string
		}{
			{"result", flow.Reply{}, `"result":{"q":9007199254740993}}`},
			{"error", flow.Reply{Error: []byte(`{"code":-1,"message":"m","data":1e2}`)}, `"error":{"code":-1,"message":"m","data":1e2}}`},
		} {
			peer := &recorder{reply: tt.reply, called: make(chan string, 4)}
			got := callTool(t, c, "ask", `{"method":"sampling/createMessage"}`, peer)
			if !strings.HasSuffix(got, tt.want) {
				t.Errorf("%s: the server got %s, want %s", tt.rule, got, tt.want)
			}
			if first, second := <-peer.called, <-peer.called; first != "notifications/message" || second != "request sampling/createMessage" {
				t.Errorf("%s: %s, then %s", tt.rule, first, second)
			}
		}
		if got := callTool(t, c, "ask", `{"method":"ping"}`, nil); !strings.HasSuffix(got, `"result":{}}`) {
			t.Errorf("ping was answered by %s", got)
		}
	})
}

// Many calls at once: each gets its own answer and its own progress.
func TestCallsDoNotMix(t *testing.T) {
	talking(t, func(t *testing.T, cfg Config) {
		c := startFake(t, cfg, nil)
		var work sync.WaitGroup
		for i := range 200 {
			work.Go(func() {
				peer, token := &recorder{}, fmt.Sprintf(`"t%d"`, i%3) // others have the same
				tool := [2]string{"echo", "progress"}[i%2]
				params := fmt.Sprintf(`{"name":%q,"arguments":{"n":5,"i":%d},"_meta":{"progressToken":%s}}`, tool, i, token)
				reply, err := c.Call(t.Context(), "tools/call", []byte(params), peer)
				got := peer.got()
				switch {
				case err != nil:
					t.Error(err)
				case tool == "echo" && !strings.Contains(string(reply.Result), fmt.Sprintf(`"i":%d}`, i)):
					t.Errorf("call %d got %s", i, reply.Result)
				case tool == "progress" && (len(got) != 5 || !strings.Contains(got[4], `"progress":4,"progressToken": `+token)):
					t.Errorf("call %d was told %q", i, got)
				}
			})
		}
		work.Wait()
		if s := c.State(); s.InFlight != 0 || s.Counts.Calls != 200 || s.Counts.Dropped+s.Counts.LateIDs+s.Counts.UnknownIDs > 0 {
			t.Errorf("state %+v", s)
		}
	})
}

// Without a Peer, the server gets the error that the method is unknown.
func TestServerGetsAnAnswerWithoutAPeer(t *testing.T) {
	c := startFake(t, fakeConfig(t, ""), nil)
	if got := callTool(t, c, "ask", `{"method":"roots/list"}`, nil); !strings.Contains(got, "-32601") {
		t.Errorf("the server got %s", got)
	}
}

// A pending request of the server ends when its call is cancelled.
func TestRequestOfTheServerEndsWithItsCall(t *testing.T) {
	c := startFake(t, fakeConfig(t, ""), nil)
	// Unbuffered: the server hears of the end when the call has ended, and cannot
	// answer it before.
	peer := &recorder{hold: make(chan struct{}), called: make(chan string)}
	ctx, cancel := contextWithCause(t)
	done := make(chan error, 1)
	go func() {
		_, err := c.Call(ctx, "tools/call", toolParams("ask", `{"method":"elicitation/create"}`), peer)
		done <- err
	}()
	for range 2 {
		<-peer.called
	}
	why := errors.New("gone")
	cancel(why)
	if err := <-done; !errors.Is(err, why) {
		t.Errorf("got %v, want %v", err, why)
	}
	if got := <-peer.called; got != "ended elicitation/create" {
		t.Errorf("got %s", got)
	}
}

// The log level and the subscriptions are restored after a restart.
func TestRestartRestoresTheSession(t *testing.T) {
	c := startFake(t, fakeConfig(t, ""), nil)
	for _, m := range []struct{ method, params string }{
		{"logging/setLevel", `{"level":"info"}`},
		{"logging/setLevel", `{"level":"debug"}`},
		{"resources/subscribe", `{"uri":"a"}`},
		{"resources/subscribe", `{"uri":"b"}`},
		{"resources/subscribe", `{"uri":"b"}`},
		{"resources/unsubscribe", `{"uri":"a"}`},
	} {
		if _, err := c.Call(t.Context(), m.method, []byte(m.params), nil); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = c.Call(t.Context(), "tools/call", toolParams("crash", ""), nil)
	got := callTool(t, c, "count", "", nil)
	if want := `"initialize|notifications/initialized|logging/setLevel debug|resources/subscribe b|tools/call"`; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s in it", got, want)
	}
}

// Requests on stdio do not carry the call that they belong to. A server may request roots
// during the first list. The filesystem server never got its answer when the request ended
// with that list.
func TestRootsAreAskedOfTheSessionOnStdio(t *testing.T) {
	loose := &recorder{called: make(chan string, 4)}
	c := startFake(t, fakeConfig(t, ""), loose)
	call := &recorder{}
	if got := callTool(t, c, "ask", `{"method":"roots/list"}`, call); !strings.Contains(got, `"result"`) {
		t.Errorf("the server got %s", got)
	}
	if asked := <-loose.called; asked != "request roots/list" {
		t.Errorf("the session was asked %q, the call heard %q", asked, call.got())
	}
}
