package gate

import (
	"github.com/mcpctl/mcpctl/plugins/src/controllers/gate/internal/match"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

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
