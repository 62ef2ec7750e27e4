package explore

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/argument"
	"github.com/mcpctl/mcpctl/plugins/src/internal/bm25"
	"github.com/mcpctl/mcpctl/plugins/src/internal/fuzzy"
	"github.com/mcpctl/mcpctl/plugins/src/internal/grep"
	"github.com/mcpctl/mcpctl/plugins/src/internal/jsonplace"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/passage"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

const (
	maxLine    = 1000 // bytes of a line up to which it is shown whole
	around     = 200  // bytes before and after a match in a longer line
	maxUnit    = 2000 // bytes before and after a match in its paragraph or section
	maxPassage = 1000 // bytes of a passage for bm25

	maxRanked = 8 << 20 // bytes of a content that a hook can read within its time limit
)

// search finds places in a content.
type search struct {
	pattern, mode string
	most          int
	contextLines  int
	flags         stage.GrepFlags
	unit          passage.Unit
	threshold     float64
	nearly        *fuzzy.Pattern
	terms         []string
}

func readSearch(args *argument.Reader) asker {
	s := search{
		pattern:      args.Text("pattern", ""),
		mode:         args.Word("mode", "regex", "regex", "bm25", "fuzzy", "context"),
		most:         args.Int("max_results", 50, 1, 1000),
		contextLines: args.Int("context_lines", 0, 0, 100),
		flags:        stage.ByLine,
		threshold:    args.Number("threshold", 0.7, 0, 1),
		unit:         passage.Unit(args.Word("context_type", "paragraph", "paragraph", "section", "sentence", "lines")),
	}
	if args.Bool("case_insensitive", false) {
		s.flags |= stage.IgnoreCase
	}
	top := args.Int("top_k", 5, 1, 100)
	if s.pattern == "" {
		args.Fail("pattern is missing")
		return s
	}
	switch s.mode {
	case "fuzzy":
		var ok bool
		if s.nearly, ok = fuzzy.New(s.pattern, max(s.threshold, 0.5)); !ok {
			args.Fail("pattern is longer than fuzzy takes, " + strconv.Itoa(fuzzy.MaxPattern) + " characters: use mode bm25")
		}
	case "bm25":
		if s.terms = bm25.Terms(s.pattern); len(s.terms) == 0 {
			args.Fail("pattern has no words: use mode regex")
		}
		if args.Has("top_k") || !args.Has("max_results") {
			s.most = top
		}
	}
	return s
}

// readsAll reports whether the guest has to read the whole text.
func (s search) readsAll() bool { return s.mode == "bm25" || s.mode == "fuzzy" }

// hit is a match.
type hit struct {
	stage.Span        // span to show
	at         int    // offset of the match
	note       string // shown in the title
	rank       float64
	line       int
	path       string
}

func (s search) ask(a *answer, c content) (problem string) {
	if s.readsAll() && c.Len() > maxRanked {
		return "the result has " + strconv.Itoa(c.Len()) + " bytes, mode " + s.mode + " takes up to " + strconv.Itoa(maxRanked) + ": use mode regex"
	}
	text := c.Bytes()
	var hits []hit
	more := false
	switch s.mode {
	case "bm25":
		hits = s.findPassages(text)
	case "fuzzy":
		hits, more = s.findSimilar(text)
	default:
		err := grep.Each(c.Buf, s.pattern, s.flags, func(m stage.Span) (int, bool) {
			if len(hits) == s.most {
				more = true
				return m.End, false
			}
			h := hit{Span: s.expand(text, m), at: m.Start}
			if len(hits) > 0 {
				h.Start = max(h.Start, hits[len(hits)-1].End)
			}
			hits = append(hits, h)
			return h.End, true
		})
		if err != nil {
			return "pattern: " + err.Error()
		}
	}
	if len(hits) == 0 {
		return "nothing found" + s.advise()
	}
	setPositions(c.Buf, text, hits)
	s.write(a, c, hits, more)
	return ""
}

func (s search) advise() string {
	switch s.mode {
	case "regex", "context":
		if s.flags&stage.IgnoreCase == 0 {
			return "; case counts unless case_insensitive is true, and mode fuzzy finds what is spelled otherwise"
		}
		return "; mode fuzzy finds what is spelled otherwise"
	case "fuzzy":
		return "; a lower threshold finds more"
	}
	return "; mode fuzzy finds words that are spelled otherwise"
}

// expand returns the span to show for a match.
func (s search) expand(text []byte, m stage.Span) stage.Span {
	place := passage.Span{Start: m.Start, End: max(m.Start, min(m.End, m.Start+maxUnit))}
	for place.End > place.Start && place.End < len(text) && text[place.End]&0xC0 == 0x80 {
		place.End--
	}
	if s.mode == "context" && s.unit != passage.Lines {
		return stage.Span(passage.Around(text, place, s.unit, maxUnit))
	}
	line := passage.LinesAround(text, place, 0, maxLine)
	if line.End-line.Start > maxLine {
		return stage.Span(passage.Around(text, place, passage.Lines, around))
	}
	if s.contextLines == 0 {
		return stage.Span(line)
	}
	return stage.Span(passage.LinesAround(text, place, s.contextLines, (s.contextLines+1)*maxLine))
}

// findPassages returns the passages that match the words best.
func (s search) findPassages(text []byte) (hits []hit) {
	passages := passage.Chunks(text, maxPassage)
	for _, h := range bm25.Rank(text, passages, s.terms, s.most) {
		p := passages[h.Passage]
		hits = append(hits, hit{Span: stage.Span(p), at: p.Start, note: "score " + formatRatio(h.Score)})
	}
	return hits
}

// findSimilar returns the places most similar to the pattern, best first; equal ones
// are in text order.
func (s search) findSimilar(text []byte) (hits []hit, more bool) {
	worst := 0.0 // ratio of the last of the best hits, once there are enough
	best := func() {
		slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.rank, a.rank) })
		if len(hits) >= s.most {
			more = more || len(hits) > s.most
			hits = hits[:s.most]
			worst = hits[s.most-1].rank
		}
	}
	s.nearly.Find(text, func(m fuzzy.Match) bool {
		switch {
		case m.Ratio < s.threshold:
			return true
		case m.Ratio <= worst:
			more = true
			return worst < 1
		}
		hits = append(hits, hit{Span: stage.Span{Start: m.Start, End: m.End}, at: m.Start, note: "ratio " + formatRatio(m.Ratio), rank: m.Ratio})
		if len(hits) == 2*s.most {
			best()
		}
		return true
	})
	best()
	for i := range hits {
		hits[i].Span = s.expand(text, hits[i].Span)
	}
	return hits, more
}

func formatRatio(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) }

// setPositions sets the lines of hits, and in JSON the paths of their values.
func setPositions(b stage.Buf, text []byte, hits []hit) {
	order := make([]int, len(hits))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return hits[i].at - hits[j].at })
	counter := lines.NewCounter(text)
	offsets := make([]int, len(hits))
	for i, h := range order {
		hits[h].line = counter.Line(hits[h].at)
		offsets[i] = hits[h].at
	}
	if !b.JSON().Valid() {
		return
	}
	for i, path := range jsonplace.Of(text, offsets) {
		hits[order[i]].path = path
	}
}

// write writes hits, each after a line with its position.
func (s search) write(a *answer, c content, hits []hit, more bool) {
	for i, h := range hits {
		title := "-- line " + strconv.Itoa(h.line) + ", bytes " + strconv.Itoa(h.Start) + "-" + strconv.Itoa(h.End)
		if h.path != "" {
			title += ", " + h.path
		}
		if h.note != "" {
			title += ", " + h.note
		}
		if a.room < len(title)+h.Len()+2 {
			a.addNote(strconv.Itoa(i) + " of " + strconv.Itoa(len(hits)) + " places shown; use a narrower pattern or fewer max_results")
			return
		}
		a.writeText(title + "\n")
		a.writeSpan(c.Buf, h.Start, h.End)
		if h.End == h.Start || !isLineEnd(c.Buf, h.End) {
			a.writeText("\n")
		}
	}
	if more {
		a.addNote("the first " + strconv.Itoa(len(hits)) + " places; there are more, see max_results")
	}
}

func isLineEnd(b stage.Buf, end int) bool {
	var last [1]byte
	_, _ = b.ReadAt(last[:], int64(end-1))
	return last[0] == '\n'
}
