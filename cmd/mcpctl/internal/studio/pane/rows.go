package pane

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/compare"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/screen"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/traffic"
)

// step is one stage of a replay, for one part.
type step struct {
	part, nth int
	input     string
	run       api.ReplayStage
}

// steps returns the stages of all parts in order.
func steps(t texts, replay api.Replay) (out []step) {
	for i, p := range replay.Parts {
		input := ""
		if i < len(t.original) {
			input = t.original[i].body
		}
		for n, s := range p.Stages {
			out = append(out, step{i, n, input, s})
			input = s.Text
		}
	}
	return out
}

// headRows describe a stage: its outcome, and whether it is the stage of the event.
func (s step) headRows(e traffic.Entry) []screen.Row {
	head := fmt.Sprintf("%s in %s, %s -> %s bytes", screen.Clean(s.run.Outcome), took(s.run.Micros), Count(len(s.input)), Count(len(s.run.Text)))
	rows := []screen.Row{{Text: head, Style: screen.Bold}}
	if s.run.Error != "" {
		rows = append(rows, screen.Row{Text: screen.Clean(s.run.Error), Style: screen.Yellow})
	}
	if n := s.changed(e); n != "" {
		rows = append(rows, screen.Row{Text: n, Style: screen.Yellow})
	}
	for _, k := range slices.Sorted(maps.Keys(s.run.Meta)) {
		rows = append(rows, dim(screen.Clean(k+"="+s.run.Meta[k]))...)
	}
	for _, l := range s.run.Log {
		rows = append(rows, dim(screen.Clean(l))...)
	}
	return append(rows, screen.Row{})
}

// changed describes how the stage differs from the one that handled the event.
func (s step) changed(e traffic.Entry) string {
	if len(e.Parts) == 0 {
		return ""
	}
	if s.part < len(e.Parts) {
		for _, old := range e.Parts[s.part].Stages {
			if old.Role != s.run.Role {
				continue
			}
			if isSameHash(old.Module, s.run.Module) {
				return ""
			}
			return fmt.Sprintf("the module has changed since the event: %s now, %s then", short(screen.Clean(s.run.Module)), short(old.Module))
		}
	}
	return "this stage did not run for the event"
}

// isSameHash compares hashes of which one may be shortened.
func isSameHash(a, b string) bool {
	n := min(len(a), len(b))
	return a[:n] == b[:n]
}

func short(hash string) string {
	if hash == "" {
		return "unknown"
	}
	return hash[:min(len(hash), 12)]
}

func took(micros int64) string {
	d := time.Duration(micros) * time.Microsecond
	switch {
	case d < time.Millisecond:
		return d.String()
	case d < time.Second:
		return fmt.Sprintf("%.1fms", float64(micros)/1e3)
	}
	return fmt.Sprintf("%.1fs", d.Seconds())
}

// replayRows compares the texts that were sent with those of the present stages.
func replayRows(t texts, replay api.Replay) (rows []screen.Row) {
	for i, p := range replay.Parts {
		var sent text
		if i < len(t.shown) {
			sent = t.shown[i]
		}
		rows = append(rows, heading(i, len(replay.Parts), sent.label)...)
		verdict := "the text differs from the one that was sent"
		if p.Same {
			verdict = "the same text as was sent"
		}
		verdict += fmt.Sprintf(": %s tokens now, %s then", Count(p.Tokens), Count(abi.EstimateTokens([]byte(sent.body))))
		rows = append(rows, screen.Row{Text: verdict, Style: screen.Bold})
		for _, s := range p.Stages {
			rows = append(rows, dim(fmt.Sprintf("%s: %s in %s", screen.Clean(s.Role), screen.Clean(s.Outcome), took(s.Micros)))...)
		}
		if !p.Same {
			rows = append(rows, screen.Row{})
			rows = append(rows, compare.Texts(sent.body, p.Text)...)
		}
	}
	if len(replay.Parts) == 0 {
		rows = dim("no text")
	}
	return rows
}

// tokenRows lists the tokens of each part, and the size of its text after each stage.
func tokenRows(t texts, e traffic.Entry) []screen.Row {
	var in, out int
	var rows []screen.Row
	n := max(len(t.original), len(t.shown))
	for i := range n {
		var a, b text
		if i < len(t.original) {
			a = t.original[i]
		}
		if i < len(t.shown) {
			b = t.shown[i]
		}
		before, after := abi.EstimateTokens([]byte(a.body)), abi.EstimateTokens([]byte(b.body))
		in, out = in+before, out+after
		rows = append(rows, screen.Row{})
		rows = append(rows, partRow(i, e, before, after))
		if i < len(e.Parts) {
			rows = append(rows, stageRows(e.Parts[i], density{len(a.body), before}, density{len(b.body), after})...)
		}
	}
	if n == 0 { // an answer without texts, or texts that are no longer stored
		in, out = e.In, e.Out
	}
	total := screen.Row{Text: fmt.Sprintf("%-34s %9s -> %9s  %s", "all parts", Count(in), Count(out), saved(in, out)), Style: screen.Bold}
	return append([]screen.Row{total}, rows...)
}

func partRow(i int, e traffic.Entry, before, after int) screen.Row {
	name := fmt.Sprintf("part %d", i+1)
	if i < len(e.Parts) && e.Parts[i].Type != "" {
		name += ", " + e.Parts[i].Type
	}
	return screen.Row{Text: fmt.Sprintf("%-34s %9s -> %9s  %s", name, Count(before), Count(after), saved(before, after))}
}

// density is the size of a text in bytes and tokens.
type density struct{ bytes, tokens int }

// stageRows estimates tokens from bytes: of the original for texts of its size, of the text
// that was sent for others, because the events have no texts.
func stageRows(p traffic.Part, original, sent density) (rows []screen.Row) {
	est := func(n int) string {
		d := sent
		if n == original.bytes || sent.bytes == 0 {
			d = original
		}
		if d.bytes == 0 {
			return "-"
		}
		return "~" + Count(n*d.tokens/d.bytes)
	}
	for _, s := range p.Stages {
		name := "  " + s.Role
		if s.Outcome != "done" {
			name += ", " + s.Outcome
		}
		rows = append(rows, screen.Row{Text: fmt.Sprintf("%-34s %9s -> %9s  %s  %s", name, est(s.In), est(s.Out), took(s.Micros), short(s.Module)), Style: screen.Dim})
	}
	return rows
}

func saved(in, out int) string {
	if in == 0 || in == out {
		return ""
	}
	return fmt.Sprintf("%+d%%", 100*(out-in)/in)
}

// detailRows describe an event without texts.
func detailRows(e traffic.Entry) []screen.Row {
	var rows []screen.Row
	add := func(name, value string) {
		if value != "" {
			rows = append(rows, screen.Row{Text: fmt.Sprintf("%-8s %s", name, value)})
		}
	}
	add("type", e.Type)
	add("about", e.Title)
	add("note", e.Note)
	add("client", e.Client)
	add("session", screen.Clean(e.Session))
	add("time", e.Time.UTC().Format(time.RFC3339))
	if e.Micros > 0 {
		add("took", took(e.Micros)+", "+took(e.Upstream)+" of it waiting for the server")
	}
	if e.In+e.Out > 0 {
		add("tokens", fmt.Sprintf("%s -> %s, estimated", Count(e.In), Count(e.Out)))
	}
	if e.Hold != 0 {
		add("hold", strings.TrimSuffix(fmt.Sprintf("%d, %s", e.Hold, e.Outcome), ", "))
	}
	return rows
}

// Count returns a number in at most five characters, as in 950, 1.2k, 34k, 5.6M.
func Count(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 9_950:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	case n < 999_500:
		return fmt.Sprintf("%.0fk", float64(n)/1e3)
	case n < 9_950_000:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	}
	return fmt.Sprintf("%.0fM", float64(n)/1e6)
}
