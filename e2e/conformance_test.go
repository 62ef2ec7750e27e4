//go:build e2e

package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const through = `kind: Server
metadata: {name: everything}
spec: {url: %q}
---
kind: ProxyModel
metadata: {name: through}
spec: {controller: none, stages: []}
---
kind: Project
metadata: {name: conf}
spec: {proxyMode: proxy, servers: [everything], gated: false, proxyModel: through, toolNames: bare, maxAnswerTokens: 0}
`

// runs is how often the suite runs through a project.
var runs = flag.Int("runs", 2, "how often the conformance suite runs")

// TestConformance runs the official suite against a project with the everything-server of the
// Go SDK. All 30 scenarios must pass each time.
func TestConformance(t *testing.T) {
	needNPM(t)
	d := startDaemon(t)
	d.mcpctl(fmt.Sprintf(through, everything(t)), "apply", "-f", "-")
	suite := module("@modelcontextprotocol", "conformance", "dist", "index.js")
	for i := range *runs {
		out := t.TempDir()
		text, err := run(t, 3*time.Minute, os.Environ(), out, node(), suite, "server", "--url", d.endpoint("conf"), "-o", out)
		if err != nil {
			t.Logf("run %d: %v\n%s", i+1, err, text)
		}
		scenarios, passed, failed := checks(t, out)
		t.Logf("run %d: %d of %d scenarios, checks %d passed, %d failed", i+1, scenarios-len(failed), scenarios, passed, len(failed))
		if scenarios != 30 || len(failed) != 0 {
			t.Errorf("run %d: %d scenarios ran, want 30; failed: %v", i+1, scenarios, failed)
		}
	}
}

// TestConformanceRequirements runs the scenarios that the suite requires for a protocol version:
// once with the server alone, and then through a project. Each scenario that passes without the
// project must pass through it, each time.
func TestConformanceRequirements(t *testing.T) {
	needNPM(t)
	suite := module("conformance-next", "dist", "index.js")
	for version, flags := range map[string][]string{"2025-11-25": {"-stateless=false"}, "2026-07-28": nil} {
		t.Run(version, func(t *testing.T) {
			server := everythingServer(t, flags...)
			d := startDaemon(t)
			d.mcpctl(fmt.Sprintf(through, server), "apply", "-f", "-")
			meet := func(url string) (scenarios int, failed map[string][]string) {
				out := t.TempDir()
				_, _ = run(t, 3*time.Minute, os.Environ(), out, node(), suite, "server", "--url", url, "-o", out, "--requirements", version) // its status counts extensions
				scenarios, _, failed = checks(t, out)
				return scenarios, byScenario(failed)
			}
			total, direct := meet(server)
			if total-len(direct) < 33 {
				t.Fatalf("%d scenarios ran without the project, failed: %v", total, direct)
			}
			for i := range *runs {
				scenarios, failed := meet(d.endpoint("conf"))
				for name := range direct {
					delete(failed, name)
				}
				t.Logf("run %d: %d scenarios, %d of them fail with the server alone, %d others fail", i+1, scenarios, len(direct), len(failed))
				if scenarios != total || len(failed) > 0 {
					t.Errorf("run %d: %d scenarios, want %d; failed: %v", i+1, scenarios, total, failed)
				}
			}
		})
	}
}

// byScenario returns failures by the name of the scenario, without the time in the name of its
// directory.
func byScenario(failed map[string][]string) map[string][]string {
	out := make(map[string][]string)
	for dir, why := range failed {
		name, _, _ := strings.Cut(strings.TrimPrefix(dir, "server-"), "-202")
		out[name] = why
	}
	return out
}

// checks reads the results of the suite, which has a directory for each scenario.
func checks(t *testing.T, dir string) (scenarios, passed int, failed map[string][]string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	if err != nil {
		t.Fatal(err)
	}
	failed = map[string][]string{}
	for _, f := range files {
		var list []struct{ ID, Status, ErrorMessage string }
		b, err := os.ReadFile(f)
		if err == nil {
			err = json.Unmarshal(b, &list)
		}
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		for _, c := range list {
			switch c.Status {
			case "SUCCESS":
				passed++
			case "FAILURE":
				name := filepath.Base(filepath.Dir(f))
				failed[name] = append(failed[name], c.ID+": "+c.ErrorMessage)
			}
		}
	}
	return len(files), passed, failed
}
