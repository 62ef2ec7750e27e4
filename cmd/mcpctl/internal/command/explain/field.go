package explain

import (
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/fields"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/kinds"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// pluginFile is an alias of the kind plugin.
const pluginFile = "plugin.yaml"

// isCode reports whether s is an error code such as E_CONFLICT.
func isCode(s string) bool { return strings.HasPrefix(strings.ToUpper(s), "E_") }

// chooseField returns the field of a path such as KIND.spec.stages, or plugin.config
// for plugin.yaml.
func chooseField(path string) (fields.Field, error) {
	if rest, ok := strings.CutPrefix(path, pluginFile); ok {
		path = fields.Plugin + rest
	}
	names := strings.Split(path, ".")
	kind, err := parseKind(names[0])
	if err != nil {
		return fields.Field{}, newUnknownError(path, err)
	}
	f, ok := fields.Of(kind)
	if !ok {
		return f, problem.New(abi.ErrNotFound, "a %s is a module: its fields are those of plugin.yaml", kind).WithHint("mcpctl explain %s", fields.Plugin)
	}
	for i, name := range names[1:] {
		child, ok := f.Child(name)
		if !ok {
			return f, newFieldError(strings.Join(names[:i+1], "."), name, f)
		}
		f = child
	}
	f.Name = kind + strings.TrimPrefix(path, names[0])
	return f, nil
}

// parseKind returns the kind of a word: one of the home, one of a team server, or plugin.
func parseKind(word string) (string, error) {
	if word == fields.Plugin {
		return fields.Plugin, nil
	}
	if k, ok := object.ParseKind(word); ok && k.Dir() == "" {
		return strings.ToLower(string(k)), nil
	}
	return kinds.Parse(word)
}

// newFieldError returns the error for a name that is no field of parent.
func newFieldError(parent, name string, f fields.Field) error {
	var all []string
	for _, c := range f.Children() {
		all = append(all, c.Name)
	}
	p := problem.New(abi.ErrNotFound, "%s has no field %q", parent, name)
	if near := suggest.Nearest(name, all); near != "" {
		return p.WithHint("mcpctl explain %s.%s", parent, near)
	}
	return p.WithHint("mcpctl explain %s", parent)
}

// page is the JSON and YAML output for a field.
type page struct {
	fields.Field
	Fields []fields.Field `json:"fields"`
}

func showField(f *factory.Factory, format string, of fields.Field) error {
	children := of.Children()
	l := printer.Listing{Value: page{of, children}}
	for _, c := range children {
		l.Names = append(l.Names, of.Name+"."+c.Name)
	}
	if format != "table" && format != "wide" {
		return printer.Print(f.IO, format, l)
	}
	to := f.IO.Page()
	fmt.Fprintf(to, "%s, %s\n", of.Name, of.Type)
	if of.Help != "" {
		fmt.Fprintf(to, "\n  %s\n", of.Help)
	}
	if of.Default != "" {
		fmt.Fprintf(to, "\n  default %s\n", of.Default)
	}
	if err := to.Close(); err != nil {
		return err
	}
	if len(children) == 0 {
		return nil
	}
	fmt.Fprintln(f.IO.Out)
	t := iostreams.NewTable("FIELD", "TYPE", "DEFAULT", "HELP")
	for _, c := range children {
		name := c.Name
		if c.Required {
			name += " (required)"
		}
		t.Row(name, c.Type, c.Default, c.Help)
	}
	return t.Wrap(f.IO.OutWidth).Fprint(f.IO.Out)
}

// completePath returns completions of a code, topic, kind or field path.
func completePath(prefix string) []string {
	at := strings.LastIndex(prefix, ".")
	if at < 0 {
		list := append(codes(), topicNames()...)
		for _, k := range object.AllKinds() {
			list = append(list, strings.ToLower(string(k)))
		}
		return append(list, fields.Plugin)
	}
	f, err := chooseField(prefix[:at])
	if err != nil {
		return nil
	}
	var list []string
	for _, c := range f.Children() {
		list = append(list, prefix[:at+1]+c.Name)
	}
	return list
}
