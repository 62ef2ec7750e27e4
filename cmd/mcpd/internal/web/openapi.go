package web

import (
	"reflect"
	"regexp"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// openAPI writes the description of all routes.
func openAPI(c *call) {
	doc, err := Describe(c.Routes(), c.Server.Version)
	if err != nil {
		c.refuse(err)
		return
	}
	writeJSON(c.w, doc)
}

var pathParameter = regexp.MustCompile(`\{([a-z]+)\}`)

// Describe returns an OpenAPI 3.1 document of routes.
func Describe(routes []Route, version string) (map[string]any, error) {
	paths := make(map[string]map[string]any)
	for _, r := range routes {
		op, err := describeRoute(r)
		if err != nil {
			return nil, err
		}
		if paths[r.Path] == nil {
			paths[r.Path] = make(map[string]any)
		}
		paths[r.Path][strings.ToLower(r.Method)] = op
	}
	return map[string]any{
		"openapi": "3.1.0",
		"info":    map[string]any{"title": "mcpd", "version": version, "description": "The team server of mcpctl."},
		"paths":   paths,
		"components": map[string]any{"securitySchemes": map[string]any{
			"token": map[string]any{"type": "http", "scheme": "bearer", "description": "a token of POST /api/v1/auth/login or /api/v1/tokens"},
		}},
	}, nil
}

func describeRoute(r Route) (map[string]any, error) {
	op := map[string]any{"summary": r.Summary, "x-rule": string(r.Rule)}
	var parameters []any
	for _, m := range pathParameter.FindAllStringSubmatch(r.Path, -1) {
		parameters = append(parameters, parameter("path", m[1], true))
	}
	for _, name := range r.Query {
		parameters = append(parameters, parameter("query", name, false))
	}
	if parameters != nil {
		op["parameters"] = parameters
	}
	if r.Rule != Public {
		op["security"] = []any{map[string]any{"token": []any{}}}
	}
	if r.In != nil {
		schema, err := schemaOf(r.In)
		if err != nil {
			return nil, err
		}
		op["requestBody"] = map[string]any{"required": true, "content": map[string]any{"application/json": map[string]any{"schema": schema}}}
	}
	ok := map[string]any{"description": "success"}
	if r.Out != nil {
		schema, err := schemaOf(r.Out)
		if err != nil {
			return nil, err
		}
		ok["content"] = map[string]any{"application/json": map[string]any{"schema": schema}}
	}
	problem := map[string]any{"type": "object", "required": []any{"title", "status"}, "properties": map[string]any{
		"type": map[string]any{"type": "string"}, "title": map[string]any{"type": "string"}, "status": map[string]any{"type": "integer"}, "detail": map[string]any{"type": "string"},
		"error": map[string]any{"type": "object", "description": "the parts of the error: code, message, cause, at, hint"},
	}}
	op["responses"] = map[string]any{
		"200":     ok,
		"default": map[string]any{"description": "a problem as defined by RFC 9457", "content": map[string]any{"application/problem+json": map[string]any{"schema": problem}}},
	}
	return op, nil
}

func parameter(in, name string, required bool) map[string]any {
	return map[string]any{"in": in, "name": name, "required": required, "schema": map[string]any{"type": "string"}}
}

// schemaOf returns the schema of the JSON of a value's type.
func schemaOf(v any) (*jsonschema.Schema, error) {
	return jsonschema.ForType(reflect.TypeOf(v), &jsonschema.ForOptions{IgnoreInvalidTypes: true, TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[[]byte](): {Type: "string", ContentEncoding: "base64"},
	}})
}
