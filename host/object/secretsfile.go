package object

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// SecretsFile is the name of the secrets file in the home.
const SecretsFile = "secrets.yaml"

// Secrets are the entries of secrets.yaml: a flat mapping of names to strings.
type Secrets struct{ values map[string]Secret }

// LoadSecrets reads the secrets file of a home; one that is not there is empty.
//
// Errors: abi.ErrDenied if others than the owner may read the file or it is not
// ours, Errors for mistakes in it. No text holds anything of the file but keys.
func LoadSecrets(home string) (Secrets, error) {
	path := filepath.Join(home, SecretsFile)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Secrets{}, nil
	}
	if err != nil {
		return Secrets{}, diskError(SecretsFile, err)
	}
	if err := checkPrivateFile(path, info); err != nil {
		return Secrets{}, err
	}
	f, err := os.Open(path)
	if err != nil {
		return Secrets{}, diskError(SecretsFile, err)
	}
	defer f.Close()
	data, err := readBounded(f)
	if err != nil {
		return Secrets{}, fmt.Errorf("%s: %w", SecretsFile, err)
	}
	return parseSecrets(data)
}

func parseSecrets(data []byte) (Secrets, error) {
	var errs Errors
	src := newSource(SecretsFile, string(data))
	src.mute = true
	docs := parseFile(src, data, &errs)
	if len(docs) > 1 {
		errs = append(errs, src.Errorf(Position{docs[1].line, 1}, "", "", "has %d documents, want one", len(docs)))
	}
	values := make(map[string]Secret)
	if len(docs) > 0 {
		r := &reader{src: src, errs: &errs}
		f := r.mapping(docs[0].root, "")
		for _, field := range docs[0].root.Fields {
			if !isVariable(field.Name) {
				r.fail(field.At, clip(field.Name, 80), "is not a variable's name, want letters, digits and _")
			}
			if field.Value.Type != String {
				r.fail(field.At, clip(field.Name, 80), "is %s, want a string in quotes", article(field.Value.Type))
			}
			values[field.Name] = NewSecret(field.Value.Text)
			f.known = append(f.known, field.Name)
		}
	}
	return Secrets{values}, errs.Err()
}

// Lookup finds variables in the environment first, then among the secrets.
// getenv is os.LookupEnv in a program; nil means no environment.
func (s Secrets) Lookup(getenv func(string) (string, bool)) Lookup {
	return func(name string) (Secret, bool) {
		if getenv != nil {
			if v, ok := getenv(name); ok {
				return NewSecret(v), true
			}
		}
		v, ok := s.values[name]
		return v, ok
	}
}
