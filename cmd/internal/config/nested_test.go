package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func loadText(t *testing.T, text string) (Settings, error) {
	t.Helper()
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, File), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _, err := Load(home, func(string) string { return "" })
	return s, err
}

// 5: keys with a dot may be nested
func TestNestedKeys(t *testing.T) {
	for _, tt := range []struct{ name, text, time, memory, fails string }{
		{"dots", "limits.time: 3s\nlimits.memory: 32MiB\n", "3s", "32MiB", ""},
		{"a block", "limits:\n  time: 3s # slow\n\n  memory: 32MiB\nleafSize: 3000\n", "3s", "32MiB", ""},
		{"a flow mapping", "limits: {time: 3s, memory: \"32MiB\"} # mine\n", "3s", "32MiB", ""},
		{"an empty block", "limits:\ncache:\n  size: 10MiB\n", "2s", "64MiB", ""},
		{"both forms", "limits: {time: 3s}\nlimits.memory: 32MiB\n", "3s", "32MiB", ""},
		{"with the section llm between", "limits:\n  time: 3s\nllm:\n  providers: []\nlimits.memory: 32MiB\n", "3s", "32MiB", ""},
		{"twice", "limits: {time: 3s}\nlimits.time: 4s\n", "", "", "limits.time is written twice"},
		{"an unknown key", "limits:\n  tme: 3s\n", "", "", `unknown field "limits.tme"`},
		{"open braces", "limits: {time: 3s\n", "", "", "want {field: value, ...} on one line"},
		{"no pair", "limits: {time}\n", "", "", "want field: value"},
		{"an invalid value", "limits: {time: never}\n", "", "", "limits.time of config.yaml"},
	} {
		s, err := loadText(t, tt.text)
		if tt.fails != "" {
			if err == nil || !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("%s: %v, want %s", tt.name, err, tt.fails)
			}
			continue
		}
		if err != nil || s.Get("limits.time") != tt.time || s.Get("limits.memory") != tt.memory {
			t.Errorf("%s: time %s, memory %s, %v", tt.name, s.Get("limits.time"), s.Get("limits.memory"), err)
		}
	}
}

// Set finds a key in each of its forms, and leaves the other lines.
func TestSetNestedKeys(t *testing.T) {
	k, err := Find("limits.time")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, before, value, after string }{
		{"a block", "# a\nlimits:\n  time: 3s\n  memory: 32MiB\n", "4s", "# a\nlimits:\n  time: \"4s\"\n  memory: 32MiB\n"},
		{"a block, taken out", "limits:\n  time: 3s\n  memory: 32MiB\n", "", "limits:\n  memory: 32MiB\n"},
		{"a flow mapping", "limits: {time: 3s, memory: 32MiB}\n", "4s", "limits.memory: 32MiB\nlimits.time: \"4s\"\n"},
		{"a flow mapping, taken out", "limits: {time: 3s}\nleafSize: 3000\n", "", "leafSize: 3000\n"},
		{"not there", "limits:\n  memory: 32MiB\n", "4s", "limits:\n  memory: 32MiB\nlimits.time: \"4s\"\n"},
	} {
		if got := withLine(tt.before, k, tt.value); got != tt.after {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.after)
		}
	}
}
