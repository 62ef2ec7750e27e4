package object

import (
	"strings"

	"github.com/mcpctl/mcpctl/host/jsonschema"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// Patterns of strings that the decoder checks further.
const (
	patternVariable = `^[A-Za-z_][A-Za-z0-9_]*$`
	patternHeader   = "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"
	patternTools    = `^[^\[\]{}\\]*[/*][^\[\]{}\\]*$`
	patternEmail    = `^[!-;=?A-~]+@[!-;=?A-~]+$` // printable ASCII without < and >, and one @
	patternGlob     = `^[a-z0-9._+*?-]+$`
	patternLink     = `^[a-z0-9][a-z0-9._+-]*/[a-z0-9][a-z0-9._+-]*:[^ \t\r\n]+$`
)

// Schemas returns the JSON Schemas of AllKinds. A schema accepts the fields, types and
// words that Decode accepts. It does not check references between objects.
func Schemas() []jsonschema.File {
	var files []jsonschema.File
	for _, k := range AllKinds() {
		files = append(files, jsonschema.File{Name: k.SchemaFile(), Text: kindSchema(k).Text(string(k))})
	}
	return files
}

// SchemaFile returns the name of the schema of a Kind.
func (k Kind) SchemaFile() string { return strings.ToLower(string(k)) + ".json" }

// kindSchema returns the schema of a whole document of a Kind.
func kindSchema(k Kind) *jsonschema.Schema {
	spec := specSchema(k)
	top := jsonschema.Props{"kind": jsonschema.OneOf(string(k)), "metadata": metadataSchema(k), "spec": spec}
	required := []string{"kind", "metadata"}
	if len(spec.Required)+len(spec.AnyOf) == 0 { // spec has no required fields
		spec.AllowNull()
		return jsonschema.Mapping(top, required...)
	}
	return jsonschema.Mapping(top, append(required, "spec")...)
}

func metadataSchema(k Kind) *jsonschema.Schema {
	props := jsonschema.Props{
		"name":     NameSchema().Help("name of the object, and of its file"),
		"revision": jsonschema.OfType("string").Help("revision of the object of a team server that was edited; not stored"),
	}
	if k.Dir() == "" {
		props["name"] = NameSchema().Help("name of the object")
	}
	if !k.IsScoped() {
		return jsonschema.Mapping(props, "name")
	}
	props["project"] = NameSchema().Help("project it belongs to")
	return jsonschema.Mapping(props, "name", "project")
}

func specSchema(k Kind) *jsonschema.Schema {
	switch k {
	case KindServer:
		return serverSchema()
	case KindProject:
		return jsonschema.Nullable(projectSchema())
	case KindProxyModel:
		return jsonschema.Nullable(proxyModelSchema())
	case KindPrompt:
		return promptSchema()
	case KindUser:
		return jsonschema.Nullable(userSchema())
	case KindGroup:
		return jsonschema.Nullable(groupSchema())
	case KindServiceAccount:
		return jsonschema.Nullable(jsonschema.Mapping(jsonschema.Props{"description": jsonschema.OfType("string").Help("who or what uses it")}))
	case KindRbacBinding:
		return rbacBindingSchema()
	}
	return jsonschema.Nullable(jsonschema.Mapping(jsonschema.Props{"priority": prioritySchema(), "content": jsonschema.OfType("string").Help("the text that was proposed")}, "content"))
}

// templateSchema returns the schema of a value that may contain ${VAR}.
func templateSchema() *jsonschema.Schema { return jsonschema.OfType("string", "number", "boolean") }

// serverSchema returns the schema of either of two mappings: env belongs to a command,
// headers belong to a url.
func serverSchema() *jsonschema.Schema {
	common := func(p jsonschema.Props) jsonschema.Props {
		p["timeout"] = jsonschema.Duration().Help("time of one call").Absent(strictyaml.Duration(DefaultTimeout).String())
		p["shared"] = jsonschema.OfType("boolean").Help("one connection for all sessions").Absent(false)
		p["pinning"] = jsonschema.OneOf(PinWarn, PinHold, PinOff).Absent(PinWarn).Help("when a tool's definition is not the approved one: report it, or hold it back until it is approved")
		p["toolCacheTTL"] = jsonschema.Duration().Help("how long the list of tools is cached; 0s: until the server reports a change").Absent("0s")
		return p
	}
	command := jsonschema.ListOf(templateSchema()).Help("program and arguments of a server on stdio; ${VAR} and ${VAR:-default} are filled in")
	command.MinItems = 1
	passEnv := jsonschema.ListOf(jsonschema.Matching(patternVariable))
	passEnv.Unique = true
	stdio := jsonschema.Nullable(jsonschema.Mapping(common(jsonschema.Props{
		"command": command,
		"env":     jsonschema.MapOf(patternVariable, templateSchema()).Help("environment of the command; ${VAR} is filled in"),
		"cwd": jsonschema.OfType("string").Help("working directory of the command: /dir, ~/dir or ${MCPCTL_CLIENT_CWD}, the directory of the client; " +
			"default: the directory work/NAME of the home"),
		"passEnv": passEnv.Help("names of variables that the command inherits, besides PATH, HOME and the like"),
		"url":     jsonschema.OfType("null"),
	}), "command"))
	http := jsonschema.Nullable(jsonschema.Mapping(common(jsonschema.Props{
		"url":     jsonschema.OfType("string").Help("address of a server on HTTP, https:// or http://"),
		"headers": jsonschema.MapOf(patternHeader, templateSchema()).Help("headers of each request; ${VAR} is filled in"),
		"command": jsonschema.OfType("null"),
	}), "url"))
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{stdio, http}}
}

func projectSchema() *jsonschema.Schema {
	servers := jsonschema.ListOf(NameSchema())
	servers.Unique = true
	return jsonschema.Mapping(jsonschema.Props{
		"proxyMode": jsonschema.OneOf(ModeDirect, ModeProxy, "filtered").Absent(ModeProxy).
			Help("direct: only the client's config is written; proxy: all goes through mcpctl; filtered is the old name of proxy"),
		"servers":    servers.Help("servers of the project"),
		"gated":      jsonschema.OfType("boolean").Absent(true).Help("whether a session begins with begin_session, which gives it the prompts that concern its task"),
		"proxyModel": NameSchema().Absent(string(DefaultProxyModel)).Help("proxymodel that serves the project"),
		"proxyModelOverrides": jsonschema.Nullable(jsonschema.Mapping(jsonschema.Props{
			"prompts":     jsonschema.MapOf(`^[^*?]+$`, NameSchema()).Help("prompt name: proxymodel"),
			"toolResults": jsonschema.MapOf(`[/*]`, NameSchema()).Help("glob over server/tool: proxymodel; the most exact counts"),
			"resources":   jsonschema.MapOf(``, NameSchema()).Help("glob over the URI: proxymodel"),
		})).Help("other proxymodels for single sources"),
		"tools": jsonschema.Nullable(jsonschema.Mapping(jsonschema.Props{
			"allow": toolPatterns().Help("globs over server/tool; if there are any, only tools that match one of them are offered"),
			"deny":  toolPatterns().Help("globs over server/tool; tools that match one of them are not offered, even if allow has them"),
		})).Help("the tools of the servers that clients see and can call"),
		"toolNames": jsonschema.OneOf(NamesPrefixed, NamesBare).Absent(NamesPrefixed).Help("server__tool, or the names of the one server"),
		"protocol": jsonschema.OneOf(ProtocolAny, ProtocolSessions, ProtocolStateless).Absent(ProtocolAny).
			Help("MCP version that clients may speak: 2025-11-25 (and earlier) has sessions, 2026-07-28 has none; any: the one that the client asks for"),
		"llmProvider":    jsonschema.OfType("string").Help(`provider of the project's LLM; "none" switches off`),
		"recording":      jsonschema.OfType("boolean").Absent(false).Help("whether the calls and results of its sessions are written to recordings, for mcpctl replay"),
		"audit":          jsonschema.OneOf(AuditBestEffort, AuditStrict).Absent(AuditBestEffort).Help("on a team server: whether a call that cannot be recorded is refused"),
		"auditArguments": jsonschema.OfType("boolean").Absent(false).Help("on a team server: whether the arguments of tools are recorded, and not only a keyed hash of them"),
		"maxAnswerTokens": answerLimitSchema().Absent(DefaultMaxAnswerTokens).
			Help("estimated tokens above which an answer that no stage has indexed is replaced by an index; 0: no limit"),
	})
}

func answerLimitSchema() *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{jsonschema.IntFrom(0, 0), jsonschema.IntFrom(MinAnswerTokens, maxMaxAnswerTokens)}}
}

func toolPatterns() *jsonschema.Schema {
	list := jsonschema.ListOf(jsonschema.Matching(patternTools))
	list.Unique = true
	return list
}

func proxyModelSchema() *jsonschema.Schema {
	var types, plurals []string
	for _, c := range contentTypes {
		types, plurals = append(types, c.plural, c.singular), append(plurals, c.plural)
	}
	applies := jsonschema.ListOf(jsonschema.OneOf(types...))
	applies.Unique = true
	return jsonschema.Mapping(jsonschema.Props{
		"controller": (&jsonschema.Schema{AnyOf: []*jsonschema.Schema{NameSchema(), jsonschema.ListOf(entrySchema())}}).Absent(string(DefaultController)).
			Help("a controller, a list of them, or none"),
		"controllerConfig": jsonschema.AnyMapping().Help("config of a single controller"),
		"stages":           jsonschema.ListOf(entrySchema()).Help("filters and stages, in order; mcpctl get stages lists the available ones"),
		"appliesTo":        applies.Absent(plurals).Help("content that goes through it"),
		"cacheable":        jsonschema.OfType("boolean").Absent(true).Help("whether results of its stages may be cached"),
	}, "stages")
}

func entrySchema() *jsonschema.Schema {
	return jsonschema.Nullable(jsonschema.Mapping(jsonschema.Props{
		"type":      NameSchema().Help("stage, filter or controller"),
		"config":    jsonschema.AnyMapping().Help("mcpctl describe stage NAME lists the keys and their defaults"),
		"onFailure": jsonschema.OneOf(OnFailurePass, OnFailureBlock, OnFailurePlaceholder).Help("handling of the content after a failure; by default stages pass, filters block"),
		"limits":    limitsSchema().Help("lower than the limits of the host"),
	}, "type"))
}

func limitsSchema() *jsonschema.Schema {
	return jsonschema.Nullable(jsonschema.Mapping(jsonschema.Props{
		"time":        jsonschema.Duration().Help("CPU time of one call"),
		"memory":      jsonschema.Bytes().Help("of one guest, for example 16MiB"),
		"output":      jsonschema.Bytes().Help("of one call"),
		"sections":    jsonschema.IntFrom(1, 1<<20).Help("of one call"),
		"llmTime":     jsonschema.Duration().Help("waiting for answers of an LLM"),
		"llmRequests": jsonschema.IntFrom(1, 1<<20).Help("of one call"),
	}))
}

func prioritySchema() *jsonschema.Schema {
	return jsonschema.IntFrom(1, 10).Absent(DefaultPriority).Help("10 is always sent")
}

// promptSchema returns the schema of a text or a link.
func promptSchema() *jsonschema.Schema {
	common := func(p jsonschema.Props) jsonschema.Props {
		p["priority"] = prioritySchema()
		p["summary"] = jsonschema.OfType("string").Help("one line for the prompt index")
		p["chapters"] = jsonschema.ListOf(jsonschema.OfType("string")).Help("headings, for the prompt index")
		return p
	}
	text := jsonschema.Nullable(jsonschema.Mapping(common(jsonschema.Props{"content": jsonschema.OfType("string", "null").Help("the text")}), "content"))
	link := jsonschema.Nullable(jsonschema.Mapping(common(jsonschema.Props{"linkTarget": jsonschema.Matching(patternLink).Help("project/server:resource-uri")}), "linkTarget"))
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{text, link}}
}

func userSchema() *jsonschema.Schema {
	email := jsonschema.Matching(patternEmail)
	email.MaxLength = maxEmail
	return jsonschema.Mapping(jsonschema.Props{
		"email":    email.Help("address of the person"),
		"disabled": jsonschema.OfType("boolean").Absent(false).Help("whether the user may do nothing and cannot log in"),
	})
}

func groupSchema() *jsonschema.Schema {
	members := jsonschema.ListOf(NameSchema())
	members.Unique = true
	return jsonschema.Mapping(jsonschema.Props{
		"members":     members.Help("users of the group"),
		"issuerGroup": NameSchema().Help("group of the OpenID Connect issuer whose users are members too"),
	})
}

// rbacBindingSchema returns the schema of a binding. Its fields cannot be null, because an
// absent list means all.
func rbacBindingSchema() *jsonschema.Schema {
	list := func(items *jsonschema.Schema) *jsonschema.Schema {
		s := jsonschema.ListOf(items)
		s.MinItems, s.Unique = 1, true
		return s
	}
	glob := func() *jsonschema.Schema {
		s := jsonschema.Matching(patternGlob)
		s.MaxLength = maxName
		return s
	}
	return jsonschema.Mapping(jsonschema.Props{
		"subjects": list(rbacSubjectSchema()).Help("users, groups and service accounts that the binding allows to act"),
		"verbs":    list(jsonschema.OneOf(verbNames()...)).Help("what they may do; edit includes view, admin includes all"),
		"kinds":    list(jsonschema.OneOf(kindNames(AllKinds())...)).Help("kinds of the objects; absent: all"),
		"names":    list(glob()).Help("globs over the names of the objects; absent: all"),
		"projects": list(glob()).Help("globs over the projects of the objects; absent: all, and objects that belong to no project"),
	}, "subjects", "verbs")
}

// rbacSubjectSchema returns the schema of a mapping with exactly one field.
func rbacSubjectSchema() *jsonschema.Schema {
	var forms []*jsonschema.Schema
	for _, set := range subjectFields {
		props := make(jsonschema.Props)
		for _, field := range subjectFields {
			props[field.name] = jsonschema.OfType("null")
		}
		props[set.name] = NameSchema().Help("name of a " + string(set.kind))
		forms = append(forms, jsonschema.Mapping(props, set.name))
	}
	return &jsonschema.Schema{AnyOf: forms}
}
