package problem

import (
	"path/filepath"
	"strings"
)

// refusals are messages about modules that cannot be loaded, with a likely cause and
// a command that helps. The first match wins.
var refusals = []struct{ message, cause, hint string }{
	{"is a component", "wasm32-wasip2 and tools such as componentize build components; a stage is a core module", "rustc --crate-type cdylib --target wasm32-unknown-unknown"},
	{"is compressed with gzip", "", "gunzip -c FILE > FILE.wasm"},
	{"is WebAssembly text", "", "wat2wasm FILE -o FILE.wasm"},
	{"ends inside", "the file is truncated: it was copied while it was being written, or incompletely", "mcpctl stage dev DIR --once"},
	{"update mcpctl", "it was built for a newer mcpctl than this one: update mcpctl, or build the module with the SDK of this version", "mcpctl version"},
	{"rebuild it", "it was built for an mcpctl older than this one: get a newer build, or build the module with the SDK of this version", "mcpctl stage dev DIR --once"},
	{"imports env.console", "a stage has no console: use c.log, whose lines stage run and events show", "mcpctl stage dev DIR --once"},
	{"imports env.seed", "AssemblyScript imports it for Math.random, and a stage has no random numbers: equal content must give equal results", "mcpctl stage dev DIR --once"},
	{"imports env.Date", "a stage has no clock: equal content must give equal results", "mcpctl stage dev DIR --once"},
	{"allowed are", "a stage has no files, network, clock or environment: it may only use the imports of mcpctl", "mcpctl create stage my-stage --no-build"},
	{"manifest does not list", "the manifest must list the capabilities of all imports: write capabilities: [CAPABILITY] in plugin.yaml, in addition to those in the list", "mcpctl stage pack DIR --module FILE.wasm"},
	{"but the module is a controller", "plugin.yaml does not match the module: write kind: controller in plugin.yaml, or choose another module", "mcpctl stage pack DIR --module FILE.wasm"},
	{"but the module is a stage", "plugin.yaml does not match the module: write kind: stage in plugin.yaml, or choose another module", "mcpctl stage pack DIR --module FILE.wasm"},
	{"manifest: ", "the manifest is the plugin.yaml of the time when the module was packed", "mcpctl stage pack DIR --module FILE.wasm"},
	{"exports no mcpctl_abi_v1", `it is added by MCPCTL_ABI in C, from export * from "mcpctl-stage/abi" in AssemblyScript, and by the SDKs of Go and Rust`, "mcpctl create stage my-stage --no-build"},
}

// adviseModule adds advice to the error of a module that cannot be loaded, unless p has
// a hint.
func (p *Problem) adviseModule() *Problem {
	if p.Hint != "" || !strings.Contains(p.Message, `module "`) {
		return p
	}
	for _, r := range refusals {
		if strings.Contains(p.Message, r.message) {
			q := p.WithHint("%s", r.hint)
			if q.Cause == "" {
				_, missing, _ := strings.Cut(p.Message, "manifest does not list ")
				q.Cause = strings.ReplaceAll(r.cause, "CAPABILITY", missing)
			}
			return q
		}
	}
	return p
}

// FromFile returns the Problem of a module that was read from a file. The hint contains the
// path of the file.
func FromFile(err error, file string) *Problem {
	p := From(err)
	whole := Arg(strings.TrimSuffix(file, ".wasm") + "-whole.wasm")
	in := strings.NewReplacer(
		"pack DIR", "pack "+Arg(filepath.Dir(file)),
		"DIR", Arg(file),
		"FILE > FILE.wasm", Arg(file)+" > "+whole,
		"FILE -o FILE.wasm", Arg(file)+" -o "+whole,
		"FILE.wasm", Arg(file),
	)
	return p.WithHint("%s", in.Replace(p.Hint))
}
