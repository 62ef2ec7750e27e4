package importer

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

// vault gives each credential a name in secrets.yaml. No name that is taken gets
// another value: two servers whose names look alike keep a credential each, and
// what is in the file already stays.
type vault struct {
	kept  object.Lookup     // what secrets.yaml holds
	added map[string]string // by name
	order []string
}

// openVault reads the secrets of a home.
//
// Errors: abi.ErrDenied if others may read the file, abi.ErrConfig for mistakes in it.
func openVault(home string) (*vault, error) {
	secrets, err := object.LoadSecrets(home)
	if err != nil {
		return nil, err
	}
	return &vault{kept: secrets.Lookup(nil), added: map[string]string{}}, nil
}

// put returns the name of a credential's reference: FILES_API_KEY, or with a number
// behind it where that stands for something else.
func (v *vault) put(server, name, value string) string {
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

// save adds the new credentials to secrets.yaml; the lines that are there stay.
func (v *vault) save(home string, used func(ref string) bool) error {
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

var notVariable = regexp.MustCompile(`[^A-Z0-9_]+`)

// reference names a secret: FILES_API_KEY.
func reference(server, key string) string {
	name := notVariable.ReplaceAllString(strings.ToUpper(server+"_"+key), "_")
	if name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	return name
}
