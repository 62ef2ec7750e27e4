// Package schemafile keeps the JSON Schemas of the kinds under the home, where
// editors find them without a network, and makes the comment that leads there.
package schemafile

import (
	"bytes"
	"errors"
	"net/url"
	"os"
	"path/filepath"

	"github.com/mcpctl/mcpctl/cmd/internal/atomicfile"
	"github.com/mcpctl/mcpctl/host/jsonschema"
	"github.com/mcpctl/mcpctl/host/manifest"
	"github.com/mcpctl/mcpctl/host/object"
)

// folder is where the schemas are, below the home.
const folder = "schema"

// All returns the schemas of all kinds and of plugin.yaml.
func All() []jsonschema.File { return append(object.Schemas(), manifest.Schema()) }

// Write makes the schemas of the home those of this version: after an upgrade an
// older one would mark new fields as wrong. What is equal is left alone.
func Write(home string) error {
	dir := filepath.Join(home, folder)
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

// InHome is the comment for a file in a folder of the home, such as
// proxymodels/; it holds no path of this machine.
func InHome(schema string) string { return comment("../" + folder + "/" + schema) }

// FromAnywhere is the comment for a file outside the home.
func FromAnywhere(home, schema string) string {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(home, folder, schema))} // blanks in a path would end it
	return comment(u.String())
}

// comment is the line that yaml-language-server reads, and so every editor on it.
func comment(schema string) string { return "# yaml-language-server: $schema=" + schema + "\n" }
