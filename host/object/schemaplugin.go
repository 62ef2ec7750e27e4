package object

import "github.com/mcpctl/mcpctl/abi"

// pluginSchema is a plugin with one role, whose fields stand at the top, or with
// several under roles.
func pluginSchema() *schema {
	head := func(p props) props {
		p["name"] = nameSchema().help("name of the plugin; of its role too if it has one")
		p["abi"] = &schema{AnyOf: []*schema{
			textOf(`^1(\.[0-9]+)?$`),
			{Type: []string{"number"}, Minimum: intOf(1), Maximum: intOf(2)},
		}, Description: "version of the contract with the host: 1"}
		p["version"] = ofType("string").help("version of the plugin, in quotes")
		p["summary"] = ofType("string").help("one line: what it does to content")
		p["license"] = ofType("string").help("SPDX name")
		return p
	}
	single := head(roleProps())
	single["roles"] = ofType("null")
	list := listOf(optional(mappingOf(roleOf(), "name", "kind")))
	list.MinItems, list.MaxItems = 1, maxRoles
	several := head(props{"roles": list.help("roles of one module")})
	return &schema{AnyOf: []*schema{
		optional(mappingOf(single, "name", "abi", "kind")),
		optional(mappingOf(several, "name", "abi", "roles")),
	}}
}

func intOf(n int) *int { return &n }

// roleOf are the fields of an item of roles.
func roleOf() props {
	p := roleProps()
	p["name"] = nameSchema().help("name of the role")
	p["summary"] = ofType("string").help("one line: what it does to content")
	return p
}

// roleProps are the fields of a role, its name and summary excepted.
func roleProps() props {
	return props{
		"kind": oneWordOf(string(abi.KindStage), string(abi.KindFilter), string(abi.KindController)).
			help("stage: may fail and pass content on; filter: withholds what it could not check; controller: guides a session"),
		"transforms":    ofType("boolean").absent(true).help("whether a stage changes content"),
		"llm":           oneWordOf(abi.LLMNone, abi.LLMOptional, abi.LLMRequired).help("whether it asks an LLM"),
		"config":        listOf(configFieldSchema()).help("keys it takes in a proxymodel"),
		"capabilities":  listOf(oneWordOf(capabilities...)).help("what it asks of the host"),
		"notifications": listOf(ofType("string")).help("notifications a controller sends beside list_changed and message"),
		"hooks":         listOf(oneWordOf(hooks...)).help("hooks that a controller wants; none: all that its module exports"),
		"gatedOnly":     ofType("boolean").absent(false).help("whether a controller is left out of a project with gated: false"),
		"examples":      listOf(ofType("string")).help("files of testdata/ that show it at work"),
	}
}

func configFieldSchema() *schema {
	s := mappingOf(props{
		"name":   ofType("string").help("name of the key"),
		"type":   oneWordOf(configTypes...),
		"min":    ofType("number").help("of int and number"),
		"max":    ofType("number").help("of int and number"),
		"values": listOf(ofType("string")).help("of enum; of bool if it takes one value only"),
		"help":   ofType("string").help("one line: what it changes"),
	}, "name", "type")
	optional(s)
	s.Properties["default"] = (&schema{}).help("value that holds if the key is left out") // null is one
	return s
}
