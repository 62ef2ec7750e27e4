package store

import (
	"context"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/object"
)

// Approve converts a prompt request into a prompt of its name, and deletes the request. A
// prompt that exists keeps what the request does not have; see keepFields.
//
// It returns abi.ErrNotFound for an unknown request, and the errors of Apply.
func (s *Store) Approve(ctx context.Context, w Write, request object.Key) (Applied, error) {
	done, err := s.transact(ctx, w, func(t *transaction) ([]Applied, error) { return t.approve(ctx, request) })
	if err != nil {
		return Applied{}, err
	}
	return done[0], nil
}

func (t *transaction) approve(ctx context.Context, request object.Key) ([]Applied, error) {
	r, err := get(ctx, t.Tx, request)
	if err != nil && !isNotFound(err) {
		return nil, err
	}
	exists := err == nil
	if err := t.write.Authorize(request, exists); err != nil { // before its name or text is checked
		return nil, err
	}
	if !exists {
		return nil, err
	}
	o, err := r.Object()
	if err != nil {
		return nil, err
	}
	p, err := o.(*object.PromptRequest).Approved()
	if err != nil {
		return nil, err
	}
	kept, err := t.keepFields(ctx, p)
	if err != nil {
		return nil, err
	}
	action, err := t.put(ctx, p)
	if err != nil {
		return nil, err
	}
	return []Applied{{Key: p.Key(), Action: action, Kept: kept}}, t.delete(ctx, request, false)
}

// keepFields sets the fields that a request does not have to those of the prompt that it
// replaces: summary, chapters, and the priority unless the request has another one than the
// default, which is that of a request without a priority. kept are the names of the fields that
// describe the old text.
//
// It returns abi.ErrConflict if the prompt is a link: a proposal must not replace it.
func (t *transaction) keepFields(ctx context.Context, p *object.Prompt) (kept []string, err error) {
	r, err := get(ctx, t.Tx, p.Key())
	if isNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	o, err := r.Object()
	if err != nil {
		return nil, err
	}
	old := o.(*object.Prompt).Spec
	if old.LinkTarget != "" {
		return nil, fmt.Errorf("%w: %s is a link, which a proposal cannot replace; delete the prompt first", abi.ErrConflict, p.Key())
	}
	if p.Spec.Priority == object.DefaultPriority {
		p.Spec.Priority = old.Priority
	}
	if p.Spec.Summary = old.Summary; old.Summary != "" {
		kept = append(kept, "summary")
	}
	if p.Spec.Chapters = old.Chapters; len(old.Chapters) > 0 {
		kept = append(kept, "chapters")
	}
	return kept, nil
}
