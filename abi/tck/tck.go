// Package tck is the conformance kit of the plugin ABI: the cases that a guest must
// pass, in whatever language it is written, and what runs them on our host. What a
// guest does in each case is said in the README beside this file.
//
// Host runs the cases of a module; the command in folder run does so for a stranger,
// the test of this package for every guest of folder dist.
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

// Case is one archive of folder cases.
type Case struct {
	Name    string // as a path: stage/find
	archive archive.Archive
}

// What is the first line of the archive: what it guards.
func (c Case) What() string {
	return c.archive.What()
}

func (c Case) steers() bool { return strings.HasPrefix(c.Name, "controller/") }

// Cases are all of them, those of stages first.
//
// Errors: of an archive that is none.
func Cases() ([]Case, error) {
	cases, err := fs.Sub(files, "cases")
	if err != nil {
		return nil, err
	}
	return CasesIn(cases)
}

// CasesIn are those of folders stage and controller.
//
// Errors: as of Cases.
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

// Run gives a case to a guest and tells in what it differs from what is wanted;
// nothing if it passed.
func (h *Host) Run(ctx context.Context, c Case) (problems []string) {
	first, err := h.render(ctx, c)
	if err != nil {
		return []string{err.Error()}
	}
	second, err := h.render(ctx, c)
	if err != nil {
		return []string{err.Error()}
	}
	if problems = differences(c.archive, first); c.steers() {
		problems = hookDifferences(c.archive, first)
	}
	for name, text := range first {
		if second[name] != text {
			problems = append(problems, fmt.Sprintf("%s differs in a second run:\n%s", name, second[name]))
		}
	}
	return problems
}

// render runs a case and writes down what came of it, by the names of the archive's
// files.
func (h *Host) render(ctx context.Context, c Case) (map[string]string, error) {
	if c.steers() {
		return h.steer(ctx, c.archive)
	}
	return h.stage(ctx, c.archive)
}
