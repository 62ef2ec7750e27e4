package tck

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// archive is a txtar file: a comment, and files in order.
type archive struct {
	comment string
	files   []file
}

type file struct{ name, text string }

func parseArchive(text string) archive {
	var a archive
	for line := range strings.Lines(text) {
		name, begins := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "-- ")
		name, ends := strings.CutSuffix(name, " --")
		switch {
		case begins && ends:
			a.files = append(a.files, file{name: name})
		case len(a.files) == 0:
			a.comment += line
		default:
			a.files[len(a.files)-1].text += line
		}
	}
	return a
}

// Files that an archive may have, and those of them that are there to be compared.
var (
	given = map[string][]string{
		"stage":      {"role", "config", "context", "input", "original", "session", "tree", "input-marks", "cache", "llm"},
		"controller": {"config", "context", "session", "client", "original", "cache", "llm"},
	}
	wanted = map[string][]string{
		"stage":      {"want", "fail", "fail-part", "sections", "marks", "meta", "log", "kept", "flags", "settled"},
		"controller": {"want"},
	}
)

func (a archive) check(kind string) error {
	for _, f := range a.files {
		hook := kind == "controller" && strings.HasPrefix(f.name, "on_")
		if !hook && !slices.Contains(given[kind], f.name) && !slices.Contains(wanted[kind], f.name) {
			return fmt.Errorf("file %s unknown", f.name)
		}
	}
	if !a.has("config") {
		return fmt.Errorf("no file config")
	}
	return nil
}

func (a archive) has(name string) bool {
	return slices.ContainsFunc(a.files, func(f file) bool { return f.name == name })
}

// get is a file without the newline at its end.
func (a archive) get(name string) string {
	for _, f := range a.files {
		if f.name == name {
			return strings.TrimSuffix(f.text, "\n")
		}
	}
	return ""
}

// decode reads a file of JSON into v, if it is there.
func (a archive) decode(name string, v any) error {
	if !a.has(name) {
		return nil
	}
	if err := json.Unmarshal([]byte(a.get(name)), v); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// pairs reads a file of lines KEY: VALUE.
func (a archive) pairs(name string) map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(a.get(name)) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		m[key] = value
	}
	return m
}

// differences compares what came with what is wanted. The files of a stage that the
// archive does not have are not compared, but for the outcome.
func (a archive) differences(got map[string]string) []string {
	var problems []string
	differs := func(name, have, want string) {
		problems = append(problems, fmt.Sprintf("%s is\n%s\nwant\n%s", name, have, want))
	}
	outcomes := []string{"want", "fail"}
	if a.has("fail-part") {
		outcomes = nil
		if part := a.get("fail-part"); !strings.Contains(got["fail"], part) {
			problems = append(problems, fmt.Sprintf("the reason is %q, want %q in it", got["fail"], part))
		}
	}
	for _, name := range outcomes {
		have, came := got[name]
		switch want := a.get(name); {
		case came && !a.has(name):
			problems = append(problems, fmt.Sprintf("%s came, is not wanted:\n%s", name, have))
		case !came && a.has(name):
			problems = append(problems, fmt.Sprintf("no %s came, want\n%s", name, want))
		case strings.TrimSuffix(have, "\n") != want:
			differs(name, have, want)
		}
	}
	for _, name := range []string{"sections", "marks", "meta", "log", "kept", "flags", "settled"} {
		if want := a.get(name); a.has(name) && strings.TrimSuffix(got[name], "\n") != want {
			differs(name, got[name], want)
		}
	}
	return problems
}

// numbers reads the numbers that a line begins with, up to n, and gives what is left.
func numbers(line string, n int) ([]int, string) {
	var list []int
	rest := strings.TrimSuffix(line, "\n")
	for range n {
		word, after, _ := strings.Cut(rest, " ")
		v, err := strconv.Atoi(word)
		if err != nil {
			break
		}
		list, rest = append(list, v), after
	}
	return list, rest
}
