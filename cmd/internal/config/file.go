package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/llm/llmconfig"
	"github.com/mcpctl/mcpctl/internal/atomicfile"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// fileSettings are the values in the file.
type fileSettings struct {
	values   map[string]string // by Key.Field
	lines    map[string]int    // from 0
	warnings []string
	faults   faults
}

// parse reads the settings and collects all errors. It skips comments and blank lines.
// The section llm is parsed as YAML.
func parse(text string) fileSettings {
	s := fileSettings{values: make(map[string]string), lines: make(map[string]int)}
	_, others, err := llmconfig.Parse(File, text)
	s.faults.add(err)
	for _, w := range others {
		s.warnings = append(s.warnings, w.Position()+": "+w.Summary())
	}
	_, plain := llmconfig.Split(text)
	fields, faults := settingsIn(plain)
	s.faults = append(s.faults, faults...)
	for _, f := range fields {
		if err := s.add(f); err != nil {
			s.faults.add(atLine(f.line, err))
		}
	}
	return s
}

func (s *fileSettings) add(f setting) error {
	k, err := fieldKey(f.field)
	if err != nil {
		return err
	}
	if f.field == k.old {
		s.warnings = append(s.warnings, fmt.Sprintf("%s:%d: %s is the old name of %s, write %s", File, f.line+1, k.old, k.Field(), k.Field()))
	}
	if _, twice := s.values[k.Field()]; twice {
		return invalid("%s is written twice", k.Field())
	}
	value, err := scalar(f.value)
	if err != nil {
		return invalid("%s: %v", k.Field(), err)
	}
	s.values[k.Field()], s.lines[k.Field()] = value, f.line
	return nil
}

// fieldKey finds the key of a field of the file.
func fieldKey(name string) (Key, error) {
	var fields []string
	if k, ok := stageLevel(name); ok {
		return k, nil
	}
	for _, k := range Keys {
		if name == k.Field() || name == k.old && name != "" {
			return k, nil
		}
		fields = append(fields, k.Field())
	}
	fields = append(fields, StageLevels+".NAME", "llm")
	p := invalid("unknown field %q", name)
	p.Cause = "fields are " + join(fields)
	if near := suggest.Nearest(name, fields); near != "" {
		p.Cause = "did you mean " + near + "?"
	}
	return Key{}, p
}

// scalar parses a YAML scalar on one line, with or without quotes.
func scalar(s string) (string, error) {
	switch {
	case strings.HasPrefix(s, `"`):
		var text string
		d := json.NewDecoder(strings.NewReader(s)) // reads up to the closing quote, because a hash before it is text
		if err := d.Decode(&text); err != nil {
			return "", err
		}
		if rest := strings.TrimSpace(s[d.InputOffset():]); rest != "" && rest[0] != '#' {
			return "", fmt.Errorf("%q follows the closing quote", rest)
		}
		return text, nil
	case strings.HasPrefix(s, "'"):
		text, rest, ok := strings.Cut(s[1:], "'")
		if rest = strings.TrimSpace(rest); !ok || rest != "" && rest[0] != '#' {
			return "", errors.New("a quote is not closed")
		}
		return text, nil
	}
	s, _, _ = strings.Cut(s, " #")
	return strings.TrimSpace(s), nil
}

// Set writes one setting into the file of a home and keeps its other lines. An empty
// value removes the setting. If the file is a symbolic link, its target is written.
//
// It returns abi.ErrConfig for an invalid value, for a file that cannot be used, or for a link without a target.
func Set(home string, k Key, value string) error {
	if why := k.fault(value); why != "" {
		return invalid("%s %s", k.Name, why)
	}
	if k.checkUse != nil && value != "" {
		if err := k.checkUse(value); err != nil {
			return err
		}
	}
	file, err := atomicfile.Resolve(filepath.Join(home, File))
	if err != nil {
		return invalid("%v", err)
	}
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := parse(string(text)).faults.err(); err != nil {
		return err
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	return atomicfile.Write(file, []byte(replaceLine(string(text), k, value)), 0o600)
}

// replaceLine replaces the line of a key, or adds one. A key inside {...} is replaced by
// one line per key in the braces.
func replaceLine(text string, k Key, value string) string {
	entry := ""
	if value != "" {
		quoted, _ := json.Marshal(value) // a string always encodes
		entry = ": " + string(quoted) + "\n"
	}
	_, plain := llmconfig.Split(text)
	fields, _ := settingsIn(plain) // Set has parsed it
	i := slices.IndexFunc(fields, func(f setting) bool { return f.field == k.Field() || f.field == k.old && k.old != "" })
	var b strings.Builder
	n := -1
	for line := range strings.Lines(text) {
		if n++; i < 0 || n != fields[i].line {
			b.WriteString(strings.TrimSuffix(line, "\n") + "\n")
			continue
		}
		for _, f := range fields {
			if f.flow && f.line == n && f.field != k.Field() {
				b.WriteString(f.fieldText(f.field) + ": " + f.value + "\n")
			}
		}
		if entry != "" {
			b.WriteString(fields[i].fieldText(k.Field()) + entry)
		}
	}
	if i < 0 && entry != "" {
		b.WriteString(k.Field() + entry)
	}
	return b.String()
}

func invalid(format string, args ...any) *problem.Problem {
	return problem.New(abi.ErrConfig, format, args...)
}

func atLine(line int, err error) error {
	p := *problem.From(err)
	p.At = fmt.Sprintf("%s:%d", File, line+1)
	return &p
}

func join(words []string) string { return strings.Join(words, ", ") }
