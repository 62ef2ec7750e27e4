package host

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/hosttest"
)

// withLLM opens a home whose summarize-tree uses the fake LLM.
func withLLM(t *testing.T, llm *hosttest.LLM) *rig {
	t.Helper()
	return newRig(t, files{"projects/home.yaml": project("ungated-subindex")}, func(o *Options) { o.LLM = llm })
}

// prose returns a file whose sections are long enough for a summary.
func prose(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile("../testdata/content/p-gh-privacy.md")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// ids returns the sections that an answer offers.
func ids(offers []string) string { return strings.Join(offers, " ") }

// stage returns the report of one stage.
func stage(run flow.RunReport, role string) flow.StageReport {
	for _, s := range run.Stages {
		if s.Role == role {
			return s
		}
	}
	return flow.StageReport{}
}

// The index without summaries is returned at once. After the LLM has answered, the
// next read contains the summaries, with the same ids and bytes. Provisional
// results are not cached.
func TestSummariesComeLater(t *testing.T) {
	gate := make(chan struct{})
	var open sync.Once
	llm := &hosttest.LLM{Gate: gate, Script: func(abi.LLMRequest) string { return "SUMMARY of the part. It says more." }}
	defer open.Do(func() { close(gate) })
	r := withLLM(t, llm)
	c := toolResult(prose(t), "privacy.md")
	var first flow.Shown
	took := within(t, 20*time.Second, "the first index", func() { first = r.show(t, c) })
	if !first.Changed || strings.Contains(string(first.Text), "SUMMARY") {
		t.Fatalf("the first index was late or missing:\n%s", first.Text)
	}
	if again := r.show(t, c); stage(again.Run, "summarize-tree").Outcome == "cached" {
		t.Error("a provisional result was cached")
	}
	before := r.crawl(t, &document{bytes: c.Bytes, ref: first.Ref})

	open.Do(func() { close(gate) })
	hasSummaries := func() bool {
		return bytes.Contains(r.Read(t.Context(), scope, first.Ref, "").Text, []byte("SUMMARY"))
	}
	if !eventually(hasSummaries, true) {
		t.Fatalf("no summary appeared after %d requests", llm.Asked())
	}
	llm.Wait()
	read := r.Read(t.Context(), scope, first.Ref, "")
	if ids(read.Meta.Offers) != ids(first.Meta.Offers) {
		t.Errorf("sections are %s, want %s", ids(read.Meta.Offers), ids(first.Meta.Offers))
	}
	if n := tokens(t, read.Text); n > maxFirstTokens {
		t.Errorf("with summaries the index has %d tokens", n)
	}
	after := r.crawl(t, &document{bytes: c.Bytes, ref: first.Ref})
	if after.Leaves != before.Leaves || after.Gap != before.Gap {
		t.Errorf("%d leaves and %d bytes between them, were %d and %d", after.Leaves, after.Gap, before.Leaves, before.Gap)
	}
	settled := func() string { return stage(r.show(t, c).Run, "summarize-tree").Outcome }
	if got := eventually(settled, "cached"); got != "cached" {
		t.Errorf("the settled result is %s", got)
	}
	asked := llm.Asked()
	if last := r.show(t, c); !bytes.Contains(last.Text, []byte("SUMMARY")) || llm.Asked() != asked {
		t.Errorf("a cached result sent %d more requests:\n%s", llm.Asked()-asked, last.Text)
	}
	t.Logf("first index after %v, %d requests", took.Round(time.Millisecond), asked)

	changed := bytes.Replace(c.Bytes, []byte("\n## "), []byte("\n\nOne more line here.\n\n## "), 1)
	r.show(t, toolResult(changed, "privacy.md"))
	if got := eventually(func() string {
		llm.Wait()
		return stage(r.show(t, toolResult(changed, "privacy.md")).Run, "summarize-tree").Outcome
	}, "cached"); got != "cached" {
		t.Errorf("changed content: %s", got)
	}
	if more := llm.Asked() - asked; more > asked/2 {
		t.Errorf("one section of the content changed: %d more requests after %d", more, asked)
	}
}

// With any fault of the provider, the index is returned within the limit of 3 s,
// and no provisional or wrong answer is cached. When the provider works again, the
// summaries appear.
func TestLLMFaults(t *testing.T) {
	for name, fault := range map[string]hosttest.Fault{
		"down": hosttest.Down, "429": hosttest.Overloaded, "HTML": hosttest.Garbage, "half an answer": hosttest.Half, "mute": hosttest.Mute,
	} {
		t.Run(name, func(t *testing.T) {
			llm := &hosttest.LLM{Script: func(abi.LLMRequest) string { return "SUMMARY of the part." }}
			llm.SetFault(fault)
			r := withLLM(t, llm)
			c := toolResult(prose(t), "privacy.md")
			for range 3 {
				took := within(t, 20*time.Second, "an answer", func() {
					shown := r.show(t, c)
					if !shown.Changed || strings.Contains(string(shown.Text), "SUMMARY") {
						t.Errorf("got %.300s", shown.Text)
					}
					s := stage(shown.Run, "summarize-tree")
					if s.Outcome == "cached" && fault != hosttest.Down {
						t.Error("a result without its summaries was cached")
					}
					if s.Outcome == "failed" {
						t.Errorf("the stage failed: %s", s.Error)
					}
				})
				t.Logf("after %v, %d requests", took.Round(time.Millisecond), llm.Asked())
			}
			llm.SetFault(hosttest.Healthy)
			if fault == hosttest.Mute {
				return // unanswered requests occupy their slots until they time out
			}
			well := func() bool {
				r.show(t, c)
				return bytes.Contains(r.Read(t.Context(), scope, r.show(t, c).Ref, "").Text, []byte("SUMMARY"))
			}
			if !eventually(well, true) {
				t.Errorf("the provider works again, but the index is\n%s", r.show(t, c).Text)
			}
		})
	}
	t.Run("slow", func(t *testing.T) {
		llm := &hosttest.LLM{Latency: time.Minute}
		r := withLLM(t, llm)
		within(t, 20*time.Second, "an answer", func() { r.show(t, toolResult(prose(t), "privacy.md")) })
		within(t, 30*time.Second, "closing with requests under way", r.stop)
	})
	t.Run("none", func(t *testing.T) {
		r := withLLM(t, &hosttest.LLM{Off: true})
		c := toolResult(prose(t), "privacy.md")
		r.show(t, c)
		if s := stage(r.show(t, c).Run, "summarize-tree"); s.Outcome != "cached" {
			t.Errorf("a project without an LLM is %s, want cached", s.Outcome)
		}
	})
}
