package replay

import (
	"fmt"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/playback"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// show prints the results. Tables are followed by the comparison with the recording, and
// with -o wide by the sections.
func show(opts *Options, results []playback.Result) error {
	l := printer.Listing{Value: results, Table: func(wide bool) *iostreams.Table { return resultTable(results, wide) }}
	for _, r := range results {
		l.Names = append(l.Names, "proxymodel/"+r.Model)
	}
	if err := printer.Print(opts.F.IO, opts.Output, l); err != nil {
		return err
	}
	out := opts.F.IO.Out
	if opts.Output == "wide" && len(results[0].Sections) > 0 {
		fmt.Fprintln(out)
		if err := sectionTable(results).Wrap(opts.F.IO.OutWidth).Fprint(out); err != nil {
			return err
		}
	}
	if opts.Output != "table" && opts.Output != "wide" {
		return nil
	}
	for _, r := range results {
		for _, line := range notes(r) {
			fmt.Fprintf(out, "%s: %s\n", r.Model, line)
		}
	}
	return nil
}

func resultTable(results []playback.Result, wide bool) *iostreams.Table {
	header := []string{"PROXYMODEL", "CALLS", "ORIGINAL", "SENT", "SECTIONS", "TO-SECTION", "TIME", "LLM", "LOST"}
	if wide {
		header = append(header, "READS", "READ-TOKENS", "REFUSED", "BYTES")
	}
	t := iostreams.NewTable(header...)
	for _, r := range results {
		row := []string{r.Model, printer.Count(r.Calls), printer.Count(r.Original), printer.Count(r.Sent), printer.Count(len(r.Sections)),
			toSection(r), millis(r.Time), printer.Count(r.LLMCalls), printer.Count(r.Unreachable)}
		if wide {
			row = append(row, printer.Count(r.Reads), printer.Count(r.ReadTokens), printer.Count(r.Refused), printer.Count(r.Bytes))
		}
		t.Row(row...)
	}
	return t
}

// toSection returns "" if the client has read no section.
func toSection(r playback.Result) string {
	if len(r.Sections) == r.Unreachable {
		return ""
	}
	return printer.Count(r.ToSection)
}

func millis(d time.Duration) string {
	return printer.Count(int(d.Round(time.Millisecond)/time.Millisecond)) + "ms"
}

// sectionTable lists the tokens to each part with each proxymodel. All results have the
// same parts, because they are of one recording.
func sectionTable(results []playback.Result) *iostreams.Table {
	header := []string{"TOOL", "SECTION", "BYTES"}
	for _, r := range results {
		header = append(header, strings.ToUpper(r.Model), "BY")
	}
	t := iostreams.NewTable(header...)
	for i, s := range results[0].Sections {
		row := []string{s.Tool, s.Section, printer.Count(s.Size)}
		for _, r := range results {
			if i < len(r.Sections) {
				row = append(row, printer.Count(r.Sections[i].Tokens), r.Sections[i].By)
			}
		}
		t.Row(row...)
	}
	return t
}

// notes returns what the table does not show: whether the answers are the recorded ones,
// and what was not played.
func notes(r playback.Result) (lines []string) {
	if id := r.Identity; id != nil {
		line := fmt.Sprintf("identical %d/%d", id.Identical, id.Compared)
		if why := reasons(r); !id.IsWhole() && len(why) > 0 {
			line += "; changed since the recording: " + strings.Join(why, ", ")
		}
		if id.Refs {
			line += "; the refs are those of another home and were compared by their position"
		}
		lines = append(lines, line)
	}
	if r.Refused > 0 {
		lines = append(lines, fmt.Sprintf("%s without an answer: not offered by the proxymodel, or not recorded", printer.Plural(r.Refused, "call")))
	}
	if r.Outside > 0 {
		lines = append(lines, fmt.Sprintf("%s of results that are not in the recording", printer.Plural(r.Outside, "read")))
	}
	return lines
}
