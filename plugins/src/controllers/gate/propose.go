package gate

import (
	"errors"
	"strconv"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

const (
	maxName    = 63
	maxText    = 64 << 10  // bytes of content
	maxContent = 512 << 10 // bytes of JSON, in which a byte of text may take six
)

// proposePrompt answers propose_prompt. A proposal is stored for review by a person.
func proposePrompt(c *controller.Ctx) error {
	proposal, problem := readProposal(c)
	if problem != "" {
		return c.Refuse(toolPropose + ": " + problem)
	}
	id, err := c.ProposePrompt(proposal)
	switch {
	case errors.Is(err, stage.Conflict):
		return c.Refuse(toolPropose + ": one of this name waits for review, or the prompt of this name is a link or says the same already: choose another name")
	case errors.Is(err, stage.Denied), errors.Is(err, stage.Unavailable), errors.Is(err, stage.NotFound):
		return c.Refuse(toolPropose + ": not stored: " + err.Error()) // a text for clients, with what the user can do
	case errors.Is(err, stage.Limit):
		return c.Refuse(toolPropose + ": too many proposals wait for review, a person has to go through them first")
	case err != nil:
		c.Log.Warn("proposal refused", "because", err.Error())
		return c.Refuse(toolPropose + ": not taken, content must be text")
	}
	answer := "Proposed as " + id + ". It is not in force: a person reviews it."
	if name, _ := c.Input.JSON().String("/name"); listPrompts(c).Named(name) != nil {
		answer += " The project has a prompt of this name, which it would replace."
	}
	_, err = c.Answer.WriteString(answer)
	return err
}

// readProposal returns the proposal in the format of the host, or a description of
// the first invalid argument.
func readProposal(c *controller.Ctx) (proposal, problem string) {
	args := c.Input.JSON()
	for _, key := range []string{"name", "content"} {
		if kind, err := args.Kind("/" + key); err != nil {
			return "", key + " is missing"
		} else if kind != stage.KindString {
			return "", key + " is " + kind.String() + ", want string"
		}
	}
	name, content := readLiteral(c, "/name", 2*maxName), readLiteral(c, "/content", maxContent)
	if !isName(name) {
		return "", "name must be 1 to 63 of a-z, 0-9 and . _ + -, and begin with a letter or digit"
	}
	text, err := args.String("/content")
	switch {
	case content == "", err == nil && len(text) > maxText:
		return "", "content is over 65,536 bytes"
	case content == `""`:
		return "", "content is empty"
	}
	priority := int64(5)
	if kind, err := args.Kind("/priority"); err == nil && kind != stage.KindNull {
		n, err := args.Int("/priority")
		if err != nil || kind != stage.KindNumber || n < 1 || n > 10 {
			return "", "priority must be a whole number from 1 to 10"
		}
		priority = n
	}
	return `{"name":` + name + `,"content":` + content + `,"priority":` + strconv.FormatInt(priority, 10) + `}`, ""
}

// readLiteral returns the JSON text of a value in the arguments, or "" if it is longer
// than limit.
func readLiteral(c *controller.Ctx, pointer string, limit int) string {
	span, _, _ := c.Input.JSON().Span(pointer)
	if span.End-span.Start > limit {
		return ""
	}
	p := make([]byte, span.End-span.Start)
	n, _ := c.Input.ReadAt(p, int64(span.Start))
	return string(p[:n])
}

// isName reports whether a JSON literal is a valid name of a prompt. A literal with
// escapes is not.
func isName(literal string) bool {
	n := len(literal) - 2
	if n < 1 || n > maxName {
		return false
	}
	for i, r := range literal[1 : n+1] {
		letter := r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
		if !letter && (i == 0 || r != '.' && r != '_' && r != '+' && r != '-') {
			return false
		}
	}
	return true
}
