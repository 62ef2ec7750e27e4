package store

import (
	"context"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/host/object"
	hostprompt "github.com/mcpctl/mcpctl/host/prompt"
)

// Link is a prompt that links to a resource of another project.
type Link struct {
	Key       object.Key // of the prompt
	Target    string
	GrantedBy string // the actor who has granted it; "" if it is pending
}

// Links returns all links, sorted by project and name.
func (s *Store) Links(ctx context.Context) (links []Link, err error) {
	err = s.db.Read(ctx, func(tx *database.Tx) error {
		rows, err := tx.ListLinks(ctx)
		links = nil
		for _, row := range rows {
			key := object.Key{Kind: object.KindPrompt, Project: object.Name(row.Project), Name: object.Name(row.Name)}
			links = append(links, Link{key, row.LinkTarget, row.GrantedBy})
		}
		return err
	})
	return links, err
}

// Link returns one link.
//
// It returns abi.ErrNotFound for an unknown key, and for a prompt that is not a link.
func (s *Store) Link(ctx context.Context, key object.Key) (l Link, err error) {
	err = s.db.Read(ctx, func(tx *database.Tx) error {
		l, _, err = getLink(ctx, tx, key)
		return err
	})
	return l, err
}

func getLink(ctx context.Context, tx *database.Tx, key object.Key) (l Link, uid string, err error) {
	row, err := tx.GetObject(ctx, query.GetObjectParams{Kind: string(object.KindPrompt), Project: string(key.Project), Name: string(key.Name)})
	if database.IsNoRow(err) || err == nil && row.LinkTarget == "" {
		return l, "", fmt.Errorf("%w: link of %s", abi.ErrNotFound, key)
	}
	if err != nil {
		return l, "", err
	}
	l = Link{Key: key, Target: row.LinkTarget}
	l.GrantedBy, err = tx.GetLinkGrant(ctx, row.Uid)
	if database.IsNoRow(err) {
		err = nil
	}
	return l, row.Uid, err
}

// GrantLink grants a link, or withdraws the grant. check decides about the link, in the
// transaction, which holds the lock of the version.
//
// It returns abi.ErrNotFound for an unknown prompt and for one that is not a link, and the
// error of check.
func (s *Store) GrantLink(ctx context.Context, actor string, key object.Key, granted bool, check func(*database.Tx, Link) error) error {
	w := Write{Actor: actor, Authorize: func(object.Key, bool) error { return nil }}
	w.Alongside = func(ctx context.Context, tx *database.Tx) error {
		l, uid, err := getLink(ctx, tx, key)
		if err == nil {
			err = check(tx, l)
		}
		if err != nil {
			return err
		}
		if !granted {
			return tx.DeleteLinkGrant(ctx, uid)
		}
		return tx.PutLinkGrant(ctx, query.PutLinkGrantParams{Uid: uid, GrantedBy: actor, GrantedAt: s.now().UnixMicro()})
	}
	return s.Rewrite(ctx, w, key) // with a new version, so that readers learn the state of the link
}

// grantLink grants a link that is created by an actor who may.
func (t *transaction) grantLink(ctx context.Context, o object.Object, uid string) error {
	p, ok := o.(*object.Prompt)
	if !ok {
		return nil
	}
	source, _, _, isLink := p.Link()
	if !isLink || t.write.GrantsLink == nil || !t.write.GrantsLink(source) {
		return nil
	}
	return t.PutLinkGrant(ctx, query.PutLinkGrantParams{Uid: uid, GrantedBy: t.write.Actor, GrantedAt: t.micros})
}

// checkProposal applies the limits of proposals to a PromptRequest. They are those of sessions
// without a team server. A proposal for a prompt that the actor may not view is not compared to
// it; Approve refuses one for a link.
func (t *transaction) checkProposal(ctx context.Context, o object.Object, exists bool) error {
	p, ok := o.(*object.PromptRequest)
	if !ok {
		return nil
	}
	key := p.Key()
	if n := len(p.Spec.Content); n > hostprompt.MaxProposalBytes {
		return fmt.Errorf("%w: %s: content is %d bytes, limit %d", abi.ErrLimit, key, n, hostprompt.MaxProposalBytes)
	}
	if exists {
		return nil
	}
	open, err := t.CountObjectsOfProject(ctx, query.CountObjectsOfProjectParams{Kind: string(key.Kind), Project: string(key.Project)})
	if err != nil {
		return err
	}
	if open >= hostprompt.MaxOpenProposals {
		return fmt.Errorf("%w: project %q has %d open proposals, limit %d", abi.ErrLimit, key.Project, open, hostprompt.MaxOpenProposals)
	}
	key.Kind = object.KindPrompt
	if t.write.CanView == nil || !t.write.CanView(key) { // the answer must not confirm a guessed text
		return nil
	}
	now, err := get(ctx, t.Tx, key)
	if isNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	have, err := now.Object()
	if err != nil {
		return err
	}
	switch spec := have.(*object.Prompt).Spec; {
	case spec.LinkTarget != "":
		return fmt.Errorf("%w: %s is a link, choose another name", abi.ErrConflict, key)
	case spec.Content == p.Spec.Content:
		return fmt.Errorf("%w: %s says exactly this already", abi.ErrConflict, key)
	}
	return nil
}
