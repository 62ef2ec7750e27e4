package object

import (
	"regexp"

	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// maxEmail is the maximum length of an email address in bytes, by RFC 5321.
const maxEmail = 254

// User is a person who logs in to a team server.
type User struct {
	header
	Spec UserSpec
}

// UserSpec is the configuration of a User. Passwords are not part of it.
type UserSpec struct {
	Email    string // may be empty
	Disabled bool   // a disabled User may do nothing
}

// Group is a set of Users.
type Group struct {
	header
	Spec GroupSpec
}

// GroupSpec is the configuration of a Group.
type GroupSpec struct {
	Members []Ref // names of Users

	// IssuerGroup is the group of the OpenID Connect issuer whose users are members too, as
	// of their last login. "" means none: the groups of an issuer are no Groups by
	// themselves, because whoever can name a group there would choose rights here.
	IssuerGroup Name
}

// ServiceAccount is a program that calls a team server with a token, such as a CI job.
type ServiceAccount struct {
	header
	Spec ServiceAccountSpec
}

// ServiceAccountSpec is the configuration of a ServiceAccount.
type ServiceAccountSpec struct {
	Description string
}

func readUser(m *strictyaml.Mapping, h header) *User {
	u := &User{header: h}
	if v, ok := m.Get("email"); ok && m.HasType(v, "email", strictyaml.String) {
		if !isEmail(v.Text) {
			m.Fail(v.At, "email", "%q is not an address such as anna@example.org", strictyaml.Clip(v.Text, 80))
		}
		u.Spec.Email = v.Text
	}
	u.Spec.Disabled = m.Bool("disabled", false)
	m.Done()
	return u
}

var emailPattern = regexp.MustCompile(patternEmail)

func isEmail(s string) bool { return len(s) <= maxEmail && emailPattern.MatchString(s) }

func readGroup(m *strictyaml.Mapping, h header) *Group {
	g := &Group{header: h}
	g.Spec.Members = readRefs(m, "members")
	if v, ok := m.Get("issuerGroup"); ok {
		g.Spec.IssuerGroup = ReadName(m, v, "issuerGroup")
	}
	m.Done()
	return g
}

func readServiceAccount(m *strictyaml.Mapping, h header) *ServiceAccount {
	a := &ServiceAccount{header: h}
	a.Spec.Description, _ = m.Text("description")
	m.Done()
	return a
}

func (s UserSpec) fields() strictyaml.Builder {
	b := strictyaml.Builder{}.AddIf(s.Email != "", "email", strictyaml.NewText(s.Email))
	return b.Add("disabled", strictyaml.NewBool(s.Disabled))
}

func (s GroupSpec) fields() strictyaml.Builder {
	b := strictyaml.Builder{}.Add("members", newNames(s.Members))
	return b.AddIf(s.IssuerGroup != "", "issuerGroup", strictyaml.NewText(string(s.IssuerGroup)))
}

func (s ServiceAccountSpec) fields() strictyaml.Builder {
	return strictyaml.Builder{}.AddIf(s.Description != "", "description", strictyaml.NewText(s.Description))
}
