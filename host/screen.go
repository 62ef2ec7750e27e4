package host

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
	"github.com/mcpctl/mcpctl/host/prompt"
	"github.com/mcpctl/mcpctl/host/proxymodel"
)

// screens are what the filters of a project have left of its prompts. They hold for
// one epoch: until they have been looked through for the next one, nothing is told of
// a prompt that filters stand before.
type screens struct {
	epoch uint64
	by    map[*object.Prompt]screened
}

// screened is one prompt behind filters.
type screened struct {
	filters, hash string // what filtered which content
	screen        *prompt.Screen
}

// filtersOf names the filters that a prompt of a project goes through, "" if there
// are none. Of a broken ProxyModel nobody can say.
//
// Errors: those of proxymodel.Plan.Resolve.
func (s *state) filtersOf(project string, p *object.Prompt) (string, error) {
	model, err := s.plan.Resolve(project, abi.Prompt, string(p.Name()))
	if err != nil {
		return "", err
	}
	var filters []proxymodel.Step
	for _, step := range model.Steps {
		if step.Kind == abi.KindFilter {
			filters = append(filters, step)
		}
	}
	if len(filters) == 0 {
		return "", nil
	}
	return fmt.Sprintf("%s %+v", s.stages, filters), nil
}

// screenOf gives the screen of a prompt, as prompt.Sources wants it. It is called with
// the lock of prompts held.
func (h *Host) screenOf(project string, p *object.Prompt, hash string) (*prompt.Screen, bool) {
	if project == string(object.SystemProject) {
		return nil, false
	}
	now := h.state.Load()
	filters, err := now.filtersOf(project, p)
	if err == nil && filters == "" {
		return nil, false
	}
	known := h.prompts.screens[project]
	if known.epoch != now.epoch || known.by[p].hash != hash {
		return nil, true
	}
	return known.by[p].screen, true
}

// screenPrompts has the filters of a project look at those of its prompts that they
// have not seen.
func (h *Host) screenPrompts(project string) {
	p, now := h.prompts, h.state.Load()
	p.mu.Lock()
	before := p.screens[project]
	p.mu.Unlock()
	next := screens{epoch: now.epoch, by: make(map[*object.Prompt]screened)}
	fresh := before.epoch != now.epoch
	for _, o := range now.snapshot.Prompts(object.Name(project)) {
		filters, err := now.filtersOf(project, o)
		if err != nil || filters == "" {
			continue
		}
		text, ok := h.promptKept(o)
		if !ok {
			continue
		}
		hash := hashOf(text)
		known := before.by[o]
		if known.filters != filters || known.hash != hash {
			screen, err := h.screen(h.life, project, o, text)
			if err != nil { // tried again with the next round
				h.log.Warn("nothing is told of a prompt", "project", project, "prompt", o.Name(), "because", err)
				continue
			}
			known, fresh = screened{filters, hash, screen}, true
		}
		next.by[o] = known
	}
	p.mu.Lock()
	p.screens[project] = next
	p.mu.Unlock()
	if fresh && len(next.by) > 0 {
		p.learnt()
	}
}

// promptKept is what a prompt says, as far as nobody has to be asked.
func (h *Host) promptKept(p *object.Prompt) (text []byte, ok bool) {
	if p.Spec.LinkTarget != "" {
		return h.prompts.links.Kept(p.Spec.LinkTarget)
	}
	return []byte(p.Spec.Content), true
}

// screen has the filters look at a content, and at what its author says of it, a line
// for the summary and one for each chapter.
func (h *Host) screen(ctx context.Context, project string, p *object.Prompt, text []byte) (*prompt.Screen, error) {
	left, err := h.filtered(ctx, project, p, text)
	if err != nil {
		return nil, err
	}
	s := &prompt.Screen{Hash: hashOf(left), Rule: prompt.OutlineOf(string(left))}
	lines := slices.Insert(slices.Clone(p.Spec.Chapters), 0, p.Spec.Summary)
	for i, line := range lines {
		lines[i] = strings.Join(strings.Fields(line), " ")
	}
	if strings.Join(lines, "") == "" {
		return s, nil
	}
	said, err := h.filtered(ctx, project, p, []byte(strings.Join(lines, "\n")))
	if err != nil {
		return nil, err
	}
	lines = strings.Split(string(said), "\n")
	s.Author = prompt.Outline{Summary: lines[0], Chapters: slices.DeleteFunc(lines[1:], func(line string) bool { return line == "" })}
	return s, nil
}

// filtered is a text of a prompt as the filters of a project leave it.
//
// Errors: abi.ErrUnavailable if they withhold it.
func (h *Host) filtered(ctx context.Context, project string, p *object.Prompt, text []byte) ([]byte, error) {
	name := string(p.Name())
	shown, err := h.transformer.Transform(ctx, flow.Scope{Project: project}, flow.Content{Type: abi.Prompt, Source: name, MIME: "text/markdown", Hint: name + ".md",
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

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
