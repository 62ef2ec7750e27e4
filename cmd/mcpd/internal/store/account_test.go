package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/host/object"
)

// A deleted account is removed from groups, bindings, grants of links and shared results, so
// that another one of its name does not get its rights.
func TestDeleteAccount(t *testing.T) {
	const objects = `
kind: User
metadata: {name: x}
---
kind: User
metadata: {name: other}
---
kind: ServiceAccount
metadata: {name: x}
---
kind: Group
metadata: {name: x}
spec: {members: [x, other], issuerGroup: web}
---
kind: Group
metadata: {name: others}
spec: {members: [other]}
---
kind: RbacBinding
metadata: {name: all}
spec: {subjects: [{user: x}, {group: x}, {serviceAccount: x}, {user: other}], verbs: [view]}
---
kind: RbacBinding
metadata: {name: user}
spec: {subjects: [{user: x}], verbs: [admin]}
---
kind: RbacBinding
metadata: {name: group}
spec: {subjects: [{group: x}], verbs: [admin]}
---
kind: RbacBinding
metadata: {name: account}
spec: {subjects: [{serviceAccount: x}], verbs: [admin]}
---
kind: Prompt
metadata: {name: link, project: p}
spec: {linkTarget: 'p/s:file:///x'}
`
	for _, tt := range []struct {
		kind    object.Kind
		changes []string
		granted string // who has granted the link, which "user x" did
		shared  string // the producers of shared results
	}{
		{object.KindUser, []string{`user "x" deleted`, `prompt "p/link" put`, `group "x" put [other] web`, `rbacbinding "all" put [Group x ServiceAccount x User other]`, `rbacbinding "user" deleted`}, "", "serviceaccount x"},
		{object.KindGroup, []string{`group "x" deleted`, `rbacbinding "all" put [User x ServiceAccount x User other]`, `rbacbinding "group" deleted`}, "user x", "serviceaccount x, user x"},
		{object.KindServiceAccount, []string{`serviceaccount "x" deleted`, `rbacbinding "account" deleted`, `rbacbinding "all" put [User x Group x User other]`}, "user x", "user x"},
	} {
		t.Run(string(tt.kind), func(t *testing.T) {
			each(t, func(t *testing.T, s *Store) {
				ctx := t.Context()
				if _, err := s.Apply(ctx, anna, decode(t, objects)); err != nil {
					t.Fatal(err)
				}
				link := key(object.KindPrompt, "p", "link")
				if err := s.GrantLink(ctx, "user x", link, true, func(*database.Tx, Link) error { return nil }); err != nil {
					t.Fatal(err)
				}
				var version int64
				err := s.db.Write(ctx, func(tx *database.Tx) (err error) {
					for _, producer := range []string{"user x", "serviceaccount x"} {
						if err := tx.PutCacheRow(ctx, query.PutCacheRowParams{Project: "u", Hash: make([]byte, 32), Producer: producer, Value: []byte("v"), Signature: make([]byte, 64)}); err != nil {
							return err
						}
					}
					version, err = tx.GetCounter(ctx, "version")
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				if err := s.Delete(ctx, anna, key(tt.kind, "", "x"), false); err != nil {
					t.Fatal(err)
				}
				changes, err := s.Changes(ctx, version, 100)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, c := range changes {
					got = append(got, describe(t, c))
				}
				slices.Sort(got[1:])
				want := slices.Clone(tt.changes)
				slices.Sort(want[1:])
				if !slices.Equal(got, want) {
					t.Errorf("changes\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
				if l, err := s.Link(ctx, link); err != nil || l.GrantedBy != tt.granted {
					t.Errorf("the link is granted by %q, %v, want %q", l.GrantedBy, err, tt.granted)
				}
				if shared := producers(t, s); shared != tt.shared {
					t.Errorf("results of %s are shared, want those of %s", shared, tt.shared)
				}
			})
		})
	}
}

// describe returns a change with the accounts that the object names.
func describe(t *testing.T, c Change) string {
	t.Helper()
	if c.Delete {
		return c.Key.String() + " deleted"
	}
	text := c.Key.String() + " put"
	o, err := c.Record.Object()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	switch o := o.(type) {
	case *object.Group:
		for _, m := range o.Spec.Members {
			names = append(names, string(m.Name))
		}
		return fmt.Sprintf("%s %v %s", text, names, o.Spec.IssuerGroup)
	case *object.RbacBinding:
		for _, s := range o.Spec.Subjects {
			names = append(names, string(s.Kind)+" "+string(s.Name))
		}
		return fmt.Sprintf("%s %v", text, names)
	}
	return text
}

// producers returns who has stored shared results.
func producers(t *testing.T, s *Store) string {
	t.Helper()
	var names []string
	err := s.db.Read(t.Context(), func(tx *database.Tx) error {
		rows, err := tx.ListCacheRows(context.Background(), query.ListCacheRowsParams{Project: "u", Hash: make([]byte, 32), Limit: 10})
		for _, r := range rows {
			names = append(names, r.Producer)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, ", ")
}
