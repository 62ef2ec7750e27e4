package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// killEvery is the time between two kills.
const killEvery = 2 * time.Second

// counter is a remote MCP server that counts how often each call is executed.
type counter struct {
	mu    sync.Mutex
	calls map[string]int
}

// ServeHTTP executes a tools/call.
func (s *counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var msg struct {
		ID     json.RawMessage
		Params struct{ Arguments struct{ ID string } }
	}
	if err := json.NewDecoder(r.Body).Decode(&msg); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	id := msg.Params.Arguments.ID
	s.mu.Lock()
	s.calls[id]++
	s.mu.Unlock()
	time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%q}]}}`, msg.ID, id)
}

// callers are the clients of the goal kill.
type callers struct {
	cluster *cluster
	server  *counter

	mu        sync.Mutex
	answered  []string
	unknown   []string // calls whose outcome is unknown
	lost      []string // calls without an answer
	took      []time.Duration
	disturbed []time.Duration // of those that needed more than one try
	first     error           // of the lost ones
}

// kill calls a remote server through two replicas, one of which is killed every 2 s; PostgreSQL
// is restarted once. A client whose call fails repeats it with the same id at the other replica.
func (b *bench) kill(ctx context.Context) ([]figure, error) {
	c, err := b.start(ctx, true, 2)
	if err != nil {
		return nil, err
	}
	defer c.stop()
	s := &counter{calls: make(map[string]int)}
	server := httptest.NewServer(s)
	defer server.Close()
	yaml := fmt.Sprintf("kind: Server\nmetadata: {name: counter}\nspec: {url: %q}\n---\nkind: Project\nmetadata: {name: web}\nspec: {servers: [counter]}\n", server.URL)
	if _, err := c.replicas[0].apply(ctx, yaml, ""); err != nil {
		return nil, err
	}
	if _, err := c.awaitVersion(ctx); err != nil {
		return nil, err
	}
	tokens := make([]string, b.clients)
	err = parallel(16, b.clients, func(i int) error {
		var out struct{ Token string }
		err := c.replicas[i%2].call(ctx, "POST", "/api/v1/tokens", map[string]string{"name": fmt.Sprintf("bench-%d", i)}, &out)
		tokens[i] = out.Token
		return err
	})
	if err != nil {
		return nil, err
	}
	calls := &callers{cluster: c, server: s}
	var over atomic.Bool
	var all sync.WaitGroup
	for i, token := range tokens {
		all.Go(func() { calls.run(ctx, i, token, b.rate, &over) })
	}
	kills, restarted, failed := 0, false, error(nil)
	for began := time.Now(); time.Since(began) < b.minutes && ctx.Err() == nil && failed == nil; {
		time.Sleep(killEvery)
		if !restarted && time.Since(began) > b.minutes/2 {
			restarted, failed = true, b.server.restart()
			continue
		}
		r := c.replicas[kills%2]
		r.kill()
		kills++
		failed = r.start(ctx)
	}
	over.Store(true)
	all.Wait()
	if failed != nil {
		return nil, failed
	}
	return calls.figures(kills), ctx.Err()
}

// figures compares what clients know with what the server executed.
func (c *callers) figures(kills int) []figure {
	doubled, wrong, executed := 0, 0, 0
	for _, n := range c.server.calls {
		doubled += count(n > 1)
	}
	for _, id := range c.answered {
		wrong += count(c.server.calls[id] == 0)
	}
	for _, id := range c.unknown {
		executed += count(c.server.calls[id] > 0)
	}
	if c.first != nil {
		progress("kill: first lost call: %v", c.first)
	}
	slices.Sort(c.took)
	slices.Sort(c.disturbed)
	return []figure{
		note("%d kills and a restart of PostgreSQL, %d calls answered", kills, len(c.answered)),
		exactly("lost", len(c.lost)+wrong, 0),
		exactly("doubled", doubled, 0),
		note("%d of unknown outcome (%d executed)", len(c.unknown), executed),
		atMost(fmt.Sprintf("%d interrupted p99", len(c.disturbed)), quantile(c.disturbed, 0.99), time.Second),
		atMost("all p99", quantile(c.took, 0.99), time.Second),
	}
}

// run makes calls, some each second, until it is over.
func (c *callers) run(ctx context.Context, client int, token string, rate float64, over *atomic.Bool) {
	interval := time.Duration(float64(time.Second) / rate)
	at := client % len(c.cluster.replicas)
	for n := 0; !over.Load(); n++ {
		time.Sleep(time.Duration(rand.Int64N(int64(2 * interval))))
		c.one(ctx, fmt.Sprintf("%d-%d", client, n), token, &at)
	}
}

// patience is the time after which a call is lost.
const patience = 30 * time.Second

var errNoAnswer = errors.New("no answer")

// one makes one call.
func (c *callers) one(ctx context.Context, id, token string, at *int) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	header := http.Header{"Authorization": {"Bearer " + token}, "Accept": {"application/json, text/event-stream"}, "Mcpctl-Request-Id": {id}}
	body := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count","arguments":{"id":%q}}}`, id)
	began := time.Now()
	tries, err := 0, errNoAnswer
	for ctx.Err() == nil {
		tries++
		var status int
		var got http.Header
		var text []byte
		status, got, text, err = c.cluster.replicas[*at].do(ctx, "POST", "/api/v1/servers/counter/mcp?project=web", header, body)
		switch {
		case err == nil && status == http.StatusOK:
			c.done(&c.answered, id, time.Since(began), tries)
			return
		case err == nil && got.Get("Mcpctl-Outcome") == "unknown":
			c.done(&c.unknown, id, time.Since(began), tries)
			return
		case err == nil:
			err = statusError{status, string(text)}
		}
		*at = (*at + 1) % len(c.cluster.replicas)
		time.Sleep(time.Duration(10+rand.IntN(40)) * time.Millisecond)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lost = append(c.lost, id)
	if c.first == nil {
		c.first = err
	}
}

func (c *callers) done(list *[]string, id string, took time.Duration, tries int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*list = append(*list, id)
	c.took = append(c.took, took)
	if tries > 1 {
		c.disturbed = append(c.disturbed, took)
	}
}
