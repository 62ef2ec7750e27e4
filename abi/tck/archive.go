package tck

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi/tck/internal/archive"
)

// Files that an archive may have: the input, and the expected result.
var (
	inputFiles = map[string][]string{
		"stage":      {"role", "config", "context", "input", "original", "session", "arguments", "tree", "input-marks", "cache", "llm"},
		"controller": {"config", "context", "session", "client", "original", "cache", "llm"},
	}
	resultFiles = map[string][]string{
		"stage":      {"want", "fail", "fail-part", "sections", "marks", "meta", "log", "kept", "flags", "settled"},
		"controller": {"want"},
	}
)

// check returns an error for an archive with unknown or missing files.
func check(a archive.Archive, kind string) error {
	for _, f := range a.Files {
		hook := kind == "controller" && strings.HasPrefix(f.Name, "on_")
		if !hook && !slices.Contains(inputFiles[kind], f.Name) && !slices.Contains(resultFiles[kind], f.Name) {
			return fmt.Errorf("file %s unknown", f.Name)
		}
	}
	if !a.Has("config") {
		return fmt.Errorf("no file config")
	}
	return nil
}

// compare returns the differences between a result and the expected one. Files of a stage
// that the archive does not have are not compared, except the outcome.
func compare(a archive.Archive, got map[string]string) []string {
	var problems []string
	differs := func(name, have, want string) {
		problems = append(problems, fmt.Sprintf("%s is\n%s\nwant\n%s", name, have, want))
	}
	outcomes := []string{"want", "fail"}
	if a.Has("fail-part") {
		outcomes = nil
		if part := a.Get("fail-part"); !strings.Contains(got["fail"], part) {
			problems = append(problems, fmt.Sprintf("the reason is %q, want %q in it", got["fail"], part))
		}
	}
	for _, name := range outcomes {
		have, came := got[name]
		switch want := a.Get(name); {
		case came && !a.Has(name):
			problems = append(problems, fmt.Sprintf("%s came, is not wanted:\n%s", name, have))
		case !came && a.Has(name):
			problems = append(problems, fmt.Sprintf("no %s came, want\n%s", name, want))
		case strings.TrimSuffix(have, "\n") != want:
			differs(name, have, want)
		}
	}
	for _, name := range []string{"sections", "marks", "meta", "log", "kept", "flags", "settled"} {
		if want := a.Get(name); a.Has(name) && strings.TrimSuffix(got[name], "\n") != want {
			differs(name, got[name], want)
		}
	}
	return problems
}

// parseNumbers reads up to n numbers at the beginning of a line and returns the rest.
func parseNumbers(line string, n int) ([]int, string) {
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
