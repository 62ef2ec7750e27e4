package upstream

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// causePeer answers a request when its context ends, and reports the cause.
type causePeer chan error

func (p causePeer) Request(ctx context.Context, _ string, _ json.RawMessage) flow.Reply {
	<-ctx.Done()
	p <- context.Cause(ctx)
	return flow.Reply{}
}

func (causePeer) Notify(string, json.RawMessage) {}

// The reason of a cancellation is the cause of the request's context, and is sent to the
// server unchanged.
func TestCancellationKeepsItsReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s *stubLink
		hang := func(ctx context.Context, _ *call, _ jsonrpc.Message) (jsonrpc.Message, error) {
			<-ctx.Done()
			return jsonrpc.Message{}, ctx.Err()
		}
		peer := make(causePeer, 1)
		c := stubClient(t, Config{}, peer, func(c *Client) (link, error) {
			s = newStubLink(c, hang)
			return s, nil
		})
		defer c.Close()
		synctest.Wait()

		s.receive(jsonrpc.Message{ID: jsonrpc.StringID("q"), Method: "roots/list"}, nil)
		synctest.Wait()
		s.receive(jsonrpc.Message{Method: "notifications/cancelled", Params: []byte(`{"requestId":"q","reason":"not needed"}`)}, nil)
		if why := <-peer; why.Error() != "not needed" {
			t.Errorf("the request of the server ended with %v", why)
		}

		ctx, cancel := context.WithCancelCause(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = c.Call(ctx, "tools/call", nil, nil)
		}()
		synctest.Wait()
		cancel(&jsonrpc.CancelledError{Reason: `user pressed "stop"`})
		<-done
		synctest.Wait()
		const want = `notifications/cancelled {"requestId":2,"reason":"user pressed \"stop\""}`
		if got := s.sent[len(s.sent)-1]; got != want {
			t.Errorf("sent %s, want %s", got, want)
		}
	})
}
