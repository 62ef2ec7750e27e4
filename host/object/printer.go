package object

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/host/credential"
	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// printer prints the Templates of a Server. Arguments have their own function, because
// a fully masked command would not show which program runs: only credentials are
// masked in them.
type printer struct {
	template  func(secret.Template) string
	arguments func([]secret.Template) []string
}

var (
	masked   = printer{secret.Template.String, maskArguments}
	unmasked = printer{secret.Template.Source, sourceArguments}
)

// argument prints one argument, or a path.
func (p printer) argument(t secret.Template) string {
	return p.arguments([]secret.Template{t})[0]
}

// url prints an address. Its query is printed like any template, because it often
// contains keys.
func (p printer) url(t secret.Template) string {
	address, query, ok := strings.Cut(t.Source(), "?")
	address = p.argument(secret.Unchecked(address))
	if !ok {
		return address
	}
	return address + "?" + p.template(secret.Unchecked(query))
}

// mapping prints a mapping, sorted by name.
func (p printer) mapping(values map[string]secret.Template) strictyaml.Value {
	var b strictyaml.Builder
	for _, name := range slices.Sorted(maps.Keys(values)) {
		b = b.Add(name, strictyaml.NewText(p.template(values[name])))
	}
	return b.Value()
}

// maskArguments prints arguments with credentials and the defaults of references masked,
// except the default of the client's directory.
func maskArguments(command []secret.Template) []string {
	args := make([]string, len(command))
	for i, t := range command {
		args[i] = t.MaskDefaults()
	}
	for _, c := range slices.Backward(credential.Find(args...)) {
		args[c.Arg] = args[c.Arg][:c.Start] + credential.Mask + args[c.Arg][c.End:]
	}
	return args
}

func sourceArguments(command []secret.Template) []string {
	args := make([]string, len(command))
	for i, t := range command {
		args[i] = t.Source()
	}
	return args
}
