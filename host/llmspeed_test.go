package host

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/host/flow"
)

// slowLLM starts a server that takes half a second for each answer. most is the
// maximum number of concurrent requests.
func slowLLM(t *testing.T) (address string, most *atomic.Int32) {
	t.Helper()
	var now atomic.Int32
	most = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for n := now.Add(1); ; {
			if old := most.Load(); n <= old || most.CompareAndSwap(old, n) {
				break
			}
		}
		defer now.Add(-1)
		select {
		case <-time.After(500 * time.Millisecond):
		case <-r.Context().Done():
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{
			"message": map[string]string{"role": "assistant", "content": "SUMMARY of it."}, "finish_reason": "stop"}}})
	}))
	t.Cleanup(s.Close)
	return s.URL, most
}

// together transforms contents concurrently. It returns the durations in ascending
// order, and the number of results with a summary.
func (r *rig) together(t *testing.T, contents []flow.Content) (took []time.Duration, summaries int) {
	t.Helper()
	took = make([]time.Duration, len(contents))
	var with atomic.Int32
	var all sync.WaitGroup
	for i, c := range contents {
		all.Go(func() {
			begin := time.Now()
			shown, err := r.Transform(t.Context(), scope, c)
			took[i] = time.Since(begin)
			if err != nil {
				t.Error(err)
			}
			if strings.Contains(string(shown.Text), "SUMMARY") {
				with.Add(1)
			}
		})
	}
	all.Wait()
	slices.Sort(took)
	return took, int(with.Load())
}

// document30 returns a document with one section that is long enough for a summary.
func document30(i int) []byte {
	line := fmt.Sprintf("What number %d is about is told here at some length.\n", i)
	text := "# Rules\n\n" + strings.Repeat(line, 50)
	for k := range 4 {
		text += fmt.Sprintf("\n# Other %d\n\n%s", k, strings.Repeat(line, 12))
	}
	return []byte(text)
}

// With 30 summaries by a provider that takes half a second and answers six requests
// at a time, a waiting model waits at most 3 s, and a model that does not wait is
// not delayed.
func TestThirtySummaries(t *testing.T) {
	const count, slots, waited = 30, 6, 3 * time.Second
	for _, c := range []struct {
		model string
		waits bool
	}{{"ungated", true}, {"ungated-subindex", false}} {
		t.Run(c.model, func(t *testing.T) {
			address, most := slowLLM(t)
			r := newRig(t, files{"projects/home.yaml": project(c.model), "config.yaml": fmt.Sprintf(
				"llm:\n  providers: [{name: slow, type: openai, model: m, baseURL: %q, maxConcurrent: %d}]\n", address+"/v1", slots)})
			contents := make([]flow.Content, count)
			for i := range contents {
				contents[i] = toolResult(document30(i), fmt.Sprintf("%d.md", i))
			}
			took, summaries := r.together(t, contents)
			slowest := took[count-1]
			t.Logf("median %v, slowest %v, %d with a summary, %d at once", took[count/2].Round(time.Millisecond), slowest.Round(time.Millisecond), summaries, most.Load())
			if n := int(most.Load()); n > slots {
				t.Errorf("%d requests at once, limit %d", n, slots)
			}
			switch {
			case underRace: // the race detector slows down the host, but not the provider
			case !c.waits && took[count/2] >= 500*time.Millisecond && summaries > count/2: // a busy machine has few summaries
				t.Errorf("half of the calls waited %v, and %d of %d have a summary: one answer takes 500ms", took[count/2], summaries, count)
			case c.waits && (slowest > waited+2*time.Second || summaries < count*5/6):
				t.Errorf("slowest after %v, limit %v and a little; %d of %d with a summary", slowest, waited, summaries, count)
			}
			hasAll := func() bool {
				_, n := r.together(t, contents)
				return n == count
			}
			if !eventually(hasAll, true) {
				t.Error("the summaries did not appear")
			}
		})
	}
}
