package gate

import (
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

// Keys of the state of a session. Without any, for example after a restart of the
// daemon, the session has not begun.
const (
	stateGated  = "gated"  // "0" once the session is open
	stateTags   = "tags"   // keywords so far, one per line
	stateSent   = "sent"   // prompts sent in full, one "name hash" per line
	statePassed = "passed" // the list was served without a gate: passedWhole or passedBare
	stateTools  = "tools"  // names of tools hidden by the gate, in the format of begin_session
)

// Values of statePassed: how the list was served while the project had no prompts.
const (
	passedWhole = "whole" // with output schemas
	passedBare  = "bare"  // without output schemas, so that results may have a block of prompts
)

// maxTags is the number of keywords that are kept; the oldest are dropped.
const maxTags = 100

func isOpen(c *controller.Ctx) bool {
	gated, _ := c.State.Get(stateGated)
	return gated == "0"
}

// openSession opens the session.
func openSession(c *controller.Ctx) error {
	if err := c.State.Set(stateGated, "0"); err != nil {
		return err
	}
	return c.ToolsChanged()
}

// readSent returns the hashes of the texts that were sent, by name.
func readSent(c *controller.Ctx) map[string]string {
	sent := make(map[string]string)
	text, _ := c.State.Get(stateSent)
	for line := range strings.Lines(text) {
		name, hash, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		sent[name] = hash
	}
	return sent
}

// addSent saves prompts that were sent: hashes by name, and lines in the format of
// the state. A new line replaces an older one with the same name.
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

// addTags saves keywords.
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
