package detect

import (
	"bytes"
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/scan/json"
	"github.com/mcpctl/mcpctl/plugins/src/scan/markdown"
)

const (
	// maxStretches is the largest number of separate JSON values. A text with more is a log that
	// quotes them.
	maxStretches = 32
	// minStretch is the size from which on JSON is not part of a sentence, such as the [1] of a
	// reference, in a text of any size.
	minStretch = 256
	// minFence is the size from which on fenced code has its own part.
	minFence = 1000
)

// span is [start, end) in the text: JSON, or the content of a fence.
type span struct {
	start, end int
	fenced     bool
	info       string // the text after the opening mark of the fence
}

// proveMixed finds whole JSON values among lines of text: a result with a remark below it, or a
// sentence that introduces it. They must be a third of the text, or a tenth if the text begins
// with one.
func proveMixed(s *survey, o Options) (Result, bool) {
	b := s.b
	if !s.lines().value {
		return Result{}, false
	}
	first := json.SkipSpace(b, lines.Start(b))
	if first == len(b) || b[first] == '<' {
		return Result{}, false
	}
	values := findValues(b, first)
	size := 0
	for _, v := range values {
		size += v.end - v.start
	}
	switch all := len(b) - first; {
	case size == 0, size*10 < all, size*3 < all && values[0].start > first:
		return Result{}, false
	case values[0].start > first && isExample(s, values[0], size*4 < all*3):
		return Result{}, false
	case isIndented(b, values[0].start):
		if _, ok := proveYAML(s, o); ok { // in YAML, a value may be written as JSON
			return Result{}, false
		}
	}
	doc := splitStretches(b, first, withFences(s, values))
	return Result{Type: Mixed, Parts: doc}, len(doc.Parts) > 1
}

// isIndented reports whether a blank precedes the offset of a value.
func isIndented(b []byte, at int) bool { return at > 0 && (b[at-1] == ' ' || b[at-1] == '\t') }

// isExample reports whether a value belongs to a document with headings: it is in a fence, or a minor
// part of the document (lesser).
func isExample(s *survey, value span, lesser bool) bool {
	doc := s.markdown()
	if len(doc.Headings) == 0 || int(doc.Headings[0].Start) > value.start {
		return false
	}
	return lesser || slices.ContainsFunc(doc.Fences, func(f markdown.Fence) bool {
		return int(f.Start) <= value.start && value.end <= int(f.End)
	})
}

// withFences adds the large fences that contain no JSON.
func withFences(s *survey, values []span) []span {
	if !s.lines().fence {
		return values
	}
	all := values
	for _, f := range s.markdown().Fences {
		code := span{start: int(f.Code.Start), end: int(f.Code.End), fenced: true, info: string(s.b[f.Info.Start:f.Info.End])}
		overlaps := func(v span) bool { return v.start < code.end && code.start < v.end }
		if code.end-code.start >= minFence && !slices.ContainsFunc(values, overlaps) {
			all = append(all, code)
		}
	}
	slices.SortFunc(all, func(a, b span) int { return a.start - b.start })
	return all
}

// findValues returns the arrays and objects that begin on their own line. Consecutive values are one
// span.
func findValues(b []byte, at int) (found []span) {
	s := json.New(b, json.Options{Leaf: len(b), Record: len(b), Top: len(b), Nodes: 1 << 16})
	wasted := 0
	for p := at; p < len(b); p = lines.End(b, p) {
		for p < len(b) && (b[p] == ' ' || b[p] == '\t') {
			p++
		}
		if p == len(b) || b[p] != '{' && b[p] != '[' || !opensValue(b, p) || !continuesValue(b, p) {
			continue
		}
		end, ok := s.Scan(p)
		if !ok {
			if wasted += end - p; wasted > len(b) {
				return nil
			}
			continue
		}
		if end < len(b) && b[end] > ' ' || end-p < minStretch && (end-p)*16 < len(b) {
			continue
		}
		if last := len(found) - 1; last >= 0 && json.SkipSpace(b, found[last].end) == p {
			found[last].end = end
		} else if found = append(found, span{start: p, end: end}); len(found) > maxStretches {
			return nil
		}
		p = end
	}
	return found
}

// splitStretches makes parts of the values and of the text between them.
func splitStretches(b []byte, at int, values []span) *part.Doc {
	doc := &part.Doc{}
	var of []*span // by part; nil for text
	add := func(start, end int, v *span) {
		of = append(of, v)
		doc.Parts = append(doc.Parts, part.Part{Start: int32(start), End: int32(end), Parent: -1, Kind: part.Text})
	}
	text := func(end int) {
		if start := json.SkipSpace(b, at); start < end {
			add(start, end, nil)
		}
	}
	for i := range values {
		v := &values[i]
		text(v.start)
		add(v.start, v.end, v)
		at = v.end
	}
	text(len(b))
	doc.Count = caption.Count(len(doc.Parts), "part")
	doc.Name = func(i int, n *part.Name) {
		body := b[doc.Parts[i].Start:doc.Parts[i].End]
		switch v := of[i]; {
		case v == nil:
			nameText(body, n)
		case v.fenced:
			nameFenced(body, v.info, n)
		default:
			n.ID, n.Hint = append(n.ID, "json"...), append(n.Hint, "x.json"...)
			n.Title = caption.Append(n.Title, body[:min(len(body), 400)], 80)
		}
	}
	return doc
}

// nameText names a text by its first line that is not the mark of a fence.
func nameText(text []byte, n *part.Name) {
	n.ID = append(n.ID, "text"...)
	first := text
	for at := 0; at < len(text); at = lines.End(text, at) {
		if line := bytes.TrimSpace(text[at:lines.End(text, at)]); len(line) > 0 && !bytes.HasPrefix(line, []byte("```")) && !bytes.HasPrefix(line, []byte("~~~")) {
			first = line
			break
		}
	}
	if n.Title = caption.Append(n.Title, first[:min(len(first), lines.End(first, 0))], 80); len(n.Title) == 0 { // control characters
		n.Title = append(n.Title, "text"...)
	}
}

// nameFenced names the content of a fence by its language.
func nameFenced(text []byte, info string, n *part.Name) {
	n.ID = append(n.ID, "code"...)
	if language := Language(info); language != "" {
		n.Title = append(append(n.Title, language...), ": "...)
		n.Hint = append(append(n.Hint, "x."...), Extension(language)...)
	}
	n.Title = caption.Append(n.Title, text[:min(len(text), 400)], 56) // a language takes up to 22
}
