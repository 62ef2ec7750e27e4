package gate

import (
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

// What a session keeps. Without any of it, as after a restart of the daemon, it is
// a session that has not begun.
const (
	stateGated  = "gated"  // "0" once the session is open
	stateTags   = "tags"   // keywords so far, one a line
	stateSent   = "sent"   // prompts sent in full, "name hash" a line
	statePassed = "passed" // the list of tools was given without a gate: passedWhole or passedBare
	stateTools  = "tools"  // names of tools behind the closed gate, as begin_session tells them
)

// How the list of tools was given while the project had no prompts, or since.
const (
	passedWhole = "whole" // as the servers have it
	passedBare  = "bare"  // without schemas of results, ready for a block beside them
)

// maxTags bounds the keywords that are remembered: the latest.
const maxTags = 100

func isOpen(c *controller.Ctx) bool {
	gated, _ := c.State.Get(stateGated)
	return gated == "0"
}

// openUp opens the session.
func openUp(c *controller.Ctx) error {
	if err := c.State.Set(stateGated, "0"); err != nil {
		return err
	}
	return c.ToolsChanged()
}

// sentPrompts gives the hashes of the texts that were sent, by name.
func sentPrompts(c *controller.Ctx) map[string]string {
	sent := make(map[string]string)
	text, _ := c.State.Get(stateSent)
	for line := range strings.Lines(text) {
		name, hash, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		sent[name] = hash
	}
	return sent
}

// addSent remembers prompts that were sent: hashes by name, and lines as they are
// kept. Of a prompt that was sent before, another text, the new line takes the place
// of the old one.
func addSent(c *controller.Ctx, hashes map[string]string, lines string) error {
	if lines == "" {
		return nil
	}
	var kept strings.Builder
	text, _ := c.State.Get(stateSent)
	for line := range strings.Lines(text) {
		name, _, _ := strings.Cut(line, " ")
		if _, again := hashes[name]; !again {
			kept.WriteString(line)
		}
	}
	return c.State.Set(stateSent, kept.String()+lines)
}

// addTags remembers keywords.
func addTags(c *controller.Ctx, keywords []string) error {
	text, _ := c.State.Get(stateTags)
	have := strings.Fields(text)
	for _, k := range keywords {
		if !slices.Contains(have, k) {
			have = append(have, k)
		}
	}
	if len(have) == 0 {
		return nil
	}
	return c.State.Set(stateTags, strings.Join(have[max(0, len(have)-maxTags):], "\n"))
}
