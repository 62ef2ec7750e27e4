package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

func write(t *testing.T, text string) string {
	t.Helper()
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, File), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return home
}

func TestEnvironmentBeforeFileBeforeDefault(t *testing.T) {
	for _, tc := range []struct {
		name, file    string
		env           string
		value, origin string
		warnings      int
	}{
		{"default", "", "", "http://127.0.0.1:3200", "default", 0},
		{"file", "# mine\nmcplocalUrl: http://127.0.0.1:3300 # port\n", "", "http://127.0.0.1:3300", File, 0},
		{"file, in quotes", `mcplocalUrl: "http://[::1]:1"`, "", "http://[::1]:1", File, 0},
		{"file, in single quotes", `mcplocalUrl: 'http://localhost:1' # x`, "", "http://localhost:1", File, 0},
		{"the old name", "daemonUrl: http://127.0.0.1:3300\n", "", "http://127.0.0.1:3300", File, 1},
		{"environment", "mcplocalUrl: http://127.0.0.1:3300\n", "http://127.0.0.1:4", "http://127.0.0.1:4", "MCPCTL_MCPLOCAL_URL", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, warnings, err := Load(write(t, tc.file), func(k string) string {
				if k == "MCPCTL_MCPLOCAL_URL" {
					return tc.env
				}
				return ""
			})
			if err != nil {
				t.Fatal(err)
			}
			if s[0].Value != tc.value || s[0].Origin != tc.origin || len(warnings) != tc.warnings {
				t.Errorf("got %q of %s, warnings %q", s[0].Value, s[0].Origin, warnings)
			}
		})
	}
}

func TestInvalidSettingsAreReported(t *testing.T) {
	for _, tc := range []struct{ name, file, want string }{
		{"misspelt field", "mcplocalURL: x\n", "did you mean mcplocalUrl?"},
		{"line without a field", "hello\n", "want field: value"},
		{"repeated field", "mcpdUrl: http://a\nmcpdUrl: http://b\n", "written twice"},
		{"old and new name", "mcplocalUrl: http://127.0.0.1:1\ndaemonUrl: http://127.0.0.1:2\n", "written twice"},
		{"address of another machine", "mcplocalUrl: http://10.0.0.1:1\n", "not on this machine"},
		{"no port", "mcplocalUrl: http://127.0.0.1\n", "has no port"},
		{"invalid port", "mcplocalUrl: http://127.0.0.1:65536\n", "has port 65536, want 0 to 65535"},
		{"address with a path", "mcplocalUrl: http://127.0.0.1:1/x\n", "has a path"},
		{"invalid address", "mcpdUrl: nope\n", "is not an address"},
		{"address with a password", "mcpdUrl: https://u:p@h\n", "contains a user or password"},
		{"address with a query", "otel.endpoint: http://h/?key=x\n", "has a query or fragment"},
		{"header without a name", "otel.headers: \"a=1, b\"\n", "header 2 has no name, want NAME=VALUE"},
		{"header that is a credential", "otel.headers: \"Authorization=Bearer 0123456789abcdef\"\n", "header Authorization is a credential, write ${NAME}"},
		{"default that is a credential", "otel.headers: \"Authorization=Bearer ${X:-0123456789abcdef}\"\n", "header Authorization is a credential"},
		{"invalid reference", "otel.headers: \"a=${\"\n", "header a: value has ${ without }"},
		{"unclosed quote", "mcpdUrl: 'http://h\n", "not closed"},
		{"in the section llm", "maxLines: 9\nllm:\n  providers: [{name: a, type: opnai}]\n", `did you mean "openai"?`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, _, err := Load(write(t, tc.file), func(string) string { return "" })
			if problem.Exit(err) != problem.ExitInvalid || !strings.Contains(problem.From(err).Error(), tc.want) {
				t.Errorf("err = %v, want %s", err, tc.want)
			}
			if strings.Contains(problem.From(err).Error(), "0123456789abcdef") {
				t.Errorf("the error shows the credential: %v", err)
			}
		})
	}
}

func TestHeaders(t *testing.T) {
	s, _, err := Load(write(t, "otel:\n  headers: 'Authorization=Bearer ${T}, X-Scope = a=b '\n"), func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range s.Headers("otel.headers") {
		got = append(got, h.Name+": "+h.Value.Source())
	}
	if strings.Join(got, "\n") != "Authorization: Bearer ${T}\nX-Scope: a=b" {
		t.Errorf("%q", got)
	}
}

func TestSetKeepsTheOtherLines(t *testing.T) {
	home := write(t, "# mine\ndaemonUrl: http://127.0.0.1:1\nmcpdUrl: http://h")
	for _, step := range []struct{ key, value, want string }{
		{"mcplocal-url", "http://127.0.0.1:9", "# mine\nmcplocalUrl: \"http://127.0.0.1:9\"\nmcpdUrl: http://h\n"},
		{"mcpd-url", "", "# mine\nmcplocalUrl: \"http://127.0.0.1:9\"\n"},
		{"mcpd-url", "http://x:1", "# mine\nmcplocalUrl: \"http://127.0.0.1:9\"\nmcpdUrl: \"http://x:1\"\n"},
	} {
		k, err := Find(step.key)
		if err != nil {
			t.Fatal(err)
		}
		if err := Set(home, k, step.value); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(filepath.Join(home, File)); string(got) != step.want {
			t.Errorf("set %s %q: got\n%s\nwant\n%s", step.key, step.value, got, step.want)
		}
	}
	k, _ := Find("maxLines")
	const before, llm, after = "maxLines: 3\n", "llm:\n  # maxLines: of a comment\n  providers:\n\n  - {name: a, type: fake}\n", "leafSize: 4000\n"
	home = write(t, before+llm+after)
	if err := Set(home, k, "12"); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(filepath.Join(home, File)); string(got) != "maxLines: \"12\"\n"+llm+after {
		t.Errorf("with the section llm: got\n%s", got)
	}
	k, _ = Find("mcplocal-url")
	if err := Set(home, k, "http://example.com:1"); err == nil {
		t.Error("Set accepts an address of another machine")
	}
	if _, err := Find("mcpd-ulr"); err == nil || !strings.Contains(err.Error(), "did you mean mcpd-url?") {
		t.Errorf("err = %v", err)
	}
}

func TestTypedValues(t *testing.T) {
	s, _, err := Load(write(t, "limits.frame: 64MiB\noriginals.ttl: 90m # short\nmaxLines: 12\n"), func(k string) string {
		return map[string]string{"MCPCTL_MAX_LINES": "13", "MCPCTL_CACHE_SIZE": "5MiB"}[k]
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.Bytes("limits.frame") != 64<<20 || s.Duration("originals.ttl") != 90*time.Minute || s.Int("maxLines") != 13 ||
		s.Bytes("cache.size") != 5<<20 || s.Bytes("originals.size") != 1<<30 || s.Int("leafSize") != 3000 {
		t.Errorf("got %+v", s)
	}
	for _, tc := range []struct{ file, want string }{
		{"log.level: loud\n", `is "loud", want one of debug, info, warn, error`},
		{"limits.frame: 1\n", `is "1", want 64KiB to 256MiB`},
		{"limits.frame: 64MB\n", `is "64MB", want 64KiB to 256MiB, such as`},
		{"originals.ttl: 24\n", `is "24", want 1m to 720h, such as 1m`},
		{"maxLines: 1\n", `is "1", want a number from 2 to 1000`},
		{"limits.fram: 64MiB\n", "did you mean limits.frame?"},
	} {
		_, _, err := Load(write(t, tc.file), func(string) string { return "" })
		if problem.Exit(err) != problem.ExitInvalid || !strings.Contains(problem.From(err).Error(), tc.want) {
			t.Errorf("%q: %v, want %s", tc.file, err, tc.want)
		}
	}
}

// Each key has a valid default, unique names and a line in the reference.
func TestKeys(t *testing.T) {
	seen := make(map[string]bool)
	for _, k := range Keys {
		for _, name := range []string{k.Name, k.Env()} {
			if seen[name] {
				t.Errorf("%s is not unique", name)
			}
			seen[name] = true
		}
		if why := k.fault(k.Default); why != "" {
			t.Errorf("default of %s %s", k.Name, why)
		}
		if found, err := Find(k.Field()); err != nil || found.Name != k.Name {
			t.Errorf("%s is not found by its field %s: %v", k.Name, k.Field(), err)
		}
		if !strings.Contains(Reference(), k.Name+" ") || k.Help == "" {
			t.Errorf("%s is not in the reference", k.Name)
		}
	}
	if k, _ := Find("mcplocal-url"); k.Field() != "mcplocalUrl" || k.Env() != "MCPCTL_MCPLOCAL_URL" {
		t.Errorf("unexpected names %s, %s", k.Field(), k.Env())
	}
}

// All errors of the file are reported at once, each with its line.
func TestAllErrorsOfTheFileAreReported(t *testing.T) {
	file := "maxLines: x\nno field\nmaxLine: 3\nlimits: {tme: 2s}\nlimits: {time: }\nmcpdUrl: 'open\nllm:\n  providers: [{name: a, type: opnai}, {name: b, tpye: fake}]\n"
	_, _, err := Load(write(t, file), func(string) string { return "" })
	p := problem.From(err)
	if problem.Exit(err) != problem.ExitInvalid {
		t.Fatalf("err = %v", err)
	}
	places := map[string]string{}
	for _, m := range p.Errors {
		line, _, _ := strings.Cut(strings.TrimPrefix(m.At, "config.yaml:"), ":")
		places[line] += m.Error() + "; "
	}
	for line, want := range map[string]string{
		"1": `maxLines of config.yaml is "x"`, "2": "want field: value", "3": "did you mean maxLines?", "4": "did you mean limits.time?",
		"6": "a quote is not closed", "8": `did you mean "openai"?`,
	} {
		if !strings.Contains(places[line], want) {
			t.Errorf("line %s: %q, want %q", line, places[line], want)
		}
	}
	if p.Message != fmt.Sprintf("config.yaml: %d errors", len(p.Errors)) {
		t.Errorf("message %q for %d errors", p.Message, len(p.Errors))
	}
}
