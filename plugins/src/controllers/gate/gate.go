// Package gate makes a client read the rules of a project before it uses its tools.
// A session shows only begin_session at first. A client calls it with keywords of
// its task, receives the prompts that match, and then sees the tools. Later it can
// get more prompts with read_prompts and propose one with propose_prompt.
//
// A project without prompts has no gate: its sessions show their tools at once.
//
// A call before begin_session is executed too, for example one that a client
// repeats in a new session after losing the old one. Prompts that match words of
// the call precede its result.
//
// Package match selects prompts and package keyword extracts keywords. Both consist
// of pure functions.
package gate

import (
	"github.com/mcpctl/mcpctl/plugins/src/controllers/gate/internal/keyword"
	"github.com/mcpctl/mcpctl/plugins/src/controllers/gate/internal/match"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

func init() {
	controller.Register("gate", controller.Hooks{Initialize: initialize, ToolsList: listTools, ToolCall: handleCall})
}

// Names of the gate's tools.
const (
	toolBegin   = "begin_session"
	toolRead    = "read_prompts"
	toolPropose = "propose_prompt"
)

// handleCall answers the tools of the gate and intercepts the first call of a session
// that skipped begin_session. In an open session it reads only the state and the
// name of the tool.
func handleCall(c *controller.Ctx) error {
	open := isOpen(c)
	if !open && !c.Gated() {
		return controller.Pass
	}
	tool := c.Tool()
	if tool == toolBegin {
		return answerBegin(c, open)
	}
	if !open {
		if answered, err := handleGatedCall(c, tool); answered || err != nil {
			return err
		}
	}
	switch tool {
	case toolRead:
		return readPrompts(c)
	case toolPropose:
		return proposePrompt(c)
	}
	return controller.Pass
}

// handleGatedCall handles a call in a session that has not begun. It reports whether
// the call has been answered.
func handleGatedCall(c *controller.Ctx, tool string) (answered bool, err error) {
	prompts := listPrompts(c)
	if prompts.Len() == 0 {
		return false, nil
	}
	if !intercepts(c) {
		return true, c.Refuse("this project opens with " + toolBegin + ": call it first, " + beginExample + ". " + c.Called().Wire + " was not called")
	}
	if passed, _ := c.State.Get(statePassed); passed == passedWhole && c.ClientInfo().StructuredOnly && hasOutputSchema(c, c.Called().Wire) {
		return true, firstError(c.ToolsChanged(), controller.Pass) // a block would not be shown with this result; the next call has it
	}
	return false, intercept(c, prompts, tool)
}

// hasOutputSchema reports whether the listed definition of a tool has an output schema.
func hasOutputSchema(c *controller.Ctx, wire string) bool {
	for t := range c.Tools() {
		if t.Wire == wire {
			schema, err := t.Field("/outputSchema")
			return err == nil && schema != "null"
		}
	}
	return false
}

// intercepts reports whether a call before begin_session is executed, with the
// prompts before its result.
func intercepts(c *controller.Ctx) bool { return c.Bool("interceptEnabled", true) }

// answerBegin answers begin_session. In an open session it sends only prompts that are
// new or changed, and asks no LLM.
func answerBegin(c *controller.Ctx, open bool) error {
	keywords, problem := readTags(c, toolBegin)
	if problem != "" {
		return c.Refuse(problem)
	}
	prompts := listPrompts(c)
	var chosen *choice
	if !open && c.String("promptScoring", "keyword") == "llm" {
		chosen = askLLM(c, prompts, keywords)
	}
	if chosen == nil {
		chosen = &choice{list: match.Rank(prompts, keywords)}
	}
	b := newBriefing(c, prompts)
	b.listSent = open
	b.addPrompts(chosen)
	if err := b.answerBegin().write(c.Answer); err != nil {
		return err
	}
	return b.commit(keywords, !isOpen(c)) // another call may have opened the session during the wait for the LLM
}

// intercept opens a session with a call that skipped begin_session, and puts the
// answer of begin_session before the result.
func intercept(c *controller.Ctx, prompts *match.List, tool string) error {
	var keywords []string
	if tool != toolRead && tool != toolPropose { // their own arguments name the topic
		keywords = keyword.FromCall(tool, readHead(c.Input, maxArguments))
	}
	b := newBriefing(c, prompts)
	b.addPrompts(&choice{list: match.Rank(prompts, keywords)})
	out, err := c.Before()
	if err != nil {
		return err
	}
	if err := b.answerIntercept().write(out); err != nil {
		return err
	}
	return b.commit(keywords, true)
}

// listPrompts returns the current prompts of the project.
func listPrompts(c *controller.Ctx) *match.List {
	l, err := c.PromptList()
	if err != nil {
		c.Log.Warn("prompts cannot be listed", "because", err.Error())
		l = &controller.PromptList{} // none
	}
	return match.NewList(l)
}

// maxArguments is the number of bytes of arguments that are searched for keywords.
const maxArguments = 16 << 10
