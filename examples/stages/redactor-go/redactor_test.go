package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

func TestExamples(t *testing.T) { stagetest.RunArchives(t, "redactor", "testdata/*.txtar") }

func run(input string) stagetest.Result {
	return stagetest.Run("redactor", stagetest.Call{Input: input, Context: stagetest.Context{Filter: true}})
}

// Values are removed in all notations.
func TestValuesInAllForms(t *testing.T) {
	for form, input := range map[string]string{
		"YAML":                    "password: hunter2",
		"YAML, a list":            "- password: hunter2 with blanks",
		"YAML, single quotes":     "password: 'it''s hunter2'",
		"YAML, a block":           "password: |-\n  hunter2\nuser: bob",
		"a quote over two lines":  "password: \"first\n  hunter2\"\nuser: bob",
		"a quote that stays open": "password: \"hunter2",
		"environment":             "MYSQL_ROOT_PASSWORD=hunter2",
		"properties":              "db.pass = hunter2",
		"connection string":       "Server=db;Password=hunter2;Database=app",
		"log":                     "time=12:01 user=bob secret=hunter2 ok=1",
		"command":                 "mysql --password hunter2 -e 'select 1'",
		"command, quoted":         `mysql --password "hunter2 x" -e`,
		"header":                  "authorization: Basic hunter2aHVudGVyMg==",
		"header in a command":     `curl -H 'X-Api-Key: hunter2' https://example.com`,
		"XML":                     "<password>hunter2</password>",
		"Markdown":                "**API key:** `hunter2`",
		"Ruby":                    `"password" => "hunter2"`,
		"Python":                  `{'client_secret': 'hunter2', 'n': 1}`,
		"JSON in JSON in JSON":    `{"a":"{\"b\":\"{\\\"token\\\":\\\"x\\\\\\\"hunter2\\\"}\"}"}`,
		"JSON, before a tab":      `{"a":"token=hunter2\tok"}`,
		"JSON, a number":          `{"secret":4242.5,"n":1}`,
		"URL":                     "redis://:hunter2@cache:6379/0",
		"query":                   "https://example.com/?access_token=hunter2&n=1",
		"a key without an end":    "-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2hunter2",
	} {
		got := run(input)
		if got.Outcome != stagetest.Done || strings.Contains(got.Output, "hunter2") || strings.Contains(got.Output, "4242") {
			t.Errorf("%s: %s: %q", form, got.Outcome, got.Output)
		}
		for _, line := range got.Log {
			if strings.Contains(line.Text, "hunter2") {
				t.Errorf("%s: the log has the value: %s", form, line.Text)
			}
		}
	}
}

// A quote is closed by a quote with the corresponding number of backslashes.
func TestClosing(t *testing.T) {
	for _, test := range []struct {
		text, quote, inside string
		json                bool
	}{
		{`ab"cd`, `"`, `ab`, true},
		{`a\"b"c`, `"`, `a\"b`, true},
		{`ab\\",`, `"`, `ab\\`, true},
		{`a\\\"b\",`, `\"`, `a\\\"b`, true},
		{`ab\\\\\",`, `\"`, `ab\\\\`, true},
		{`ab",`, `\"`, `ab`, true},
		{`ab\\",`, `\"`, `ab\\`, true},
		{`ab","it's":1`, `'`, `ab`, true},
		{`it''s'`, `'`, `it''s`, false},
		{`','`, `'`, ``, false},
		{"ab\n\ncd'", `'`, `ab`, false},
	} {
		if got := test.text[:findClosing(test.text, test.quote, test.json)]; got != test.inside {
			t.Errorf("after %s in %s: %s, want %s", test.quote, test.text, got, test.inside)
		}
	}
}

// No content makes the filter fail, and JSON remains JSON.
func FuzzRedact(f *testing.F) {
	f.Add(`{"password":"x","a":"token=\"y\\"}`)
	f.Add("secret: |\n  x\n://a:b@c.de --pwd x")
	f.Fuzz(func(t *testing.T, input string) {
		first := run(strings.ToValidUTF8(input, ""))
		if first.Outcome == stagetest.Fail {
			t.Fatal(first.Reason)
		}
		if json.Valid([]byte(input)) && first.Outcome == stagetest.Done && !json.Valid([]byte(first.Output)) {
			t.Fatalf("%q becomes %q, which is not JSON", input, first.Output)
		}
	})
}
