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
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/atomicfile"
	"github.com/mcpctl/mcpctl/host/object"
)

// Vault gives each credential a name in secrets.yaml. A name in use never gets
// another value: two servers with similar names keep one credential each, and
// existing entries of the file stay.
type Vault struct {
	kept  object.Lookup     // what secrets.yaml holds
	added map[string]string // by name
	order []string
}

// Open reads the secrets of a home.
//
// Errors: abi.ErrDenied if others may read the file, abi.ErrConfig for an invalid file.
func Open(home string) (*Vault, error) {
	secrets, err := object.LoadSecrets(home)
	if err != nil {
		return nil, err
	}
	return &Vault{kept: secrets.Lookup(nil), added: map[string]string{}}, nil
}

// Put returns the name of a credential's reference: FILES_API_KEY, with a number
// appended if that name has another value.
func (v *Vault) Put(server, name, value string) string {
	wanted := reference(server, name)
	for n := 1; ; n++ {
		ref := wanted
		if n > 1 {
			ref = fmt.Sprintf("%s_%d", wanted, n)
		}
		if old, ok := v.kept(ref); ok {
			if old.Reveal() == value {
				return ref
			}
			continue
		}
		old, ok := v.added[ref]
		if ok && old != value {
			continue
		}
		if !ok {
			v.added[ref], v.order = value, append(v.order, ref)
		}
		return ref
	}
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
	return atomicfile.Write(file, append(old, lines.Bytes()...), 0o600)
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
