package console

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/demo"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/script"
	"github.com/mcpctl/mcpctl/host/flow"
)

// report is the output of -o json and yaml, which scripts depend on.
type report struct {
	Project    string   `json:"project"`
	ProxyModel string   `json:"proxyModel"`
	LLM        string   `json:"llm"` // who answers; fake: the script
	Client     string   `json:"client"`
	Initialize greeting `json:"initialize"`
	Listed     listing  `json:"listed"`
	Steps      []step   `json:"steps"`
}

// greeting is the server's answer to initialize.
type greeting struct {
	Instructions string            `json:"instructions,omitempty"`
	Hooks        []flow.HookReport `json:"hooks,omitempty"`
}

// listing is a list of tools, by the names that the client has for them.
type listing struct {
	Tools []string          `json:"tools"`
	Hooks []flow.HookReport `json:"hooks,omitempty"`
}

// step is one call of the script and its result.
type step struct {
	Tool      string          `json:"tool"` // as the script names it
	Wire      string          `json:"wire"` // as the client called it
	Arguments json.RawMessage `json:"arguments,omitempty"`
	answer
	Sections []reading `json:"sections,omitempty"`
	Relisted *listing  `json:"relisted,omitempty"` // the client was notified that its tools changed
	Failed   string    `json:"failed,omitempty"`   // the difference from the script's expectation
}

// reading is one section of an answer.
type reading struct {
	Section string `json:"section"`
	Note    string `json:"note,omitempty"` // why it was not read
	answer
}

// answer is the answer that the client received.
type answer struct {
	Blocks  []demo.Block `json:"blocks,omitempty"`
	Ref     string       `json:"ref,omitempty"`
	IsError bool         `json:"isError,omitempty"`
	Error   string       `json:"error,omitempty"` // of a call that was refused and has no blocks
	ran

	text string
}

// ran is who had a part in an answer.
type ran struct {
	Hooks []flow.HookReport `json:"hooks,omitempty"`
	Runs  []flow.RunReport  `json:"runs,omitempty"` // the stages, one list for each part of the answer
}

// fault describes the difference of a step from the script's expectation, or returns "".
func (s step) fault(expect string) string {
	if expect == script.ExpectError {
		if s.IsError {
			return ""
		}
		return "the call succeeded, want an error"
	}
	if s.IsError {
		return "the call failed: " + s.firstLine()
	}
	found := strings.Contains(s.text, expect)
	for _, r := range s.Sections {
		if r.IsError {
			return fmt.Sprintf("section %q: %s", r.Section, r.firstLine())
		}
		found = found || strings.Contains(r.text, expect)
	}
	if !found {
		return fmt.Sprintf("the answer does not contain %q", expect)
	}
	return ""
}

// firstLine returns the first line of an answer, without the blocks that a controller added
// after it.
func (a answer) firstLine() string {
	text := a.text
	if len(a.Blocks) > 0 {
		text = a.Blocks[0].Text
	}
	line, _, _ := strings.Cut(a.Error+text, "\n")
	return iostreams.Line(clipped(line))
}
