package secret

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// FileName is the name of the secrets file in the home.
const FileName = "secrets.yaml"

// File is the content of secrets.yaml: a flat mapping of names to strings.
type File struct{ values map[string]Value }

// Load reads the secrets file of a home. A missing file is empty.
//
// It returns abi.ErrDenied if the file does not belong to the user or others can read
// it, and strictyaml.Errors if it is invalid. Errors contain keys of the file, never values.
func Load(home string) (File, error) {
	path := filepath.Join(home, FileName)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return File{}, nil
	}
	if err != nil {
		return File{}, homedir.DiskError(FileName, err)
	}
	if err := homedir.CheckPrivateFile(path, info); err != nil {
		return File{}, err
	}
	f, err := os.Open(path)
	if err != nil {
		return File{}, homedir.DiskError(FileName, err)
	}
	defer f.Close()
	data, err := homedir.ReadAtMost(f, strictyaml.MaxFileBytes)
	if err != nil {
		return File{}, fmt.Errorf("%s: %w", FileName, err)
	}
	return parse(data)
}

func parse(data []byte) (File, error) {
	var errs strictyaml.Errors
	src := strictyaml.NewSecretSource(FileName, string(data))
	docs := strictyaml.Parse(src, data, &errs)
	if len(docs) > 1 {
		errs = append(errs, src.Errorf(strictyaml.Position{Line: docs[1].Line, Column: 1}, "", "", "has %d documents, want one", len(docs)))
	}
	values := make(map[string]Value)
	if len(docs) > 0 {
		m := strictyaml.NewReader(src, &errs).Mapping(docs[0].Root, "")
		for _, field := range docs[0].Root.Fields {
			if !IsVariable(field.Name) && !isReserved(field.Name) {
				m.Fail(field.At, strictyaml.Clip(field.Name, 80), "%s", NotVariable)
			}
			if field.Value.Type != strictyaml.String {
				m.Fail(field.At, strictyaml.Clip(field.Name, 80), "is %s, want a string in quotes", field.Value.Type.WithArticle())
			}
			values[field.Name] = New(field.Value.Text)
		}
	}
	return File{values}, errs.Err()
}

// The entries of secrets.yaml that are not variables, so that no ${VAR} can refer to them.
const (
	TeamLogin = "mcpd-login" // the user and the address that TeamToken belongs to, as "USER URL"
	TeamToken = "mcpd-token"
)

func isReserved(name string) bool { return name == TeamLogin || name == TeamToken }

// Reserved returns the value of TeamLogin or TeamToken.
func (f File) Reserved(name string) (Value, bool) {
	v, ok := f.values[name]
	return v, ok && isReserved(name)
}

// Lookup returns a function that looks up variables in the environment first, then in
// the file. getenv is os.LookupEnv in a program; nil means no environment.
func (f File) Lookup(getenv func(string) (string, bool)) Lookup {
	return func(name string) (Value, bool) {
		if isReserved(name) {
			return Value{}, false
		}
		if getenv != nil {
			if v, ok := getenv(name); ok {
				return New(v), true
			}
		}
		v, ok := f.values[name]
		return v, ok
	}
}
