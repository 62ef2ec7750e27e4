// Package vault moves credentials into secrets.yaml and leaves references in their
// place. It does not decide which servers exist.
package vault

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/atomicfile"
	"github.com/mcpctl/mcpctl/host/object"
)

// Vault gives each credential a name in secrets.yaml. A name in use never gets
// another value: two servers with similar names keep one credential each, and
// existing entries of the file stay.
type Vault struct {
	kept  object.Lookup     // the content of secrets.yaml
	added map[string]string // values by name
	order []string          // the names in added

	names map[credential]string // references that Put returned or passed over
	tried map[string]int        // how many names were tried, by wanted name
}

// credential is a value and the name that is wanted for it.
type credential struct{ wanted, value string }

// Open reads the secrets of a home.
//
// Errors: abi.ErrDenied if others may read the file, abi.ErrConfig for an invalid file.
func Open(home string) (*Vault, error) {
	secrets, err := object.LoadSecrets(home)
	if err != nil {
		return nil, err
	}
	return &Vault{kept: secrets.Lookup(nil), added: map[string]string{}, names: map[credential]string{}, tried: map[string]int{}}, nil
}

// Put returns the name of a credential's reference: FILES_API_KEY, with a number
// appended if that name has another value.
func (v *Vault) Put(server, name, value string) string {
	c := credential{reference(server, name), value}
	for {
		if ref, ok := v.names[c]; ok {
			return ref
		}
		v.tryName(c)
	}
}

// tryName gives the next name to a credential, unless the name has a value already.
func (v *Vault) tryName(c credential) {
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
	if holder := (credential{c.wanted, held}); v.names[holder] == "" {
		v.names[holder] = ref
	}
}

func (v *Vault) valueOf(ref string) (value string, ok bool) {
	if kept, ok := v.kept(ref); ok {
		return kept.Reveal(), true
	}
	value, ok = v.added[ref]
	return value, ok
}

// Save appends the new credentials that are used to secrets.yaml.
func (v *Vault) Save(home string, used func(ref string) bool) error {
	var lines bytes.Buffer
	for _, ref := range v.order {
		if !used(ref) {
			continue
		}
		value, err := json.Marshal(v.added[ref]) // JSON strings are YAML strings
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%s: %s\n", ref, value)
	}
	if lines.Len() == 0 {
		return nil
	}
	file := filepath.Join(home, object.SecretsFile)
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(old) > 0 && !bytes.HasSuffix(old, []byte("\n")) {
		old = append(old, '\n')
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	if err := atomicfile.Write(file, slices.Concat(old, lines.Bytes()), 0o600); err != nil {
		return err
	}
	if _, err := object.LoadSecrets(home); err != nil { // too large, or the old text ends inside a value
		return errors.Join(err, restore(file, old))
	}
	return nil
}

// restore writes the text of a file before a change again; the file goes if it had none.
func restore(file string, text []byte) error {
	if len(text) == 0 {
		return os.Remove(file)
	}
	return atomicfile.Write(file, text, 0o600)
}

// Withdraw removes from secrets.yaml what Save added: the command that needed it failed.
func (v *Vault) Withdraw(home string) error {
	_, err := Remove(home, v.order)
	return err
}

var notVariable = regexp.MustCompile(`[^A-Z0-9_]+`)

// reference names a secret: FILES_API_KEY.
func reference(server, key string) string {
	name := notVariable.ReplaceAllString(strings.ToUpper(server+"_"+key), "_")
	if name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	return name
}
