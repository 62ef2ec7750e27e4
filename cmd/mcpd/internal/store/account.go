package store

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/host/object"
)

// deleteAccount removes what belongs to a deleted user, service account or group: logins,
// memberships, bindings, grants of links and shared results. One that is created later with
// the same name gets none of them.
func (t *transaction) deleteAccount(ctx context.Context, key object.Key) error {
	switch key.Kind {
	case object.KindUser, object.KindServiceAccount:
		if err := errors.Join(t.deleteLogin(ctx, key), t.deleteGrants(ctx, key)); err != nil {
			return err
		}
	case object.KindGroup:
	default:
		return nil
	}
	for _, kind := range []object.Kind{object.KindGroup, object.KindRbacBinding} {
		rows, err := t.ListObjects(ctx, query.ListObjectsParams{Kind: string(kind), Limit: 1 << 30})
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := t.removeMention(ctx, row, key); err != nil {
				return err
			}
		}
	}
	return nil
}

// deleteLogin removes the ways in which a user or service account logs in.
func (t *transaction) deleteLogin(ctx context.Context, key object.Key) error {
	name := string(key.Name)
	if key.Kind == object.KindUser {
		if err := errors.Join(t.DeletePassword(ctx, name), t.DetachIdentity(ctx, name)); err != nil {
			return err
		}
	}
	return t.DeleteTokensOfSubject(ctx, query.DeleteTokensOfSubjectParams{SubjectKind: string(key.Kind), Subject: name}) // the change of the account reports their end
}

// deleteGrants withdraws the grants of links that an account has given, and removes the results
// of stages that it has shared.
func (t *transaction) deleteGrants(ctx context.Context, key object.Key) error {
	actor := strings.ToLower(string(key.Kind)) + " " + string(key.Name) // as access.Caller.Actor
	if _, err := t.DeleteCacheOfProducer(ctx, actor); err != nil {
		return err
	}
	links, err := t.ListLinks(ctx)
	if err != nil {
		return err
	}
	for _, l := range links {
		if l.GrantedBy != actor {
			continue
		}
		old, err := get(ctx, t.Tx, object.Key{Kind: object.KindPrompt, Project: object.Name(l.Project), Name: object.Name(l.Name)})
		if err != nil {
			return err
		}
		o, err := old.Object()
		if err != nil {
			return err
		}
		if err := t.DeleteLinkGrant(ctx, old.UID); err != nil {
			return err
		}
		if err := t.writeRows(ctx, o, old, true, Configured); err != nil { // with a new version, so that readers learn the state of the link
			return err
		}
	}
	return nil
}

// removeMention removes an account from a group or a binding. A binding without another
// subject is deleted, because it must have one.
func (t *transaction) removeMention(ctx context.Context, row query.Object, account object.Key) error {
	old, err := recordOf(row, nil)
	if err != nil {
		return err
	}
	o, err := old.Object()
	if err != nil {
		return err
	}
	switch o := o.(type) {
	case *object.Group:
		isMember := func(m object.Ref) bool { return account.Kind == object.KindUser && m.Name == account.Name }
		if !slices.ContainsFunc(o.Spec.Members, isMember) {
			return nil
		}
		o.Spec.Members = slices.DeleteFunc(o.Spec.Members, isMember)
	case *object.RbacBinding:
		isSubject := func(s object.RbacSubject) bool { return s.Kind == account.Kind && s.Name == account.Name }
		if !slices.ContainsFunc(o.Spec.Subjects, isSubject) {
			return nil
		}
		if o.Spec.Subjects = slices.DeleteFunc(o.Spec.Subjects, isSubject); len(o.Spec.Subjects) == 0 {
			return t.deleteOne(ctx, old)
		}
	}
	return t.writeRows(ctx, o, old, true, Configured)
}
