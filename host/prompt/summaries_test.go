package prompt

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/hosttest"
)

// memory is a Store in memory.
type memory struct {
	mu   sync.Mutex
	data map[string][]byte
}

func (m *memory) Get(project, hash string) ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.data[project+"/"+hash]
	return b, ok
}

func (m *memory) Set(project, hash string, value []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.data == nil {
		m.data = make(map[string][]byte)
	}
	m.data[project+"/"+hash] = value
	return nil
}

const answer = `{"summary":"how Zigbee devices are paired","chapters":["Zigbee2MQTT","pairing"]}`

// startSummaries returns Summaries that run until the test ends.
func startSummaries(t *testing.T, o SummaryOptions) *Summaries {
	t.Helper()
	s := NewSummaries(o)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return s
}

// The summary of a content is generated once for any number of requests.
func TestPromptSummaryGeneration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		llm := &hosttest.LLM{Script: func(abi.LLMRequest) string { return answer }, Latency: time.Second}
		store := &memory{}
		var changed atomic.Int32
		s := startSummaries(t, SummaryOptions{LLM: llm, Store: store, Changed: func(string) { changed.Add(1) }})
		for range 3 {
			s.Want("home", "h1", "text")
		}
		if _, ok := s.Get("home", "h1"); ok {
			t.Error("generated immediately")
		}
		time.Sleep(2 * time.Second)
		o, ok := s.Get("home", "h1")
		if !ok || o.Summary != "how Zigbee devices are paired" || len(o.Chapters) != 2 || changed.Load() != 1 {
			t.Errorf("%+v, %v, Changed called %d times", o, ok, changed.Load())
		}
		s.Want("home", "h1", "text")
		time.Sleep(2 * time.Second)
		if llm.Asked() != 1 {
			t.Errorf("%d requests for one content", llm.Asked())
		}
		after := NewSummaries(SummaryOptions{Store: store}) // after a restart, without an LLM
		if o, ok := after.Get("home", "h1"); !ok || o.Summary == "" {
			t.Errorf("after a restart: %+v, %v", o, ok)
		}
		if _, ok := after.Get("work", "h1"); ok {
			t.Error("another project has the summary too")
		}
	})
}

// Again sends a request although an answer is stored.
func TestRegenerateSummary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		llm := &hosttest.LLM{Script: func(abi.LLMRequest) string {
			n++
			return `{"summary":"take ` + string(rune('0'+n)) + `"}`
		}}
		s := startSummaries(t, SummaryOptions{LLM: llm, Store: &memory{}})
		s.Want("home", "h", "text")
		synctest.Wait()
		if err := s.Again("home", "h", "text"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if o, _ := s.Get("home", "h"); o.Summary != "take 2" {
			t.Errorf("got %+v", o)
		}
		off := NewSummaries(SummaryOptions{LLM: &hosttest.LLM{Off: true}})
		if err := off.Again("home", "h", "text"); !errors.Is(err, abi.ErrUnavailable) {
			t.Errorf("without an LLM: %v", err)
		}
	})
}

// A mark in the store causes one new request by the next Summaries with an LLM.
func TestRegenerateMarkIsUsedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		llm := &hosttest.LLM{Script: func(abi.LLMRequest) string {
			n++
			return `{"summary":"take ` + string(rune('0'+n)) + `"}`
		}}
		store := &memory{}
		want := func() string {
			s := startSummaries(t, SummaryOptions{LLM: llm, Store: store})
			s.Want("home", "h", "text")
			synctest.Wait()
			o, _ := s.Get("home", "h")
			return o.Summary
		}
		if got := want() + want(); got != "take 1take 1" {
			t.Errorf("without a mark: %q", got)
		}
		if err := store.Set("home", "h", RegenerateMark(time.Now())); err != nil {
			t.Fatal(err)
		}
		if _, ok := NewSummaries(SummaryOptions{Store: store}).Get("home", "h"); ok {
			t.Error("the marked summary is used without an LLM")
		}
		if got := want() + want(); got != "take 2take 2" {
			t.Errorf("with a mark: %q", got)
		}
	})
}

// After an invalid answer there is no generated summary and no immediate retry.
func TestFailedSummaryIsNotRetriedImmediately(t *testing.T) {
	for name, llm := range map[string]*hosttest.LLM{
		"prose":      {Script: func(abi.LLMRequest) string { return "Here you are: ..." }},
		"no summary": {Script: func(abi.LLMRequest) string { return `{"chapters":["a"]}` }},
		"an array":   {Script: func(abi.LLMRequest) string { return `[]` }},
		"no answer":  {Latency: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := startSummaries(t, SummaryOptions{LLM: llm})
				for range 3 {
					s.Want("home", "h", "text")
					time.Sleep(2 * answerTime)
				}
				if _, ok := s.Get("home", "h"); ok || llm.Asked() > 1 {
					t.Errorf("generated: %v, %d requests", ok, llm.Asked())
				}
			})
		})
	}
	down := &hosttest.LLM{}
	down.SetFault(hosttest.Down)
	s := NewSummaries(SummaryOptions{LLM: down})
	s.Want("home", "h", "text")
	if len(s.queue) > 0 {
		t.Error("a task was queued for an LLM that is down")
	}
}

// Again replaces a queued task and reports a full queue.
func TestRegenerateWithQueuedTasks(t *testing.T) {
	s := NewSummaries(SummaryOptions{LLM: &hosttest.LLM{}})
	s.Want("home", "h", "text")
	if err := s.Again("home", "h", "text"); err != nil || len(s.queue) != 1 || s.queue[0].again == 0 {
		t.Errorf("already queued: %v, %+v; want one task with again", err, s.queue)
	}
	for i := range maxQueued {
		s.Want("home", strconv.Itoa(i), "text")
	}
	if err := s.Again("home", "other", "text"); !errors.Is(err, abi.ErrLimit) || len(s.queue) != maxQueued {
		t.Errorf("full queue: %v with %d tasks, want abi.ErrLimit with %d", err, len(s.queue), maxQueued)
	}
}

// The number of concurrent requests and the size of outlines are limited.
func TestSummariesAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long, _ := json.Marshal(map[string]any{"summary": "a\nb\x1b " + strings.Repeat("é", 150), "chapters": append(make([]string, 100), strings.Repeat("c ", 80))})
		var mu sync.Mutex
		running, most := 0, 0
		llm := &hosttest.LLM{Slots: 100, Latency: time.Second, Script: func(r abi.LLMRequest) string {
			mu.Lock()
			defer mu.Unlock()
			if len(r.Parts[0].Text) > maxLLMInput || !r.Parts[0].Quoted || r.Tier != abi.TierFast || !r.JSON {
				t.Errorf("request with %d bytes, %+v", len(r.Parts[0].Text), r)
			}
			return string(long)
		}}
		s := startSummaries(t, SummaryOptions{LLM: counting{llm, &mu, &running, &most}})
		for i := range 30 {
			s.Want("home", string(rune('a'+i)), strings.Repeat("é", maxLLMInput)+string(rune('a'+i)))
		}
		time.Sleep(time.Minute)
		o, _ := s.Get("home", "a")
		if len(o.Summary) > maxSummaryBytes || strings.ContainsAny(o.Summary, "\n\x1b") || len(o.Chapters) != 1 || len(o.Chapters[0]) > maxChapterBytes {
			t.Errorf("%d bytes of %q, %d chapters", len(o.Summary), o.Summary, len(o.Chapters))
		}
		if most != atOnce {
			t.Errorf("%d concurrent requests, want %d", most, atOnce)
		}
	})
}

// counting counts concurrent requests.
type counting struct {
	*hosttest.LLM
	mu            *sync.Mutex
	running, most *int
}

func (c counting) Send(ctx context.Context, r abi.LLMRequest) (abi.LLMCall, error) {
	call, err := c.LLM.Send(ctx, r)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	*c.running++
	*c.most = max(*c.most, *c.running)
	c.mu.Unlock()
	go func() {
		<-call.Done()
		c.mu.Lock()
		*c.running--
		c.mu.Unlock()
	}()
	return call, nil
}
