package wasm

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

const namePattern = "[a-z0-9]([a-z0-9._+-]{0,62})"

var namePatternRE = regexp.MustCompile("^" + namePattern + "$")

func validName(name string) bool { return namePatternRE.MatchString(name) }

// Fields of the three kinds of objects in a manifest.
var (
	manifestFields = []string{"name", "version", "abi", "summary", "license", "roles"}
	roleFields     = []string{"name", "kind", "summary", "transforms", "llm", "config", "capabilities", "notifications", "hooks", "gatedOnly", "examples"}
	configFields   = []string{"name", "type", "default", "min", "max", "values", "help"}
)

// Words that a manifest may use.
var (
	roleKinds    = []string{string(abi.KindStage), string(abi.KindFilter), string(abi.KindController)}
	configTypes  = []string{"string", "int", "number", "bool", "enum", "strings", "json"}
	capabilities = []string{capCache, capLLM, capSession}
	hooks        = []string{string(abi.OnInitialize), string(abi.OnToolsList), string(abi.OnToolCall), string(abi.OnToolResult), string(abi.OnClose)}
	llmUses      = []string{abi.LLMNone, abi.LLMOptional, abi.LLMRequired}
)

// parseManifest reads a manifest strictly: exact keys, none twice, none that is
// not known, every word one of the ABI's.
//
// Errors: the text names the place, roles[1].kind.
func parseManifest(b []byte) (abi.Manifest, error) {
	var m abi.Manifest
	if len(b) > abi.LimitManifestBytes {
		return m, fmt.Errorf("is %s bytes, limit %s", group(len(b)), group(abi.LimitManifestBytes))
	}
	if err := jsonspan.Valid(b); err != nil {
		return m, err
	}
	if _, err := jsonspan.Scan(b, 0, jsonspan.Rules{MaxDepth: 32, UniqueKeys: true}); err != nil {
		return m, err
	}
	if err := checkFields(b); err != nil {
		return m, err
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return m, typeError(err)
	}
	return m, checkWords(m)
}

// typeError says which field has a value of the wrong type.
func typeError(err error) error {
	var t *json.UnmarshalTypeError
	if errors.As(err, &t) {
		return fmt.Errorf("%s is a %s, want %s", t.Field, t.Value, t.Type)
	}
	return err
}

// checkFields refuses unknown fields, which decoding would drop or, spelled in
// other letters, take.
func checkFields(b []byte) error {
	if err := onlyFields(b, "", manifestFields); err != nil {
		return err
	}
	return eachElement(b, "roles", func(role []byte, place string) error {
		if err := onlyFields(role, place, roleFields); err != nil {
			return err
		}
		return eachElement(role, "config", func(field []byte, sub string) error {
			return onlyFields(field, place+"."+sub, configFields)
		})
	})
}

func onlyFields(object []byte, place string, known []string) error {
	start := jsonspan.SkipBlank(object, 0)
	if k := jsonspan.KindAt(object, start); k != jsonspan.Object {
		return fmt.Errorf("%s is a %v, want an object", or(place, "it"), k)
	}
	var err error
	jsonspan.Children(object, start, func(m jsonspan.Member) bool {
		key, bad := jsonspan.Unquote(object[m.KeyStart:m.KeyEnd])
		if bad != nil {
			err = bad
		} else if !slices.Contains(known, string(key)) {
			err = fmt.Errorf("%sunknown field %q%s", withColon(place), key, didYouMean(string(key), known))
		}
		return err == nil
	})
	return err
}

// eachElement visits the elements of an array that is a member of an object.
func eachElement(object []byte, name string, visit func(element []byte, place string) error) error {
	m, ok := jsonspan.Lookup(object, "/"+name)
	if !ok || jsonspan.KindAt(object, m.Start) != jsonspan.Array {
		return nil // decoding says what is wrong
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
	case !validName(m.Name):
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

// checkVersion checks the lowest host minor that a module needs.
func checkVersion(v string) error {
	major, minor, ok := strings.Cut(v, ".")
	a, err := strconv.Atoi(major)
	b, err2 := strconv.Atoi(minor)
	switch {
	case !ok || err != nil || err2 != nil || a < 0 || b < 0:
		return fmt.Errorf("abi %q: want major.minor, as %q", v, abi.Version)
	case a != abi.Major || b > abi.Minor:
		return fmt.Errorf("needs ABI %s, this host speaks %s, %s", v, abi.Version, remedy(a))
	}
	return nil
}

func checkRole(r abi.Role, place string) error {
	if !validName(r.Name) {
		return fmt.Errorf("%s.name %q: want %s", place, r.Name, namePattern)
	}
	if err := oneOf(string(r.Kind), place+".kind", roleKinds); err != nil {
		return err
	}
	if r.LLM != "" {
		if err := oneOf(r.LLM, place+".llm", llmUses); err != nil {
			return err
		}
	}
	for i, c := range r.Capabilities {
		if err := oneOf(c, fmt.Sprintf("%s.capabilities[%d]", place, i), capabilities); err != nil {
			return err
		}
	}
	if slices.Contains(r.Capabilities, capSession) && r.Kind != abi.KindController {
		return fmt.Errorf("%s: capability session is for controllers", place)
	}
	if err := checkHooks(r, place); err != nil {
		return err
	}
	return checkConfig(r.Config, place)
}

// checkHooks checks what only controllers have.
func checkHooks(r abi.Role, place string) error {
	switch {
	case r.Kind != abi.KindController && len(r.Hooks) > 0:
		return fmt.Errorf("%s.hooks is for controllers, the kind is %s", place, r.Kind)
	case r.Kind != abi.KindController && r.GatedOnly:
		return fmt.Errorf("%s.gatedOnly is for controllers, the kind is %s", place, r.Kind)
	}
	for i, h := range r.Hooks {
		at := fmt.Sprintf("%s.hooks[%d]", place, i)
		if err := oneOf(string(h), at, hooks); err != nil {
			return err
		}
		if slices.Contains(r.Hooks[:i], h) {
			return fmt.Errorf("%s %q stands twice", at, h)
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
			return fmt.Errorf("%s.name %q stands twice", at, f.Name)
		case f.Type == "enum" && len(f.Values) == 0:
			return fmt.Errorf("%s is an enum without values", at)
		case f.Min != nil && f.Max != nil && *f.Min > *f.Max:
			return fmt.Errorf("%s.min %v is above max %v", at, *f.Min, *f.Max)
		case outside(f):
			return fmt.Errorf("%s.default %s is outside min and max", at, f.Default)
		}
		if err := oneOf(f.Type, at+".type", configTypes); err != nil {
			return err
		}
		seen[f.Name] = true
	}
	return nil
}

// outside reports whether the default of an int or number is not within its bounds.
func outside(f abi.ConfigField) bool {
	var n *float64
	if f.Type != "int" && f.Type != "number" || json.Unmarshal(f.Default, &n) != nil || n == nil {
		return false
	}
	return f.Min != nil && *n < *f.Min || f.Max != nil && *n > *f.Max
}

func oneOf(word, place string, known []string) error {
	if slices.Contains(known, word) {
		return nil
	}
	return fmt.Errorf("%s %q unknown%s", place, word, or(didYouMean(word, known), ", want "+strings.Join(known, ", ")))
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func withColon(place string) string {
	if place == "" {
		return ""
	}
	return place + ": "
}
