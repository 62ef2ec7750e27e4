package strictyaml_test

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/object"
)

// TestErrorsShowNoCredential checks the source lines in errors, which are also in logs
// and bug reports.
func TestErrorsShowNoCredential(t *testing.T) {
	const canary = "c4n4ry-0123456789"
	head := "kind: Server\nmetadata: {name: a}\nspec:\n"
	for name, text := range map[string]string{
		"misspelt env":            head + "  command: [x]\n  enviroment: {KEY: " + canary + "}\n",
		"misspelt headers":        head + "  url: https://h/x\n  heders: {Authorization: Bearer " + canary + "}\n",
		"misspelt command":        head + "  comand: [x, --api-key, " + canary + "]\n",
		"an unknown key":          head + "  command: [x]\n  foo: " + canary + "\n",
		"beside a bad argument":   head + "  command: [x, '--token=" + canary + "', {}]\n",
		"flag and value":          head + "  command: [x, --token, " + canary + ", {}]\n",
		"on a line of its own":    head + "  command:\n  - x\n  - --token=" + canary + ": [\n",
		"an address":              head + "  command: [x, 'postgres://u:" + canary + "@h/db', {}]\n",
		"a block that has no end": head + "  command: [x]\n  env:\n    A: \"" + canary + "\n",
		"a list of variables":     head + "  command: [x]\n  env: [" + canary + "]\n",
		"a key of the document":   head + "  command: [x]\ntoken: " + canary + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := object.Decode("s.yaml", []byte(text))
			if err == nil {
				t.Fatal("no error was found")
			}
			if strings.Contains(err.Error(), canary) {
				t.Errorf("shown:\n%v", err)
			}
		})
	}
}

// TestMaskHidesLength: a masked credential has always the same length, and the caret stays
// below its column.
func TestMaskHidesLength(t *testing.T) {
	const head = "kind: Server\nmetadata: {name: a}\nspec:\n"
	for name, tc := range map[string]struct{ text, want string }{
		"caret after a long credential":  {"  command: [x, '--token=größer', {}]\n", "    4 |   command: [x, '--token=***', {}]\n      |                               ^"},
		"caret after a short credential": {"  command: [x, '--token=a', {}]\n", "    4 |   command: [x, '--token=***', {}]\n      |                               ^"},
		"caret at a command":             {"  command: npx foo --token verysecret123\n", "    4 |   command: npx foo --token ***\n      |            ^"},
		"unknown key":                    {"  command: [x]\n  password: verysecret123\n", "    5 |   password: ***\n      |   ^"},
	} {
		_, _, err := object.Decode("s.yaml", []byte(head+tc.text))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got\n%v\nwant\n%s", name, err, tc.want)
		}
	}
}
