package module

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

const namePattern = "[a-z0-9]([a-z0-9._+-]{0,62})"

var namePatternRE = regexp.MustCompile("^" + namePattern + "$")

// isName reports whether name is valid for a module or role.
func isName(name string) bool { return namePatternRE.MatchString(name) }

// Fields of the objects in a manifest.
var (
	manifestFields = []string{"name", "version", "abi", "summary", "license", "roles"}
	roleFields     = []string{"name", "kind", "summary", "transforms", "llm", "config", "capabilities", "notifications", "hooks", "gatedOnly", "examples"}
	configFields   = []string{"name", "type", "default", "min", "max", "values", "help"}
)

// Words that a manifest may use.
var (
	roleKinds    = []string{string(abi.KindStage), string(abi.KindFilter), string(abi.KindController)}
	configTypes  = []string{"string", "int", "number", "bool", "enum", "strings", "json"}
	capabilities = []string{CapabilityCache, CapabilityLLM, CapabilitySession, abi.CapabilityArguments}
	hookNames    = []string{string(abi.OnInitialize), string(abi.OnToolsList), string(abi.OnToolCall), string(abi.OnToolResult), string(abi.OnClose)}
	llmUses      = []string{abi.LLMNone, abi.LLMOptional, abi.LLMRequired}
)

// Hooks returns all hooks of the ABI.
func Hooks() []abi.Hook {
	var hooks []abi.Hook
	for _, name := range hookNames {
		hooks = append(hooks, abi.Hook(name))
	}
	return hooks
}

// parseManifest reads a manifest strictly: keys match exactly, none is duplicate or
// unknown, and every word is one that the ABI defines.
//
// Errors: the text names the location, roles[1].kind.
func parseManifest(b []byte) (abi.Manifest, error) {
	var m abi.Manifest
	if len(b) > abi.LimitManifestBytes {
		return m, fmt.Errorf("is %s bytes, limit %s", fault.Group(len(b)), fault.Group(abi.LimitManifestBytes))
	}
	if err := jsonspan.Valid(b); err != nil {
		return m, err
	}
	if _, err := jsonspan.Scan(b, 0, jsonspan.Rules{MaxDepth: 32, UniqueKeys: true}); err != nil {
		return m, err
	}
	if err := checkKeys(b); err != nil {
		return m, err
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return m, describeTypeError(err)
	}
	return m, checkWords(m)
}

// describeTypeError names the field with a value of the wrong type.
func describeTypeError(err error) error {
	var t *json.UnmarshalTypeError
	if errors.As(err, &t) {
		return fmt.Errorf("%s is a %s, want %s", t.Field, t.Value, t.Type)
	}
	return err
}

// checkKeys refuses unknown fields. Decoding would ignore them, or accept them if
// only the case differs.
func checkKeys(b []byte) error {
	if err := checkKnown(b, "", manifestFields); err != nil {
		return err
	}
	return visitElements(b, "roles", func(role []byte, place string) error {
		if err := checkKnown(role, place, roleFields); err != nil {
			return err
		}
		return visitElements(role, "config", func(field []byte, sub string) error {
			return checkKnown(field, place+"."+sub, configFields)
		})
	})
}

func checkKnown(object []byte, place string, known []string) error {
	start := jsonspan.SkipBlank(object, 0)
	if k := jsonspan.KindAt(object, start); k != jsonspan.Object {
		return fmt.Errorf("%s is a %v, want an object", cmp.Or(place, "it"), k)
	}
	var err error
	jsonspan.Children(object, start, func(m jsonspan.Member) bool {
		key, bad := jsonspan.Unquote(object[m.KeyStart:m.KeyEnd])
		if bad != nil {
			err = bad
		} else if !slices.Contains(known, string(key)) {
			err = fmt.Errorf("%sunknown field %q%s", withColon(place), key, suggest.DidYouMean(string(key), known))
		}
		return err == nil
	})
	return err
}

// visitElements visits the elements of an array that is a member of an object.
func visitElements(object []byte, name string, visit func(element []byte, place string) error) error {
	m, ok := jsonspan.Lookup(object, "/"+name)
	if !ok || jsonspan.KindAt(object, m.Start) != jsonspan.Array {
		return nil // decoding reports the error
	}
	var err error
	i := 0
	jsonspan.Children(object, m.Start, func(e jsonspan.Member) bool {
		err = visit(object[e.Start:e.End], name+"["+strconv.Itoa(i)+"]")
		i++
		return err == nil
	})
	return err
}

func checkWords(m abi.Manifest) error {
	switch {
	case !isName(m.Name):
		return fmt.Errorf("name %q: want %s", m.Name, namePattern)
	case len(m.Roles) == 0:
		return errors.New("lists no roles")
	case len(m.Roles) > abi.LimitRoles:
		return fmt.Errorf("lists %d roles, limit %d", len(m.Roles), abi.LimitRoles)
	}
	if err := checkVersion(m.ABI); err != nil {
		return err
	}
	seen := map[string]int{}
	for i, r := range m.Roles {
		place := "roles[" + strconv.Itoa(i) + "]"
		if first, twice := seen[r.Name]; twice {
			return fmt.Errorf("%s.name %q is that of roles[%d] too", place, r.Name, first)
		}
		seen[r.Name] = i
		if err := checkRole(r, place); err != nil {
			return err
		}
	}
	return nil
}

// checkVersion checks the version of the ABI that a module needs.
func checkVersion(v string) error {
	major, minor, ok := strings.Cut(v, ".")
	a, err := strconv.Atoi(major)
	b, err2 := strconv.Atoi(minor)
	switch {
	case !ok || err != nil || err2 != nil || a < 0 || b < 0:
		return fmt.Errorf("abi %q: want major.minor, as %q", v, abi.Version)
	case a != abi.Major || b > abi.Minor:
		return fmt.Errorf("needs ABI %s, this host supports %s, %s", v, abi.Version, remedy(a))
	}
	return nil
}

func checkRole(r abi.Role, place string) error {
	if !isName(r.Name) {
		return fmt.Errorf("%s.name %q: want %s", place, r.Name, namePattern)
	}
	if err := checkOneOf(string(r.Kind), place+".kind", roleKinds); err != nil {
		return err
	}
	if r.LLM != "" {
		if err := checkOneOf(r.LLM, place+".llm", llmUses); err != nil {
			return err
		}
	}
	for i, c := range r.Capabilities {
		if err := checkOneOf(c, fmt.Sprintf("%s.capabilities[%d]", place, i), capabilities); err != nil {
			return err
		}
	}
	if slices.Contains(r.Capabilities, CapabilitySession) && r.Kind != abi.KindController {
		return fmt.Errorf("%s: capability session is for controllers", place)
	}
	if slices.Contains(r.Capabilities, abi.CapabilityArguments) && r.Kind != abi.KindStage {
		return fmt.Errorf("%s: capability arguments is for stages", place)
	}
	if err := checkHooks(r, place); err != nil {
		return err
	}
	return checkConfig(r.Config, place)
}

// checkHooks checks the fields that only controllers have.
func checkHooks(r abi.Role, place string) error {
	switch {
	case r.Kind != abi.KindController && len(r.Hooks) > 0:
		return fmt.Errorf("%s.hooks is for controllers, the kind is %s", place, r.Kind)
	case r.Kind != abi.KindController && r.GatedOnly:
		return fmt.Errorf("%s.gatedOnly is for controllers, the kind is %s", place, r.Kind)
	}
	for i, h := range r.Hooks {
		at := fmt.Sprintf("%s.hooks[%d]", place, i)
		if err := checkOneOf(string(h), at, hookNames); err != nil {
			return err
		}
		if slices.Contains(r.Hooks[:i], h) {
			return fmt.Errorf("%s %q appears twice", at, h)
		}
	}
	return nil
}

func checkConfig(fields []abi.ConfigField, place string) error {
	seen := map[string]bool{}
	for i, f := range fields {
		at := fmt.Sprintf("%s.config[%d]", place, i)
		switch {
		case f.Name == "":
			return fmt.Errorf("%s.name is missing", at)
		case seen[f.Name]:
			return fmt.Errorf("%s.name %q appears twice", at, f.Name)
		case f.Type == "enum" && len(f.Values) == 0:
			return fmt.Errorf("%s is an enum without values", at)
		case f.Min != nil && f.Max != nil && *f.Min > *f.Max:
			return fmt.Errorf("%s.min %v is above max %v", at, *f.Min, *f.Max)
		case !isDefaultInRange(f):
			return fmt.Errorf("%s.default %s is outside min and max", at, f.Default)
		}
		if err := checkOneOf(f.Type, at+".type", configTypes); err != nil {
			return err
		}
		seen[f.Name] = true
	}
	return nil
}

// isDefaultInRange reports whether the default of an int or number is within its
// bounds. It is true for other types.
func isDefaultInRange(f abi.ConfigField) bool {
	var n *float64
	if f.Type != "int" && f.Type != "number" || json.Unmarshal(f.Default, &n) != nil || n == nil {
		return true
	}
	return (f.Min == nil || *n >= *f.Min) && (f.Max == nil || *n <= *f.Max)
}

func checkOneOf(word, place string, known []string) error {
	if slices.Contains(known, word) {
		return nil
	}
	return fmt.Errorf("%s %q unknown%s", place, word, cmp.Or(suggest.DidYouMean(word, known), ", want "+strings.Join(known, ", ")))
}

// withColon returns the prefix of a message about place.
func withColon(place string) string {
	if place == "" {
		return ""
	}
	return place + ": "
}
