package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// measureGuest measures the guest time of indexing an uncached 1 MB document, compiled and
// warm, as the median of several runs.
func measureGuest(ctx context.Context, bin string) error {
	home, err := os.MkdirTemp("", "mcpctl-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	fmt.Println("\nuncached section-split, guest time (median of 9)")
	docs := []struct {
		name string
		text string
		bar  time.Duration
	}{
		{"1 MB JSON, pretty", document(1_000_000, true), jsonBar},
		{"1 MB JSON, one line", document(1_000_000, false), jsonBar},
		{"1 MB Markdown", strings.Repeat(markdown, 1_000_000/len(markdown)+1)[:1_000_000], 0},
	}
	for _, d := range docs {
		took, err := stageRuns(ctx, bin, home, d.text, 9)
		if err != nil {
			return err
		}
		line := fmt.Sprintf("%-22s %.1f ms", d.name, float64(took)/float64(time.Millisecond))
		if d.bar > 0 {
			line += fmt.Sprintf("  bar %d ms %s", d.bar.Milliseconds(), verdict(took <= d.bar))
		}
		fmt.Println(line)
	}
	return nil
}

// jsonBar is the maximum time for indexing 1 MB of JSON.
const jsonBar = 30 * time.Millisecond

const markdown = "# A heading\n\nSome prose below it, with `code` and *emphasis*, long enough to be a paragraph of its own.\n\n" +
	"## Another one\n\n- a list item\n- another one\n\n```sh\n# no heading\necho hello\n```\n\n"

// document returns at least n bytes of nested JSON records. The result is deterministic.
func document(n int, pretty bool) string {
	r := rand.New(rand.NewPCG(1, 2))
	var out strings.Builder
	for i := 0; out.Len() < n; i++ {
		item := map[string]any{
			"id": fmt.Sprintf("%07x.%06x", r.Uint32()>>4, r.Uint32()>>8), "type": []string{"inject", "function", "debug", "switch"}[r.IntN(4)],
			"name": fmt.Sprintf("node %d", i), "x": r.IntN(1000), "y": r.IntN(1000), "wires": [][]string{{fmt.Sprint(r.Uint32())}},
			"props": map[string]any{"payload": "", "topic": "home/sensor/" + fmt.Sprint(r.IntN(50)), "repeat": r.Float64(), "once": r.IntN(2) == 0},
		}
		b, _ := json.Marshal(item)
		if pretty {
			b, _ = json.MarshalIndent(item, "  ", "  ")
			b = append([]byte("\n  "), b...)
		}
		separator := byte(',')
		if i == 0 {
			separator = '['
		}
		out.WriteByte(separator)
		out.Write(b)
	}
	return out.String() + "]"
}

// stageRuns runs section-split n times in one process and returns the median guest time
// from the JSON output of the command.
func stageRuns(ctx context.Context, bin, home, input string, n int) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "mcpctl"), "stage", "run", "section-split", "--json", fmt.Sprintf("--repeat=%d", n))
	cmd.Env = append(os.Environ(), "MCPCTL_HOME="+home)
	cmd.Stdin = strings.NewReader(input)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("stage run: %w", err)
	}
	var report struct {
		GuestMicros []int64 `json:"guestMicros"`
	}
	if err := json.Unmarshal(out, &report); err != nil || len(report.GuestMicros) == 0 {
		return 0, fmt.Errorf("stage run --json: no guestMicros in %.200s", out)
	}
	slices.Sort(report.GuestMicros)
	return time.Duration(report.GuestMicros[len(report.GuestMicros)/2]) * time.Microsecond, nil
}
