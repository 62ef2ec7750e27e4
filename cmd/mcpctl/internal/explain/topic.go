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

// Topic is a page about something that is neither a code nor a field.
type Topic struct {
	Name     string    `json:"name"`
	Title    string    `json:"title"`
	Text     string    `json:"text"`
	Chapters []Chapter `json:"chapters"`
	More     string    `json:"more"` // the command to go on with
}

// Chapter is a text or some examples, with a heading.
type Chapter struct {
	Title    string    `json:"title"`
	Examples []Example `json:"examples,omitempty"`
	Text     string    `json:"text,omitempty"`
}

// Example is a section that was really read: a test reads it again.
type Example struct {
	Document string          `json:"document"` // what the demo's server calls it
	Section  string          `json:"section"`
	Means    string          `json:"means"`
	Kind     flow.AnswerKind `json:"kind"`
	Answer   string          `json:"answer"` // as much of it as has room
}

// Topics are the pages there are.
func Topics() []Topic { return []Topic{sectionIDs, laws()} }

func topicNames() []string {
	var list []string
	for _, t := range Topics() {
		list = append(list, t.Name)
	}
	return list
}

// topic is the page of a name.
func topic(name string) (Topic, bool) {
	for _, t := range Topics() {
		if strings.EqualFold(t.Name, name) {
			return t, true
		}
	}
	return Topic{}, false
}

// unknown is the error for a word that is no topic, no code and no kind.
func unknown(word string, err error) error {
	if near := suggest.Nearest(word, topicNames()); near != "" {
		return problem.New(abi.ErrNotFound, "topic %q not found", word).WithHint("mcpctl explain %s", near)
	}
	return problem.From(err).WithHint("mcpctl explain")
}

func showTopic(f *factory.Factory, format string, t Topic) error {
	switch format {
	case "table", "wide":
		return t.text(f.IO)
	}
	return printer.Print(f.IO, format, printer.Listing{Value: t, Names: []string{t.Name}})
}

// text is the page for a terminal.
func (t Topic) text(to *iostreams.Streams) error {
	b := to.Page()
	fmt.Fprintf(b, "%s: %s\n\n%s\n", t.Name, t.Title, iostreams.Reflow(t.Text, to.OutWidth))
	for _, c := range t.Chapters {
		fmt.Fprintf(b, "\n%s\n", c.Title)
		if c.Text != "" {
			fmt.Fprintf(b, "\n%s\n", iostreams.Reflow(c.Text, to.OutWidth))
		}
		for _, e := range c.Examples {
			fmt.Fprintf(b, "\n  %s\n      %s\n    > %s\n", e.typed(), e.Means, strings.ReplaceAll(strings.TrimSuffix(e.Answer, "\n"), "\n", "\n      "))
		}
	}
	fmt.Fprintf(b, "\nTry it: %s\n", t.More)
	return b.Close()
}

// Page is the topic as a page of Markdown.
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
		fmt.Fprintf(&b, "\n| section | what it is | the answer |\n|---|---|---|\n")
		for _, e := range c.Examples {
			fmt.Fprintf(&b, "| %s | %s | %s: %s |\n", code(e.typed()), e.Means, e.Kind, code(e.Answer))
		}
	}
	fmt.Fprintf(&b, "\nTry it:\n\n```\n%s\n```\n", t.More)
	return b.String()
}

// typed is the section as one types it.
func (e Example) typed() string {
	if e.Section == "" {
		return `""`
	}
	return e.Section
}

// code is a text in a cell of a table, which has one line.
func code(text string) string {
	return "`` " + strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`) + " ``"
}
