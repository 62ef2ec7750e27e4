package credential

import (
	"slices"
	"strings"
	"testing"
)

// found gives each credential as name=value.
func found(args ...string) []string {
	var list []string
	for _, c := range Find(args...) {
		list = append(list, c.Name+"="+args[c.Arg][c.Start:c.End])
	}
	return list
}

// Credentials are recognised by general rules.
func TestCredentialsOfArguments(t *testing.T) {
	for _, tc := range []struct {
		rule string
		args []string
		want []string
	}{
		{"the value after a flag", []string{"npx", "srv", "--token", "abc"}, []string{"token=abc"}},
		{"a flag with =", []string{"srv", "--api-key=abc", "-password=p"}, []string{"api-key=abc", "password=p"}},
		{"a flag in camel case", []string{"srv", "--accessToken", "abc"}, []string{"accessToken=abc"}},
		{"a flag without a value", []string{"srv", "--token", "--verbose"}, nil},
		{"the last word decides", []string{"srv", "--token-limit", "5", "--key-file", "/k", "--max-tokens=9", "--auth-mode=none"}, nil},
		{"a variable of a container", []string{"docker", "run", "-e", "API_KEY=abc", "-e", "LOG=debug"}, []string{"API_KEY=abc"}},
		{"a header", []string{"mcp-remote", "https://h", "--header", "Authorization: Bearer abc"}, []string{"Authorization=Bearer abc"}},
		{"an issuer's prefix", []string{"srv", "sk-abcdefghijkl1234", "x:ghp_abcdefghijkl1234", "xoxb-1234567890-abc"}, []string{"=sk-abcdefghijkl1234", "=ghp_abcdefghijkl1234", "=xoxb-1234567890-abc"}},
		{"words that only begin so", []string{"srv", "sk-learn", "task-runner", "npm_x", "--skip-build"}, nil},
		{"a password in an address", []string{"pg", "postgres://u:p4ss@h/db?sslmode=off"}, []string{"password=p4ss"}},
		{"a key of the query", []string{"https://h/mcp?key=abc&team=1&api_key=d#x"}, []string{"key=abc", "api_key=d"}},
		{"a reference is none", []string{"srv", "--token", "${TOKEN}", "--key=${K}", "https://h?key=${K}"}, nil},
		{"a private key", []string{"-----BEGIN PRIVATE KEY-----\nabc", `{"k":"-----BEGIN RSA PRIVATE KEY-----\nabc"}`}, []string{"=-----BEGIN PRIVATE KEY-----\nabc", `={"k":"-----BEGIN RSA PRIVATE KEY-----\nabc"}`}},
		{"a connection string", []string{"Server=h;User ID=u;Password=correct horse;Port=1", "host=h password=x dbname=d"}, []string{"Password=correct horse", "password=x"}},
		{"a shell's line", []string{"sh", "-c", "exec srv --token=abc --root=/x"}, []string{"token=abc"}},
		{"a key as the user of an address", []string{"https://0123abcd@h/1", "git+https://git@h/x", "https://someone@h/x", "ssh://user1234@h"}, []string{"key=0123abcd"}},
		{"a bearer token", []string{"Bearer abcdefgh", "bearer of news"}, []string{"token=abcdefgh"}},
		{"a signing secret", []string{"whsec_abcdefghijkl1234"}, []string{"=whsec_abcdefghijkl1234"}},
		{"a plain path", []string{"srv", "/home/me/key", "--root", "/x"}, nil},
	} {
		if got := found(tc.args...); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q holds %q, want %q", tc.rule, tc.args, got, tc.want)
		}
	}
}

// The diff of connect and the import of variables use this one rule.
func TestCredentialNames(t *testing.T) {
	for _, name := range strings.Fields("GITHUB_PAT DB_PASS DB_PWD PASSPHRASE CREDS_JSON USER_PW TOK MY_TOK API_KEY apiKey TOKEN2 PGPASSWORD" +
		" GITHUBTOKEN SECRET_KEY_BASE API_KEY_PROD ENCRYPTION_KEYS TOKEN_GITHUB AWS_SECRET_ACCESS_KEY X-Session-Id Authorization Cookie") {
		if !IsName(name) {
			t.Errorf("%s is no credential", name)
		}
	}
	for _, name := range strings.Fields("PATH HOME PASS_THROUGH BYPASS TOKENIZERS_PARALLELISM MONKEY KEYBOARD NODE_ENV LOG_LEVEL AUTHOR" +
		" COMPASS_DIR KEY_FILE TOKEN_LIMIT MAX_TOKENS SECRET_NAME AUTH_MODE PATTERN PATIENCE TOKYO X_") {
		if IsName(name) {
			t.Errorf("%s is a credential", name)
		}
	}
}

func FuzzCredentials(f *testing.F) {
	f.Add("--token", "x=https://u:p@h?key=1&key=2")
	f.Fuzz(func(t *testing.T, a, b string) {
		args := []string{a, b}
		at := [2]int{}
		for _, c := range Find(args...) {
			if c.Start < at[c.Arg] || c.End <= c.Start || c.End > len(args[c.Arg]) {
				t.Fatalf("%q: stretch %+v", args, c)
			}
			at[c.Arg] = c.End
		}
	})
}
