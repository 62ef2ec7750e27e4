package model

import (
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/host/flow"
)

// offer is a line of an index: [id] title (size).
type offer struct{ id, title, size string }

// parseOffer reads a line that offers a section. An id never holds a bracket.
func parseOffer(line string) (offer, bool) {
	rest, bracket := strings.CutPrefix(line, "[")
	id, rest, closed := strings.Cut(rest, "] ")
	at := strings.LastIndexByte(rest, '(')
	if !bracket || !closed || at < 0 || !strings.HasSuffix(rest, ")") {
		return offer{}, false
	}
	return offer{id, strings.TrimSpace(rest[:at]), rest[at+1 : len(rest)-1]}, true
}

// offers returns the lines of an answer that offer sections, in order. Only the metadata
// of an answer identifies an index; a leaf may look like one.
func offers(a flow.Answer) []offer {
	if a.Meta.Kind != flow.AnswerIndex && a.Meta.Kind != flow.AnswerSearch {
		return nil
	}
	var list []offer
	for line := range strings.Lines(string(a.Text)) {
		if o, ok := parseOffer(strings.TrimSuffix(line, "\n")); ok {
			list = append(list, o)
		}
	}
	return list
}

// headOf returns the lines above the offered ones: type, count, schema.
func headOf(a flow.Answer) string {
	text := string(a.Text)
	if strings.HasPrefix(text, "[") {
		return ""
	}
	if at := strings.Index(text, "\n["); at >= 0 {
		return text[:at+1]
	}
	return text
}

// painted returns an index with ids, titles and sizes in different colours. Without the
// colours the text is unchanged.
func painted(io *iostreams.Streams, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		bare, end := strings.TrimSuffix(line, "\n"), line[len(strings.TrimSuffix(line, "\n")):]
		o, ok := parseOffer(bare)
		if !ok {
			b.WriteString(io.Paint(iostreams.Dim, bare) + end)
			continue
		}
		title := bare[len(o.id)+2 : len(bare)-len(o.size)-2]
		b.WriteString(io.Paint(iostreams.Cyan, "["+o.id+"]") + title + io.Paint(iostreams.Dim, "("+o.size+")") + end)
	}
	return b.String()
}
