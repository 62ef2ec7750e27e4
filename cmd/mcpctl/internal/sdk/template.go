package sdk

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"io"
	"path/filepath"
	"regexp"
	"strings"
)

//go:generate go run ./gen -all -o template-go.zip ../../../../examples/stages/lead-go

//go:embed template-go.zip
var templateGoZip []byte

// File is one file of a new stage.
type File struct {
	Name string // relative, with slashes
	Text []byte
}

// The template is the folder of an example: its name and the place of the SDK
// are all that changes.
var (
	templateName = regexp.MustCompile(`\blead\b`)
	templateSDK  = regexp.MustCompile(`(?m)^replace (\S+) => .*$`)
)

// GoTemplate returns the files of a new stage in Go that builds against the SDK
// unpacked at sdkDir.
func GoTemplate(name, sdkDir string) ([]File, error) {
	r, err := zip.NewReader(bytes.NewReader(templateGoZip), int64(len(templateGoZip)))
	if err != nil {
		return nil, err
	}
	var files []File
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(in)
		in.Close()
		if err != nil {
			return nil, err
		}
		text = templateName.ReplaceAll(text, []byte(name))
		if filepath.Base(f.Name) == "go.mod" {
			text = templateSDK.ReplaceAll(text, []byte("replace ${1} => "+sdkDir))
		}
		files = append(files, File{strings.ReplaceAll(f.Name, "lead.go", name+".go"), text})
	}
	return files, nil
}
