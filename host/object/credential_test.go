package object

import (
	"slices"
	"strings"
	"testing"
)

// found gives each credential as name=value.
func found(args ...string) []string {
	var list []string
	for _, c := range Credentials(args...) {
		list = append(list, c.Name+"="+args[c.Arg][c.Start:c.End])
	}
	return list
}

// covers M-025: what is a credential is known by general rules
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

// TestArgumentsArePrintedMasked: what is printed shows no credential, and comes
// back as what it stands for. covers M-025
func TestArgumentsArePrintedMasked(t *testing.T) {
	home := t.TempDir()
	store, err := OpenStore(home)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	put := func(yaml string) (Change, error) {
		objects, _, err := Decode("a.yaml", []byte(yaml))
		if err != nil {
			t.Fatal(err)
		}
		done, err := store.Apply(objects, ApplyOptions{})
		if err != nil {
			return Change{}, err
		}
		return done[0], nil
	}
	if _, err := put("kind: Server\nmetadata: {name: a}\nspec: {command: [npx, srv, --token, " + canary + ", '--root=/x']}"); err != nil {
		t.Fatal(err)
	}
	snap, _ := store.Load()
	s, _ := snap.Server("a")
	shown := string(encodeYAML(s))
	if strings.Contains(shown, canary) || !strings.Contains(shown, mask) || !strings.Contains(shown, "--root=/x") {
		t.Errorf("printed as\n%s", shown)
	}
	if done, err := put(shown); err != nil || done.Action != Unchanged {
		t.Errorf("what was printed is %s, %v; want unchanged", done.Action, err)
	}
	if _, err := put(strings.Replace(shown, "--root=/x", "--root=/y", 1)); err != nil {
		t.Fatal(err)
	}
	snap, _ = store.Load()
	s, _ = snap.Server("a")
	if got := writtenArgs(s.Spec.Command); got[3] != canary || got[4] != "--root=/y" {
		t.Errorf("a change beside a credential lost it: %d arguments", len(got))
	}
	if _, err := put(strings.Replace(shown, "name: a", "name: b", 1)); err == nil {
		t.Error("*** with nothing stored behind it is taken")
	}
}

// The diff of connect and the import of variables use this one rule.
func TestCredentialNames(t *testing.T) {
	for _, name := range strings.Fields("GITHUB_PAT DB_PASS DB_PWD PASSPHRASE CREDS_JSON USER_PW TOK MY_TOK API_KEY apiKey TOKEN2 PGPASSWORD" +
		" GITHUBTOKEN SECRET_KEY_BASE API_KEY_PROD ENCRYPTION_KEYS TOKEN_GITHUB AWS_SECRET_ACCESS_KEY X-Session-Id Authorization Cookie") {
		if !IsCredentialName(name) {
			t.Errorf("%s is no credential", name)
		}
	}
	for _, name := range strings.Fields("PATH HOME PASS_THROUGH BYPASS TOKENIZERS_PARALLELISM MONKEY KEYBOARD NODE_ENV LOG_LEVEL AUTHOR" +
		" COMPASS_DIR KEY_FILE TOKEN_LIMIT MAX_TOKENS SECRET_NAME AUTH_MODE PATTERN PATIENCE TOKYO X_") {
		if IsCredentialName(name) {
			t.Errorf("%s is a credential", name)
		}
	}
}

func FuzzCredentials(f *testing.F) {
	f.Add("--token", "x=https://u:p@h?key=1&key=2")
	f.Fuzz(func(t *testing.T, a, b string) {
		args := []string{a, b}
		at := [2]int{}
		for _, c := range Credentials(args...) {
			if c.Start < at[c.Arg] || c.End <= c.Start || c.End > len(args[c.Arg]) {
				t.Fatalf("%q: stretch %+v", args, c)
			}
			at[c.Arg] = c.End
		}
	})
}

func TestWhatAServerHoldsInClear(t *testing.T) {
	for _, tc := range []struct {
		rule, spec, plain, variables string
	}{
		{"references are none", "{command: [x, --token, '${B}'], env: {TOKEN: '${A}', LOG: warn}}", "", "A B"},
		{"a flag, a variable", "{command: [x, --token, abc], env: {TOKEN: abc, LOG: warn}}", "command[2] env.TOKEN", ""},
		{"a header with both", "{url: 'https://h/', headers: {Authorization: 'Bearer ${A}'}}", "", "A"},
		{"the default of a reference", "{command: [x, '--token=${T:-abc}', '${MCPCTL_CLIENT_CWD:-~}'], env: {API_KEY: '${API_KEY:-abc}', OTHER_KEY: '${OTHER_KEY:-}', LOG: '${LOG:-debug}'}}", "command[1] env.API_KEY", "API_KEY LOG MCPCTL_CLIENT_CWD OTHER_KEY T"},
		{"a query, a header", "{url: 'https://h/?key=abc', headers: {Authorization: Bearer x}}", "url headers.Authorization", ""},
	} {
		s := decodeOne[*Server](t, "kind: Server\nmetadata: {name: a}\nspec: "+tc.spec)
		if got := strings.Join(s.PlainCredentials(), " "); got != tc.plain {
			t.Errorf("%s: in clear %q, want %q", tc.rule, got, tc.plain)
		}
		if got := strings.Join(s.Variables(), " "); got != tc.variables {
			t.Errorf("%s: variables %q, want %q", tc.rule, got, tc.variables)
		}
	}
}
