package manifest

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/strictyaml"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// configTypes are the types of config fields.
var configTypes = []string{"string", "int", "number", "bool", "enum", "strings", "json"}

// ConfigFault returns the error text for an invalid config value, or "". The text
// continues the name of the value: `is "big", want int`.
func ConfigFault(field abi.ConfigField, v strictyaml.Value) string {
	switch field.Type {
	case "string":
		return checkType(v, strictyaml.String, "string")
	case "bool":
		return checkBool(field, v)
	case "int":
		if !v.IsInteger() {
			return fmt.Sprintf("is %s, want int", v)
		}
		return checkRange(field, v)
	case "number":
		if v.Type != strictyaml.Number {
			return fmt.Sprintf("is %s, want number", v)
		}
		return checkRange(field, v)
	case "enum":
		return checkEnum(field, v)
	case "strings":
		return checkStrings(v)
	case "json":
		return ""
	}
	return fmt.Sprintf("has the unknown type %q in the manifest", field.Type)
}

func checkType(v strictyaml.Value, want strictyaml.ValueType, name string) string {
	if v.Type == want {
		return ""
	}
	if want == strictyaml.String && (v.Type == strictyaml.Number || v.Type == strictyaml.Bool) {
		return fmt.Sprintf(`is %s, want string: put it in quotes`, v)
	}
	return fmt.Sprintf("is %s, want %s", v, name)
}

func checkRange(field abi.ConfigField, v strictyaml.Value) string {
	n, err := strconv.ParseFloat(v.Text, 64)
	if err != nil || math.IsInf(n, 0) {
		return fmt.Sprintf("is %s, too large for a number", strictyaml.Clip(v.Text, 40))
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

func checkEnum(field abi.ConfigField, v strictyaml.Value) string {
	if v.Type == strictyaml.String && slices.Contains(field.Values, v.Text) {
		return ""
	}
	return fmt.Sprintf("is %s, want %s%s", v, strictyaml.OrList(field.Values), suggest.DidYouMean(v.Text, field.Values))
}

// checkBool checks a bool. A field may allow only one of the two values, for a key of
// older configs that no longer has an effect.
func checkBool(field abi.ConfigField, v strictyaml.Value) string {
	if v.Type != strictyaml.Bool || len(field.Values) == 0 {
		return checkType(v, strictyaml.Bool, "bool")
	}
	if slices.Contains(field.Values, v.Text) {
		return ""
	}
	return fmt.Sprintf("is %s, want %s", v, strictyaml.OrList(field.Values))
}

func checkStrings(v strictyaml.Value) string {
	if v.Type != strictyaml.List {
		return fmt.Sprintf("is %s, want a list of strings", v)
	}
	for i, item := range v.Items {
		if item.Type != strictyaml.String {
			return fmt.Sprintf("contains %s as item %d, want only strings", item, i+1)
		}
	}
	return ""
}

// readConfig reads the config fields of a role. A role without config gets an empty
// list, because nil would allow any config.
func readConfig(m *strictyaml.Mapping) []abi.ConfigField {
	out := []abi.ConfigField{}
	for i, item := range m.List("config") {
		path := m.Path(strictyaml.ItemPath("config", i))
		field := readField(m.Mapping(item, path))
		if slices.ContainsFunc(out, func(o abi.ConfigField) bool { return o.Name == field.Name && field.Name != "" }) {
			m.Fail(item.At, path, "%q is listed twice", field.Name)
		}
		out = append(out, field)
	}
	return out
}

// readField reads one config field and checks its default.
func readField(m *strictyaml.Mapping) abi.ConfigField {
	var out abi.ConfigField
	if name, ok := m.Need("name"); ok && m.HasType(name, "name", strictyaml.String) {
		if out.Name = name.Text; out.Name == "" {
			m.Fail(name.At, m.Path("name"), "is empty")
		}
	}
	if _, ok := m.Need("type"); ok {
		out.Type = m.Word("type", "", configTypes...)
	}
	out.Min, out.Max = m.Float("min"), m.Float("max")
	out.Values = m.Texts("values")
	out.Help, _ = m.Text("help")
	m.Register("default")
	if def, ok := m.Value().Lookup("default"); ok {
		out.Default = readDefault(m, out, def)
	}
	checkField(m, out)
	m.Done()
	return out
}

func readDefault(m *strictyaml.Mapping, field abi.ConfigField, v strictyaml.Value) json.RawMessage {
	if why := ConfigFault(field, v); why != "" && field.Type != "" {
		m.Fail(v.At, m.Path("default"), "%s", why)
	}
	raw, err := v.MarshalJSON()
	if err != nil {
		m.Fail(v.At, m.Path("default"), "is not a JSON value: %v", err)
	}
	return raw
}

// checkField checks the rules between the keys of one field.
func checkField(m *strictyaml.Mapping, c abi.ConfigField) {
	numeric := c.Type == "int" || c.Type == "number"
	switch {
	case c.Type == "enum" && len(c.Values) == 0:
		m.Missing("values", "is missing, an enum needs its values")
	case c.Type == "bool":
		for _, word := range c.Values {
			if word != "true" && word != "false" {
				m.Fail(m.Value().At, m.Path("values"), `of a bool are "true" and "false", not %q`, word)
			}
		}
	case c.Type != "enum" && c.Type != "" && len(c.Values) > 0:
		m.Fail(m.Value().At, m.Path("values"), "belongs to an enum or a bool, the type is %s", c.Type)
	case !numeric && c.Type != "" && (c.Min != nil || c.Max != nil):
		m.Fail(m.Value().At, m.Path("min"), "and max belong to int and number, the type is %s", c.Type)
	case c.Min != nil && c.Max != nil && *c.Min > *c.Max:
		m.Fail(m.Value().At, m.Path("min"), "is above max")
	}
}
