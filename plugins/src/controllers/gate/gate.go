// Package gate opens sessions: a client is shown begin_session alone, names what
// its task is about, gets the prompts of the project that concern it, and then
// sees the tools. Later it asks for more with read_prompts, and may propose a
// prompt of its own.
//
// A project without prompts has no gate: its sessions see their tools at once.
//
// A call that comes before begin_session, such as one that a client repeats in a
// new session after it has lost its own, is made all the same, with the prompts
// that its words ask for as a block before the result.
//
// Choosing is in internal/match, words of calls are in internal/keyword: pure
// functions both.
package gate

import (
	"github.com/mcpctl/mcpctl/plugins/src/controllers/gate/internal/keyword"
	"github.com/mcpctl/mcpctl/plugins/src/controllers/gate/internal/match"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

func init() {
	controller.Register("gate", controller.Hooks{Initialize: initialize, ToolsList: list, ToolCall: call})
}

// Names of the gate's tools.
const (
	toolBegin   = "begin_session"
	toolRead    = "read_prompts"
	toolPropose = "propose_prompt"
)

// call answers the gate's tools and intercepts the first call of a session that did
// not wait for begin_session. In an open session it costs one look at the state and
// one at the tool's name.
func call(c *controller.Ctx) error {
	open := isOpen(c)
	if !open && !c.Gated() {
		return controller.Pass
	}
	tool := c.Tool()
	if tool == toolBegin {
		return begin(c, open)
	}
	if !open {
		if answered, err := meetClosed(c, tool); answered || err != nil {
			return err
		}
	}
	switch tool {
	case toolRead:
		return read(c)
	case toolPropose:
		return propose(c)
	}
	return controller.Pass
}

// meetClosed meets a call in a session that did not begin. It reports true if the
// call needs no more.
func meetClosed(c *controller.Ctx, tool string) (answered bool, err error) {
	prompts := promptsOf(c)
	if prompts.Len() == 0 {
		return false, nil
	}
	if !intercepts(c) {
		return true, c.Refuse("this project opens with " + toolBegin + ": call it first, " + beginExample + ". " + c.Called().Wire + " was not called")
	}
	if passed, _ := c.State.Get(statePassed); passed == passedWhole && c.ClientInfo().StructuredOnly && hasOutputSchema(c, c.Called().Wire) {
		return true, first(c.ToolsChanged(), controller.Pass) // it might not show a block now: the next call has it
	}
	return false, intercept(c, prompts, tool)
}

// hasOutputSchema reports whether the list has a schema of the results of a tool.
func hasOutputSchema(c *controller.Ctx, wire string) bool {
	for t := range c.Tools() {
		if t.Wire == wire {
			schema, err := t.Field("/outputSchema")
			return err == nil && schema != "null"
		}
	}
	return false
}

// intercepts reports whether a call before begin_session is made, with the prompts
// before its result.
func intercepts(c *controller.Ctx) bool { return c.Bool("interceptEnabled", true) }

// begin answers begin_session. In a session that is open already it answers what
// is new, and asks no LLM.
func begin(c *controller.Ctx, open bool) error {
	keywords, problem := readTags(c, toolBegin)
	if problem != "" {
		return c.Refuse(problem)
	}
	prompts := promptsOf(c)
	var chosen *choice
	if !open && c.String("promptScoring", "keyword") == "llm" {
		chosen = askLLM(c, prompts, keywords)
	}
	if chosen == nil {
		chosen = &choice{list: match.Rank(prompts, keywords)}
	}
	b := newBriefing(c, prompts)
	b.recall = open
	b.fill(chosen)
	if err := b.answerBegin().write(c.Answer); err != nil {
		return err
	}
	return b.commit(keywords, !isOpen(c)) // while an LLM was asked, another call may have opened it
}

// intercept opens a session by a call that did not wait for begin_session, and
// tells before the result what begin_session would have told.
func intercept(c *controller.Ctx, prompts *match.List, tool string) error {
	var keywords []string
	if tool != toolRead && tool != toolPropose { // they say themselves what they are about
		keywords = keyword.FromCall(tool, head(c.Input, maxArguments))
	}
	b := newBriefing(c, prompts)
	b.fill(&choice{list: match.Rank(prompts, keywords)})
	out, err := c.Before()
	if err != nil {
		return err
	}
	if err := b.answerIntercept().write(out); err != nil {
		return err
	}
	return b.commit(keywords, true)
}

// promptsOf gives the prompts of the project as they are now.
func promptsOf(c *controller.Ctx) *match.List {
	l, err := c.PromptList()
	if err != nil {
		c.Log.Warn("prompts cannot be listed", "because", err.Error())
		l = &controller.PromptList{} // none
	}
	return match.ListOf(l)
}

// maxArguments is how much of a call's arguments is looked at for keywords.
const maxArguments = 16 << 10
