package toolchain

import (
	"context"
	"fmt"
	"strings"
)

// leastGo is the first minor version of Go that builds modules with exports.
const leastGo = 24

func findGo(s System, _ string) (tools, error) {
	install := s.install("", "go", "https://go.dev/dl")
	path := s.first("go")
	if path == "" {
		return nil, &Missing{Go, "go", fmt.Sprintf("Go 1.%d or later compiles it; there is no go in PATH", leastGo), install}
	}
	messages, err := output(path, "version")
	var minor int
	if _, scanErr := fmt.Sscanf(messages, "go version go1.%d", &minor); err == nil && scanErr == nil && minor < leastGo {
		return nil, &Missing{Go, fmt.Sprintf("Go 1.%d", leastGo), fmt.Sprintf("%s is %s, and modules with exports need 1.%d or later", path, strings.TrimPrefix(messages, "go version "), leastGo), install}
	}
	return tools{"go": path}, nil
}

// goEnv prevents Go from downloading anything and from using a workspace above the directory.
var goEnv = []string{"GOWORK=off", "GOFLAGS=-buildvcs=false", "GOTOOLCHAIN=local"}

func buildGo(ctx context.Context, c Chain, j Job) error {
	_, err := run(ctx, j, append([]string{"GOOS=wasip1", "GOARCH=wasm"}, goEnv...), c.tools["go"],
		"build", "-buildmode=c-shared", "-trimpath", "-ldflags=-w", "-o", j.Out, ".")
	return err
}
