package plugin

import (
	"errors"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/toolchain"
)

// entries contains the line that exports a role in each language, and its description.
// NAME is replaced by the role.
var entries = map[abi.RoleKind]map[toolchain.Language]string{
	abi.KindStage: {
		toolchain.Go:             `no package of it imports the SDK. This makes a function the stage: func init() { stage.Register("NAME", function) }, of github.com/mcpctl/mcpctl/sdk-go/stage`,
		toolchain.Rust:           `src/lib.rs does not declare the function of the stage: stage!("NAME", function);`,
		toolchain.AssemblyScript: `assembly/index.ts does not export the functions that the host calls: export * from "mcpctl-stage/abi"; beside register("NAME", function)`,
		toolchain.C:              `a stage in C has two lines of mcpctl.h: MCPCTL_ABI, once in the module, and MCPCTL_STAGE { ... } as its function`,
	},
	abi.KindController: {
		toolchain.Go:             `no package of it imports the SDK. This makes hooks the controller: func init() { controller.Register("NAME", controller.Hooks{...}) }, of github.com/mcpctl/mcpctl/sdk-go/controller`,
		toolchain.Rust:           `src/lib.rs does not declare the hooks of the controller: controller!("NAME", HOOKS);`,
		toolchain.AssemblyScript: `assembly/index.ts does not export the hooks: export * from "mcpctl-stage/hooks"; beside register("NAME", { ... })`,
		toolchain.C:              `a controller in C has lines of mcpctl.h: MCPCTL_ABI, once in the module, and its hooks, such as MCPCTL_ON_TOOL_CALL { ... }`,
	},
}

// noEntry are parts of the errors about a module without an export for its role.
var noEntry = []string{
	"exports no " + abi.ExportMarker + " and is no",
	"the module exports no ",
}

// WithMissingExport adds to the error about a module the line that its source lacks, if
// the line that exports a role is missing.
func (f *Plugin) WithMissingExport(err error) error {
	l, unknown := toolchain.Of(f.Dir)
	if err == nil || unknown != nil || !errors.Is(err, abi.ErrGuest) || !isAny(err.Error(), noEntry) {
		return err
	}
	p := *problem.From(err)
	kind := f.Role().Kind
	if kind == abi.KindFilter {
		kind = abi.KindStage
	}
	p.Cause = strings.ReplaceAll(entries[kind][l], "NAME", f.Role().Name)
	return p.WithHint("mcpctl stage dev %s --once", problem.Arg(f.Dir))
}

func isAny(text string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}
