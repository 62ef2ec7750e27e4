package problem

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Print writes err for a person: what failed, why and where, the command that
// helps; or as JSON.
func Print(w io.Writer, err error, asJSON bool) {
	p := From(err)
	if p.Hint == "" {
		p = p.WithHint("mcpctl explain %s", p.Code)
	}
	if asJSON {
		b, _ := json.Marshal(map[string]*Problem{"error": p}) // a struct of strings always encodes
		fmt.Fprintf(w, "%s\n", b)
		return
	}
	fmt.Fprintf(w, "error: %s\n", indentRest(p.Message))
	p.printWhy(w, "")
	for _, m := range p.Mistakes {
		fmt.Fprintf(w, "  %s\n", indentRest(m.Message))
		m.printWhy(w, "  ")
	}
	for _, h := range p.hints() {
		fmt.Fprintf(w, "hint: %s\n", h)
	}
}

// printWhy is the second part: cause, place, source line.
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

// hints are those of all mistakes, each once.
func (p *Problem) hints() []string {
	list := []string{p.Hint}
	seen := map[string]bool{p.Hint: true, "": true}
	for _, m := range p.Mistakes {
		if !seen[m.Hint] {
			seen[m.Hint] = true
			list = append(list, m.Hint)
		}
	}
	return list
}

// indentRest keeps a text of several lines apart from the labels at the margin.
func indentRest(s string) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i, l := range lines[1:] {
		if !strings.HasPrefix(l, "  ") {
			lines[i+1] = "  " + l
		}
	}
	return strings.Join(lines, "\n")
}
