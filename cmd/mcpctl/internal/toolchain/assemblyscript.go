package toolchain

import (
	"context"
	"path/filepath"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// findAssemblyScript finds asc in the folder, where npm puts it, or in PATH.
func findAssemblyScript(s System, dir string) (tools, error) {
	if s.first("node") == "" {
		return nil, &Missing{AssemblyScript, "node", "its compiler asc is a program for Node.js; there is no node in PATH", s.install("nodejs npm", "node", "https://nodejs.org")}
	}
	if dir, err := filepath.Abs(dir); err == nil {
		if asc := filepath.Join(dir, "node_modules", ".bin", "asc"); isProgram(asc) {
			return tools{"asc": asc}, nil
		}
	}
	if asc := s.first("asc"); asc != "" {
		return tools{"asc": asc}, nil
	}
	return nil, &Missing{AssemblyScript, "asc", "AssemblyScript's compiler is neither in " + filepath.Join(dir, "node_modules") + " nor in PATH", "npm install --prefix " + problem.Arg(dir)}
}

func buildAssemblyScript(ctx context.Context, t tools, j Job) error {
	target := "release"
	if j.Debug {
		target = "debug"
	}
	_, err := run(ctx, j.Dir, nil, t["asc"], filepath.Join("assembly", "index.ts"), "--target", target, "--outFile", j.Out, "--textFile", "")
	return err
}
