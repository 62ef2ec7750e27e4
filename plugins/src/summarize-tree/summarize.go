// Package summarizetree adds summaries by an LLM to sections of prose.
//
// It does not wait: available answers are set, and the others are requested in the
// background for the next read. It adds no sections and changes no content, so without an
// LLM only the summaries are missing. Structured content keeps the titles from its structure.
package summarizetree

import (
	"errors"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/rewrite"
	"github.com/mcpctl/mcpctl/plugins/src/scan/detect"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() { stage.Register("summarize-tree", run) }

func run(c *stage.Ctx) error {
	if !c.Bool("leafIsFullContent", true) {
		return stage.Fail("leafIsFullContent false, want true: a leaf is the exact original")
	}
	if c.Sections.Len() == 0 {
		return stage.Pass
	}
	if c.LLM.Available(stage.Fast) == 0 {
		c.Log.Info("no LLM provider available, summaries left out")
		return stage.Pass
	}
	if !isProse(c) {
		return stage.Pass
	}
	s := &summarizer{
		c:         c,
		sections:  c.Sections.List(),
		tokens:    c.Int("maxSummaryTokens", 200),
		groupSize: max(1, c.Int("maxGroupSize", 5)),
		of:        make(map[stage.Answer]int),
	}
	s.ask(s.selectSections(c.Int("maxDepth", 3)))
	if err := s.collect(); err != nil {
		return err
	}
	if err := s.report(); err != nil {
		return err
	}
	return stage.Pass
}

// isProse reports whether the original is natural language.
func isProse(c *stage.Ctx) bool {
	switch detect.Detect(c.Original.Bytes(), detect.Options{Hint: c.Hint(), MIME: c.MIME()}).Type {
	case detect.Markdown, detect.Mixed, detect.Prose:
		return true
	}
	return false
}

// summarizer is one run of the stage.
type summarizer struct {
	c         *stage.Ctx
	sections  []stage.Section
	tokens    int
	groupSize int
	of        map[stage.Answer]int // section of each answer
	missing   []string
}

// selectSections returns the sections to summarize: exact ones on the first depth levels
// without a summary and more than twice as long as a summary. Upper levels come first,
// because they are read first.
func (s *summarizer) selectSections(depth int) []int {
	var list []int
	for level := range depth {
		for i, section := range s.sections {
			if section.Depth != level || section.Kind != stage.Exact || section.HasSummary {
				continue
			}
			if s.c.Original.Tokens(section.Start, section.End-section.Start) > 2*s.tokens {
				list = append(list, i)
			}
		}
	}
	return list
}

// ask sends a request for each section until the host accepts no more. Stored answers
// cost nothing, so the next run continues.
func (s *summarizer) ask(sections []int) {
	for _, i := range sections {
		answer, err := s.c.LLM.Send(stage.Request{
			Tier:       stage.Fast,
			MaxTokens:  s.tokens,
			System:     s.instructions(),
			Parts:      s.quote(i),
			Background: true,
		})
		if err != nil {
			s.c.Log.Info("summaries left out", "asked", len(s.of), "of", len(sections), "because", err.Error())
			return
		}
		s.of[answer] = i
	}
}

func (s *summarizer) instructions() string {
	return "You label one section of a longer document for a reader who decides whether to open it. " +
		"Begin with one sentence that says what the section is about, then name what can be found in it. " +
		"Repeat each statement with MUST, REQUIRED or NEVER word for word. Keep names, numbers and commands as they are. " +
		"Use the language of the section. Answer with the label only, in at most " + strconv.Itoa(s.tokens*2/3) + " words." + rewrite.Data
}

// maxQuote is the number of bytes of a section that are quoted.
const maxQuote = 12_000

// quote returns the quoted text of a section: the whole section, or else the starts of
// its first children, or else its own start.
func (s *summarizer) quote(i int) []stage.Text {
	section := s.sections[i]
	size := section.End - section.Start
	if size <= maxQuote {
		return []stage.Text{stage.Quote(s.c.Original, section.Start, size)}
	}
	var parts []stage.Text
	for k := i + 1; k < len(s.sections) && len(parts) < s.groupSize; k++ {
		if kid := s.sections[k]; kid.Parent == i && kid.Kind == stage.Exact {
			parts = append(parts, s.quoteStart(kid.Start, min(kid.End-kid.Start, maxQuote/s.groupSize)))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, s.quoteStart(section.Start, maxQuote))
	}
	return parts
}

// quoteStart quotes about n bytes, up to a rune boundary.
func (s *summarizer) quoteStart(at, n int) stage.Text {
	b := s.c.Original.Bytes()
	for at+n < len(b) && b[at+n]&0xc0 == 0x80 {
		n++
	}
	return stage.Quote(s.c.Original, at, n)
}

// summaryPrefix marks a summary in an index as the text of an LLM; titles come from the content.
const summaryPrefix = "LLM: "

// collect sets the available summaries.
func (s *summarizer) collect() error {
	for answer := range s.c.LLM.Ready() {
		i, ok := s.of[answer]
		if !ok {
			continue
		}
		result, err := answer.Result()
		if err != nil && !errors.Is(err, stage.ErrCut) {
			continue // provisional: the next run asks again
		}
		summary := tidy(result.String(), err != nil)
		if summary == "" {
			continue
		}
		if err := s.c.Sections.SetSummaryText(i, summaryPrefix+summary); err != nil {
			return err
		}
		section := s.sections[i]
		s.check(i, string(s.c.Original.Bytes()[section.Start:section.End]), summary)
	}
	return nil
}
