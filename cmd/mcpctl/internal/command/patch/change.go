package patch

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// change sets or removes one field.
type change struct {
	path   []string // from the top: spec first
	value  strictyaml.Value
	remove bool
}

// parse parses PATH=VALUE arguments.
func parse(pairs []string) ([]change, error) {
	var list []change
	for _, pair := range pairs {
		path, value, ok := strings.Cut(pair, "=")
		keys := split(path)
		if !ok || slices.Contains(keys, "") {
			return nil, problem.Usagef("--set %q, want PATH=VALUE", pair).WithHint("mcpctl patch --help")
		}
		if keys[0] != "spec" {
			keys = append([]string{"spec"}, keys...)
		}
		list = append(list, change{path: keys, value: valueOf(value), remove: value == ""})
	}
	return list, nil
}

// split splits a path at its dots; `\.` is an escaped dot.
func split(path string) []string {
	const dot = "\x00"
	keys := strings.Split(strings.ReplaceAll(path, `\.`, dot), ".")
	for i, k := range keys {
		keys[i] = strings.ReplaceAll(k, dot, ".")
	}
	return keys
}

// valueOf parses a value: JSON, a list of words in brackets, or a word.
func valueOf(s string) strictyaml.Value {
	if v, err := strictyaml.ParseJSON([]byte(s)); err == nil {
		return v
	}
	if inner, ok := strings.CutPrefix(s, "["); ok && strings.HasSuffix(inner, "]") {
		list := strictyaml.Value{Type: strictyaml.List}
		for word := range strings.SplitSeq(strings.TrimSuffix(inner, "]"), ",") {
			list.Items = append(list.Items, valueOf(strings.TrimSpace(word)))
		}
		return list
	}
	return strictyaml.Value{Type: strictyaml.String, Text: s}
}

// apply returns v with the change applied; v itself is not modified.
func (c change) apply(v strictyaml.Value, depth int) (strictyaml.Value, error) {
	if depth == len(c.path) {
		return c.value, nil
	}
	key := c.path[depth]
	switch v.Type {
	case strictyaml.List:
		return c.applyItem(v, key, depth)
	case strictyaml.Null:
		v = strictyaml.Value{Type: strictyaml.Map}
	case strictyaml.Map:
	default:
		return v, problem.Usagef("--set %s: %s is %s and has no fields", c, strings.Join(c.path[1:depth], "."), v.Type)
	}
	i := slices.IndexFunc(v.Fields, func(f strictyaml.Field) bool { return f.Name == key })
	v.Fields = slices.Clone(v.Fields)
	switch last := depth == len(c.path)-1; {
	case c.remove && i < 0:
		return v, nil
	case c.remove && last:
		v.Fields = slices.Delete(v.Fields, i, i+1)
		return v, nil
	case i < 0:
		i = len(v.Fields)
		v.Fields = append(v.Fields, strictyaml.Field{Name: key})
	}
	inner, err := c.apply(v.Fields[i].Value, depth+1)
	v.Fields[i].Value = inner
	return v, err
}

// applyItem changes an item of a list, which the path identifies by its index.
func (c change) applyItem(v strictyaml.Value, key string, depth int) (strictyaml.Value, error) {
	i, err := strconv.Atoi(key)
	if err != nil || i < 0 || i >= len(v.Items) {
		return v, problem.Usagef("--set %s: %q is not an index of a list with %d items", c, key, len(v.Items))
	}
	v.Items = slices.Clone(v.Items)
	if c.remove && depth == len(c.path)-1 {
		v.Items = slices.Delete(v.Items, i, i+1)
		return v, nil
	}
	v.Items[i], err = c.apply(v.Items[i], depth+1)
	return v, err
}

// String returns the path below spec.
func (c change) String() string { return strings.Join(c.path[1:], ".") }

// setsModel reports whether the change is of the proxymodels of a project.
func (c change) setsModel() bool {
	return len(c.path) > 1 && (c.path[1] == "proxyModel" || c.path[1] == "proxyModelOverrides")
}
