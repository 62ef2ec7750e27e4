package store

import (
	"context"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/host/object"
)

// delete removes one object and what belongs to it.
func (t *transaction) delete(ctx context.Context, key object.Key, force bool) error {
	old, err := get(ctx, t.Tx, key)
	exists := err == nil
	if err != nil && !isNotFound(err) {
		return err
	}
	if err := t.write.Authorize(key, exists); err != nil {
		return err
	}
	if !exists {
		return err
	}
	if err := checkBase(t.write.Base, key, old, exists); err != nil {
		return err
	}
	if key.Kind == object.KindProject {
		if err := t.deleteChildren(ctx, key, force); err != nil {
			return err
		}
	}
	return t.deleteOne(ctx, old)
}

// maxNamed is the number of objects that an error names.
const maxNamed = 5

// deleteChildren removes the objects of a project.
func (t *transaction) deleteChildren(ctx context.Context, project object.Key, force bool) error {
	var names []string // that an error may contain
	count := 0
	for _, kind := range []object.Kind{object.KindPrompt, object.KindPromptRequest} {
		rows, err := t.ListObjectsOfProject(ctx, query.ListObjectsOfProjectParams{Kind: string(kind), Project: string(project.Name), Limit: 1 << 30})
		if err != nil {
			return err
		}
		for _, row := range rows {
			r, err := recordOf(row, nil)
			if err != nil {
				return err
			}
			count++
			isVisible := t.write.CanView != nil && t.write.CanView(r.Key)
			if isVisible && len(names) < maxNamed {
				names = append(names, row.Name)
			}
			if !force {
				continue
			}
			if err := t.write.Authorize(r.Key, true); err != nil {
				if !isVisible {
					return fmt.Errorf("%w: %s may not delete all prompts of %s", abi.ErrDenied, t.write.Actor, project)
				}
				return err
			}
			if err := t.deleteOne(ctx, r); err != nil {
				return err
			}
		}
	}
	switch {
	case count == 0 || force:
		return nil
	case len(names) == 0:
		return fmt.Errorf("%w: %s has prompts: %d; --force deletes them too", abi.ErrConflict, project, count)
	}
	more := ""
	if n := count - len(names); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Errorf("%w: %s has prompts: %v%s; --force deletes them too", abi.ErrConflict, project, names, more)
}

func (t *transaction) deleteOne(ctx context.Context, r Record) error {
	t.version++
	body, err := t.bodyOf(ctx, r.Key, true)
	if err != nil {
		return err
	}
	if err := t.DeleteObject(ctx, query.DeleteObjectParams{Kind: string(r.Key.Kind), Project: string(r.Key.Project), Name: string(r.Key.Name)}); err != nil {
		return err
	}
	if body != nil {
		if err := t.DeleteUnusedBlob(ctx, body); err != nil {
			return err
		}
	}
	if err := t.DeleteSecret(ctx, r.UID); err != nil {
		return err
	}
	if err := t.DeleteLinkGrant(ctx, r.UID); err != nil {
		return err
	}
	if err := t.DeleteCacheOfProject(ctx, r.UID); err != nil {
		return err
	}
	if err := t.record(ctx, opDelete, r, string(Deleted)); err != nil {
		return err
	}
	return t.deleteAccount(ctx, r.Key)
}

// prune deletes the prompts of the projects of Write.Prune that are not among the stored ones.
func (t *transaction) prune(ctx context.Context, stored []Applied) (done []Applied, err error) {
	kept := make(map[object.Key]bool)
	for _, a := range stored {
		kept[a.Key] = true
	}
	for _, project := range t.write.Prune {
		rows, err := t.ListObjectsOfProject(ctx, query.ListObjectsOfProjectParams{Kind: string(object.KindPrompt), Project: string(project), Limit: 1 << 30})
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			r, err := recordOf(row, nil)
			if err != nil {
				return nil, err
			}
			if kept[r.Key] {
				continue
			}
			ok, err := t.write.PruneIf(r.Key)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			if err := t.deleteOne(ctx, r); err != nil {
				return nil, err
			}
			done = append(done, Applied{Key: r.Key, Action: Deleted})
		}
	}
	return done, nil
}
