package gate

import (
	"errors"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/controllers/gate/internal/match"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// maxSection is the limit of the parameter section, in bytes.
const maxSection = 4 << 10

// readPrompts answers read_prompts. It selects by keywords only, so that a model gets the
// prompts it asks for, except those already sent in this session.
func readPrompts(c *controller.Ctx) error {
	keywords, problem := readTags(c, toolRead)
	if problem != "" {
		return c.Refuse(problem)
	}
	prompts := listPrompts(c)
	args := c.Input.JSON()
	switch kind, err := args.Kind("/section"); {
	case err != nil || kind == stage.KindNull:
	case kind != stage.KindString:
		return c.Refuse(toolRead + ": section is " + kind.String() + ", want string")
	default:
		return readSection(c, prompts, keywords)
	}
	b := newBriefing(c, prompts)
	b.addPrompts(&choice{list: match.Rank(prompts, keywords)})
	if err := b.answerRead().write(c.Answer); err != nil {
		return err
	}
	return b.commit(keywords, false)
}

// readSection reads a section of the best match, even if that prompt was sent
// before, because the model asks for a part of it.
func readSection(c *controller.Ctx, prompts *match.List, keywords []string) error {
	span, _, _ := c.Input.JSON().Span("/section")
	section, err := c.Input.JSON().Text(span)
	if err != nil {
		return err
	}
	if section.Len() > maxSection {
		return c.Refuse(toolRead + ": section is longer than an id or a search can be")
	}
	found := match.Rank(prompts, keywords)
	if len(found) == 0 {
		return c.Refuse("no prompt matches " + strings.Join(keywords, ", ") + ": name the one to read in tags")
	}
	name := prompts.At(found[0]).Name
	text, err := fetchSection(c, name, section.String())
	switch {
	case errors.Is(err, errNoRef):
		return c.Refuse("prompt " + name + " cannot be read by section now: ask for it with " + toolRead + `({"tags":["` + name + `"]})`)
	case err != nil:
		c.Log.Info("prompt cannot be read", "prompt", name, "because", err.Error())
		return c.Refuse("prompt " + name + " cannot be read now")
	}
	answer := quote(text)
	if len(keywords) > 1 || keywords[0] != name { // the model did not say which
		answer = append(newRope("From "+name+", which matches best:\n"), answer...)
	}
	return firstError(answer.write(c.Answer), addTags(c, keywords))
}

var errNoRef = errors.New("no ref")

// fetchSection reads a section of a prompt. It reads the whole text first, because the
// host creates a ref only then.
func fetchSection(c *controller.Ctx, name, section string) (stage.Buf, error) {
	body, err := c.PromptBody(name)
	if err != nil {
		return stage.Buf{}, err
	}
	body.Free()
	if p := listPrompts(c).Named(name); p != nil && p.Ref != "" {
		return c.Section(p.Ref, section)
	}
	return stage.Buf{}, errNoRef
}
