package explain

import (
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/host/lab"
)

// pageWidth is how long a line of a page is.
const pageWidth = 118

// laws tells what mcpctl stage test holds every stage against.
func laws() Topic {
	t := Topic{
		Name:  "laws",
		Title: "What every stage keeps",
		Text: `mcpctl stage test runs each input of testdata as its file wants it, and then holds the stage against a few laws that no
file has to ask for. It says which one is broken, by what run, and the first byte that differs. --update does not help
there: a law is about the stage, and not about what a file wants. A run that a limit ended is judged by none of them.`,
		More: "mcpctl stage test DIR",
	}
	for _, l := range lab.LawTexts {
		t.Chapters = append(t.Chapters, Chapter{Title: capital(string(l.Law)), Text: strings.Join([]string{
			wrapped(l.Means), wrapped("Why: " + l.Why), wrapped("Where to look: " + l.Helps)}, "\n\n")})
	}
	return t
}

func wrapped(text string) string { return strings.Join(iostreams.Wrap(text, pageWidth), "\n") }

// capital begins a heading as sentences begin.
func capital(s string) string {
	r := []rune(s)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}
