package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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

//
func TestEnvironmentBeforeFileBeforeDefault(t *testing.T) {
	for _, tc := range []struct {
		name, file    string
		env           string
		value, origin string
		warnings      int
	}{
		{"nothing said", "", "", "http://127.0.0.1:3200", "default", 0},
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

func TestMistakesAreTold(t *testing.T) {
	for _, tc := range []struct{ name, file, want string }{
		{"a misspelt field", "mcplocalURL: x\n", "did you mean mcplocalUrl?"},
		{"no field", "hello\n", "want field: value"},
		{"twice", "mcpdUrl: http://a\nmcpdUrl: http://b\n", "written twice"},
		{"both names", "mcplocalUrl: http://127.0.0.1:1\ndaemonUrl: http://127.0.0.1:2\n", "written twice"},
		{"another machine", "mcplocalUrl: http://10.0.0.1:1\n", "not on this machine"},
		{"no port", "mcplocalUrl: http://127.0.0.1\n", "has no port"},
		{"a path", "mcplocalUrl: http://127.0.0.1:1/x\n", "has a path"},
		{"no address", "mcpdUrl: nope\n", "is no address"},
		{"a password", "mcpdUrl: https://u:p@h\n", "holds a user or password"},
		{"an open quote", "mcpdUrl: 'http://h\n", "not closed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, _, err := Load(write(t, tc.file), func(string) string { return "" })
			if problem.Exit(err) != problem.ExitInvalid || !strings.Contains(problem.From(err).Error(), tc.want) {
				t.Errorf("err = %v, want %s", err, tc.want)
			}
		})
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
	k, _ := Find("mcplocal-url")
	if err := Set(home, k, "http://example.com:1"); err == nil {
		t.Error("an address that is not ours is written")
	}
	if _, err := Find("mcpd-ulr"); err == nil || !strings.Contains(err.Error(), "did you mean mcpd-url?") {
		t.Errorf("err = %v", err)
	}
}
