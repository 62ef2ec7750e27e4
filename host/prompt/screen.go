package prompt

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/object"
)

// screenedPrompts is the prompts of a project after its filters. It is valid for one
// epoch. In a new epoch, nothing about a filtered prompt is disclosed until it is
// updated.
type screenedPrompts struct {
	epoch    uint64
	byPrompt map[*object.Prompt]screenedPrompt
}

// screenedPrompt is one filtered prompt.
type screenedPrompt struct {
	filters, hash string // of the filters and of the content before them
	screen        *Screen
}

// cachedScreen returns the screen of a prompt, as Sources.Screen does. The caller holds
// the lock.
func (l *Library) cachedScreen(now State, project string, p *object.Prompt, hash string) (*Screen, bool) {
	if project == string(object.SystemProject) {
		return nil, false
	}
	filters, err := now.Filters(project, p)
	if err == nil && filters == "" {
		return nil, false
	}
	known := l.screens[project]
	if known.epoch != now.Epoch || known.byPrompt[p].hash != hash {
		return nil, true
	}
	return known.byPrompt[p].screen, true
}

// screenPrompts runs the filters of a project over its new and changed prompts.
func (l *Library) screenPrompts(ctx context.Context, project string) {
	now := l.home.State()
	l.mu.Lock()
	before := l.screens[project]
	l.mu.Unlock()
	next := screenedPrompts{epoch: now.Epoch, byPrompt: make(map[*object.Prompt]screenedPrompt)}
	fresh := before.epoch != now.Epoch
	for _, o := range now.Snapshot.Prompts(object.Name(project)) {
		filters, err := now.Filters(project, o)
		if err != nil || filters == "" {
			continue
		}
		text, ok := l.cachedText(o)
		if !ok {
			continue
		}
		hash := hashOf(text)
		known := before.byPrompt[o]
		if known.filters != filters || known.hash != hash {
			screen, err := l.screen(ctx, project, o, text)
			if err != nil { // retried in the next round
				l.opts.Log.Warn("prompt is not described because its filters failed", "project", project, "prompt", o.Name(), "error", err)
				continue
			}
			known, fresh = screenedPrompt{filters, hash, screen}, true
		}
		next.byPrompt[o] = known
	}
	l.mu.Lock()
	l.screens[project] = next
	l.mu.Unlock()
	if fresh && len(next.byPrompt) > 0 {
		l.invalidate()
	}
}

// cachedText returns the text of a prompt if that needs no request to a server.
func (l *Library) cachedText(p *object.Prompt) (text []byte, ok bool) {
	if p.Spec.LinkTarget != "" {
		return l.links.Copy(linkOf(l.home.State(), p))
	}
	return []byte(p.Spec.Content), true
}

// screen runs the filters over a content and over the outline of its author, which has
// one line for the summary and one for each chapter.
func (l *Library) screen(ctx context.Context, project string, p *object.Prompt, text []byte) (*Screen, error) {
	filtered, err := l.filter(ctx, project, p, text)
	if err != nil {
		return nil, err
	}
	s := &Screen{Hash: hashOf(filtered), Rule: OutlineOf(string(filtered))}
	lines := slices.Insert(slices.Clone(p.Spec.Chapters), 0, p.Spec.Summary)
	for i, line := range lines {
		lines[i] = strings.Join(strings.Fields(line), " ")
	}
	if strings.Join(lines, "") == "" {
		return s, nil
	}
	outline, err := l.filter(ctx, project, p, []byte(strings.Join(lines, "\n")))
	if err != nil {
		return nil, err
	}
	lines = strings.Split(string(outline), "\n")
	s.Author = Outline{Summary: lines[0], Chapters: slices.DeleteFunc(lines[1:], func(line string) bool { return line == "" })}
	return s, nil
}

// filter returns a text of a prompt after the filters of a project.
//
// Errors: abi.ErrUnavailable if they withhold it.
func (l *Library) filter(ctx context.Context, project string, p *object.Prompt, text []byte) ([]byte, error) {
	name := string(p.Name())
	shown, err := l.home.Transform(ctx, flow.Scope{Project: project}, flow.Content{Type: abi.Prompt, Source: name, MIME: "text/markdown", Hint: name + ".md",
		Bytes: text, Part: abi.Part{Kind: abi.PartText, Count: 1}, OnlyFilters: true})
	switch {
	case err != nil:
		return nil, err
	case shown.Blocked != "":
		return nil, fmt.Errorf("%w: %s", abi.ErrUnavailable, shown.Blocked)
	case shown.Changed:
		return shown.Text, nil
	}
	return text, nil
}

// hashOf returns the SHA-256 of a text in hexadecimal.
func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
