package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// stubLink is a link without a server: each method answers as its field says.
type stubLink struct {
	*wire
	answer func(ctx context.Context, c *call, m jsonrpc.Message) (jsonrpc.Message, error)
	mu     sync.Mutex
	sent   []string
}

func (s *stubLink) exchange(ctx context.Context, c *call, m jsonrpc.Message) (jsonrpc.Message, error) {
	if m.Method == "initialize" {
		return jsonrpc.Message{ID: m.ID, Result: json.RawMessage(`{"protocolVersion":"2025-06-18","capabilities":{}}`)}, nil
	}
	return s.answer(ctx, c, m)
}

func (s *stubLink) send(_ context.Context, m jsonrpc.Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, strings.TrimSpace(m.Method+" "+string(m.Params)))
	return nil
}

func (s *stubLink) opened(string) {}
func (s *stubLink) close()        {}
func (s *stubLink) wired() *wire  { return s.wire }

// stubClient is a Client whose connections come from dial.
func stubClient(t *testing.T, cfg Config, peer Peer, dial func(c *Client) (link, error)) *Client {
	t.Helper()
	cfg = cfg.withDefaults()
	cfg.Name = "stub"
	c := newClient(cfg, peer)
	c.dial = func() (link, error) { return dial(c) }
	c.begin(t.Context())
	return c
}

func newStubLink(c *Client, answer func(context.Context, *call, jsonrpc.Message) (jsonrpc.Message, error)) *stubLink {
	s := &stubLink{answer: answer}
	s.wire = newWire(c.shared, s.send)
	return s
}

func echo(_ context.Context, _ *call, m jsonrpc.Message) (jsonrpc.Message, error) {
	return jsonrpc.Message{ID: m.ID, Result: orNull(m.Params)}, nil
}

// silent never answers.
func silent(ctx context.Context, _ *call, _ jsonrpc.Message) (jsonrpc.Message, error) {
	<-ctx.Done()
	return jsonrpc.Message{}, context.Cause(ctx)
}

// The back-off grows from 0.2 s to 30 s.
func TestBackoffDoublesUpToItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var at []time.Duration
		c := stubClient(t, Config{}, nil, func(*Client) (link, error) {
			at = append(at, time.Since(began))
			return nil, errors.New("no")
		})
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		var last time.Duration
		want := []time.Duration{0, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000, 30000}
		for i, w := range want {
			last += w * time.Millisecond
			if at[i] != last {
				t.Errorf("attempt %d at %s, want %s", i, at[i], last)
			}
		}
		if s := c.State(); s.Status != Failed || s.Error != "no" {
			t.Errorf("state %+v", s)
		}
		_ = c.Close()
	})
}

// The back-off starts again after a connection that answered a call or lasted.
func TestBackoffRestartsAfterAGoodConnection(t *testing.T) {
	for _, tt := range []struct {
		rule string
		live func(c *Client)
		want time.Duration // from the third loss to the fourth connection
	}{
		{"lost at once", func(*Client) {}, 800 * time.Millisecond},
		{"lived for a while", func(*Client) { time.Sleep(steady) }, 200 * time.Millisecond},
		{"answered a call", func(c *Client) {
			if _, err := c.Call(context.Background(), "x", nil, nil); err != nil {
				t.Error(err)
			}
		}, 200 * time.Millisecond},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				links := make(chan *stubLink)
				c := stubClient(t, Config{}, nil, func(c *Client) (link, error) {
					s := newStubLink(c, echo)
					go func() { links <- s }()
					return s, nil
				})
				var lost time.Time
				for range 3 {
					s := <-links
					synctest.Wait() // the handshake
					tt.live(c)
					s.fail(errors.New("lost"))
					lost = time.Now()
				}
				<-links
				if got := time.Since(lost); got != tt.want {
					t.Errorf("connected again after %s, want %s", got, tt.want)
				}
				_ = c.Close()
			})
		})
	}
}

// A call waits for one attempt to connect, which it brings forward.
func TestCallWaitsForOneAttemptToConnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var up bool
		c := stubClient(t, Config{}, nil, func(c *Client) (link, error) {
			time.Sleep(time.Second)
			if !up {
				return nil, errors.New("not yet")
			}
			return newStubLink(c, echo), nil
		})
		for range 3 {
			began := time.Now()
			_, err := c.Call(t.Context(), "x", nil, nil)
			if !errors.Is(err, abi.ErrUnavailable) || !strings.Contains(err.Error(), `server "stub": x: `) || !strings.HasSuffix(err.Error(), "not yet") {
				t.Errorf("got %v", err)
			}
			if got := time.Since(began); got != time.Second {
				t.Errorf("waited %s, want 1s", got)
			}
			time.Sleep(firstBackoff)
		}
		time.Sleep(time.Minute) // of fake time
		synctest.Wait()
		up = true // the backoff is 30 s by now
		began := time.Now()
		if _, err := c.Call(t.Context(), "x", nil, nil); err != nil || time.Since(began) > 2*time.Second {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		_ = c.Close()
	})
}

// Ready ends with the first attempt that fails, and starts none.
func TestReadyEndsWithAFailedAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var attempts atomic.Int32
		c := stubClient(t, Config{}, nil, func(c *Client) (link, error) {
			time.Sleep(time.Second)
			if attempts.Add(1) < 3 {
				return nil, errors.New("not yet")
			}
			return newStubLink(c, echo), nil
		})
		began := time.Now()
		for range 2 {
			if err := c.Ready(t.Context()); err == nil || err.Error() != `server "stub": unavailable: not yet` {
				t.Errorf("got %v", err)
			}
		}
		if took := time.Since(began); took != time.Second || attempts.Load() != 1 {
			t.Errorf("%d attempts in %s", attempts.Load(), took)
		}
		time.Sleep(10 * time.Second)
		if err := c.Ready(t.Context()); err != nil {
			t.Error(err)
		}
		_ = c.Close()
	})
}

// Attempts that fail for the same reason are reported once.
func TestRepeatedFailuresAreReportedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reports []string
		cfg := Config{StateChanged: func(from, to Status, reason string) {
			reports = append(reports, fmt.Sprintf("%s to %s: %s", from, to, reason))
		}}
		attempts := 0
		c := stubClient(t, cfg, nil, func(c *Client) (link, error) {
			switch attempts++; {
			case attempts <= 4:
				return nil, errors.New("exit status 1")
			case attempts <= 6:
				return nil, errors.New("exit status 2")
			}
			return newStubLink(c, echo), nil
		})
		time.Sleep(time.Minute)
		_ = c.Close()
		want := []string{"starting to failed: exit status 1", "failed to failed: exit status 2", "failed to ready: ", "ready to closed: "}
		if !slices.Equal(reports, want) {
			t.Errorf("got %q\nwant %q", reports, want)
		}
	})
}

// mute is a server that never answers initialize and takes its time to end.
type mute struct{ *stubLink }

func (m mute) exchange(ctx context.Context, c *call, msg jsonrpc.Message) (jsonrpc.Message, error) {
	return silent(ctx, c, msg)
}

// close sleeps in the fake time of synctest: no test waits for it.
func (m mute) close() { time.Sleep(leave + grace) }

// The error of a handshake is reported while the process is still being ended.
func TestFailedHandshakeIsReportedBeforeTheServerHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := Config{StartTimeout: time.Second, QueueWait: time.Second + leave}
		c := stubClient(t, cfg, nil, func(c *Client) (link, error) { return mute{newStubLink(c, silent)}, nil })
		_, err := c.Call(t.Context(), "x", nil, nil)
		if want := "initialize: no answer within 1s"; !errors.Is(err, abi.ErrUnavailable) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
		if s := c.State(); s.Status != Failed {
			t.Errorf("status %s", s.Status)
		}
		_ = c.Close()
	})
}

// slow is a server that takes its time to end.
type slow struct{ *stubLink }

// close sleeps in the fake time of synctest: no test waits for it.
func (s slow) close() { time.Sleep(leave + grace) }

// A connection that is lost is not reported as ready while the process is being ended.
func TestLostConnectionIsNotReady(t *testing.T) {
	for _, tt := range []struct {
		why    error
		status Status
		text   string
	}{
		{errors.New("server process ended"), Failed, "server process ended"},
		{errRestarted, Starting, ""},
		{errSessionLost, Starting, ""},
		{errClosed, Ready, ""}, // by this program
	} {
		synctest.Test(t, func(t *testing.T) {
			links := make(chan slow, 8)
			c := stubClient(t, Config{}, nil, func(c *Client) (link, error) {
				s := slow{newStubLink(c, echo)}
				links <- s
				return s, nil
			})
			synctest.Wait()
			time.Sleep(time.Minute)
			(<-links).fail(tt.why)
			if err := c.Notify(t.Context(), "x", nil); !errors.Is(err, abi.ErrUnavailable) {
				t.Errorf("%v: a notification: %v", tt.why, err)
			}
			for _, when := range []string{"at once", "while it is closed"} {
				s := c.State()
				if s.Status != tt.status || s.Error != tt.text || (s.Status != Ready) != s.Since.Equal(time.Now()) {
					t.Errorf("%v, %s: status %s since %s, error %q", tt.why, when, s.Status, s.Since, s.Error)
				}
				synctest.Wait()
			}
			_ = c.Close()
		})
	}
}

func TestPermanentErrorsAreReportedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := stubClient(t, Config{}, nil, func(*Client) (link, error) { return nil, &permanentError{errors.New("no such program")} })
		synctest.Wait()
		began := time.Now()
		if _, err := c.Call(t.Context(), "x", nil, nil); !errors.Is(err, abi.ErrUnavailable) || time.Since(began) != 0 {
			t.Errorf("got %v after %s", err, time.Since(began))
		}
		_ = c.Close()
	})
}

func TestDeadlineIsExtendedByProgressUpToACap(t *testing.T) {
	for _, tt := range []struct {
		rule     string
		progress time.Duration // how often; 0: never
		want     time.Duration
	}{
		{"no progress", 0, time.Minute},
		{"progress in time", 50 * time.Second, 10 * time.Minute},
		{"progress too late", 61 * time.Second, time.Minute},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var s *stubLink
				c := stubClient(t, Config{}, nil, func(c *Client) (link, error) {
					s = newStubLink(c, silent)
					return s, nil
				})
				synctest.Wait()
				ended := make(chan struct{})
				go func() {
					for tt.progress > 0 {
						select {
						case <-time.After(tt.progress):
							s.receive(progressNote([]byte("2"), 1), nil)
						case <-ended:
							return
						}
					}
				}()
				began := time.Now()
				peer := &recorder{}
				_, err := c.Call(t.Context(), "tools/call", []byte(`{"_meta":{"progressToken":1}}`), peer)
				close(ended)
				if !errors.Is(err, abi.ErrUnavailable) || !strings.Contains(err.Error(), "1m0s without progress, 10m0s in all; set the server's timeout, or if the server hangs: mcpctl restart stub)") {
					t.Errorf("got %v", err)
				}
				if got := time.Since(began); got != tt.want {
					t.Errorf("ended after %s, want %s", got, tt.want)
				}
				synctest.Wait()
				if got := s.sent[len(s.sent)-1]; got != `notifications/cancelled {"requestId":2,"reason":"no answer in time"}` {
					t.Errorf("the server was told %s", got)
				}
				_ = c.Close()
			})
		})
	}
}

// A person may take longer to answer a server's question than the call may be idle.
func TestDeadlineWaitsForThePerson(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s *stubLink
		c := stubClient(t, Config{}, nil, func(c *Client) (link, error) {
			s = newStubLink(c, silent)
			return s, nil
		})
		synctest.Wait()
		peer := &recorder{hold: make(chan struct{}), reply: flow.Reply{Result: []byte(`{}`)}}
		go func() {
			time.Sleep(30 * time.Second)
			s.receive(jsonrpc.Message{ID: jsonrpc.NumberID(9), Method: "elicitation/create"}, s.calls.find(2))
			time.Sleep(5 * time.Minute)
			close(peer.hold)
		}()
		began := time.Now()
		_, err := c.Call(t.Context(), "tools/call", []byte(`{}`), peer)
		if got, want := time.Since(began), 6*time.Minute+30*time.Second; err == nil || got != want {
			t.Errorf("ended after %s, want %s: %v", got, want, err)
		}
		_ = c.Close()
	})
}

// Nothing reaches a Peer once its call has returned.
func TestLateProgressIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s *stubLink
		c := stubClient(t, Config{}, nil, func(c *Client) (link, error) {
			s = newStubLink(c, echo)
			return s, nil
		})
		peer := &recorder{}
		if _, err := c.Call(t.Context(), "tools/call", []byte(`{"_meta":{"progressToken":1}}`), peer); err != nil {
			t.Fatal(err)
		}
		s.receive(progressNote([]byte("2"), 1), nil)
		s.receive(progressNote([]byte(`"made up"`), 1), nil)
		if got := peer.got(); len(got) > 0 || c.State().Counts.Dropped != 2 {
			t.Errorf("got %q, counts %+v", got, c.State().Counts)
		}
		_ = c.Close()
	})
}

func TestTooManyCallsAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := stubClient(t, Config{}, nil, func(c *Client) (link, error) { return newStubLink(c, silent), nil })
		var work sync.WaitGroup
		for range maxInFlight {
			work.Go(func() { _, _ = c.Call(t.Context(), "x", nil, nil) })
		}
		synctest.Wait()
		if _, err := c.Call(t.Context(), "x", nil, nil); !errors.Is(err, abi.ErrLimit) || !strings.Contains(err.Error(), "limit 1024") {
			t.Errorf("got %v", err)
		}
		_ = c.Close()
		work.Wait()
	})
}

// A server can cancel its request, cannot send a pending id again, and cannot have more
// than maxInbound pending requests.
func TestRequestsOfTheServerAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s *stubLink
		peer := &recorder{hold: make(chan struct{})}
		c := stubClient(t, Config{}, peer, func(c *Client) (link, error) {
			s = newStubLink(c, echo)
			return s, nil
		})
		synctest.Wait()
		for i := range maxInbound + 10 {
			id := jsonrpc.NumberID(int64(i))
			s.receive(jsonrpc.Message{ID: id, Method: "roots/list"}, nil)
			s.receive(jsonrpc.Message{ID: id, Method: "roots/list"}, nil)
		}
		synctest.Wait()
		if got := c.State().Counts.Dropped; got != maxInbound+20 {
			t.Errorf("%d dropped, want %d", got, maxInbound+20)
		}
		before := len(s.sent)
		s.receive(jsonrpc.Message{Method: "notifications/cancelled", Params: []byte(`{"requestId":0}`)}, nil)
		s.receive(jsonrpc.Message{Method: "notifications/cancelled", Params: []byte(`{"requestId":{}}`)}, nil)
		s.receive(jsonrpc.Message{Method: "notifications/cancelled"}, nil)
		synctest.Wait()
		close(peer.hold)
		synctest.Wait()
		if got := len(s.sent) - before; got != maxInbound-1 {
			t.Errorf("%d answers, want %d: none for the one taken back", got, maxInbound-1)
		}
		_ = c.Close()
	})
}

// Ready reports the first failure immediately, although the Client continues to connect.
func TestReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := stubClient(t, Config{}, nil, func(*Client) (link, error) { return nil, errors.New("no such program") })
		defer broken.Close()
		begin := time.Now()
		if err := broken.Ready(t.Context()); !errors.Is(err, abi.ErrUnavailable) || !strings.Contains(err.Error(), `server "stub": unavailable: no such program`) || time.Since(begin) > 0 {
			t.Errorf("a program that is missing: %v after %v", err, time.Since(begin))
		}
		good := stubClient(t, Config{}, nil, func(c *Client) (link, error) { return newStubLink(c, echo), nil })
		defer good.Close()
		if err := good.Ready(t.Context()); err != nil {
			t.Errorf("a good server: %v", err)
		}
		slow := stubClient(t, Config{}, nil, func(c *Client) (link, error) { time.Sleep(time.Minute); return newStubLink(c, echo), nil })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := slow.Ready(ctx); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "still starting") {
			t.Errorf("a slow server: %v", err)
		}
		slow.Close()
		if err := slow.Ready(t.Context()); !errors.Is(err, errClosed) {
			t.Errorf("a closed Client: %v", err)
		}
	})
}
