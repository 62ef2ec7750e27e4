package problem

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
)

// Print writes err as text (message, cause, position and hint), or as JSON.
//
// The text may quote a server, a module or a file, so control and bidirectional
// characters are escaped, except for line breaks and tabs.
func Print(w io.Writer, err error, asJSON bool) {
	p := From(err)
	if p.Hint == "" {
		p = p.WithHint("mcpctl explain %s", p.Code)
	}
	if asJSON {
		b, _ := json.Marshal(map[string]*Problem{"error": p}) // a struct of strings always encodes
		fmt.Fprintln(w, iostreams.CleanJSON(string(b)))
		return
	}
	var text strings.Builder
	fmt.Fprintf(&text, "error: %s\n", indentRest(p.Message))
	p.printWhy(&text, "")
	for _, m := range p.Errors {
		fmt.Fprintf(&text, "  %s\n", indentRest(m.Message))
		m.printWhy(&text, "  ")
	}
	for _, h := range p.hints() {
		fmt.Fprintf(&text, "hint: %s\n", h)
	}
	fmt.Fprint(w, iostreams.Clean(text.String()))
}

// printWhy prints the cause, the position and the source line.
func (p *Problem) printWhy(w io.Writer, indent string) {
	why := p.Cause
	if p.At != "" {
		why = strings.TrimLeft(why+"   ("+p.At+")", " ")
	}
	if why != "" {
		fmt.Fprintf(w, "%s  %s\n", indent, indentRest(why))
	}
	if p.Snippet != "" {
		fmt.Fprintf(w, "%s%s\n", indent, strings.ReplaceAll(p.Snippet, "\n", "\n"+indent))
	}
}

// hints returns the hints of p and of its parts, without duplicates.
func (p *Problem) hints() []string {
	list := []string{p.Hint}
	seen := map[string]bool{p.Hint: true, "": true}
	for _, m := range p.Errors {
		if !seen[m.Hint] {
			seen[m.Hint] = true
			list = append(list, m.Hint)
		}
	}
	return list
}

// indentRest indents all lines of s but the first, so that none looks like a label.
func indentRest(s string) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i, l := range lines[1:] {
		if !strings.HasPrefix(l, "  ") {
			lines[i+1] = "  " + l
		}
	}
	return strings.Join(lines, "\n")
}
