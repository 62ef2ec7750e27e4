package main

import (
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() {
	cases["tree"] = tree
	cases["refused"] = refused
	cases["extend"] = extend
	cases["chapters"] = chapters
	cases["batch"] = batch
	cases["filter"] = filter
}

func tree(c *stage.Ctx) error {
	if err := addSections(c); err != nil {
		return err
	}
	for i, s := range c.Sections.List() {
		kind := []string{"exact", "group", "decoded", "derived"}[s.Kind]
		if err := writeLine(c, formatInt(s.Parent), kind, formatSpan(stage.Span{Start: s.Start, End: s.End}), formatInt(s.Depth), formatInt(s.Children), formatBool(s.HasSummary)); err != nil {
			return err
		}
		var texts []string
		for _, what := range []stage.SectionText{stage.TextID, stage.TextTitle, stage.TextSummary, stage.TextBody} {
			text, err := c.Sections.Text(i, what)
			if err != nil {
				return err
			}
			texts = append(texts, text.String())
		}
		if err := writeLine(c, strings.Join(texts, ",")); err != nil {
			return err
		}
	}
	return nil
}

// addSections adds a Section of each kind.
func addSections(c *stage.Ctx) error {
	j := c.Input.JSON()
	a, _, err := j.Span("/a")
	if err != nil {
		return err
	}
	b, _, err := j.Span("/b")
	if err != nil {
		return err
	}
	decoded, err := j.Get("/a")
	if err != nil {
		return err
	}
	s := c.Sections
	steps := []func() error{
		func() error { _, err := s.Add(stage.Top, c.Original, a.Start, a.End, "a"); return err },
		func() error { return s.SetID(0, "first") },
		func() error { _, err := s.Add(0, decoded, 0, 3, "one"); return err },
		func() error { _, err := s.Group(stage.Top, "rest"); return err },
		func() error { _, err := s.Add(2, c.Input, b.Start, b.End, ""); return err },
		func() error { return s.SetTitleSpan(3, c.Input, 1, 3) },
		func() error { return s.SetSummary(3, c.Original, 0, 5) },
		func() error { _, err := s.Derived(stage.Top, "own words", "notes"); return err },
		func() error { return s.SetTitle(4, "mine") },
		func() error { return s.SetSummaryText(4, "in short") },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func refused(c *stage.Ctx) error {
	add := func(parent, start, end int) error {
		_, err := c.Sections.Add(parent, c.Original, start, end, "")
		return err
	}
	fates := []error{add(stage.Top, 0, 0), add(99, 0, 1), add(stage.Top, 1, 100_000), add(stage.Top, 0, 2), c.Sections.SetID(0, ""), c.Sections.SetTitle(7, "x")}
	_, err := c.Sections.Text(7, stage.TextTitle)
	for _, err := range append(fates, err) {
		if err := writeLine(c, formatFate(err)); err != nil {
			return err
		}
	}
	return nil
}

func extend(c *stage.Ctx) error {
	if err := writeLine(c, formatInt(c.Sections.Len())); err != nil {
		return err
	}
	if err := c.Sections.SetTitle(0, "new"); err != nil {
		return err
	}
	start := c.Sections.List()[0].Start
	if _, err := c.Sections.Add(0, c.Original, start, start+2, "child"); err != nil {
		return err
	}
	return stage.Pass
}

func chapters(c *stage.Ctx) error {
	heads, err := c.Input.Grep(0, "^# .*", stage.ByLine)
	if err != nil {
		return err
	}
	for i, head := range heads {
		end := c.Input.Len()
		if i+1 < len(heads) {
			end = heads[i+1].Start
		}
		if _, err := c.Sections.Add(stage.Top, c.Input, head.Start, end, ""); err != nil {
			return err
		}
		if err := c.Sections.SetTitleSpan(i, c.Input, head.Start+2, head.Len()-2); err != nil {
			return err
		}
	}
	if err := c.Meta("type", "markdown"); err != nil {
		return err
	}
	return stage.Pass
}

func batch(c *stage.Ctx) error {
	b := c.Sections.Batch()
	all, err := b.Group(stage.Top, "all", "All")
	if err != nil {
		return err
	}
	n := 0
	for at := range c.Input.Lines(0) {
		text := strings.TrimSuffix(string(c.Input.Bytes()[at.Start:at.End]), "\n")
		id := ""
		if n%2 == 1 {
			id = "n" + formatInt(n)
		}
		if _, err := b.Add(all, c.Input, at.Start, at.Start+len(text), id, text); err != nil {
			return err
		}
		n++
	}
	if err := writeLine(c, formatFate(b.Flush())); err != nil {
		return err
	}
	for _, parent := range []int{stage.Top, 10_000} {
		if _, err := b.Group(parent, "", "late"); err != nil {
			return err
		}
	}
	if err := writeLine(c, formatFate(b.Flush())); err != nil {
		return err
	}
	return writeLine(c, formatInt(c.Sections.Len()))
}

func filter(c *stage.Ctx) error {
	_, err := c.Sections.Add(stage.Top, c.Input, 0, 1, "")
	if err := writeLine(c, formatFate(err)); err != nil {
		return err
	}
	if err := writeLine(c, formatFate(c.Out.Index(stage.Top, 0, 0))); err != nil {
		return err
	}
	return c.Out.Span(c.Input, 0, -1)
}
