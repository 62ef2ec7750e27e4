// Package tck is the conformance kit of the plugin ABI: the cases that a guest in any
// language must pass, and a host to run them. The README in this directory describes the
// behaviour of the guest in each case.
//
// Host runs the cases of a module. The command in the directory run does so for the
// author of a guest, the test of this package for every guest in the directory dist.
package tck

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/mcpctl/mcpctl/abi/tck/internal/archive"
)

//go:embed cases
var files embed.FS

// Case is one archive of the directory cases.
type Case struct {
	Name    string // as a path: stage/find
	archive archive.Archive
}

// Summary returns the first line of the archive, which describes its purpose.
func (c Case) Summary() string {
	return c.archive.Summary()
}

// isController reports whether the case is one of a controller.
func (c Case) isController() bool { return strings.HasPrefix(c.Name, "controller/") }

// Cases returns all cases, those of stages first.
//
// Errors: of an invalid archive.
func Cases() ([]Case, error) {
	cases, err := fs.Sub(files, "cases")
	if err != nil {
		return nil, err
	}
	return CasesIn(cases)
}

// CasesIn returns the cases in the directories stage and controller.
//
// Errors: as for Cases.
func CasesIn(fsys fs.FS) ([]Case, error) {
	var cases []Case
	for _, kind := range []string{"stage", "controller"} {
		paths, err := fs.Glob(fsys, kind+"/*.txtar")
		if err != nil {
			return nil, err
		}
		for _, p := range paths {
			b, err := fs.ReadFile(fsys, p)
			if err != nil {
				return nil, err
			}
			a := archive.Parse(string(b))
			if err := check(a, kind); err != nil {
				return nil, fmt.Errorf("%s: %w", p, err)
			}
			cases = append(cases, Case{strings.TrimSuffix(p, ".txtar"), a})
		}
	}
	return cases, nil
}

// Run runs a case and returns the differences from the expected result; none if it
// passed.
func (h *Host) Run(ctx context.Context, c Case) (problems []string) {
	first, err := h.runCase(ctx, c)
	if err != nil {
		return []string{err.Error()}
	}
	second, err := h.runCase(ctx, c)
	if err != nil {
		return []string{err.Error()}
	}
	if problems = compare(c.archive, first); c.isController() {
		problems = compareHooks(c.archive, first)
	}
	for name, text := range first {
		if second[name] != text {
			problems = append(problems, fmt.Sprintf("%s differs in a second run:\n%s", name, second[name]))
		}
	}
	return problems
}

// runCase runs a case and returns the result as text, by the names of the archive's
// files.
func (h *Host) runCase(ctx context.Context, c Case) (map[string]string, error) {
	if c.isController() {
		return h.runController(ctx, c.archive)
	}
	return h.runStage(ctx, c.archive)
}
