package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

const headPlugin = `
name: head
kind: stage
abi: 1
version: 1.2.0
summary: the first lines
llm: optional
capabilities: [cache, llm]
config:
  - {name: lines, type: int, default: 10, min: 1, max: 1000, help: how many}
  - {name: mode, type: enum, values: [a, b], default: a}
  - {name: ratio, type: number, default: 1.50}
  - {name: tags, type: strings, default: [x, y]}
  - {name: extra, type: json, default: {deep: [1, null]}}
  - {name: title, type: string}
examples: [testdata/basic.txtar]
`

func TestParsePlugin(t *testing.T) {
	m, err := Parse([]byte(headPlugin), "plugin.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if m.Name != "head" || m.ABI != "1.0" || m.Version != "1.2.0" || len(m.Roles) != 1 {
		t.Errorf("manifest is %+v", m)
	}
	r := m.Roles[0]
	if r.Name != "head" || r.Kind != abi.KindStage || r.LLM != "optional" || !r.Transforming() || len(r.Config) != 6 {
		t.Errorf("role is %+v", r)
	}
	asJSON, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var back abi.Manifest
	if err := json.Unmarshal(asJSON, &back); err != nil {
		t.Fatal(err)
	}
	if got := string(back.Roles[0].Config[4].Default); got != `{"deep":[1,null]}` {
		t.Errorf("default of extra is %s", got)
	}
	if got := string(back.Roles[0].Config[2].Default); got != "1.50" {
		t.Errorf("default of ratio is %s, want it as written", got)
	}
}

func TestParsePluginWithRoles(t *testing.T) {
	m, err := Parse([]byte("name: two\nabi: \"1.3\"\nroles:\n  - {name: a, kind: stage, transforms: false, summary: s}\n  - {name: b, kind: controller, capabilities: [session]}\n"), "plugin.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Roles) != 2 || m.Roles[0].Transforming() || m.Roles[1].Kind != abi.KindController || m.ABI != "1.3" {
		t.Errorf("manifest is %+v", m)
	}
	if m.Roles[0].Config == nil {
		t.Error("Config of a role without config is nil, which allows any config")
	}
}

func TestParsePluginWithController(t *testing.T) {
	m, err := Parse([]byte("name: g\nabi: 1\nkind: controller\ncapabilities: [session]\nhooks: [on_tool_call, on_initialize]\ngatedOnly: true\n"), "plugin.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if r := m.Roles[0]; !slices.Equal(r.Hooks, []abi.Hook{abi.OnToolCall, abi.OnInitialize}) || !r.GatedOnly {
		t.Errorf("role is %+v", r)
	}
	m, err = Parse([]byte("name: g\nabi: 1\nkind: controller\n"), "plugin.yaml")
	if err != nil || m.Roles[0].Hooks != nil || m.Roles[0].GatedOnly {
		t.Errorf("role is %+v, %v: want all hooks, in every project", m.Roles, err)
	}
}

func TestParsePluginErrors(t *testing.T) {
	base := func(more string) string { return "name: x\nkind: stage\nabi: 1\n" + more }
	controller := func(more string) string { return "name: x\nkind: controller\nabi: 1\n" + more }
	field := func(f string) string { return base("config:\n  - {" + f + "}\n") }
	for _, c := range []struct{ rule, in, want string }{
		{"no name", "kind: stage\nabi: 1\n", "name is missing"},
		{"no abi", "kind: stage\nname: x\n", "abi is missing"},
		{"no kind", "name: x\nabi: 1\n", `plugin "x": kind is missing`},
		{"kind", "name: x\nabi: 1\nkind: stages\n", `did you mean "stage"?`},
		{"abi of a later major", "name: x\nkind: stage\nabi: 2\n", "abi is 2, this version of mcpctl supports 1"},
		{"abi is not a version", "name: x\nkind: stage\nabi: new\n", "want a version such as 1 or 1.0"},
		{"unknown field", base("sumary: x\n"), `did you mean "summary"?`},
		{"field type", field("name: a, type: integer"), `want string, int, number, bool, enum, strings or json`},
		{"field without name", field("type: int"), "config[0].name is missing"},
		{"field twice", base("config: [{name: a, type: int}, {name: a, type: int}]\n"), `config[1] "a" is listed twice`},
		{"enum without values", field("name: a, type: enum"), "an enum needs its values"},
		{"values without enum", field("name: a, type: int, values: [b]"), "belongs to an enum or a bool"},
		{"values of a bool", field(`name: a, type: bool, values: ["true", "yes"]`), `"true" and "false", not "yes"`},
		{"default of a bool not among its values", field(`name: a, type: bool, values: ["true"], default: false`), "is false, want true"},
		{"min of a string", field("name: a, type: string, min: 1"), "belong to int and number"},
		{"min above max", field("name: a, type: int, min: 2, max: 1"), "is above max"},
		{"default of other type", field("name: a, type: int, default: big"), `config[0].default is "big", want int`},
		{"default with fraction", field("name: a, type: int, default: 1.5"), "want int"},
		{"default out of range", field("name: a, type: int, min: 1, max: 5, default: 9"), "is 9, want 1 to 5"},
		{"default not among values", field("name: a, type: enum, values: [one, two], default: tow"), `did you mean "two"?`},
		{"capability", base("capabilities: [lmm]\n"), `did you mean "llm"?`},
		{"session for a stage", base("capabilities: [session]\n"), "session belongs to a controller"},
		{"arguments for a filter", strings.Replace(base("capabilities: [arguments]\n"), "kind: stage", "kind: filter", 1), "arguments belongs to a stage"},
		{"llm without the capability", base("llm: required\n"), "lacks llm"},
		{"unknown hook", controller("hooks: [on_tool_cal]\n"), `hooks[0] is "on_tool_cal"`},
		{"unknown hook with suggestion", controller("hooks: [on_tool_cal]\n"), `did you mean "on_tool_call"?`},
		{"hook twice", controller("hooks: [on_close, on_close]\n"), `hooks[1] "on_close" is listed twice`},
		{"hook of another type", controller("hooks: [1]\n"), "hooks[0] is a number, want a string"},
		{"hooks of a stage", base("hooks: [on_close]\n"), "hooks[0] belongs to a controller, the kind is stage"},
		{"gatedOnly of a stage", base("gatedOnly: true\n"), "gatedOnly belongs to a controller, the kind is stage"},
		{"gatedOnly of another type", controller("gatedOnly: maybe\n"), "gatedOnly is a string, want a bool"},
		{"controller that transforms", "name: x\nkind: controller\nabi: 1\ntransforms: false\n", "transforms belongs to a stage"},
		{"roles and kind", "name: x\nabi: 1\nkind: stage\nroles: [{name: a, kind: stage}]\n", "kind is not a field here"},
		{"role twice", "name: x\nabi: 1\nroles: [{name: a, kind: stage}, {name: a, kind: stage}]\n", `roles[1] "a" is listed twice`},
		{"no roles", "name: x\nabi: 1\nroles: []\n", "lists 0 roles"},
		{"two documents", base("") + "---\n" + base(""), "contains 2 documents"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			_, err := Parse([]byte(c.in), "plugin.yaml")
			if !errors.Is(err, abi.ErrConfig) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got:\n%v\nwant text: %s", err, c.want)
			}
		})
	}
}

func TestMergePlugins(t *testing.T) {
	part := func(name, version string) abi.Manifest {
		return abi.Manifest{Name: name, ABI: version, Roles: []abi.Role{{Name: name, Kind: abi.KindStage}}}
	}
	m, err := Merge(abi.Manifest{Name: "builtin", Version: "1"}, part("b", "1.0"), part("a", "1.2"), part("c", "1.1"))
	if err != nil {
		t.Fatal(err)
	}
	var roles []string
	for _, r := range m.Roles {
		roles = append(roles, r.Name)
	}
	if m.Name != "builtin" || m.ABI != "1.2" || !reflect.DeepEqual(roles, []string{"b", "a", "c"}) {
		t.Errorf("merged to %s %s %v", m.Name, m.ABI, roles)
	}
	if _, err := Merge(abi.Manifest{}, part("a", "1.0"), part("a", "1.0")); !errors.Is(err, abi.ErrConflict) {
		t.Errorf("the same role twice: %v", err)
	}
	var many []abi.Manifest
	for i := range maxRoles + 1 {
		many = append(many, part(fmt.Sprintf("r%d", i), "1.0"))
	}
	if _, err := Merge(abi.Manifest{}, many...); !errors.Is(err, abi.ErrLimit) {
		t.Errorf("too many roles: %v", err)
	}
}

func TestLeafIsFullContentMustBeTrue(t *testing.T) {
	const path = "../../plugins/src/summarize-tree/plugin.yaml"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Parse(text, path)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(m.Roles[0].Config, func(c abi.ConfigField) bool { return c.Name == "leafIsFullContent" })
	for value, want := range map[string]string{"true": "", "false": "is false, want true"} {
		if got := ConfigFault(m.Roles[0].Config[i], strictyaml.Value{Type: strictyaml.Bool, Text: value}); got != want {
			t.Errorf("leafIsFullContent: %s %s, want %q", value, got, want)
		}
	}
}
