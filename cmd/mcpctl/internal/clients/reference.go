package clients

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// references is the syntax of variable references in a client's values. mcpctl uses ${NAME} and
// ${NAME:-default}; $${ escapes ${.
type references int

const (
	shellReferences  references = iota // ${NAME}, ${NAME:-default}
	editorReferences                   // ${env:NAME}, ${workspaceFolder}, ${input:ID}
	dollarReferences                   // $NAME, ${NAME}
	noReferences                       // every value is plain
)

var (
	braced = regexp.MustCompile(`\$\{([^}]*)\}`)
	// dollared also matches $NAME, with an empty first group.
	dollared = regexp.MustCompile(`\$(?:\{([^}]*)\}|([A-Za-z_][A-Za-z0-9_]*))`)
	variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(:-.*)?$`)
	notName  = regexp.MustCompile(`[^A-Z0-9_]+`)
)

// read converts a client's value to the reference syntax of mcpctl.
//
// It returns an error for a reference that mcpctl cannot expand.
func (r references) read(s string, at Place) (string, error) {
	switch r {
	case noReferences:
		return strings.ReplaceAll(s, "${", "$${"), nil
	case dollarReferences:
		return dollared.ReplaceAllStringFunc(s, func(ref string) string {
			m := dollared.FindStringSubmatch(ref)
			return "${" + m[1] + m[2] + "}"
		}), nil
	case editorReferences:
		return readEditor(s, at)
	}
	return s, nil
}

// readEditor replaces the references of VS Code, Cursor and Windsurf.
func readEditor(s string, at Place) (string, error) {
	var unknown error
	out := braced.ReplaceAllStringFunc(s, func(ref string) string {
		name := ref[2 : len(ref)-1]
		dir := at.Dir
		if dir == "" {
			dir = ClientDir
		}
		kind, rest, hasKind := strings.Cut(name, ":")
		switch {
		case kind == "env" && hasKind:
			return "${" + rest + "}"
		case kind == "input" && hasKind:
			return "${" + inputName(rest) + "}"
		case name == "workspaceFolder":
			return dir
		case name == "workspaceFolderBasename" && at.Dir != "":
			return filepath.Base(at.Dir)
		case name == "userHome":
			return "${HOME}"
		case name == "pathSeparator" || name == "/":
			return string(filepath.Separator)
		case variable.MatchString(name):
			return ref
		}
		unknown = fmt.Errorf("refers to ${%.40s}, which only the client can expand", name)
		return ref
	})
	return out, unknown
}

// inputsOf returns the variables that replace the inputs of a value.
func inputsOf(s string) []string {
	var names []string
	for _, m := range braced.FindAllStringSubmatch(s, -1) {
		if id, ok := strings.CutPrefix(m[1], "input:"); ok {
			names = append(names, inputName(id))
		}
	}
	return names
}

// inputName returns the variable that replaces a VS Code input: ${input:api-key}, which VS Code
// asks
// the user for, becomes ${API_KEY}.
func inputName(id string) string {
	return strings.Trim(notName.ReplaceAllString(strings.ToUpper(id), "_"), "_")
}

// write converts a value of mcpctl to the reference syntax of the client.
//
// It returns an error if the client does not support references.
func (r references) write(s string) (string, error) {
	if r == shellReferences || r == dollarReferences {
		return s, nil
	}
	plain := strings.ReplaceAll(s, "$${", "\x00")
	if r == noReferences && strings.Contains(plain, "${") {
		return "", fmt.Errorf("refers to a variable, but the client's file does not support references to variables")
	}
	return strings.ReplaceAll(strings.ReplaceAll(plain, "${", "${env:"), "\x00", "${"), nil
}
