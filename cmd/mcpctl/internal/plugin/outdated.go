package plugin

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/install"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/toolchain"
)

// AllOutdated returns what Outdated reports about each module of a home.
func AllOutdated(home string) (warnings []string) {
	dir := filepath.Join(home, "stages")
	files, _ := os.ReadDir(dir) // a home without the directory has no modules
	for _, f := range files {
		if filepath.Ext(f.Name()) != ".wasm" {
			continue
		}
		if w := Outdated(home, filepath.Join(dir, f.Name())); w != "" {
			warnings = append(warnings, w)
		}
	}
	return warnings
}

// Outdated reports that a source of an installed module is newer than the module, with
// the command that builds it again. It returns "" if none is, or if the directory of the
// sources is not known.
func Outdated(home, file string) string {
	stages := filepath.Join(home, "stages")
	file = filepath.Join(stages, filepath.Base(file))
	r, ok, err := install.Of(stages, file)
	if err != nil || !ok {
		return ""
	}
	wasm, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	hash := sha256.Sum256(wasm)
	if r.Fault(hex.EncodeToString(hash[:])) != "" {
		return "" // the directory is not that of this module: get stages -o wide reports it
	}
	if stale, err := toolchain.Stale(r.Dir, file); err != nil || !stale {
		return ""
	}
	name := strings.TrimSuffix(filepath.Base(file), ".wasm")
	return fmt.Sprintf("stage %q is older than its source %s: mcpctl stage dev %s --once", name, r.Dir, problem.Arg(r.Dir))
}
