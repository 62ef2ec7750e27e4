package explain

import (
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// Topic is a page about a subject other than a code or a field.
type Topic struct {
	Name     string    `json:"name"`
	Title    string    `json:"title"`
	Text     string    `json:"text"`
	Chapters []Chapter `json:"chapters"`
	More     string    `json:"more"` // a command to try next
}

// Chapter is a heading with text or examples.
type Chapter struct {
	Title    string    `json:"title"`
	Examples []Example `json:"examples,omitempty"`
	Text     string    `json:"text,omitempty"`
}

// Example is the result of reading a section. A test reads it again.
type Example struct {
	Document string          `json:"document"` // the name of the tool of the demo server
	Section  string          `json:"section"`
	Means    string          `json:"means"`
	Kind     flow.AnswerKind `json:"kind"`
	Answer   string          `json:"answer"` // the beginning of the answer
}

// Topics returns all topics.
func Topics() []Topic { return []Topic{sectionIDs, laws()} }

func topicNames() []string {
	var list []string
	for _, t := range Topics() {
		list = append(list, t.Name)
	}
	return list
}

// topic returns the topic of a name, ignoring case.
func topic(name string) (Topic, bool) {
	for _, t := range Topics() {
		if strings.EqualFold(t.Name, name) {
			return t, true
		}
	}
	return Topic{}, false
}

// newUnknownError returns the error for a word that is neither a topic nor a code nor a kind.
func newUnknownError(word string, err error) error {
	if near := suggest.Nearest(word, topicNames()); near != "" {
		return problem.New(abi.ErrNotFound, "topic %q not found", word).WithHint("mcpctl explain %s", near)
	}
	return problem.From(err).WithHint("mcpctl explain")
}

func showTopic(f *factory.Factory, format string, t Topic) error {
	switch format {
	case "table", "wide":
		return t.print(f.IO)
	}
	return printer.Print(f.IO, format, printer.Listing{Value: t, Names: []string{t.Name}})
}

// print writes the page for a terminal.
func (t Topic) print(to *iostreams.Streams) error {
	b := to.Page()
	fmt.Fprintf(b, "%s: %s\n\n%s\n", t.Name, t.Title, iostreams.Reflow(t.Text, to.OutWidth))
	for _, c := range t.Chapters {
		fmt.Fprintf(b, "\n%s\n", c.Title)
		if c.Text != "" {
			fmt.Fprintf(b, "\n%s\n", iostreams.Reflow(c.Text, to.OutWidth))
		}
		for _, e := range c.Examples {
			fmt.Fprintf(b, "\n  %s\n      %s\n    > %s\n", e.argument(), e.Means, strings.ReplaceAll(strings.TrimSuffix(e.Answer, "\n"), "\n", "\n      "))
		}
	}
	fmt.Fprintf(b, "\nTry it: %s\n", t.More)
	return b.Close()
}

// Page returns the topic as a page of Markdown.
func (t Topic) Page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n<!-- Written by go generate ./cmd/mcpctl/... from the topic that mcpctl explain %s prints. -->\n\n%s\n", t.Title, t.Name, t.Text)
	for _, c := range t.Chapters {
		fmt.Fprintf(&b, "\n## %s\n", c.Title)
		if c.Text != "" {
			fmt.Fprintf(&b, "\n%s\n", c.Text)
		}
		if len(c.Examples) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n| section | meaning | answer |\n|---|---|---|\n")
		for _, e := range c.Examples {
			fmt.Fprintf(&b, "| %s | %s | %s: %s |\n", code(e.argument()), e.Means, e.Kind, code(e.Answer))
		}
	}
	fmt.Fprintf(&b, "\nTry it:\n\n```\n%s\n```\n", t.More)
	return b.String()
}

// argument returns the section as it is written in a command.
func (e Example) argument() string {
	if e.Section == "" {
		return `""`
	}
	return e.Section
}

// code formats text as inline code for a cell of a table, on one line.
func code(text string) string {
	return "`` " + strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`) + " ``"
}
