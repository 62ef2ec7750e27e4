package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/access"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/host/object"
)

var accountRoutes = []Route{
	{Method: "POST", Path: "/api/v1/auth/login", Rule: Public, Summary: "Exchange a password for a token", In: api.Login{}, Out: api.LoggedIn{}, answer: forAccount((*account).login)},
	{Method: "POST", Path: "/api/v1/auth/logout", Rule: Signed, Summary: "Revoke the token of this request", answer: forAccount((*account).logout)},
	{Method: "GET", Path: "/api/v1/auth/whoami", Rule: Signed, Summary: "Return the owner of the token", Out: api.Whoami{}, answer: forAccount((*account).whoami)},
	{Method: "POST", Path: "/api/v1/auth/can-i", Rule: Signed, Summary: "Report whether the caller may do something", In: api.CanI{}, Out: api.CanIAnswer{}, answer: forAccount((*account).canI)},
	{Method: "GET", Path: "/api/v1/auth/rules", Rule: Signed, Summary: "List what bindings allow the caller", Query: []string{"project"}, Out: []api.Rule{}, answer: forAccount((*account).rules)},
	{Method: "POST", Path: "/api/v1/auth/password", Rule: Signed, Summary: "Set the own password; administrators set those of others", In: api.PasswordChange{}, answer: forAccount((*account).setPassword)},
	{Method: "GET", Path: "/api/v1/tokens", Rule: Signed, Summary: "List the tokens of the caller; administrators see all", Out: []api.Token{}, answer: forAccount((*account).tokens)},
	{Method: "POST", Path: "/api/v1/tokens", Rule: Signed, Summary: "Create an API token; administrators create those of service accounts", In: api.TokenRequest{}, Out: api.Token{}, answer: forAccount((*account).newToken)},
	{Method: "DELETE", Path: "/api/v1/tokens/{id}", Rule: Signed, Summary: "Revoke an own token; administrators revoke any", answer: forAccount((*account).revoke)},
}

// account is one request about logins and tokens.
type account struct{ *call }

func forAccount(f func(*account) (any, error)) func(*call) (any, error) {
	return func(c *call) (any, error) { return f(&account{c}) }
}

// record adds what the caller did to the audit log.
func (c *account) record(action, decision, result, detail string) {
	c.Audit.Record(audit.Entry{Time: time.Now(), Actor: c.actor(), Action: action, Decision: decision, Result: result, Detail: detail})
}

func (c *account) login() (any, error) {
	var req api.Login
	if err := c.decode(&req); err != nil {
		return nil, err
	}
	token, caller, err := c.Access.Login(c.ctx(), req.User, string(req.Password), c.r.RemoteAddr)
	if err != nil {
		if wait, ok := errors.AsType[*access.WaitError](err); ok && wait.Repeated || errors.Is(err, context.Canceled) { // no password was verified
			return nil, err
		}
		result := problem.From(err).Message
		if errors.Is(err, access.ErrDisabled) {
			result = "the user is disabled"
		}
		c.Audit.Record(audit.Entry{Time: time.Now(), Actor: "unknown", Action: "login", Kind: string(object.KindUser), Name: clip(req.User), Decision: audit.Denied, Result: result, Detail: c.r.RemoteAddr})
		c.recorded = true
		return nil, err
	}
	c.caller = caller
	c.record("login", audit.Allowed, "ok", c.r.RemoteAddr)
	return api.LoggedIn{Token: api.Credential(token.Reveal()), User: string(caller.Name), Expires: caller.Expires}, nil
}

func (c *account) logout() (any, error) {
	err := c.Access.Revoke(c.ctx(), c.caller.ID(), func(access.Caller) error { return nil })
	c.record("logout", audit.Allowed, "ok", "")
	return struct{}{}, err
}

func (c *account) whoami() (any, error) {
	return api.Whoami{Kind: string(c.caller.Kind), Name: string(c.caller.Name), Groups: c.Access.Groups(c.caller), Expires: c.caller.Expires}, nil
}

func (c *account) canI() (any, error) {
	var req api.CanI
	if err := c.decode(&req); err != nil {
		return nil, err
	}
	verb := object.Verb(req.Verb)
	if !slices.Contains(object.Verbs(), verb) {
		return nil, problem.Usagef("verb %q is unknown, want one of %v", clip(req.Verb), object.Verbs())
	}
	kind, ok := object.ParseKind(req.Kind)
	if !ok {
		return nil, problem.Usagef("kind %q is unknown", clip(req.Kind))
	}
	key := object.Key{Kind: kind, Project: object.Name(req.Project), Name: object.Name(req.Name)}
	allowed := c.Access.Allows(c.caller, verb, key) || verb == object.VerbView && c.Access.CanView(c.caller, key)
	return api.CanIAnswer{Allowed: allowed, By: c.Access.Explain(c.caller, verb, key)}, nil
}

func (c *account) setPassword() (any, error) {
	var req api.PasswordChange
	if err := c.decode(&req); err != nil {
		return nil, err
	}
	user := cmp.Or(req.User, string(c.caller.Name))
	old := string(req.Old)
	present := &old
	if c.caller.Kind != object.KindUser || user != string(c.caller.Name) {
		if !c.Access.IsAdmin(c.caller) {
			return nil, problem.New(abi.ErrDenied, "%s may not set the password of user %q", c.actor(), clip(user))
		}
		present = nil
	}
	if err := c.Access.SetPassword(c.ctx(), user, present, string(req.New)); err != nil {
		if errors.Is(err, access.ErrLogin) {
			c.Audit.Record(audit.Entry{Time: time.Now(), Actor: c.actor(), Action: "password", Kind: string(object.KindUser), Name: user, Decision: audit.Denied, Result: problem.From(err).Message})
		}
		return nil, err
	}
	c.Audit.Record(audit.Entry{Time: time.Now(), Actor: c.actor(), Action: "password", Kind: string(object.KindUser), Name: user, Decision: audit.Allowed, Result: "ok"})
	return struct{}{}, nil
}

func (c *account) tokens() (any, error) {
	all, err := c.Access.Tokens(c.ctx())
	if err != nil {
		return nil, err
	}
	admin := c.Access.IsAdmin(c.caller)
	out := []api.Token{}
	for _, t := range all {
		if admin || t.Owner.Kind == c.caller.Kind && t.Owner.Name == c.caller.Name {
			out = append(out, tokenOf(t))
		}
	}
	return out, nil
}

func tokenOf(t access.TokenInfo) api.Token {
	out := api.Token{ID: t.ID, Name: cmp.Or(t.Label, "login"), Created: t.Created, Expires: t.Owner.Expires, LastUsed: t.LastUsed}
	if t.Owner.Kind == object.KindServiceAccount {
		out.ServiceAccount = string(t.Owner.Name)
	} else {
		out.User = string(t.Owner.Name)
	}
	return out
}

func (c *account) newToken() (any, error) {
	var req api.TokenRequest
	if err := c.decode(&req); err != nil {
		return nil, err
	}
	if req.Name == "" || len(req.Name) > 100 || strings.ContainsFunc(req.Name, unicode.IsControl) {
		return nil, problem.Usagef("a token needs a name of at most 100 bytes without control characters, by which it is recognised later")
	}
	life := access.DefaultLife
	if req.TTL != "" {
		d, err := time.ParseDuration(req.TTL)
		if err != nil || d < time.Minute || d > access.MaxLife {
			return nil, problem.Usagef("ttl is %q, want a duration from 1m to %v", clip(req.TTL), access.MaxLife)
		}
		life = d
	}
	if c.caller.IsAPI { // a token must not outlive the one that created it
		life = min(life, time.Until(c.caller.Expires))
	}
	g := access.Grant{Kind: c.caller.Kind, Name: c.caller.Name, UID: c.caller.UID(), Label: req.Name, Life: life, By: c.actor()}
	if req.ServiceAccount != "" {
		g.Kind, g.Name, g.UID = object.KindServiceAccount, object.Name(req.ServiceAccount), ""
		if err := c.Access.Authorize(c.caller, object.VerbAdmin, object.Key{Kind: g.Kind, Name: g.Name}); err != nil {
			return nil, err
		}
	}
	token, owner, err := c.Access.Issue(c.ctx(), g)
	if errors.Is(err, abi.ErrConflict) {
		return nil, problem.From(err).WithHint("mcpctl token list")
	}
	if err != nil {
		return nil, err
	}
	c.Audit.Record(audit.Entry{Time: time.Now(), Actor: c.actor(), Action: "create token", Kind: string(g.Kind), Name: string(g.Name), Decision: audit.Allowed, Result: "ok", Detail: owner.ID()})
	out := tokenOf(access.TokenInfo{ID: owner.ID(), Owner: owner, Label: req.Name, Created: time.Now()})
	out.Token = api.Credential(token.Reveal())
	return out, nil
}

func (c *account) revoke() (any, error) {
	id := c.r.PathValue("id")
	err := c.Access.Revoke(c.ctx(), id, func(owner access.Caller) error {
		if owner.Kind == c.caller.Kind && owner.Name == c.caller.Name || c.Access.IsAdmin(c.caller) {
			return nil
		}
		return fmt.Errorf("%w: token %q", abi.ErrNotFound, clip(id))
	})
	if err != nil {
		return nil, err
	}
	c.record("revoke token", audit.Allowed, "ok", id)
	return struct{}{}, nil
}
