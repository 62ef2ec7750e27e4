package web

import (
	"errors"
	"net"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/access"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/oidc"
	"github.com/mcpctl/mcpctl/host/object"
)

// deviceRoutes are about logins by an OpenID Connect issuer.
var deviceRoutes = []Route{
	{Method: "POST", Path: "/api/v1/auth/device", Rule: Public, Summary: "Begin a login by the OpenID Connect issuer", Out: api.DeviceLogin{}, answer: forAccount((*account).startDevice)},
	{Method: "POST", Path: "/api/v1/auth/device/poll", Rule: Public, Summary: "Exchange a login that the user has confirmed for a token", In: api.DevicePoll{}, Out: api.DeviceResult{}, answer: forAccount((*account).pollDevice)},
	{Method: "GET", Path: "/api/v1/identities", Rule: Admin, Summary: "List the users of the OpenID Connect issuer", Out: []api.Identity{}, answer: forAccount((*account).identities)},
	{Method: "PUT", Path: "/api/v1/identities", Rule: Admin, Summary: "Make an identity log in as a user that exists", In: api.Identity{}, answer: forAccount((*account).bindIdentity)},
	{Method: "DELETE", Path: "/api/v1/identities", Rule: Admin, Summary: "Remove an identity whose user was deleted, so that it can log in for the first time again", Query: []string{"issuer", "subject"}, answer: forAccount((*account).forgetIdentity)},
}

// errNoIssuer is the error of a login by an issuer that is not configured.
var errNoIssuer = problem.New(abi.ErrNotFound, "this server has no OpenID Connect issuer; log in with a password")

// errNotAdmitted is the error of a login that Access.Admit refuses. The reason, which names
// users, groups and bindings, is in the log and in the audit log.
var errNotAdmitted = problem.New(abi.ErrDenied, "this login is not permitted; ask an administrator, for whom the audit log has the reason")

// host returns the address of the client without its port.
func (c *account) host() string {
	host, _, err := net.SplitHostPort(c.r.RemoteAddr)
	if err != nil {
		return c.r.RemoteAddr
	}
	return host
}

func (c *account) startDevice() (any, error) {
	if c.Logins == nil {
		return nil, errNoIssuer
	}
	started, err := c.Logins.Start(c.ctx(), c.host())
	if err != nil {
		return nil, waitAfter(err)
	}
	return api.DeviceLogin{
		Handle: api.Credential(started.Handle.Reveal()), UserCode: started.UserCode,
		VerificationURI: started.VerificationURI, VerificationURIComplete: started.VerificationURIComplete,
		Interval: int(started.Interval / time.Second), Expires: started.Expires,
	}, nil
}

// waitAfter returns an access.WaitError for a limit of logins in a minute, otherwise err.
func waitAfter(err error) error {
	if errors.Is(err, abi.ErrLimit) {
		return &access.WaitError{Message: problem.From(err).Message, After: time.Minute}
	}
	return err
}

func (c *account) pollDevice() (any, error) {
	if c.Logins == nil {
		return nil, errNoIssuer
	}
	var req api.DevicePoll
	if err := c.decode(&req); err != nil {
		return nil, err
	}
	id, err := c.Logins.Poll(c.ctx(), string(req.Handle), c.host())
	switch {
	case errors.Is(err, oidc.ErrPending):
		return api.DeviceResult{State: api.DevicePending}, nil
	case errors.Is(err, oidc.ErrSlowDown):
		return api.DeviceResult{State: api.DeviceSlowDown}, nil
	case errors.Is(err, oidc.ErrExpired):
		return nil, errors.Join(err, problem.New(abi.ErrNotFound, "%v", err))
	case err != nil:
		return nil, waitAfter(err)
	}
	if n := len(id.SkippedGroups); n > 0 {
		c.Log.Warn("groups of a user are no valid names and were skipped", "issuer", id.Issuer, "subject", id.Subject, "groups", id.SkippedGroups)
	}
	user, err := c.Access.Admit(c.ctx(), id)
	if err != nil {
		if !errors.Is(err, abi.ErrUnavailable) {
			c.Audit.Record(audit.Entry{Time: time.Now(), Actor: "unknown", Action: "login", Kind: string(object.KindUser), Name: string(id.Name), Decision: audit.Denied,
				Result: problem.From(err).Message, Detail: c.origin(id)})
			c.recorded = true
		}
		if errors.Is(err, abi.ErrConflict) || errors.Is(err, abi.ErrDenied) {
			c.Log.Warn("a login by the issuer was refused", "issuer", id.Issuer, "subject", id.Subject, "cause", err)
			err = errNotAdmitted
		}
		return nil, err
	}
	c.sync()
	token, caller, err := c.Access.IssueLogin(c.ctx(), id, user)
	if err != nil {
		return nil, err
	}
	c.caller = caller
	c.record("login", audit.Allowed, "ok", c.origin(id))
	return api.DeviceResult{State: api.DeviceDone, LoggedIn: &api.LoggedIn{Token: api.Credential(token.Reveal()), User: string(user), Expires: caller.Expires}}, nil
}

// origin describes a login by an issuer for the audit log.
func (c *account) origin(id oidc.Identity) string {
	return c.r.RemoteAddr + " issuer " + id.Issuer + " subject " + id.Subject
}

func (c *account) identities() (any, error) {
	all, err := c.Access.Identities(c.ctx())
	if err != nil {
		return nil, err
	}
	out := []api.Identity{}
	for _, id := range all {
		one := api.Identity{Issuer: id.Issuer, Subject: id.Subject, User: string(id.User)}
		for _, g := range id.Groups {
			one.Groups = append(one.Groups, string(g))
		}
		out = append(out, one)
	}
	return out, nil
}

// Limits of the parts of an identity.
const (
	maxIssuer  = 2048
	maxSubject = 255
)

func (c *account) bindIdentity() (any, error) {
	var req api.Identity
	if err := c.decode(&req); err != nil {
		return nil, err
	}
	switch {
	case req.Issuer == "" || len(req.Issuer) > maxIssuer, req.Subject == "" || len(req.Subject) > maxSubject:
		return nil, problem.Usagef("an identity needs an issuer of at most %d bytes and a subject of at most %d", maxIssuer, maxSubject)
	case req.Groups != nil:
		return nil, problem.Usagef("groups cannot be set; they are those of the issuer at the next login")
	}
	key := object.Key{Kind: object.KindUser, Name: object.Name(req.User)}
	if err := key.Check(); err != nil {
		return nil, problem.Usagef("%s %v", key, err)
	}
	if err := c.Access.BindIdentity(c.ctx(), c.actor(), access.Identity{Issuer: req.Issuer, Subject: req.Subject, User: key.Name}); err != nil {
		return nil, err
	}
	c.Audit.Record(audit.Entry{Time: time.Now(), Actor: c.actor(), Action: "bind identity", Kind: string(key.Kind), Name: req.User, Decision: audit.Allowed, Result: "ok", Detail: "issuer " + req.Issuer + " subject " + req.Subject})
	c.sync()
	return struct{}{}, nil
}

func (c *account) forgetIdentity() (any, error) {
	issuer, subject := c.query("issuer"), c.query("subject")
	if err := c.Access.ForgetIdentity(c.ctx(), issuer, subject); err != nil {
		return nil, err
	}
	c.record("forget identity", audit.Allowed, "ok", "issuer "+issuer+" subject "+subject)
	return struct{}{}, nil
}
