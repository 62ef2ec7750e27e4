// Package vault moves credentials to secrets.yaml and replaces them by references. It does not
// manage
// servers.
package vault

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/secret"
)

// Vault assigns names in secrets.yaml to credentials. The value of an existing name never changes:
// two
// servers with similar names have separate credentials, and existing entries of the file are kept.
type Vault struct {
	kept  secret.Lookup     // present content of secrets.yaml
	added map[string]string // values by name
	order []string          // names in added, in order of insertion
	saved []string          // names that Save added to the file

	names map[entry]string // references by credential
	tried map[string]int   // number of names tried, by wanted name
}

// entry is a credential with its preferred name.
type entry struct{ wanted, value string }

// Open reads the secrets of a home.
//
// Errors: abi.ErrDenied if other users can read the file, abi.ErrConfig for an invalid file.
func Open(home string) (*Vault, error) {
	secrets, err := secret.Load(home)
	if err != nil {
		return nil, err
	}
	return &Vault{kept: secrets.Lookup(nil), added: map[string]string{}, names: map[entry]string{}, tried: map[string]int{}}, nil
}

// Put returns the reference name of a credential: FILES_API_KEY, with a number appended if the name
// is
// in use for another value.
func (v *Vault) Put(server, name, value string) string {
	c := entry{reference(server, name), value}
	for {
		if ref, ok := v.names[c]; ok {
			return ref
		}
		v.tryName(c)
	}
}

// tryName assigns the next candidate name to a credential, unless the name already has a value.
func (v *Vault) tryName(c entry) {
	v.tried[c.wanted]++
	ref := c.wanted
	if n := v.tried[c.wanted]; n > 1 {
		ref = fmt.Sprintf("%s_%d", c.wanted, n)
	}
	held, ok := v.valueOf(ref)
	if !ok {
		held = c.value
		v.added[ref], v.order = held, append(v.order, ref)
	}
	if holder := (entry{c.wanted, held}); v.names[holder] == "" {
		v.names[holder] = ref
	}
}

// Has reports whether a name has a value in secrets.yaml or was added by Put.
func (v *Vault) Has(ref string) bool {
	_, ok := v.valueOf(ref)
	return ok
}

func (v *Vault) valueOf(ref string) (value string, ok bool) {
	if kept, ok := v.kept(ref); ok {
		return kept.Reveal(), true
	}
	value, ok = v.added[ref]
	return value, ok
}

// Save adds the new credentials selected by used to secrets.yaml.
//
// Errors: those of Edit; abi.ErrConflict if another process has changed the value of one of the
// names
// since Open; abi.ErrConfig if the file would be too large or cannot be edited line by line.
func (v *Vault) Save(home string, used func(ref string) bool) error {
	if !slices.ContainsFunc(v.order, used) {
		return nil
	}
	return Edit(home, func(text []byte, known secret.Lookup) ([]byte, error) {
		missing, err := v.missing(known, used)
		if err != nil {
			return nil, err
		}
		v.saved = nil
		for _, s := range missing {
			v.saved = append(v.saved, s.Name)
		}
		return secret.Set(text, missing...)
	})
}

// missing returns the new credentials selected by used that are not in the file.
func (v *Vault) missing(known secret.Lookup, used func(ref string) bool) ([]secret.Entry, error) {
	var list []secret.Entry
	for _, ref := range v.order {
		if !used(ref) {
			continue
		}
		switch now, ok := known(ref); {
		case !ok:
			list = append(list, secret.Entry{Name: ref, Value: secret.New(v.added[ref])})
		case now.Reveal() != v.added[ref]:
			p := problem.New(abi.ErrConflict, "%s now has another value in secrets.yaml", ref)
			p.Cause = "another command wrote it at the same time; nothing was changed; repeat the command to use a free name"
			return nil, p
		}
	}
	return list, nil
}

// Withdraw removes the credentials that Save added to secrets.yaml, after the command has failed.
func (v *Vault) Withdraw(home string) error {
	_, err := Remove(home, v.saved)
	return err
}

var notVariable = regexp.MustCompile(`[^A-Z0-9_]+`)

// reference returns the name of a secret: FILES_API_KEY.
func reference(server, key string) string {
	name := notVariable.ReplaceAllString(strings.ToUpper(server+"_"+key), "_")
	if name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	return name
}
