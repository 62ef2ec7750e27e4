package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// goTest runs tests of a package and returns their output.
func goTest(ctx context.Context, pkg string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", pkg, "-count=1", "-timeout=30m"}, args...)...)
	cmd.Env = append(os.Environ(), "MCPD_TEST_POSTGRES=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go test %s: %w\n%s", pkg, err, out[max(0, len(out)-3000):])
	}
	return string(out), nil
}

const rbacPackage = "./cmd/mcpd/internal/rbac"

var (
	decisions = regexp.MustCompile(`(\d+) decisions equal`)
	allows    = regexp.MustCompile(`BenchmarkAllows/(\S+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op`)
)

// rbac compares decisions with those of Cedar, and measures them with 10,000 bindings.
func (b *bench) rbac(ctx context.Context) ([]figure, error) {
	began := time.Now()
	out, err := goTest(ctx, rbacPackage, "-run", "Cedar", "-v", "-rapid.checks="+strconv.Itoa(b.checks))
	if err != nil {
		return nil, err
	}
	m := decisions.FindStringSubmatch(out)
	if m == nil {
		return nil, errors.New("the test prints no number of decisions")
	}
	equal, err := strconv.Atoi(m[1])
	if err != nil {
		return nil, err
	}
	figures := []figure{{fmt.Sprintf("%d decisions equal to Cedar's in %v (bar 1000000)", equal, round(time.Since(began))), equal >= 1_000_000}}
	out, err = goTest(ctx, rbacPackage, "-run", "^$", "-bench", "Allows", "-benchtime", "0.5s")
	if err != nil {
		return nil, err
	}
	found := allows.FindAllStringSubmatch(out, -1)
	if len(found) == 0 {
		return nil, errors.New("the benchmark prints no times")
	}
	for _, m := range found {
		ns, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return nil, err
		}
		took := time.Duration(ns)
		if m[1] == "one-group-suffixes" { // 10,000 globs that begin with a wildcard, all compared: the worst case has no bar
			figures = append(figures, note("%s %v (no bar)", m[1], took))
			continue
		}
		figures = append(figures, figure{fmt.Sprintf("%s %v (bar 2µs)", m[1], took), took < 2*time.Microsecond})
	}
	return figures, nil
}

// minStoreCases is the number of tests of the store that both engines must pass.
const minStoreCases = 300

// store runs the cases that all stores pass; the names of the tests contain the engine.
func (b *bench) store(ctx context.Context) ([]figure, error) {
	return suite(ctx, "./cmd/mcpd/internal/conformance", minStoreCases)
}

// backup runs the tests of backup and restore.
func (b *bench) backup(ctx context.Context) ([]figure, error) {
	const pkg = "./cmd/mcpd/internal/backup"
	if _, err := os.Stat(pkg); err != nil {
		return []figure{{"package " + pkg + " does not exist yet", false}}, nil
	}
	return suite(ctx, pkg, 1)
}

var passed = regexp.MustCompile(`(?m)^\s*--- PASS: (\S+)`)

// suite runs the tests of packages and counts the cases that passed on each engine. A case is
// a test without subtests.
func suite(ctx context.Context, pkg string, atLeast int) ([]figure, error) {
	out, err := goTest(ctx, pkg, "-v")
	if err != nil {
		return []figure{{err.Error(), false}}, nil
	}
	names := passed.FindAllStringSubmatch(out, -1)
	parents := make(map[string]bool)
	for _, m := range names {
		for i := range m[1] {
			if m[1][i] == '/' {
				parents[m[1][:i]] = true
			}
		}
	}
	sqlite, postgresql := 0, 0
	for _, m := range names {
		if name := m[1] + "/"; !parents[m[1]] {
			sqlite += count(strings.Contains(name, "/sqlite/"))
			postgresql += count(strings.Contains(name, "/postgresql/"))
		}
	}
	return []figure{{fmt.Sprintf("%d cases passed on SQLite, %d on PostgreSQL (bar %d of each)", sqlite, postgresql, atLeast), min(sqlite, postgresql) >= atLeast}}, nil
}
