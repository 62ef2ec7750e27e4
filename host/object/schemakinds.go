package object

// Patterns of strings that the decoder reads further.
const (
	patternName     = `^[a-z0-9][a-z0-9._+-]*$`
	patternVariable = `^[A-Za-z_][A-Za-z0-9_]*$`
	patternHeader   = "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"
	patternBytes    = `^\+?[0-9]+\s*(KiB|MiB|GiB)?$`
	patternLink     = `^[a-z0-9][a-z0-9._+-]*/[a-z0-9][a-z0-9._+-]*:[^ \t\r\n]+$`
	patternTime     = `^[+-]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`
)

// kindSchema is the schema of a whole document of a Kind.
func kindSchema(k Kind) *schema {
	spec := specSchema(k)
	top := props{"kind": oneWordOf(string(k)), "metadata": metadataSchema(k), "spec": spec}
	required := []string{"kind", "metadata"}
	if len(spec.Required)+len(spec.AnyOf) == 0 { // nothing in it must be said
		spec.orNull()
		return mappingOf(top, required...)
	}
	return mappingOf(top, append(required, "spec")...)
}

func metadataSchema(k Kind) *schema {
	if !k.Scoped() {
		return mappingOf(props{"name": nameSchema().help("name of the object, and of its file")}, "name")
	}
	return mappingOf(props{
		"name":    nameSchema().help("name of the object, and of its file"),
		"project": nameSchema().help("project it belongs to"),
	}, "name", "project")
}

func specSchema(k Kind) *schema {
	switch k {
	case KindServer:
		return serverSchema()
	case KindProject:
		return optional(projectSchema())
	case KindProxyModel:
		return optional(proxyModelSchema())
	case KindPrompt:
		return promptSchema()
	}
	return optional(mappingOf(props{"priority": prioritySchema(), "content": ofType("string").help("the text that was proposed")}, "content"))
}

func nameSchema() *schema {
	s := textOf(patternName)
	s.MaxLength = maxName
	return s
}

func durationSchema() *schema {
	zero := 0
	return &schema{AnyOf: []*schema{textOf(patternTime), {Type: []string{"integer"}, Minimum: &zero, Maximum: &zero}}}
}

func bytesSchema() *schema {
	zero := 0
	return &schema{AnyOf: []*schema{textOf(patternBytes), {Type: []string{"integer"}, Minimum: &zero}}}
}

// templateSchema is a value that may hold ${VAR}.
func templateSchema() *schema { return ofType("string", "number", "boolean") }

// serverSchema is one of two mappings: env belongs to a command, headers to a url.
func serverSchema() *schema {
	common := func(p props) props {
		p["timeout"] = durationSchema().help("time of one call").absent(Duration(DefaultTimeout).String())
		p["shared"] = ofType("boolean").help("one connection for all sessions").absent(false)
		p["toolCacheTTL"] = durationSchema().help("how long the list of tools is kept; 0s: until the server says that it changed").absent("0s")
		return p
	}
	command := listOf(templateSchema()).help("program and arguments of a server on stdio; ${VAR} and ${VAR:-default} are filled in")
	command.MinItems = 1
	passEnv := listOf(textOf(patternVariable))
	passEnv.Unique = true
	stdio := optional(mappingOf(common(props{
		"command": command,
		"env":     mapOf(patternVariable, templateSchema()).help("environment of the command; ${VAR} is filled in"),
		"cwd": ofType("string").help("working directory of the command: /dir, ~/dir or ${MCPCTL_CLIENT_CWD}, the directory of the client; " +
			"default: the directory work/NAME of the home"),
		"passEnv": passEnv.help("names of variables that the command inherits, besides PATH, HOME and the like"),
		"url":     ofType("null"),
	}), "command"))
	http := optional(mappingOf(common(props{
		"url":     ofType("string").help("address of a server on HTTP, https:// or http://"),
		"headers": mapOf(patternHeader, templateSchema()).help("headers of each request; ${VAR} is filled in"),
		"command": ofType("null"),
	}), "url"))
	return &schema{AnyOf: []*schema{stdio, http}}
}

func projectSchema() *schema {
	servers := listOf(nameSchema())
	servers.Unique = true
	return mappingOf(props{
		"proxyMode": oneWordOf(ModeDirect, ModeProxy, "filtered").absent(ModeProxy).
			help("direct: only the client's config is written; proxy: all goes through mcpctl; filtered is the old name of proxy"),
		"servers":    servers.help("servers of the project"),
		"gated":      ofType("boolean").absent(true).help("whether a session begins with begin_session, which gives it the prompts that concern its task"),
		"proxyModel": nameSchema().absent(string(DefaultProxyModel)).help("proxymodel that serves the project"),
		"proxyModelOverrides": optional(mappingOf(props{
			"prompts":     mapOf(`^[^*?]+$`, nameSchema()).help("prompt name: proxymodel"),
			"toolResults": mapOf(`[/*]`, nameSchema()).help("glob over server/tool: proxymodel; the most exact counts"),
			"resources":   mapOf(``, nameSchema()).help("glob over the URI: proxymodel"),
		})).help("other proxymodels for single sources"),
		"toolNames":   oneWordOf(NamesPrefixed, NamesBare).absent(NamesPrefixed).help("server__tool, or the names of the one server"),
		"llmProvider": ofType("string").help(`provider of the project's LLM; "none" switches off`),
	})
}

func proxyModelSchema() *schema {
	var types, plurals []string
	for _, c := range contentTypes {
		types, plurals = append(types, c.plural, c.singular), append(plurals, c.plural)
	}
	applies := listOf(oneWordOf(types...))
	applies.Unique = true
	return mappingOf(props{
		"controller": (&schema{AnyOf: []*schema{nameSchema(), listOf(entrySchema())}}).absent(string(DefaultController)).
			help("a controller, a list of them, or none"),
		"controllerConfig": freeMapping().help("config of a single controller"),
		"stages":           listOf(entrySchema()).help("filters and stages, in order; mcpctl get stages lists what there is"),
		"appliesTo":        applies.absent(plurals).help("content that goes through it"),
		"cacheable":        ofType("boolean").absent(true).help("whether results of its stages may be kept"),
	}, "stages")
}

func entrySchema() *schema {
	return optional(mappingOf(props{
		"type":      nameSchema().help("stage, filter or controller"),
		"config":    freeMapping().help("mcpctl describe stage NAME lists the keys; defaults hold for what is left out"),
		"onFailure": oneWordOf(OnFailurePass, OnFailureBlock, OnFailurePlaceholder).help("what becomes of the content if it fails; by default stages pass, filters block"),
		"limits":    limitsSchema().help("narrower than the host's"),
	}, "type"))
}

func limitsSchema() *schema {
	return optional(mappingOf(props{
		"time":        durationSchema().help("CPU of one call"),
		"memory":      bytesSchema().help("of one guest, for example 16MiB"),
		"output":      bytesSchema().help("of one call"),
		"sections":    intFrom(1, 1<<20).help("of one call"),
		"llmTime":     durationSchema().help("waiting for answers of an LLM"),
		"llmRequests": intFrom(1, 1<<20).help("of one call"),
	}))
}

func prioritySchema() *schema {
	return intFrom(1, 10).absent(DefaultPriority).help("10 is always sent")
}

// promptSchema is a text or a link to one.
func promptSchema() *schema {
	common := func(p props) props {
		p["priority"] = prioritySchema()
		p["summary"] = ofType("string").help("one line for the prompt index")
		p["chapters"] = listOf(ofType("string")).help("what is in it, for the prompt index")
		return p
	}
	text := optional(mappingOf(common(props{"content": ofType("string", "null").help("the text")}), "content"))
	link := optional(mappingOf(common(props{"linkTarget": textOf(patternLink).help("project/server:resource-uri")}), "linkTarget"))
	return &schema{AnyOf: []*schema{text, link}}
}
