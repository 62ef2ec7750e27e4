package oidc

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	gooidc "github.com/coreos/go-oidc/v3/oidc"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/object"
)

// Identity is a user whom an issuer has identified. Issuer and Subject together are the
// user; all other fields can change from login to login.
type Identity struct {
	Issuer, Subject string
	// Name is a label: the proposed name of a new user. Two subjects can have the same.
	Name object.Name
	// Email is "" unless the issuer has verified the address.
	Email string
	// Groups are sorted and exactly those of the claim.
	Groups []object.Name
	// SkippedGroups are some of the groups that are no valid names, for the log: at most 10.
	SkippedGroups []string
}

const (
	maxSubject = 255  // bytes; OpenID Connect Core, section 2
	maxGroups  = 1000 // of a user
	maxSkipped = 10
	maxEmail   = 254 // bytes; RFC 5321
)

// identify returns the user of a verified id token.
func (p *Provider) identify(token *gooidc.IDToken) (Identity, error) {
	var c claims
	if err := token.Claims(&c); err != nil {
		return Identity{}, fmt.Errorf("%w: the claims of the id token: %s", abi.ErrDenied, printable(err.Error()))
	}
	if err := p.checkParty(token, c); err != nil {
		return Identity{}, err
	}
	if token.Subject == "" || len(token.Subject) > maxSubject || strings.ContainsFunc(token.Subject, isNotASCII) {
		return Identity{}, fmt.Errorf("%w: the subject of the id token has %d bytes, want 1 to %d printable ASCII characters", abi.ErrDenied, len(token.Subject), maxSubject)
	}
	// The issuer is that of the Config, because go-oidc accepts two spellings of Google's.
	id := Identity{Issuer: p.cfg.Issuer, Subject: token.Subject, Email: c.verifiedEmail()}
	if err := p.checkDomain(id.Email); err != nil {
		return Identity{}, err
	}
	var err error
	if id.Name, err = p.nameOf(c); err != nil {
		return Identity{}, err
	}
	if id.Groups, id.SkippedGroups, err = p.groupsOf(c); err != nil {
		return Identity{}, err
	}
	return id, nil
}

func isNotASCII(r rune) bool { return r < ' ' || r > '~' }

// checkParty verifies that the token was issued to mcpd and not to another client that
// shares the audience: OpenID Connect Core, section 3.1.3.7, rules 4 and 5.
func (p *Provider) checkParty(token *gooidc.IDToken, c claims) error {
	party, ok := c.text("azp")
	if _, has := c["azp"]; has && (!ok || party != p.cfg.ClientID) || !has && len(token.Audience) > 1 {
		return fmt.Errorf("%w: the id token was issued to another client (azp is %.100q, want %q)", abi.ErrDenied, party, p.cfg.ClientID)
	}
	return nil
}

// checkDomain verifies that a user with a verified address may log in.
func (p *Provider) checkDomain(email string) error {
	if len(p.cfg.AllowedDomains) == 0 {
		return nil
	}
	if email == "" {
		return fmt.Errorf("%w: the id token has no verified e-mail address (claims email and email_verified), which allowedDomains requires", abi.ErrDenied)
	}
	domain := lowerASCII(email[strings.LastIndexByte(email, '@')+1:])
	if !slices.Contains(p.cfg.AllowedDomains, domain) {
		return fmt.Errorf("%w: users of the domain %q may not log in", abi.ErrDenied, domain)
	}
	return nil
}

// nameOf derives the name of a new user: the claim in lower case, of an address the part
// before the @. Nothing is replaced; other characters are an error.
func (p *Provider) nameOf(c claims) (object.Name, error) {
	text, ok := c.text(p.cfg.UserClaim)
	if !ok || text == "" {
		return "", fmt.Errorf("%w: the id token has no text in the claim %q; set userClaim to one of %s", abi.ErrConfig, p.cfg.UserClaim, c.names())
	}
	if p.cfg.UserClaim == "email" && c.verifiedEmail() == "" {
		return "", fmt.Errorf("%w: the issuer has not verified the e-mail address, which userClaim requires", abi.ErrDenied)
	}
	local, _, _ := strings.Cut(text, "@")
	name, err := object.ParseName(lowerASCII(local))
	if err != nil {
		return "", fmt.Errorf("claim %q as the name of a user: %w", p.cfg.UserClaim, err)
	}
	return name, nil
}

// groupsOf returns the groups of a user. Groups that are no valid names are skipped: rights
// are only ever added by groups, so a user has less without one. They are not converted,
// because two groups of the issuer could become one of mcpd.
func (p *Provider) groupsOf(c claims) (groups []object.Name, skipped []string, err error) {
	if p.cfg.GroupsClaim == "" {
		return nil, nil, nil
	}
	var elsewhere map[string]json.RawMessage
	if json.Unmarshal(c["_claim_names"], &elsewhere) == nil && elsewhere[p.cfg.GroupsClaim] != nil {
		return nil, nil, fmt.Errorf("%w: the user has more groups than the issuer writes into a token; let it write only those that are assigned to the application", abi.ErrLimit)
	}
	raw, ok := c[p.cfg.GroupsClaim]
	if !ok {
		return nil, nil, nil
	}
	var list []string
	if json.Unmarshal(raw, &list) != nil {
		text, ok := c.text(p.cfg.GroupsClaim)
		if !ok {
			return nil, nil, fmt.Errorf("%w: the claim %q of the id token is neither a text nor a list of texts", abi.ErrConfig, p.cfg.GroupsClaim)
		}
		list = []string{text}
	}
	if len(list) > maxGroups {
		return nil, nil, fmt.Errorf("%w: the user has %d groups, limit %d", abi.ErrLimit, len(list), maxGroups)
	}
	for _, g := range list {
		if name, err := object.ParseName(g); err == nil {
			groups = append(groups, name)
		} else if len(skipped) < maxSkipped {
			skipped = append(skipped, printable(g))
		}
	}
	slices.Sort(groups)
	return slices.Compact(groups), skipped, nil
}

// claims are the members of an id token.
type claims map[string]json.RawMessage

// text returns a claim that is a string.
func (c claims) text(name string) (string, bool) {
	var s *string
	if json.Unmarshal(c[name], &s) != nil || s == nil {
		return "", false
	}
	return *s, true
}

// verifiedEmail returns the e-mail address if the issuer has verified it. Some issuers
// write the boolean as a string.
func (c claims) verifiedEmail() string {
	email, _ := c.text("email")
	local, domain, ok := strings.Cut(email, "@")
	valid := ok && local != "" && domain != "" && len(email) <= maxEmail && !strings.ContainsAny(domain, "@ ") && !strings.ContainsFunc(email, isNotPrint)
	if v := string(c["email_verified"]); !valid || v != "true" && v != `"true"` {
		return ""
	}
	return email
}

// names returns the names of the claims, for an error.
func (c claims) names() string {
	return printable(strings.Join(slices.Sorted(maps.Keys(c)), ", "))
}

// lowerASCII returns s with A to Z in lower case. Other letters stay, because some of them
// would become ASCII letters: the Kelvin sign is one.
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
