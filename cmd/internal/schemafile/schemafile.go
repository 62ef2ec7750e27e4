// Package schemafile writes the JSON Schemas of all kinds into the home, where editors
// find them without a network, and returns the comment that refers to a schema.
package schemafile

import (
	"bytes"
	"errors"
	"net/url"
	"os"
	"path/filepath"

	"github.com/mcpctl/mcpctl/host/jsonschema"
	"github.com/mcpctl/mcpctl/host/manifest"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/internal/atomicfile"
)

// schemaDir is the directory of the schemas in the home.
const schemaDir = "schema"

// All returns the schemas of all kinds and of plugin.yaml.
func All() []jsonschema.File { return append(object.Schemas(), manifest.Schema()) }

// Write replaces schemas in the home that differ from those of this version, because an
// older schema would mark new fields as errors.
func Write(home string) error {
	dir := filepath.Join(home, schemaDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	var errs []error
	for _, s := range All() {
		file := filepath.Join(dir, s.Name)
		if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, s.Text) {
			continue
		}
		errs = append(errs, atomicfile.Write(file, s.Text, 0o600))
	}
	return errors.Join(errs...)
}

// InHome returns the comment for a file in a directory of the home, such as
// proxymodels/. It contains no path of this machine.
func InHome(schema string) string { return comment("../" + schemaDir + "/" + schema) }

// FromAnywhere returns the comment for a file outside the home.
func FromAnywhere(home, schema string) string {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(home, schemaDir, schema))} // blanks must be escaped
	return comment(u.String())
}

// comment returns the line that yaml-language-server reads.
func comment(schema string) string { return "# yaml-language-server: $schema=" + schema + "\n" }
