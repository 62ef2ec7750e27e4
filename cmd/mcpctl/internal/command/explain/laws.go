package explain

import (
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/host/lab"
)

// pageWidth is the maximum number of characters in a line of a page.
const pageWidth = 118

// laws returns the topic about the laws that mcpctl stage test checks.
func laws() Topic {
	t := Topic{
		Name:  "laws",
		Title: "Laws that every stage must obey",
		Text: `mcpctl stage test runs each input of testdata as its file specifies, and then checks laws that apply to every stage.
If a law is violated, it reports the law, the run and the first byte that differs. --update does not change this
result, because laws do not depend on the expectations of a file. Runs that were ended by a limit are not checked.`,
		More: "mcpctl stage test DIR",
	}
	for _, l := range lab.LawTexts {
		t.Chapters = append(t.Chapters, Chapter{Title: capitalize(string(l.Law)), Text: strings.Join([]string{
			wrap(l.Means), wrap("Why: " + l.Why), wrap("Where to look: " + l.Helps)}, "\n\n")})
	}
	return t
}

func wrap(text string) string { return strings.Join(iostreams.Wrap(text, pageWidth), "\n") }

// capitalize returns s with an upper-case first letter.
func capitalize(s string) string {
	r := []rune(s)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}
