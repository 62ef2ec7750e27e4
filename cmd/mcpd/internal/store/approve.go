package store

import (
	"context"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/host/object"
)

// Approve converts a prompt request into a prompt of its name, and deletes the request. A
// prompt that exists is replaced; its summary and chapters, which describe the old text, are
// removed.
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
	if err := t.checkReplaced(ctx, p); err != nil {
		return nil, err
	}
	action, err := t.put(ctx, p)
	if err != nil {
		return nil, err
	}
	return []Applied{{Key: p.Key(), Action: action}}, t.delete(ctx, request, false)
}

// checkReplaced checks that the prompt of a request may be stored, and gives it the priority of the
// prompt that it replaces, unless the request has another one than the default: that is the
// priority of a request without one.
//
// It returns the error of Write.Authorize, and abi.ErrConflict if the prompt is a link: a proposal
// must not replace it.
func (t *transaction) checkReplaced(ctx context.Context, p *object.Prompt) error {
	key := p.Key()
	row, err := t.GetObject(ctx, query.GetObjectParams{Kind: string(key.Kind), Project: string(key.Project), Name: string(key.Name)})
	exists := err == nil
	if err != nil && !database.IsNoRow(err) {
		return err
	}
	if err := t.write.Authorize(key, exists); err != nil { // before an error tells what the prompt is
		return err
	}
	if !exists {
		return nil
	}
	if row.LinkTarget != "" {
		return fmt.Errorf("%w: %s is a link, which a proposal cannot replace; delete the prompt first", abi.ErrConflict, key)
	}
	if p.Spec.Priority == object.DefaultPriority {
		p.Spec.Priority = int(row.Priority)
	}
	return nil
}
