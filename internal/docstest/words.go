package docstest

import (
	"fmt"
	"strings"
)

// Same is the heading of the table of calls on a page.
const Same = "## The same in each language"

// Words returns steps that create and test a stage or a controller in the directory
// words. It makes all calls in the column of a language in the table after the heading
// Same.
//
// It returns an error if there is no such table, or a cell is not code.
func Words(page, kind, language string) ([]Step, error) {
	k, ok := roles[kind]
	frame, known := k.frames[language]
	if !ok || !known {
		return nil, fmt.Errorf("no frame for a %s in %s", kind, language)
	}
	var calls strings.Builder
	rows := Table(page, Same)
	for _, row := range rows {
		cell, err := row.cell(language)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&calls, frame.call, cell)
	}
	if len(rows) < 8 {
		return nil, fmt.Errorf("%d rows after %q, want 8 or more", len(rows), Same)
	}
	create := "mcpctl create stage words --no-build --kind " + kind + " --lang " + strings.ToLower(language)
	return []Step{
		{Command: create + " && rm words/testdata/*"},
		{Dir: "words", File: frame.file, Text: strings.Replace(frame.text, "CALLS", calls.String(), 1)},
		{Dir: "words", File: "plugin.yaml", Text: k.manifest},
		{Dir: "words", File: "testdata/all.txtar", Text: k.test},
		{Command: "mcpctl stage test words", Want: []string{"ok    all"}},
	}, nil
}

// cell returns the code in the column of a language, in the order of Languages.
func (r Row) cell(language string) (string, error) {
	for i, l := range Languages {
		if l != language || len(r) <= i+1 {
			continue
		}
		if code, ok := strings.CutPrefix(r[i+1], "`"); ok && strings.HasSuffix(code, "`") {
			return strings.TrimSuffix(code, "`"), nil
		}
	}
	return "", fmt.Errorf("no code for %s in the row %q", language, r)
}

// frame is the source of a role into which calls are inserted.
type frame struct{ file, call, text string }

// role is a plugin with a test, which fails if one of the calls is invalid.
type role struct {
	manifest, test string
	frames         map[string]frame
}

var roles = map[string]role{"stage": stages, "controller": controllers}
