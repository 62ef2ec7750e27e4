package tck

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/abi/tck/internal/archive"
)

// runStage runs a stage or filter.
func (h *Host) runStage(ctx context.Context, a archive.Archive) (map[string]string, error) {
	call, err := stageCall(a)
	if err != nil {
		return nil, err
	}
	if err := h.env.prepare(a); err != nil {
		return nil, err
	}
	guest, err := h.module.Guest(cmp.Or(a.Get("role"), "kit"))
	if err != nil {
		return nil, err
	}
	out, err := guest.Run(ctx, call)
	got := describe(out, err)
	got["kept"] = formatPairs(h.env.kept)
	if h.env.gate != nil {
		close(h.env.gate)
	}
	if err != nil || out.Settled == nil {
		return got, nil
	}
	select {
	case <-out.Settled:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	again, err := guest.Run(ctx, call)
	got["settled"] = describe(again, err)["sections"]
	return got, nil
}

// stageCall returns the call of a stage that an archive describes.
func stageCall(a archive.Archive) (abi.Call, error) {
	c := abi.Call{
		Config: []byte(a.Get("config")), Input: []byte(a.Get("input")), Session: a.Get("session"), Arguments: []byte(a.Get("arguments")),
		Context: abi.Context{Project: "home", ContentType: abi.ToolResult, Source: "server/tool", Part: abi.Part{Kind: "text", Count: 1}, Stage: abi.StagePos{Count: 1}},
	}
	c.Original = c.Input
	if a.Has("original") {
		c.Original = []byte(a.Get("original"))
	}
	for line := range strings.Lines(a.Get("tree")) {
		s, err := parseSection(line)
		if err != nil {
			return c, err
		}
		c.Tree.Sections = append(c.Tree.Sections, s)
	}
	for line := range strings.Lines(a.Get("input-marks")) {
		n, _ := parseNumbers(line, 4)
		if len(n) != 4 {
			return c, fmt.Errorf("input-marks: %q, want OFFSET SECTION LINES BYTES", line)
		}
		c.Marks = append(c.Marks, abi.Mark{Offset: n[0], Section: n[1], Lines: n[2], Bytes: n[3]})
	}
	return c, a.Decode("context", &c.Context)
}

// parseSection reads PARENT START-END ID TITLE.
func parseSection(line string) (abi.Section, error) {
	words := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 4)
	s := abi.Section{Kind: abi.SectionExact}
	if len(words) == 4 {
		_, err := fmt.Sscanf(words[0]+" "+words[1], "%d %d-%d", &s.Parent, &s.Start, &s.End)
		s.ID, s.Title = words[2], words[3]
		if err == nil {
			return s, nil
		}
	}
	return s, fmt.Errorf("tree: %q, want PARENT START-END ID TITLE", line)
}

// describe returns the result of a run as text, by the names of the archive's files.
func describe(out abi.Output, err error) map[string]string {
	got := map[string]string{"log": logText(out.Log)}
	if err != nil {
		got["fail"] = err.Error()
		return got
	}
	if !out.Pass {
		got["want"] = string(out.Bytes)
	}
	got["sections"], got["meta"] = sectionText(out.Tree.Sections), formatPairs(out.Meta)
	for _, m := range out.Marks {
		got["marks"] += fmt.Sprintln(m.Offset, m.Section, m.Lines, m.Bytes)
	}
	var flags []string
	if out.Private {
		flags = append(flags, "private")
	}
	if out.Provisional {
		flags = append(flags, "provisional")
	}
	got["flags"] = strings.Join(flags, " ")
	return got
}

func logText(log []abi.LogLine) string {
	var b strings.Builder
	for _, l := range log {
		b.WriteString(l.Level + " " + l.Text + "\n")
	}
	return b.String()
}

// sectionText formats a tree like archives.
func sectionText(list []abi.Section) string {
	var b strings.Builder
	children := map[int][]int{}
	for i, s := range list {
		children[s.Parent] = append(children[s.Parent], i)
	}
	var write func(parent int, indent string)
	write = func(parent int, indent string) {
		for _, i := range children[parent] {
			s := list[i]
			fmt.Fprintf(&b, "%s%s %s", indent, s.ID, s.Kind)
			if s.Kind != abi.SectionGroup {
				fmt.Fprintf(&b, " %d-%d", s.Start, s.End)
			}
			fmt.Fprintf(&b, " %q", s.Title)
			if s.Summary != "" {
				fmt.Fprintf(&b, " %q", s.Summary)
			}
			b.WriteByte('\n')
			write(i, indent+"  ")
		}
	}
	write(-1, "")
	return b.String()
}
