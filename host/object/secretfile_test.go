package object

import (
	"strings"
	"testing"
)

// A user may apply the file of secrets, or a file that is no YAML at all: an error about a
// text without a kind contains no word of it.
func TestErrorsShowNothingOfAFileOfSecrets(t *testing.T) {
	for name, text := range map[string]string{
		"variables":             "CANARY-TOKEN: CANARY1\nCANARY-OTHER: CANARY2\n",
		"quoted":                "TOKEN: \"CANARY1\"\n",
		"one word":              "CANARY1\n",
		"list":                  "- CANARY1\n- CANARY2\n",
		"env file":              "TOKEN=CANARY1\nOTHER=CANARY2\n",
		"shell":                 "export TOKEN=CANARY1\n",
		"quote not closed":      "TOKEN: \"CANARY1\nOTHER: CANARY2\n",
		"single quote":          "TOKEN: 'CANARY1\nOTHER: CANARY2\n",
		"text after a quote":    "TOKEN: \"a\" CANARY1\n",
		"tab before a key":      "TOKEN: CANARY0\n\tOTHER: CANARY1\n",
		"tab before a value":    "TOKEN:\tCANARY0\n\t CANARY1\n",
		"deeper line":           "TOKEN: CANARY1\n  OTHER: CANARY2\n",
		"higher line":           "TOKEN:\n  A: CANARY1\n B: CANARY2\n",
		"no colon":              "A: CANARY1\nTOKEN CANARY2\nB: CANARY3\n",
		"no blank":              "TOKEN:CANARY1\nX: CANARY2\n",
		"duplicate key":         "CANARY1: a\nCANARY1: b\n",
		"braces":                "{TOKEN: CANARY1, OTHER: CANARY2}\n",
		"braces not closed":     "{TOKEN: CANARY1, OTHER: CANARY2\n",
		"no comma":              "{TOKEN: CANARY1 OTHER: CANARY2}\n",
		"brackets not closed":   "TOKENS: [CANARY1, CANARY2\nX: CANARY3\n",
		"JSON":                  `{"TOKEN": "CANARY1", "OTHER": "CANARY2"}`,
		"JSON without a comma":  `{"TOKEN": "CANARY1" "OTHER": "CANARY2"}`,
		"JSON not closed":       `{"TOKEN": "CANARY1`,
		"anchor":                "TOKEN: &CANARY1 x\nB: *CANARY2\n",
		"alias":                 "TOKEN: *CANARY1\n",
		"alias of itself":       "TOKEN: &CANARY1 [*CANARY1]\n",
		"tag":                   "TOKEN: !CANARY1 x\n",
		"YAML's tag":            "TOKEN: !!CANARY1 x\n",
		"directive":             "%CANARY1\nTOKEN: x\n",
		"percent sign":          "TOKEN: %CANARY1\n",
		"at sign":               "TOKEN: @CANARY1\n",
		"backquote":             "TOKEN: `CANARY1`\n",
		"escape":                "TOKEN: \"CANARY1\\q\"\n",
		"hexadecimal escape":    "TOKEN: \"CANARY1\\xZZCANARY2\"\n",
		"unicode escape":        "TOKEN: \"\\uCANARY1\"\n",
		"block":                 "TOKEN: |\n  CANARY1\n CANARY2\n",
		"head of a block":       "TOKEN: |CANARY1\n  x\n",
		"head of a folded text": "TOKEN: >CANARY1\n  x\n",
		"question mark":         "? CANARY1\n: CANARY2\n",
		"list as key":           "[CANARY1]: x\n",
		"mapping as key":        "{CANARY1: x}: y\n",
		"merge key":             "a: &a {X: CANARY1}\nb:\n  <<: [*a, CANARY2]\n",
		"two colons":            "TOKEN: a: CANARY1\n",
		"value with a colon":    "TOKEN: CANARY1: b\n",
		"end of a document":     "TOKEN: x\n...\nCANARY1\n",
		"two documents":         "---\nCANARY1\n---\nTOKEN: CANARY2\n",
		"after an object":       "kind: Project\nmetadata: {name: a}\nspec: {servers: [b]}\n---\nCANARY0: CANARY1\n---\nCANARY2\n",
		"PEM":                   "TOKEN: -----BEGIN PRIVATE KEY-----\nCANARY1\nCANARY2==\n-----END PRIVATE KEY-----\n",
		"PEM in a block":        "TOKEN: |\n-----BEGIN PRIVATE KEY-----\nCANARY1\n-----END PRIVATE KEY-----\n",
		"control character":     "TOKEN: \"CANARY1\x01\"\n",
		"invalid UTF-8":         "TOKEN: \"CANARY1\xff\"\n",
		"NUL":                   "TOKEN: CANARY1\x00\n",
		"too deep":              strings.Repeat("[", 100) + "CANARY1" + strings.Repeat("]", 100),
	} {
		t.Run(name, func(t *testing.T) { wantNoCanary(t, "x.yaml", text) })
	}
}

// The name of the file of secrets is enough, even if a variable is called kind.
func TestErrorsShowNothingOfSecretsYAML(t *testing.T) {
	wantNoCanary(t, "home/secrets.yaml", "kind: {A: CANARY1}\nTOKEN: \"CANARY2\n")
	wantNoCanary(t, "home/secrets.yaml", "kind: [CANARY1]\n")
}

// The structure of a Server with a syntax error is not known, so its credentials cannot be
// recognised: errors show keys only.
func TestSyntaxErrorsOfServersShowNoValue(t *testing.T) {
	for name, spec := range map[string]string{
		"quote not closed":    "  env:\n    A: \"CANARY1\n    B: x\n",
		"braces not closed":   "  env: {A: CANARY1,\n    B: CANARY2\n",
		"brackets not closed": "  command: [x, CANARY1\n  env: {}\n",
		"two colons":          "  env:\n    A: x: CANARY1\n",
		"block":               "  env:\n    A: |\n      CANARY1\n     CANARY2\n    B: y\n",
		"duplicate key":       "  env:\n    A: CANARY1\n    A: CANARY2\n",
		"higher line":         "  env:\n    A: CANARY1\n   B: CANARY2\n",
		"no colon":            "  env:\n    A CANARY1\n    B: CANARY2\n",
		"no blank":            "  env:\n    A: x\n    B:CANARY2\n",
		"alias":               "  env:\n    A: *CANARY1\n",
		"tag":                 "  env:\n    A: !CANARY1\n",
		"percent sign":        "  env:\n    A: %CANARY1\n",
		"head of a block":     "  env:\n    A: |CANARY1\n",
		"escape":              "  env:\n    A: \"CANARY1\\q\"\n",
		"list":                "  env:\n    - CANARY1\n",
		"text":                "  env: CANARY1\n",
		"nested":              "  env: {A: {B: CANARY1}}\n",
		"command as text":     "  command: x --api-key CANARY1\n",
		"unknown field":       "  password: CANARY1\n",
		"user in the address": "  url: https://u:CANARY1@h/x\n",
		"reference":           "  env: {A: \"${CANARY1 x}\"}\n",
	} {
		t.Run(name, func(t *testing.T) {
			wantNoCanary(t, "x.yaml", "kind: Server\nmetadata: {name: a}\nspec:\n  timeout: 1s\n"+spec)
		})
	}
}

func wantNoCanary(t *testing.T, file, text string) {
	t.Helper()
	_, warnings, err := Decode(file, []byte(text))
	if err == nil {
		t.Fatal("no error")
	}
	if shown := err.Error() + warnings.Error(); strings.Contains(shown, "CANARY") {
		t.Errorf("the error contains a word of the text:\n%s", shown)
	}
}
