package module

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

// Format is the interface that a module was built for. It determines how the host
// runs it.
type Format string

// Formats. A module of another format than FormatNative has stages only: text in,
// text out.
const (
	FormatNative Format = "native" // the ABI of this host
	FormatExtism Format = "extism" // run by Extism's Go SDK
	FormatWASI   Format = "wasi"   // a command: stdin to stdout
)

// StartExport is the entry of a WASI command.
const StartExport = "_start"

const markerPrefix = "mcpctl_abi_v" // of the export that names the major version

// format derives the format from imports and exports.
func (f *File) format() (Format, error) {
	other := -1
	for _, e := range f.Exports {
		if e.Name == abi.ExportMarker {
			return FormatNative, nil
		}
		if text, ok := strings.CutPrefix(e.Name, markerPrefix); ok {
			if major, err := strconv.Atoi(text); err == nil {
				other = max(other, major)
			}
		}
	}
	switch {
	case other >= 0:
		return "", fmt.Errorf("built for ABI %d, this host supports %d, %s", other, abi.Major, remedy(other))
	case f.hasImportFrom(ExtismEnvNamespace):
		return FormatExtism, nil
	case f.export(StartExport) != nil:
		return FormatWASI, nil
	}
	return "", fmt.Errorf("exports no %s and is no extism or WASI command module", abi.ExportMarker)
}

// remedy returns the advice for a module of another major version.
func remedy(major int) string {
	if major < abi.Major {
		return "rebuild it"
	}
	return "update mcpctl"
}

// Entry returns the export that runs a role.
func (f *File) Entry(format Format, role string) (string, error) {
	switch format {
	case FormatExtism:
		return f.extismEntry(role)
	case FormatWASI:
		e := f.export(StartExport)
		if e.Kind != binary.KindFunction || !e.Signature.Equal(binary.Signature{}) {
			return "", fmt.Errorf("export %s is not a function () -> ()", StartExport)
		}
		return StartExport, nil
	}
	return abi.ExportStage, nil
}
