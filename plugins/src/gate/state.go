package gate

import (
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

// What a session keeps. Without any of it, as after a restart of the daemon, it is
// a session that has not begun.
const (
	stateGated = "gated" // "0" once the session is open
	stateTags  = "tags"  // keywords so far, one a line
	stateSent  = "sent"  // prompts sent in full, "name hash" a line
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

// addSent remembers prompts that were sent; the latest line of a name counts.
func addSent(c *controller.Ctx, lines string) error {
	if lines == "" {
		return nil
	}
	text, _ := c.State.Get(stateSent)
	return c.State.Set(stateSent, text+lines)
}

// addTags remembers keywords.
func addTags(c *controller.Ctx, keywords []string) error {
	text, _ := c.State.Get(stateTags)
	have := strings.Fields(text)
	for _, k := range keywords {
		if !contains(have, k) {
			have = append(have, k)
		}
	}
	if len(have) == 0 {
		return nil
	}
	return c.State.Set(stateTags, strings.Join(have[max(0, len(have)-maxTags):], "\n"))
}

func contains(list []string, s string) bool {
	for _, have := range list {
		if have == s {
			return true
		}
	}
	return false
}
