// Package access knows who a caller of mcpd is and what it may do: logins, tokens, and the
// rights that the bindings of the store give. Rights are decided in memory; the feed keeps
// them current.
package access

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/password"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/rbac"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
)

// Caller is the owner of a token.
type Caller struct {
	Kind    object.Kind // KindUser or KindServiceAccount
	Name    object.Name
	Expires time.Time // of the token
	IsAPI   bool      // the token is an API token, and not that of a login

	uid     string // of the account; "" for a Caller that was not authenticated
	tokenID string
	hash    [32]byte
}

// Actor returns the caller as in the audit log: "user anna".
func (c Caller) Actor() string { return strings.ToLower(string(c.Kind)) + " " + string(c.Name) }

// Access decides who callers are and what they may do. It is safe for concurrent use.
type Access struct {
	db     *database.DB
	store  *store.Store
	hasher *password.Hasher
	now    func() time.Time
	logins throttle // of users and networks
	checks throttle // of the present password of a user who is logged in
	busy   notice   // that too many passwords are being verified
	tokens tokenCache
	used   usedTokens
	rights atomic.Pointer[rights]
	uses   uses

	history history
	issuer  string // whose groups count
}

// rights are the accounts and bindings of one version of the store.
type rights struct {
	groups   map[object.Name][]string // of each user, sorted
	accounts map[object.Key]account   // users and service accounts
	policy   *rbac.Policy
	marks    map[rbac.Subject]uint64 // of the rights of each user and service account; see marksOf
}

// account is a user or service account.
type account struct {
	uid      string
	disabled bool
}

// Open returns the Access of a store. Call Apply with nil before the first request; feed.Open
// does so.
func Open(db *database.DB, s *store.Store) *Access {
	return &Access{db: db, store: s, hasher: password.New(password.Options{}), now: time.Now}
}

// Apply makes changes of the store effective. nil means that all may have changed.
func (a *Access) Apply(ctx context.Context, changes []store.Change) error {
	if err := applyUses(ctx, a, changes); err != nil {
		return err
	}
	if slices.ContainsFunc(changes, func(c store.Change) bool { return c.Key.Kind == store.KindToken }) {
		a.tokens.clear()
	}
	if changes != nil && !slices.ContainsFunc(changes, func(c store.Change) bool { return isManaged(c.Key.Kind) }) {
		return nil
	}
	return a.refresh(ctx)
}

// accountKinds are the kinds that decide about rights.
var accountKinds = []object.Kind{object.KindUser, object.KindGroup, object.KindServiceAccount, object.KindRbacBinding}

// pageSize is the number of objects that are read at once.
const pageSize = 500

// refresh reads all accounts and bindings. Later requests are decided by them.
func (a *Access) refresh(ctx context.Context) error {
	r := &rights{groups: make(map[object.Name][]string), accounts: make(map[object.Key]account)}
	list, uids, err := accountsOf(ctx, a)
	if err != nil {
		return err
	}
	identities, err := a.Identities(ctx)
	if err != nil {
		return err
	}
	addIssuerGroups(a.issuer, identities, list)
	for _, o := range list {
		switch o := o.(type) {
		case *object.User:
			r.accounts[o.Key()] = account{uids[o.Key()], o.Spec.Disabled}
		case *object.ServiceAccount:
			r.accounts[o.Key()] = account{uid: uids[o.Key()]}
		}
	}
	for _, o := range list {
		if g, ok := o.(*object.Group); ok {
			for _, m := range g.Spec.Members {
				r.groups[m.Name] = append(r.groups[m.Name], string(g.Name()))
			}
		}
	}
	r.policy, r.marks = rbac.Compile(rbac.Select(list)), marksOf(list)
	version, err := a.store.Version(ctx)
	if err != nil {
		return err
	}
	a.history.note(a.rights.Load(), r, version) // before they are in force, so that no stream misses them
	a.rights.Store(r)
	a.tokens.clear()
	return nil
}

// accountsOf returns the accounts and bindings of the store, and their uids.
func accountsOf(ctx context.Context, a *Access) (list []object.Object, uids map[object.Key]string, err error) {
	uids = make(map[object.Key]string)
	for _, kind := range accountKinds {
		add := func(o object.Object, uid string) { list, uids[o.Key()] = append(list, o), uid }
		if err := each(ctx, a, kind, add); err != nil {
			return nil, nil, err
		}
	}
	return list, uids, nil
}

// KeepsAdmin returns abi.ErrConflict if an administrator would not be one after objects are
// stored and one is removed (the zero Key: none). Only administrators change rights, so one is
// always left, unless two take the rights of each other at the same moment.
func (a *Access) KeepsAdmin(ctx context.Context, c Caller, stored []object.Object, removed object.Key) error {
	changes := func(o object.Object) bool { return isManaged(o.Key().Kind) }
	if !isManaged(removed.Kind) && !slices.ContainsFunc(stored, changes) || !a.IsAdmin(c) {
		return nil
	}
	list, _, err := accountsOf(ctx, a)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(o object.Object) bool { return o.Key() == removed })
	for _, o := range stored {
		if g, ok := o.(*object.Group); ok { // addIssuerGroups must not change what is stored
			group := *g
			group.Spec.Members = slices.Clone(g.Spec.Members)
			o = &group
		}
		list = append(list, o)
	}
	identities, err := a.Identities(ctx)
	if err != nil {
		return err
	}
	return checkAdmin(a, c, list, identities)
}

// KeepsAdminIn returns abi.ErrConflict if a caller is not an administrator by what is stored at
// the end of a transaction.
func (a *Access) KeepsAdminIn(ctx context.Context, tx *database.Tx, c Caller) error {
	var list []object.Object
	for _, kind := range accountKinds {
		rows, err := tx.ListObjects(ctx, query.ListObjectsParams{Kind: string(kind), Limit: 1 << 30})
		if err != nil {
			return err
		}
		for _, row := range rows {
			objects, _, err := object.Decode(row.Name, []byte(row.Manifest))
			if err != nil {
				return err
			}
			list = append(list, objects...)
		}
	}
	identities, err := listIdentities(ctx, tx)
	if err != nil {
		return err
	}
	return checkAdmin(a, c, list, identities)
}

// checkAdmin returns abi.ErrConflict if accounts and bindings do not make a caller an
// administrator.
func checkAdmin(a *Access, c Caller, list []object.Object, identities []Identity) error {
	addIssuerGroups(a.issuer, identities, list)
	if after := rbac.Compile(rbac.Select(list)); after.Allows(subjectOf(c), adminRequest()) {
		return nil
	}
	return fmt.Errorf("%w: %s would no longer be an administrator; another administrator can make this change", abi.ErrConflict, c.Actor())
}

func each(ctx context.Context, a *Access, kind object.Kind, f func(o object.Object, uid string)) error {
	page := store.Page{Kind: kind, Limit: pageSize}
	for {
		records, _, err := a.store.List(ctx, page)
		if err != nil {
			return err
		}
		for _, rec := range records {
			o, err := rec.Object()
			if err != nil {
				return err
			}
			f(o, rec.UID)
		}
		if len(records) < page.Limit {
			return nil
		}
		page.After = records[len(records)-1].Key
	}
}

// Groups returns the groups of a user, sorted.
func (a *Access) Groups(c Caller) []string {
	if c.Kind != object.KindUser {
		return nil
	}
	return a.rights.Load().groups[c.Name]
}

// isActive reports whether an account exists and may be used.
func (r *rights) isActive(kind object.Kind, name object.Name) bool {
	a, ok := r.accounts[object.Key{Kind: kind, Name: name}]
	return ok && !a.disabled
}

// isOf reports whether the account of a caller is still the one that it was when the caller was
// authenticated. One that was created later with the same name is another one.
func (r *rights) isOf(c Caller) bool {
	return c.uid == "" || r.accounts[object.Key{Kind: c.Kind, Name: c.Name}].uid == c.uid
}

// allows reports whether a caller may do something.
func (r *rights) allows(c Caller, what rbac.Request) bool {
	return r.isOf(c) && r.policy.Allows(subjectOf(c), what)
}

// isManaged reports whether only administrators may change a kind, because a change of it
// changes rights.
func isManaged(kind object.Kind) bool { return slices.Contains(accountKinds, kind) }

// Allows reports whether a caller may do something with an object. Accounts, bindings and
// system prompts are changed by administrators only. All callers view system prompts,
// because the sessions of all projects begin with them.
func (a *Access) Allows(c Caller, verb object.Verb, key object.Key) bool {
	if verb == object.VerbView && (key.Kind == object.KindPrompt && key.Project == object.SystemProject || key.Kind == object.KindProject && key.Name == object.SystemProject) {
		return true
	}
	return a.rights.Load().allows(c, requestOf(verbFor(verb, key), key))
}

// verbFor returns the verb that a binding must have.
func verbFor(verb object.Verb, key object.Key) object.Verb {
	if verb != object.VerbView && (isManaged(key.Kind) || key.Project == object.SystemProject) {
		return object.VerbAdmin
	}
	return verb
}

// HoldsGrant reports whether the caller that granted a link may still grant it: it may edit
// the source project.
func (a *Access) HoldsGrant(actor string, source object.Name) bool {
	kind, name, _ := strings.Cut(actor, " ")
	for _, k := range []object.Kind{object.KindUser, object.KindServiceAccount} {
		if c := (Caller{Kind: k, Name: object.Name(name)}); c.Actor() == kind+" "+name {
			return a.Allows(c, object.VerbEdit, object.Key{Kind: object.KindProject, Name: source})
		}
	}
	return false
}

// CanView reports whether a caller may see an object: by the verb view, or a Server that it
// may run in a project that uses it.
func (a *Access) CanView(c Caller, key object.Key) bool {
	if a.Allows(c, object.VerbView, key) {
		return true
	}
	return key.Kind == object.KindServer && slices.ContainsFunc(a.uses.projectsOf(key.Name), func(p object.Name) bool { return a.AllowsRun(c, key.Name, p) })
}

// AllowsRun reports whether a caller may use a Server in a project, which uses the Server.
func (a *Access) AllowsRun(c Caller, server, project object.Name) bool {
	return a.rights.Load().allows(c, rbac.Request{Verb: object.VerbRun, Kind: object.KindServer, Project: project, Name: server})
}

// Explain returns the names of the bindings that allow what Allows reports.
func (a *Access) Explain(c Caller, verb object.Verb, key object.Key) []string {
	return a.rights.Load().policy.Explain(subjectOf(c), requestOf(verbFor(verb, key), key))
}

// IsAdmin reports whether a caller may do everything.
func (a *Access) IsAdmin(c Caller) bool {
	return a.rights.Load().allows(c, adminRequest())
}

// adminRequest is what only administrators may do.
func adminRequest() rbac.Request {
	return requestOf(object.VerbAdmin, object.Key{Kind: object.KindRbacBinding, Name: allNames})
}

// allNames is matched only by globs that match all names: it is longer than a glob can be, and
// has characters that none contains.
var allNames = object.Name(strings.Repeat("/", 100))

// AuthorizeWrite returns abi.ErrDenied if a caller may not write an object: create it, or edit
// it if it exists. The error does not tell whether an object exists that the caller may not
// view.
func (a *Access) AuthorizeWrite(c Caller, key object.Key, exists bool) error {
	verb := object.VerbCreate
	if exists && (a.Allows(c, object.VerbEdit, key) || a.Allows(c, object.VerbCreate, key) || a.CanView(c, key)) {
		verb = object.VerbEdit
	}
	return a.Authorize(c, verb, key)
}

// Authorize returns abi.ErrDenied if a caller may not do something with an object.
func (a *Access) Authorize(c Caller, verb object.Verb, key object.Key) error {
	if a.Allows(c, verb, key) {
		return nil
	}
	return fmt.Errorf("%w: %s may not %s %s; an administrator can add a binding", abi.ErrDenied, c.Actor(), verb, key)
}

func subjectOf(c Caller) rbac.Subject { return rbac.Subject{Kind: c.Kind, Name: c.Name} }

func requestOf(verb object.Verb, key object.Key) rbac.Request {
	return rbac.Request{Verb: verb, Kind: key.Kind, Project: key.Project, Name: key.Name}
}
