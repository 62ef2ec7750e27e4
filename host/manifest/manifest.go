// Package manifest reads plugin.yaml, the manifest of a plugin, and checks the config of
// its roles.
//
// Parse returns the abi.Manifest of a file, and Merge combines those of several plugins
// in one module. ConfigFault checks a config value against its field in a manifest.
package manifest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/strictyaml"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// maxRoles is the maximum number of roles in one module.
const maxRoles = 64

// capabilities are the capabilities that a role can request.
var capabilities = []string{"cache", "llm", "session", abi.CapabilityArguments}

// hooks are the hooks that a controller can implement.
var hooks = []string{string(abi.OnInitialize), string(abi.OnToolsList), string(abi.OnToolCall), string(abi.OnToolResult), string(abi.OnClose)}

// Parse reads a plugin.yaml and returns the manifest that is packed into the module. A
// plugin with one role has the role's fields at the top level, a plugin with several
// roles lists them under roles. The default of a config field must match its type.
//
// It returns strictyaml.Errors with all errors of the file.
func Parse(data []byte, file string) (abi.Manifest, error) {
	var errs strictyaml.Errors
	src := strictyaml.NewSource(file, string(data))
	docs := strictyaml.Parse(src, data, &errs)
	if len(errs) == 0 && len(docs) != 1 {
		errs = append(errs, src.Errorf(strictyaml.Position{Line: 1, Column: 1}, "", "", "contains %d documents, want one", len(docs)))
	}
	if len(errs) > 0 {
		return abi.Manifest{}, errs
	}
	r := strictyaml.NewReader(src, &errs)
	r.SetObject("plugin")
	m := readManifest(r, docs[0].Root)
	errs.Sort()
	if len(errs) > 0 {
		return abi.Manifest{}, errs
	}
	return m, nil
}

func readManifest(r *strictyaml.Reader, v strictyaml.Value) abi.Manifest {
	m := r.Mapping(v, "")
	name := readName(m)
	if name != "" {
		r.SetObject(fmt.Sprintf("plugin %q", name))
	}
	out := abi.Manifest{Name: string(name), ABI: readABIVersion(m)}
	out.Version, _ = m.Text("version")
	out.Summary, _ = m.Text("summary")
	out.License, _ = m.Text("license")
	if list, ok := m.Get("roles"); ok && m.HasType(list, "roles", strictyaml.List) {
		out.Roles = readRoles(m, list)
	} else {
		role := readRole(m)
		role.Name, role.Summary = out.Name, out.Summary
		out.Roles = []abi.Role{role}
	}
	m.Done()
	return out
}

func readName(m *strictyaml.Mapping) object.Name {
	v, ok := m.Need("name")
	if !ok {
		return ""
	}
	return object.ReadName(m, v, "name")
}

// readABIVersion reads abi: 1 or abi: "1.0" and returns major.minor.
func readABIVersion(m *strictyaml.Mapping) string {
	v, ok := m.Need("abi")
	if !ok {
		return ""
	}
	major, minor, dotted := strings.Cut(v.Text, ".")
	if !dotted {
		minor = "0"
	}
	_, majorErr := strconv.ParseUint(major, 10, 16)
	_, minorErr := strconv.ParseUint(minor, 10, 16)
	if v.Type != strictyaml.Number && v.Type != strictyaml.String || majorErr != nil || minorErr != nil {
		m.Fail(v.At, "abi", "is %s, want a version such as 1 or 1.0", v)
		return ""
	}
	if major != "1" {
		m.Fail(v.At, "abi", "is %s, this version of mcpctl supports 1", v)
	}
	return major + "." + minor
}

func readRoles(m *strictyaml.Mapping, list strictyaml.Value) []abi.Role {
	var out []abi.Role
	if n := len(list.Items); n == 0 || n > maxRoles {
		m.Fail(list.At, "roles", "lists %d roles, want 1 to %d", n, maxRoles)
	}
	for i, item := range list.Items {
		path := strictyaml.ItemPath("roles", i)
		roleMap := m.Mapping(item, path)
		name := readName(roleMap)
		role := readRole(roleMap)
		role.Name = string(name)
		role.Summary, _ = roleMap.Text("summary")
		roleMap.Done()
		if slices.ContainsFunc(out, func(o abi.Role) bool { return o.Name == role.Name && name != "" }) {
			m.Fail(item.At, path, "%q is listed twice", name)
		}
		out = append(out, role)
	}
	return out
}

// readRole reads the fields of a role except its name and summary.
func readRole(m *strictyaml.Mapping) abi.Role {
	var r abi.Role
	if _, ok := m.Need("kind"); ok {
		r.Kind = abi.RoleKind(m.Word("kind", "", string(abi.KindStage), string(abi.KindFilter), string(abi.KindController)))
	}
	if v, ok := m.Get("transforms"); ok && m.HasType(v, "transforms", strictyaml.Bool) {
		transforms := v.Text == "true"
		r.Transforms = &transforms
		if r.Kind != abi.KindStage && r.Kind != "" {
			m.Fail(v.At, m.Path("transforms"), "belongs to a stage, the kind is %s", r.Kind)
		}
	}
	r.LLM = m.Word("llm", "", abi.LLMNone, abi.LLMOptional, abi.LLMRequired)
	r.Config = readConfig(m)
	r.Capabilities = readCapabilities(m, r)
	r.Notifications = m.Texts("notifications")
	r.Hooks = readHooks(m, r.Kind)
	if v, ok := m.Get("gatedOnly"); ok && m.HasType(v, "gatedOnly", strictyaml.Bool) {
		r.GatedOnly = v.Text == "true"
		checkControllerField(m, v, "gatedOnly", r.Kind)
	}
	r.Examples = m.Texts("examples")
	return r
}

func readCapabilities(m *strictyaml.Mapping, r abi.Role) []string {
	list := m.Texts("capabilities")
	v, _ := m.Value().Lookup("capabilities")
	for i, c := range list {
		path := m.Path(strictyaml.ItemPath("capabilities", i))
		switch {
		case !slices.Contains(capabilities, c):
			m.Fail(v.At, path, "is %q, want %s%s", strictyaml.Clip(c, 40), strictyaml.OrList(capabilities), suggest.DidYouMean(c, capabilities))
		case c == "session" && r.Kind != abi.KindController && r.Kind != "":
			m.Fail(v.At, path, "session belongs to a controller, the kind is %s", r.Kind)
		case c == abi.CapabilityArguments && r.Kind != abi.KindStage && r.Kind != "":
			m.Fail(v.At, path, "arguments belongs to a stage, the kind is %s", r.Kind)
		}
	}
	if (r.LLM == abi.LLMOptional || r.LLM == abi.LLMRequired) && !slices.Contains(list, "llm") {
		m.Fail(m.Value().At, m.Path("capabilities"), "lacks llm, which llm: %s needs", r.LLM)
	}
	return list
}

// readHooks reads the hooks of a controller. An empty list means all hooks that the
// module exports.
func readHooks(m *strictyaml.Mapping, kind abi.RoleKind) []abi.Hook {
	var out []abi.Hook
	for i, item := range m.List("hooks") {
		field := strictyaml.ItemPath("hooks", i)
		checkControllerField(m, item, field, kind)
		switch h := abi.Hook(item.Text); {
		case !m.HasType(item, field, strictyaml.String):
		case !slices.Contains(hooks, item.Text):
			m.Fail(item.At, m.Path(field), "is %q, want %s%s", strictyaml.Clip(item.Text, 40), strictyaml.OrList(hooks), suggest.DidYouMean(item.Text, hooks))
		case slices.Contains(out, h):
			m.Fail(item.At, m.Path(field), "%q is listed twice", h)
		default:
			out = append(out, h)
		}
	}
	return out
}

// checkControllerField adds an error if a role that is not a controller has a field of controllers.
func checkControllerField(m *strictyaml.Mapping, v strictyaml.Value, name string, kind abi.RoleKind) {
	if kind != abi.KindController && kind != "" {
		m.Fail(v.At, m.Path(name), "belongs to a controller, the kind is %s", kind)
	}
}

// Merge returns the manifest of one module that contains several plugins. head gives
// name, version, summary and license. Its roles come first, followed by the roles of
// parts in order; their positions are the roleIndex.
//
// It returns abi.ErrConflict if two plugins have the same role, and abi.ErrLimit for too
// many roles.
func Merge(head abi.Manifest, parts ...abi.Manifest) (abi.Manifest, error) {
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
		if head.ABI == "" || hasLaterMinor(p.ABI, head.ABI) {
			head.ABI = p.ABI
		}
	}
	if len(head.Roles) > maxRoles {
		return abi.Manifest{}, fmt.Errorf("%w: module %q has %d roles, limit %d", abi.ErrLimit, head.Name, len(head.Roles), maxRoles)
	}
	return head, nil
}

// hasLaterMinor reports whether version a has a higher minor number than b. Both are
// major.minor with the same major number.
func hasLaterMinor(a, b string) bool {
	_, x, _ := strings.Cut(a, ".")
	_, y, _ := strings.Cut(b, ".")
	m, _ := strconv.Atoi(x)
	n, _ := strconv.Atoi(y)
	return m > n
}
