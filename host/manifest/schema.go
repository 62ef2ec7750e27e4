package manifest

import (
	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonschema"
	"github.com/mcpctl/mcpctl/host/object"
)

// SchemaFile is the name of the schema of plugin.yaml.
const SchemaFile = "plugin.json"

// Schema returns the schema of plugin.yaml. It accepts the fields, types and words that
// Parse accepts.
func Schema() jsonschema.File {
	return jsonschema.File{Name: SchemaFile, Text: pluginSchema().Text("plugin.yaml")}
}

// pluginSchema returns the schema of a plugin with the fields of its role at the top
// level, or with several under roles.
func pluginSchema() *jsonschema.Schema {
	head := func(p jsonschema.Props) jsonschema.Props {
		p["name"] = object.NameSchema().Help("name of the plugin, and of its role if it has only one")
		p["abi"] = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
			jsonschema.Matching(`^1(\.[0-9]+)?$`),
			{Type: []string{"number"}, Minimum: intOf(1), Maximum: intOf(2)},
		}, Description: "version of the contract with the host: 1"}
		p["version"] = jsonschema.OfType("string").Help("version of the plugin, in quotes")
		p["summary"] = jsonschema.OfType("string").Help("one line that describes its effect on content")
		p["license"] = jsonschema.OfType("string").Help("SPDX name")
		return p
	}
	single := head(roleProps())
	single["roles"] = jsonschema.OfType("null")
	list := jsonschema.ListOf(jsonschema.Nullable(jsonschema.Mapping(itemProps(), "name", "kind")))
	list.MinItems, list.MaxItems = 1, maxRoles
	several := head(jsonschema.Props{"roles": list.Help("roles of one module")})
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
		jsonschema.Nullable(jsonschema.Mapping(single, "name", "abi", "kind")),
		jsonschema.Nullable(jsonschema.Mapping(several, "name", "abi", "roles")),
	}}
}

func intOf(n int) *int { return &n }

// itemProps returns the fields of an item of roles.
func itemProps() jsonschema.Props {
	p := roleProps()
	p["name"] = object.NameSchema().Help("name of the role")
	p["summary"] = jsonschema.OfType("string").Help("one line that describes its effect on content")
	return p
}

// roleProps returns the fields of a role except its name and summary.
func roleProps() jsonschema.Props {
	return jsonschema.Props{
		"kind": jsonschema.OneOf(string(abi.KindStage), string(abi.KindFilter), string(abi.KindController)).
			Help("stage: passes content on if it fails; filter: withholds content if it fails; controller: guides a session"),
		"transforms":    jsonschema.OfType("boolean").Absent(true).Help("whether a stage changes content"),
		"llm":           jsonschema.OneOf(abi.LLMNone, abi.LLMOptional, abi.LLMRequired).Help("whether it asks an LLM"),
		"config":        jsonschema.ListOf(configFieldSchema()).Help("keys of its config in a proxymodel"),
		"capabilities":  jsonschema.ListOf(jsonschema.OneOf(capabilities...)).Help("host functions that it uses, and arguments if it reads those of the call"),
		"notifications": jsonschema.ListOf(jsonschema.OfType("string")).Help("notifications that a controller sends, other than list_changed and message"),
		"hooks":         jsonschema.ListOf(jsonschema.OneOf(hooks...)).Help("hooks of a controller; default: all that its module exports"),
		"gatedOnly":     jsonschema.OfType("boolean").Absent(false).Help("whether a controller is omitted from projects with gated: false"),
		"examples":      jsonschema.ListOf(jsonschema.OfType("string")).Help("files in testdata/ with examples"),
	}
}

func configFieldSchema() *jsonschema.Schema {
	s := jsonschema.Mapping(jsonschema.Props{
		"name":   jsonschema.OfType("string").Help("name of the key"),
		"type":   jsonschema.OneOf(configTypes...),
		"min":    jsonschema.OfType("number").Help("of int and number"),
		"max":    jsonschema.OfType("number").Help("of int and number"),
		"values": jsonschema.ListOf(jsonschema.OfType("string")).Help("of enum; of bool if it accepts only one value"),
		"help":   jsonschema.OfType("string").Help("one line that describes its effect"),
	}, "name", "type")
	jsonschema.Nullable(s)
	s.Properties["default"] = (&jsonschema.Schema{}).Help("value if the key is absent") // may be null
	return s
}
