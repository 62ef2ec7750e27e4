package config

import (
	"fmt"
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

// Keys with a dot may be nested.
func TestNestedKeys(t *testing.T) {
	for _, tt := range []struct{ name, text, time, memory, fails string }{
		{"dots", "limits.time: 3s\nlimits.memory: 32MiB\n", "3s", "32MiB", ""},
		{"a block", "limits:\n  time: 3s # slow\n\n  memory: 32MiB\nleafSize: 3000\n", "3s", "32MiB", ""},
		{"a flow mapping", "limits: {time: 3s, memory: \"32MiB\"} # mine\n", "3s", "32MiB", ""},
		{"an empty block", "limits:\ncache:\n  size: 10MiB\n", "2s", "64MiB", ""},
		{"both forms", "limits: {time: 3s}\nlimits.memory: 32MiB\n", "3s", "32MiB", ""},
		{"with the section llm in between", "limits:\n  time: 3s\nllm:\n  providers: []\nlimits.memory: 32MiB\n", "3s", "32MiB", ""},
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

// Set replaces a key in each of its forms and keeps the other lines.
func TestSetNestedKeys(t *testing.T) {
	k, err := Find("limits.time")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, before, value, after string }{
		{"a block", "# a\nlimits:\n  time: 3s\n  memory: 32MiB\n", "4s", "# a\nlimits:\n  time: \"4s\"\n  memory: 32MiB\n"},
		{"a block, removed", "limits:\n  time: 3s\n  memory: 32MiB\n", "", "limits:\n  memory: 32MiB\n"},
		{"a flow mapping", "limits: {time: 3s, memory: 32MiB}\n", "4s", "limits.memory: 32MiB\nlimits.time: \"4s\"\n"},
		{"a flow mapping, removed", "limits: {time: 3s}\nleafSize: 3000\n", "", "leafSize: 3000\n"},
		{"not there", "limits:\n  memory: 32MiB\n", "4s", "limits:\n  memory: 32MiB\nlimits.time: \"4s\"\n"},
	} {
		if got := replaceLine(tt.before, k, tt.value); got != tt.after {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.after)
		}
	}
}

// log.stages may be written in each form of a group.
func TestStageLevelsInTheFile(t *testing.T) {
	for _, tt := range []struct{ name, text, levels, fails string }{
		{"none", "log.level: warn\n", "map[]", ""},
		{"dots", "log.stages.shout: debug\n", "map[shout:DEBUG]", ""},
		{"a flow mapping", "log.stages: {shout: debug, my-brake: \"warn\"} # mine\n", "map[my-brake:WARN shout:DEBUG]", ""},
		{"a block", "log.stages:\n  shout: info\nleafSize: 3000\n", "map[shout:INFO]", ""},
		{"nested blocks", "log:\n  stages:\n    shout: debug\n    lead: error # quiet\n  level: warn\n", "map[lead:ERROR shout:DEBUG]", ""},
		{"a flow mapping in a block", "log:\n  stages: {shout: debug}\n  level: warn\n", "map[shout:DEBUG]", ""},
		{"a flow mapping in another", "log: {stages: {shout: debug}, level: warn}\n", "map[shout:DEBUG]", ""},
		{"an invalid level", "log.stages: {shout: loud}\n", "", "log.stages.shout of config.yaml is \"loud\", want one of debug"},
		{"an invalid name", "log.stages: {Shout!: debug}\n", "", "unknown field \"log.stages.Shout!\""},
		{"no mapping", "log.stages: debug\n", "", "unknown field \"log.stages\""},
		{"twice", "log.stages: {shout: debug}\nlog.stages.shout: info\n", "", "log.stages.shout is written twice"},
		{"open braces", "log: {stages: {shout: debug}\n", "", "want {field: value, ...} on one line"},
	} {
		s, err := loadText(t, tt.text)
		if tt.fails != "" {
			if err == nil || !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("%s: %v, want %s", tt.name, err, tt.fails)
			}
			continue
		}
		if got := fmt.Sprint(s.StageLevels()); err != nil || got != tt.levels {
			t.Errorf("%s: %s, %v; want %s", tt.name, got, err, tt.levels)
		}
	}
}

// Set writes a stage level in each of its forms, and the file can be read afterwards.
func TestSetStageLevel(t *testing.T) {
	k, err := Find("log.stages.shout")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, before, value, after string }{
		{"nested blocks", "log:\n  stages:\n    shout: debug\n  level: warn\n", "info", "log:\n  stages:\n    shout: \"info\"\n  level: warn\n"},
		{"nested blocks, removed", "log:\n  stages:\n    shout: debug\n  level: warn\n", "", "log:\n  stages:\n  level: warn\n"},
		{"a flow mapping in a block", "log:\n  stages: {shout: debug, lead: info}\n  level: warn\n", "error", "log:\n  stages.lead: info\n  stages.shout: \"error\"\n  level: warn\n"},
		{"a flow mapping in another", "log: {stages: {shout: debug}, level: warn}\n", "", "log.level: warn\n"},
		{"not there", "log:\n  level: warn\n", "info", "log:\n  level: warn\nlog.stages.shout: \"info\"\n"},
	} {
		home := t.TempDir()
		file := filepath.Join(home, File)
		if err := os.WriteFile(file, []byte(tt.before), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Set(home, k, tt.value); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if got, _ := os.ReadFile(file); string(got) != tt.after {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.after)
		}
		s, err := loadText(t, tt.after)
		if level, ok := s.StageLevels()["shout"]; err != nil || ok != (tt.value != "") || ok && !strings.EqualFold(level.String(), tt.value) {
			t.Errorf("%s: read again: %v, %v", tt.name, s.StageLevels(), err)
		}
	}
}
