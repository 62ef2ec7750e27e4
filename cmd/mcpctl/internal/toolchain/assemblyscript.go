package toolchain

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// findAssemblyScript finds asc in the plugin directory, where npm installs it, or in PATH.
func findAssemblyScript(s System, dir string) (tools, error) {
	node := s.first("node")
	if node == "" {
		return nil, &Missing{AssemblyScript, "node", "its compiler asc is a program for Node.js; there is no node in PATH", s.install("nodejs npm", "node", "https://nodejs.org")}
	}
	if dir, err := filepath.Abs(dir); err == nil {
		if asc := filepath.Join(dir, "node_modules", ".bin", "asc"); isProgram(asc) {
			return tools{"asc": asc, "node": node}, nil
		}
	}
	if asc := s.first("asc"); asc != "" {
		return tools{"asc": asc, "node": node}, nil
	}
	return nil, &Missing{AssemblyScript, "asc", "AssemblyScript's compiler is neither in " + filepath.Join(dir, "node_modules") + " nor in PATH", "npm install --prefix " + problem.Arg(dir)}
}

// ascModule is the compiler that the program asc loads, which npm links to.
func ascModule(asc string) (lib string, ok bool) {
	program, err := filepath.EvalSymlinks(asc)
	if err != nil {
		return "", false
	}
	lib = filepath.Join(filepath.Dir(filepath.Dir(program)), "dist", "asc.js")
	info, err := os.Stat(lib)
	return lib, err == nil && info.Mode().IsRegular()
}

// residentOf is the compiler of the tools, to be kept loaded; nil if it is not where
// it is known to be.
func residentOf(t tools) *resident {
	lib, ok := ascModule(t["asc"])
	if !ok {
		return nil
	}
	return &resident{node: t["node"], lib: lib}
}

func buildAssemblyScript(ctx context.Context, c Chain, j Job) error {
	target := "release"
	if j.Debug {
		target = "debug"
	}
	args := []string{filepath.Join("assembly", "index.ts"), "--target", target, "--outFile", j.Out}
	if writesText(j.Dir) {
		args = append(args, "--textFile", "") // to stdout, which is discarded
	}
	if j.Debug && c.resident != nil {
		if err := c.resident.build(ctx, j.Dir, args); !errors.Is(err, errResident) {
			return err
		}
	}
	_, err := run(ctx, j, nil, c.tools["asc"], args...)
	return err
}

// writesText reports whether asconfig.json requests the text format of the module,
// which takes a large part of a build.
func writesText(dir string) bool {
	b, err := os.ReadFile(filepath.Join(dir, "asconfig.json"))
	return err == nil && bytes.Contains(b, []byte(`"textFile"`))
}
