package main

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Limits of the text client.
const maxCalls, maxDepth = 25, 30

// textHunt is the hunt of a client that matches strings: it requests the path of the target,
// searches for its name, then opens the best matching lines. A model performs better.
type textHunt struct {
	hunt
	*product
	target
	want  string // bytes of the target
	label string // reduced beginning of the target
	tried map[string]bool
}

func (p *product) huntText(ctx context.Context, first answer, t target) (hunt, error) {
	h := &textHunt{
		hunt: hunt{tokens: first.tokens}, product: p, target: t, want: p.file.text[t.start:t.end],
		label: reduce(t.hint(p.file.text)), tried: map[string]bool{},
	}
	err := h.run(ctx, first)
	if !h.found {
		h.tokens += p.count.Tokens(p.file.text)
	}
	return h.hunt, err
}

func (h *textHunt) run(ctx context.Context, first answer) error {
	if h.found = strings.Contains(first.Text, h.want); h.found || leadsNowhere(first) {
		return nil
	}
	if _, err := h.ask(ctx, h.section(), true); err != nil || h.found {
		return err
	}
	if word := h.word(); word != "" {
		hits, err := h.ask(ctx, "?"+word, false)
		if err != nil || h.found {
			return err
		}
		if err := h.explore(ctx, hits, 0, true); err != nil || h.found {
			return err
		}
	}
	return h.explore(ctx, first, 0, false)
}

// leadsNowhere reports whether an answer offers no sections.
func leadsNowhere(a answer) bool { return len(offers(a.Text)) == 0 }

// section returns the id that corresponds to the path of the target.
func (h *textHunt) section() string {
	return strings.Replace(strings.Join(h.path, "/"), "line ", "L", 1)
}

// ask opens a section. If own is set, the section has the name of the target, and if the
// answer is an index, ask requests the whole section.
func (h *textHunt) ask(ctx context.Context, section string, own bool) (answer, error) {
	if h.calls == maxCalls || h.tried[section] {
		return answer{}, nil
	}
	h.tried[section] = true
	a, err := h.read(ctx, section)
	if err != nil {
		return a, err
	}
	h.pay(a)
	if h.found = !a.IsError && strings.Contains(a.Text, h.want); !h.found && own && a.isIndex() && !a.IsError {
		return h.ask(ctx, section+"!", false)
	}
	return a, nil
}

// explore opens the offered sections, best match first. If likely is set, it skips sections
// that do not match.
func (h *textHunt) explore(ctx context.Context, a answer, depth int, likely bool) error {
	type choice struct {
		offer
		score int
	}
	var all []choice
	for _, o := range offers(a.Text) {
		if score := h.score(o); score > 0 || !likely {
			all = append(all, choice{o, score})
		}
	}
	slices.SortStableFunc(all, func(a, b choice) int { return b.score - a.score })
	for _, c := range all {
		if h.calls == maxCalls || depth == maxDepth {
			return nil
		}
		got, err := h.ask(ctx, c.id, c.score == sameName && strings.HasSuffix(c.id, last(h.path)))
		if err != nil || h.found {
			return err
		}
		if err := h.explore(ctx, got, depth+1, false); err != nil || h.found {
			return err
		}
	}
	return nil
}

func last(path []string) string { return path[len(path)-1] }

// Scores of matches, best last.
const (
	hintInLabel = iota + 1
	nameInLabel
	inRange
	likeName
	sameName
)

func (h *textHunt) score(o offer) int {
	segment := o.id[strings.LastIndexByte(o.id, '/')+1:]
	best := 0
	for _, name := range h.path {
		switch {
		case segment == name:
			best = max(best, sameName)
		case reduce(segment) == reduce(name) && reduce(name) != "":
			best = max(best, likeName)
		case within(segment, name):
			best = max(best, inRange)
		case len(name) >= 3 && strings.Contains(o.title, name):
			best = max(best, nameInLabel)
		}
	}
	if best == 0 && h.label != "" && strings.Contains(reduce(o.title), h.label[:min(len(h.label), 16)]) {
		best = hintInLabel
	}
	return best
}

// reduce returns the letters and digits of a text in lower case.
func reduce(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

var (
	positions = regexp.MustCompile(`^@?L?(\d+)(?:\.\.|-)L?(\d+)`)
	lines     = regexp.MustCompile(`^~L(\d+)-(\d+)@`)
)

// within reports whether a position or line is in an offered range.
func within(segment, name string) bool {
	m := positions.FindStringSubmatch(segment)
	if m == nil {
		m = lines.FindStringSubmatch(segment)
	}
	n, err := strconv.Atoi(strings.TrimPrefix(name, "line "))
	if m == nil || err != nil {
		return false
	}
	from, _ := strconv.Atoi(m[1]) // digits
	to, _ := strconv.Atoi(m[2])
	return from <= n && n <= to
}
