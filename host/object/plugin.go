package object

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// maxRoles is how many roles one module may have.
const maxRoles = 64

// capabilities are what a role may ask for.
var capabilities = []string{"cache", "llm", "session"}

// hooks are what a controller may want.
var hooks = []string{string(abi.OnInitialize), string(abi.OnToolsList), string(abi.OnToolCall), string(abi.OnToolResult), string(abi.OnClose)}

// ParsePlugin reads a plugin.yaml into the manifest that is packed into the
// module. A plugin with one role has the role's fields at the top, one with
// several lists them under roles. A config field's default must fit its type.
//
// Errors: Errors, all mistakes at once.
func ParsePlugin(data []byte, file string) (abi.Manifest, error) {
	var errs Errors
	src := newSource(file, string(data))
	docs := parseFile(src, data, &errs)
	if len(errs) == 0 && len(docs) != 1 {
		errs = append(errs, src.Errorf(Position{1, 1}, "", "", "holds %d documents, want one", len(docs)))
	}
	if len(errs) > 0 {
		return abi.Manifest{}, errs
	}
	r := &reader{src: src, errs: &errs, object: "plugin"}
	m := r.manifest(docs[0].root)
	errs.Sort()
	if len(errs) > 0 {
		return abi.Manifest{}, errs
	}
	return m, nil
}

func (r *reader) manifest(v Value) abi.Manifest {
	f := r.mapping(v, "")
	name := f.needName()
	if name != "" {
		r.object = fmt.Sprintf("plugin %q", name)
	}
	m := abi.Manifest{Name: string(name), ABI: f.abiVersion()}
	m.Version, _ = f.str("version")
	m.Summary, _ = f.str("summary")
	m.License, _ = f.str("license")
	if list, ok := f.get("roles"); ok && f.typed(list, "roles", List) {
		m.Roles = f.roles(list)
	} else {
		role := f.role()
		role.Name, role.Summary = m.Name, m.Summary
		m.Roles = []abi.Role{role}
	}
	f.done()
	return m
}

func (f *fields) needName() Name {
	v, ok := f.need("name")
	if !ok {
		return ""
	}
	return f.asName(v, "name")
}

// abiVersion reads abi: 1 or abi: "1.0" as major.minor.
func (f *fields) abiVersion() string {
	v, ok := f.need("abi")
	if !ok {
		return ""
	}
	major, minor, dotted := strings.Cut(v.Text, ".")
	if !dotted {
		minor = "0"
	}
	_, majorErr := strconv.ParseUint(major, 10, 16)
	_, minorErr := strconv.ParseUint(minor, 10, 16)
	if v.Type != Number && v.Type != String || majorErr != nil || minorErr != nil {
		f.fail(v.At, "abi", "is %s, want a version such as 1 or 1.0", v)
		return ""
	}
	if major != "1" {
		f.fail(v.At, "abi", "is %s, this version speaks 1", v)
	}
	return major + "." + minor
}

func (f *fields) roles(list Value) []abi.Role {
	var out []abi.Role
	if n := len(list.Items); n == 0 || n > maxRoles {
		f.fail(list.At, "roles", "lists %d roles, want 1 to %d", n, maxRoles)
	}
	for i, item := range list.Items {
		g := f.mapping(item, at("roles", i))
		name := g.needName()
		role := g.role()
		role.Name = string(name)
		role.Summary, _ = g.str("summary")
		g.done()
		if slices.ContainsFunc(out, func(o abi.Role) bool { return o.Name == role.Name && name != "" }) {
			f.fail(item.At, at("roles", i), "%q is there twice", name)
		}
		out = append(out, role)
	}
	return out
}

// role reads the fields of a role, its name and summary excepted.
func (f *fields) role() abi.Role {
	var r abi.Role
	if _, ok := f.need("kind"); ok {
		r.Kind = abi.RoleKind(f.word("kind", "", string(abi.KindStage), string(abi.KindFilter), string(abi.KindController)))
	}
	if v, ok := f.get("transforms"); ok && f.typed(v, "transforms", Bool) {
		transforms := v.Text == "true"
		r.Transforms = &transforms
		if r.Kind != abi.KindStage && r.Kind != "" {
			f.fail(v.At, f.path+"transforms", "belongs to a stage, the kind is %s", r.Kind)
		}
	}
	r.LLM = f.word("llm", "", abi.LLMNone, abi.LLMOptional, abi.LLMRequired)
	r.Config = f.manifestFields()
	r.Capabilities = f.capabilities(r)
	r.Notifications = f.strs("notifications")
	r.Hooks = f.hooks(r.Kind)
	if v, ok := f.get("gatedOnly"); ok && f.typed(v, "gatedOnly", Bool) {
		r.GatedOnly = v.Text == "true"
		f.ofController(v, "gatedOnly", r.Kind)
	}
	r.Examples = f.strs("examples")
	return r
}

// manifestFields reads config; without one the role takes none, which is an
// empty list, not nil: nil lets any config pass.
func (f *fields) manifestFields() []abi.ConfigField {
	out := []abi.ConfigField{}
	for i, item := range f.list("config") {
		field := f.manifestField(item, f.path+at("config", i))
		if slices.ContainsFunc(out, func(o abi.ConfigField) bool { return o.Name == field.Name && field.Name != "" }) {
			f.fail(item.At, f.path+at("config", i), "%q is there twice", field.Name)
		}
		out = append(out, field)
	}
	return out
}

func (f *fields) capabilities(r abi.Role) []string {
	caps := f.strs("capabilities")
	v, _ := f.v.Lookup("capabilities")
	for i, c := range caps {
		switch {
		case !slices.Contains(capabilities, c):
			f.fail(v.At, f.path+at("capabilities", i), "is %q, want %s%s", clip(c, 40), orList(capabilities), didYouMean(c, capabilities))
		case c == "session" && r.Kind != abi.KindController && r.Kind != "":
			f.fail(v.At, f.path+at("capabilities", i), "session belongs to a controller, the kind is %s", r.Kind)
		}
	}
	if (r.LLM == abi.LLMOptional || r.LLM == abi.LLMRequired) && !slices.Contains(caps, "llm") {
		f.fail(f.v.At, f.path+"capabilities", "lacks llm, which llm: %s needs", r.LLM)
	}
	return caps
}

// hooks reads the hooks that a controller wants; none: all that it has.
func (f *fields) hooks(kind abi.RoleKind) []abi.Hook {
	var out []abi.Hook
	for i, item := range f.list("hooks") {
		place := at("hooks", i)
		f.ofController(item, place, kind)
		switch h := abi.Hook(item.Text); {
		case !f.typed(item, place, String):
		case !slices.Contains(hooks, item.Text):
			f.fail(item.At, f.path+place, "is %q, want %s%s", clip(item.Text, 40), orList(hooks), didYouMean(item.Text, hooks))
		case slices.Contains(out, h):
			f.fail(item.At, f.path+place, "%q is there twice", h)
		default:
			out = append(out, h)
		}
	}
	return out
}

// ofController refuses a field in a role of another kind.
func (f *fields) ofController(v Value, name string, kind abi.RoleKind) {
	if kind != abi.KindController && kind != "" {
		f.fail(v.At, f.path+name, "belongs to a controller, the kind is %s", kind)
	}
}

// MergePlugins makes the manifest of one module out of those of several plugin
// folders. head gives name, version, summary and license; its roles come first,
// then those of the parts in their order, which is that of roleIndex.
//
// Errors: abi.ErrConflict for a role that two have, abi.ErrLimit for too many.
func MergePlugins(head abi.Manifest, parts ...abi.Manifest) (abi.Manifest, error) {
	owner := make(map[string]string)
	for _, r := range head.Roles {
		owner[r.Name] = head.Name
	}
	head.Roles = slices.Clone(head.Roles)
	for _, p := range parts {
		for _, r := range p.Roles {
			if other, taken := owner[r.Name]; taken {
				return abi.Manifest{}, fmt.Errorf("%w: role %q is in plugin %q and in plugin %q", abi.ErrConflict, r.Name, other, p.Name)
			}
			owner[r.Name] = p.Name
			head.Roles = append(head.Roles, r)
		}
		if head.ABI == "" || laterMinor(p.ABI, head.ABI) {
			head.ABI = p.ABI
		}
	}
	if len(head.Roles) > maxRoles {
		return abi.Manifest{}, fmt.Errorf("%w: module %q has %d roles, limit %d", abi.ErrLimit, head.Name, len(head.Roles), maxRoles)
	}
	return head, nil
}

// laterMinor reports whether version a needs a later host than b; both are
// major.minor of the same major.
func laterMinor(a, b string) bool {
	_, x, _ := strings.Cut(a, ".")
	_, y, _ := strings.Cut(b, ".")
	m, _ := strconv.Atoi(x)
	n, _ := strconv.Atoi(y)
	return m > n
}
