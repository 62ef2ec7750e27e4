package object

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/abi"
)

// configTypes are the types that a field of a role's config may have.
var configTypes = []string{"string", "int", "number", "bool", "enum", "strings", "json"}

// ConfigFault says what is wrong with a config value, as the end of a sentence
// that begins with its name: `is "big", want int`. It is "" if nothing is.
func ConfigFault(field abi.ConfigField, v Value) string {
	switch field.Type {
	case "string":
		return wantType(v, String, "string")
	case "bool":
		return boolFault(field, v)
	case "int":
		if !v.IsInteger() {
			return fmt.Sprintf("is %s, want int", v)
		}
		return rangeFault(field, v)
	case "number":
		if v.Type != Number {
			return fmt.Sprintf("is %s, want number", v)
		}
		return rangeFault(field, v)
	case "enum":
		return enumFault(field, v)
	case "strings":
		return stringsFault(v)
	case "json":
		return ""
	}
	return fmt.Sprintf("has the unknown type %q in the manifest", field.Type)
}

func wantType(v Value, want ValueType, name string) string {
	if v.Type == want {
		return ""
	}
	if want == String && (v.Type == Number || v.Type == Bool) {
		return fmt.Sprintf(`is %s, want string: put it in quotes`, v)
	}
	return fmt.Sprintf("is %s, want %s", v, name)
}

func rangeFault(field abi.ConfigField, v Value) string {
	n, err := strconv.ParseFloat(v.Text, 64)
	if err != nil || math.IsInf(n, 0) {
		return fmt.Sprintf("is %s, too large for a number", clip(v.Text, 40))
	}
	if field.Min != nil && n < *field.Min || field.Max != nil && n > *field.Max {
		return fmt.Sprintf("is %s, want %s", v, rangeText(field))
	}
	return ""
}

func rangeText(field abi.ConfigField) string {
	num := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	switch {
	case field.Max == nil:
		return "at least " + num(*field.Min)
	case field.Min == nil:
		return "at most " + num(*field.Max)
	}
	return num(*field.Min) + " to " + num(*field.Max)
}

func enumFault(field abi.ConfigField, v Value) string {
	if v.Type == String && slices.Contains(field.Values, v.Text) {
		return ""
	}
	return fmt.Sprintf("is %s, want %s%s", v, orList(field.Values), didYouMean(v.Text, field.Values))
}

// boolFault checks a bool, of which a field may allow one value only: a key that
// older configs set and that has no other meaning any more.
func boolFault(field abi.ConfigField, v Value) string {
	if v.Type != Bool || len(field.Values) == 0 {
		return wantType(v, Bool, "bool")
	}
	if slices.Contains(field.Values, v.Text) {
		return ""
	}
	return fmt.Sprintf("is %s, want %s", v, orList(field.Values))
}

func stringsFault(v Value) string {
	if v.Type != List {
		return fmt.Sprintf("is %s, want a list of strings", v)
	}
	for i, item := range v.Items {
		if item.Type != String {
			return fmt.Sprintf("holds %s as item %d, want strings only", item, i+1)
		}
	}
	return ""
}

// manifestField checks a field of a manifest and its own default.
func (f *fields) manifestField(v Value, path string) abi.ConfigField {
	g := f.mapping(v, path)
	var out abi.ConfigField
	if name, ok := g.need("name"); ok && g.typed(name, "name", String) {
		if out.Name = name.Text; out.Name == "" {
			g.fail(name.At, g.path+"name", "is empty")
		}
	}
	if _, ok := g.need("type"); ok {
		out.Type = g.word("type", "", configTypes...)
	}
	out.Min, out.Max = g.float("min"), g.float("max")
	out.Values = g.strs("values")
	out.Help, _ = g.str("help")
	g.known = append(g.known, "default")
	if def, ok := g.v.Lookup("default"); ok {
		out.Default = g.manifestDefault(out, def)
	}
	g.fieldRules(out)
	g.done()
	return out
}

func (f *fields) manifestDefault(field abi.ConfigField, v Value) json.RawMessage {
	if why := ConfigFault(field, v); why != "" && field.Type != "" {
		f.fail(v.At, f.path+"default", "%s", why)
	}
	raw, err := v.MarshalJSON()
	if err != nil {
		f.fail(v.At, f.path+"default", "is no JSON value: %v", err)
	}
	return raw
}

// fieldRules are the rules between the keys of one field.
func (f *fields) fieldRules(c abi.ConfigField) {
	numeric := c.Type == "int" || c.Type == "number"
	switch {
	case c.Type == "enum" && len(c.Values) == 0:
		f.missing("values", "is missing, an enum lists its values")
	case c.Type == "bool":
		for _, word := range c.Values {
			if word != "true" && word != "false" {
				f.fail(f.v.At, f.path+"values", `of a bool are "true" and "false", not %q`, word)
			}
		}
	case c.Type != "enum" && c.Type != "" && len(c.Values) > 0:
		f.fail(f.v.At, f.path+"values", "belongs to an enum or a bool, the type is %s", c.Type)
	case !numeric && c.Type != "" && (c.Min != nil || c.Max != nil):
		f.fail(f.v.At, f.path+"min", "and max belong to int and number, the type is %s", c.Type)
	case c.Min != nil && c.Max != nil && *c.Min > *c.Max:
		f.fail(f.v.At, f.path+"min", "is above max")
	}
}

func (f *fields) float(name string) *float64 {
	v, ok := f.get(name)
	if !ok || !f.typed(v, name, Number) {
		return nil
	}
	n, err := strconv.ParseFloat(v.Text, 64)
	if err != nil {
		f.fail(v.At, f.path+name, "is too large")
		return nil
	}
	return &n
}
