package problem

import (
	"path/filepath"
	"strings"
)

// refusals are what is said of a module that cannot be loaded, why that may be, and
// the command that helps. The first that fits is told.
var refusals = []struct{ says, cause, hint string }{
	{"is a component", "a component is what wasm32-wasip2 and tools like componentize make; a stage is a core module", "rustc --crate-type cdylib --target wasm32-unknown-unknown"},
	{"is compressed with gzip", "", "gunzip -c FILE > FILE.wasm"},
	{"is WebAssembly text", "", "wat2wasm FILE -o FILE.wasm"},
	{"ends inside", "the file is cut: it was copied while it was written, or not to its end", "mcpctl stage dev DIR --once"},
	{"update mcpctl", "it was built for a newer mcpctl than this one: take a newer mcpctl, or build it with the SDK that this one carries", "mcpctl version"},
	{"rebuild it", "it was built for an mcpctl older than this one: take a newer build of it, or build it with the SDK that this one carries", "mcpctl stage dev DIR --once"},
	{"imports env.console", "a stage has no console: c.log writes lines, which stage run and the events show", "mcpctl stage dev DIR --once"},
	{"imports env.seed", "Math.random of AssemblyScript asks for it, and a stage has no dice: the same content gives the same result", "mcpctl stage dev DIR --once"},
	{"imports env.Date", "a stage has no clock: the same content gives the same result", "mcpctl stage dev DIR --once"},
	{"allowed are", "a stage has no files, network, clock or environment: what it may ask for are the imports of mcpctl", "mcpctl create stage my-stage --no-build"},
	{"manifest does not list", "what a module imports is what it can do, and its manifest has to say so: write capabilities: [CAPABILITY] in plugin.yaml, beside what is in the list already", "mcpctl stage pack DIR --module FILE.wasm"},
	{"but the module is a controller", "plugin.yaml and the module do not fit: write kind: controller in plugin.yaml, or choose another module", "mcpctl stage pack DIR --module FILE.wasm"},
	{"but the module is a stage", "plugin.yaml and the module do not fit: write kind: stage in plugin.yaml, or choose another module", "mcpctl stage pack DIR --module FILE.wasm"},
	{"manifest: ", "the manifest is plugin.yaml as it was when the module was packed", "mcpctl stage pack DIR --module FILE.wasm"},
	{"exports no mcpctl_abi_v1", `a stage has it from MCPCTL_ABI in C, from export * from "mcpctl-stage/abi" in AssemblyScript, and from the SDKs of Go and Rust`, "mcpctl create stage my-stage --no-build"},
}

// refused adds what helps to what is said of a module, if nothing does yet.
func (p *Problem) refused() *Problem {
	if p.Hint != "" || !strings.Contains(p.Message, `module "`) {
		return p
	}
	for _, r := range refusals {
		if strings.Contains(p.Message, r.says) {
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

// OfFile returns the Problem of a module that was read from a file, with that file in the
// command that helps.
func OfFile(err error, file string) *Problem {
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
