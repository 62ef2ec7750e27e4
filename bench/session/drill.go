package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// maxDrill is the number of calls of a drill for one need.
const maxDrill = 6

// drill makes the further calls of a model that has not found what it needs in a result. It knows
// a name or words, and what it has read.
//
// With an index, it opens the first line that contains the name, then searches for the name, then
// opens the lines of the answer that contain it, and those of other answers. If the client has kept
// the text in a file, it searches the file with Grep, then reads the lines around the first match.
type drill struct {
	*agent
	read  string // all that the model has read of this result
	ref   string // of the index; "" if there is none
	file  string // with the whole text, if the model has read only the beginning
	whole string
	calls int
	tried map[string]bool
}

var refIn = regexp.MustCompile(`read_section\(ref="([^"]+)"`)

// newDrill returns a drill after the first result.
func newDrill(a *agent, r reading) *drill {
	d := &drill{agent: a, read: r.text, file: r.file, whole: r.whole, tried: map[string]bool{}}
	if m := refIn.FindStringSubmatch(r.text); m != nil && a.hook != nil {
		d.ref = m[1]
	}
	return d
}

// find reports whether the model has read a text, after up to maxDrill further calls.
func (d *drill) find(ctx context.Context, text *regexp.Regexp, look string) (bool, error) {
	d.calls = 0
	switch {
	case text.MatchString(d.read):
		return true, nil
	case look == "":
		return false, nil
	case d.ref != "":
		return d.openSections(text, look)
	case d.file != "":
		return d.searchFile(ctx, text, look)
	}
	return false, nil
}

// openSections opens sections of the index until the text is read.
func (d *drill) openSections(text *regexp.Regexp, look string) (bool, error) {
	if look == wholeText {
		return d.follow(wholeText, text, look, 0)
	}
	if listed := matching(d.read, look); len(listed) > 0 {
		if found, err := d.follow(listed[0], text, look, 0); err != nil || found {
			return found, err
		}
	}
	return d.follow("?"+look, text, look, 0)
}

// follow opens a section, and the lines of its answer that contain look.
func (d *drill) follow(section string, text *regexp.Regexp, look string, depth int) (bool, error) {
	if d.calls == maxDrill || d.tried[section] || depth > 3 {
		return false, nil
	}
	answer, err := d.openSection(section)
	if err != nil || text.MatchString(answer) {
		return err == nil, err
	}
	for _, next := range matching(answer, look) {
		if found, err := d.follow(next, text, look, depth+1); err != nil || found {
			return found, err
		}
	}
	return false, nil
}

// openSection calls read_section.
func (d *drill) openSection(section string) (string, error) {
	d.calls++
	d.tried[section] = true
	s := d.sessions[0]
	in := args{"ref": d.ref, "section": section}
	answer, err := s.call("read_section", in)
	if err != nil {
		return "", err
	}
	d.read += "\n" + answer
	return answer, d.ledger.addCall(kindFurther, s.shownName("read_section"), in, answer)
}

// offer is a line of an index.
var offer = regexp.MustCompile(`(?m)^(?:\d+\t)?\[([^\]\n]+)\] (?:(.*) )?\(\d+(?:\.\d)?[BKM]\)$`)

// matching returns the sections that an index offers whose id or title contains look.
func matching(index, look string) (sections []string) {
	look = strings.ToLower(look)
	for _, m := range offer.FindAllStringSubmatch(index, -1) {
		if strings.Contains(strings.ToLower(m[1]+" "+m[2]), look) {
			sections = append(sections, m[1])
		}
	}
	return sections
}

// searchFile searches the file with Grep, then reads the lines around the first match.
func (d *drill) searchFile(ctx context.Context, text *regexp.Regexp, look string) (bool, error) {
	found, err := d.readFile(ctx, "Grep", args{"pattern": "(?i)" + regexp.QuoteMeta(look), "path": d.file, "output_mode": "content", "-n": true, "-C": 3}, text)
	if err != nil || found {
		return found, err
	}
	m := firstMatch.FindStringSubmatch(d.read)
	if m == nil {
		return false, nil
	}
	line, err := strconv.Atoi(m[1])
	if err != nil {
		return false, err
	}
	return d.readFile(ctx, "Read", args{"file_path": d.file, "offset": max(line-20, 1), "limit": 200}, text)
}

// firstMatch is the line number of the first match in an answer of Grep about one file.
var firstMatch = regexp.MustCompile(`(?m)^(\d+):`)

// readFile calls a tool of the client about the file.
func (d *drill) readFile(ctx context.Context, tool string, in args, text *regexp.Regexp) (bool, error) {
	r, err := d.callClient(ctx, tool, in)
	if err != nil {
		return false, err
	}
	d.calls++
	d.read += "\n" + r.text
	return text.MatchString(r.text), d.ledger.addCall(kindFurther, tool, in, r.text)
}

// readWhole adds the whole result to the ledger, after a failure.
func (d *drill) readWhole() error {
	if d.ref != "" {
		_, err := d.openSection("!")
		return err
	}
	return d.ledger.addCall(kindFurther, "Read", args{"note": "the whole result"}, d.whole)
}

// fail adds a failure.
func (l *ledger) fail(s step, n need) {
	l.failures = append(l.failures, fmt.Sprintf("%s: %s: %q was not read", s.question, s.tool, n.pattern))
	fmt.Fprintf(&l.transcript, "NOT FOUND: %s\n\n", n.pattern)
}
