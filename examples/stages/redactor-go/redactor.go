// Redactor is a filter that removes secrets from content before it is stored.
//
// The output of a filter is the original of all later steps: stages, drill-down, search
// and events. So the removed text cannot be recovered, and a filter that cannot do its
// work must fail: the client then gets an error instead of the content.
package main

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() { stage.Register("redactor", redact) }

func main() {}

// finding is the span of a secret and its replacement.
type finding struct {
	stage.Span
	mark string
}

const emailMark = "[redacted e-mail]"

func redact(c *stage.Ctx) error {
	var found []finding
	for _, name := range c.Strings("rules", "private-key", "token", "password", "email") {
		rule, ok := rules[name]
		if !ok {
			return stage.Fail("rules: %q is not one of private-key, token, password, email", name)
		}
		more, err := rule(c)
		if err != nil {
			return err
		}
		found = append(found, more...)
	}
	for i, pattern := range c.Strings("patterns") {
		more, err := findMatches(c, pattern, "pattern", 0, 0)
		if err != nil {
			return stage.Fail("patterns[%d]: %v", i, err)
		}
		found = append(found, more...)
	}
	return write(c, found)
}

// write writes the content with a mark in place of each finding.
func write(c *stage.Ctx, found []finding) error {
	keep := c.Strings("keep", "git@github.com", "git@gitlab.com")
	found = slices.DeleteFunc(found, func(f finding) bool {
		return f.Len() == 0 || len(keep) > 0 && slices.Contains(keep, c.Input.String()[f.Start:f.End])
	})
	if len(found) == 0 {
		return stage.Pass
	}
	slices.SortStableFunc(found, func(a, b finding) int { return cmp.Compare(a.Start, b.Start) })
	at, n := 0, 0
	for _, f := range found {
		if f.End <= at || f.Start < at && f.mark == emailMark { // already removed; the host of an address may remain
			continue
		}
		if f.Start >= at { // otherwise it extends the previous finding under the same mark
			if err := c.Out.Span(c.Input, at, f.Start-at); err != nil {
				return err
			}
			if _, err := c.Out.WriteString(f.mark); err != nil {
				return err
			}
			n++
		}
		at = f.End
	}
	c.Log.Info("redacted", "places", n) // the number only, never the content
	if err := c.Meta("redacted", strconv.Itoa(n)); err != nil {
		return err
	}
	return c.Out.Span(c.Input, at, -1)
}

// rules are the rules of the config by name. The host matches the patterns, at memory
// speed if they begin with plain text. Therefore each kind of token has a pattern, and
// the name before the @ of an address is read here.
var rules = map[string]func(c *stage.Ctx) ([]finding, error){
	"private-key": func(c *stage.Ctx) ([]finding, error) { return findMatches(c, privateKey, "private key", 0, 0) },
	"token":       findTokens,
	"email":       findAddresses,
	"password": func(c *stage.Ctx) ([]finding, error) {
		inURLs, err := findMatches(c, userInfo, "password", len("://"), len("@"))
		if err != nil {
			return nil, err
		}
		return append(inURLs, findValues(c)...), nil
	},
}

const (
	// A truncated block ends with its string or with the content.
	privateKey = `-----BEGIN [A-Z ]*PRIVATE KEY[A-Z ]*-----(?:[^"-]|-[^-])*(?:-----END [A-Z ]*PRIVATE KEY[A-Z ]*-----)?`
	userInfo   = `://[^\s/:@"'<>]*:[^\s/@"'<>]+@`
	domain     = `@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}`
)

// known are tokens with a known prefix, and their minimum length. The length is not part
// of the pattern, because a shorter pattern is faster.
var known = []struct {
	pattern string
	least   int
}{
	{`ghp_\w+`, 24}, {`gho_\w+`, 24}, {`ghs_\w+`, 24}, {`ghu_\w+`, 24}, {`ghr_\w+`, 24}, {`github_pat_\w+`, 31}, {`glpat-[\w-]+`, 26},
	{`xoxb-[\w-]+`, 15}, {`xoxp-[\w-]+`, 15}, {`xapp-[\w-]+`, 15}, {`sk-[\w-]+`, 23}, {`sk_live_\w+`, 18}, {`sk_test_\w+`, 18}, {`rk_live_\w+`, 18},
	{`AKIA[A-Z0-9]+`, 20}, {`ASIA[A-Z0-9]+`, 20}, {`AIza[\w-]+`, 39}, {`ya29\.[\w-]+`, 25}, {`npm_\w+`, 40}, {`hf_\w+`, 33}, {`pypi-[\w-]+`, 55},
	{`SG\.[\w-]+\.[\w-]+`, 36}, {`eyJ[\w-]+\.eyJ[\w-]+\.[\w-]*`, 30}, {`Bearer [\w.~+/=-]+`, 27}, {`bearer [\w.~+/=-]+`, 27},
}

// findTokens finds tokens at the start of a word: the sk- in task-list-of-the-month is not one.
func findTokens(c *stage.Ctx) (found []finding, err error) {
	for _, kind := range known {
		more, err := findMatches(c, kind.pattern, "token", 0, 0)
		if err != nil {
			return nil, err
		}
		for _, f := range more {
			if f.Len() < kind.least {
				continue
			}
			before := c.Input.String()[:f.Start]
			word := strings.TrimRightFunc(before, isName)
			// In JSON a token may follow \n, whose letter is not part of it.
			if len(word) == len(before) || len(word)+1 == len(before) && strings.HasSuffix(word, `\`) {
				found = append(found, f)
			}
		}
	}
	return found, nil
}

// findAddresses finds e-mail addresses, which start with the name before the @.
func findAddresses(c *stage.Ctx) (found []finding, err error) {
	hosts, err := findMatches(c, domain, "e-mail", 0, 0)
	for _, f := range hosts {
		before := c.Input.String()[:f.Start]
		start := len(strings.TrimRightFunc(before, func(r rune) bool { return isName(r) || r == '+' || r == '%' }))
		if strings.HasSuffix(before[:start], `\`) {
			start++ // the n of \n
		}
		if start < f.Start {
			found = append(found, finding{stage.Span{Start: start, End: f.End}, f.mark})
		}
	}
	return found, err
}

// findMatches returns the matches of a pattern, shortened by head and tail bytes.
func findMatches(c *stage.Ctx, pattern, name string, head, tail int) ([]finding, error) {
	spans, err := c.Input.Grep(0, pattern, 0)
	found := make([]finding, len(spans))
	for i, s := range spans {
		found[i] = finding{stage.Span{Start: s.Start + head, End: s.End - tail}, "[redacted " + name + "]"}
	}
	return found, err
}
