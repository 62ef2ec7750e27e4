package sdk

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/toolchain"
)

//go:generate go run ./gen -all -o template-go.zip ../../../../examples/stages/lead-go
//go:generate go run ./gen -all -o template-rust.zip ../../../../examples/stages/lead-rust
//go:generate go run ./gen -all -o template-assemblyscript.zip ../../../../examples/stages/lead-assemblyscript
//go:generate go run ./gen -all -o template-c.zip ../../../../examples/stages/lead-c
//go:generate go run ./gen -all -o controller-go.zip ../../../../examples/controllers/brake-go
//go:generate go run ./gen -all -o controller-rust.zip ../../../../examples/controllers/brake-rust
//go:generate go run ./gen -all -o controller-assemblyscript.zip ../../../../examples/controllers/brake-assemblyscript
//go:generate go run ./gen -all -o controller-c.zip ../../../../examples/controllers/brake-c

var (
	//go:embed template-go.zip
	stageGoZip []byte
	//go:embed template-rust.zip
	stageRustZip []byte
	//go:embed template-assemblyscript.zip
	stageAssemblyScriptZip []byte
	//go:embed template-c.zip
	stageCZip []byte
	//go:embed controller-go.zip
	controllerGoZip []byte
	//go:embed controller-rust.zip
	controllerRustZip []byte
	//go:embed controller-assemblyscript.zip
	controllerAssemblyScriptZip []byte
	//go:embed controller-c.zip
	controllerCZip []byte

	// The texts that speak to the author of one plugin and not to readers of an example.
	//go:embed README.md.tmpl
	stageReadme string
	//go:embed README-controller.md.tmpl
	controllerReadme string
	//go:embed Makefile.tmpl
	makefile string
)

// example is a directory under examples, tested there, that is the template of new plugins.
type example struct {
	role     string // its role, its source file and its package are called so
	zip      []byte
	ownTexts map[string]*template.Template // replace files of the directory
}

type what struct {
	kind     abi.RoleKind
	language toolchain.Language
}

var examples = map[what]example{
	{abi.KindStage, toolchain.Go}:                  {"lead", stageGoZip, ownTexts(stageReadme)},
	{abi.KindStage, toolchain.Rust}:                {"lead", stageRustZip, nil},
	{abi.KindStage, toolchain.AssemblyScript}:      {"lead", stageAssemblyScriptZip, nil},
	{abi.KindStage, toolchain.C}:                   {"lead", stageCZip, nil},
	{abi.KindController, toolchain.Go}:             {"brake", controllerGoZip, ownTexts(controllerReadme)},
	{abi.KindController, toolchain.Rust}:           {"brake", controllerRustZip, nil},
	{abi.KindController, toolchain.AssemblyScript}: {"brake", controllerAssemblyScriptZip, nil},
	{abi.KindController, toolchain.C}:              {"brake", controllerCZip, nil},
}

func ownTexts(readme string) map[string]*template.Template {
	return map[string]*template.Template{
		"README.md": template.Must(template.New("README.md").Parse(readme)),
		"Makefile":  template.Must(template.New("Makefile").Parse(makefile)),
	}
}

// File is one file of a new plugin.
type File struct {
	Name string // relative, with slashes
	Text []byte
}

// Files returns the files of a new stage or controller that builds against the SDK
// unpacked at sdkDir.
func Files(kind abi.RoleKind, l toolchain.Language, name, sdkDir string) ([]File, error) {
	return examples[what{kind, l}].copy(newNames(name), forms[l], sdkDir)
}

// form describes how a language writes the names in an example.
type form struct {
	source func(n names) string                                             // base name of the source file, without its extension
	text   func(role, file string, text []byte, n names, sdk string) []byte // before the role's name is replaced wherever it is left
	quote  func(dir string) string                                          // the SDK's directory as build files write it
}

var forms = map[toolchain.Language]form{
	toolchain.Go:             {func(n names) string { return n.File }, goText, quoteMod},
	toolchain.Rust:           {func(n names) string { return n.Role }, rustText, quoteTOML},
	toolchain.AssemblyScript: {func(n names) string { return n.Role }, assemblyScriptText, escapeJSON},
	toolchain.C:              {func(n names) string { return n.Role }, cText, strings.Clone},
}

// copy returns the files of the example with another name.
func (e example) copy(n names, f form, sdkDir string) ([]File, error) {
	r, err := zip.NewReader(bytes.NewReader(e.zip), int64(len(e.zip)))
	if err != nil {
		return nil, err
	}
	var files []File
	for _, entry := range r.File {
		if e.ownTexts[entry.Name] != nil {
			continue
		}
		in, err := entry.Open()
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(in)
		in.Close()
		if err != nil {
			return nil, err
		}
		files = append(files, File{e.file(entry.Name, f.source(n)), e.rename(entry.Name, text, n, f, sdkDir)})
	}
	for _, name := range slices.Sorted(maps.Keys(e.ownTexts)) {
		var b bytes.Buffer
		if err := e.ownTexts[name].Execute(&b, n); err != nil {
			return nil, err
		}
		files = append(files, File{name, b.Bytes()})
	}
	return files, nil
}

// file gives a file that is called like the role its new name: lead_test.go.
func (e example) file(name, to string) string {
	dir, base := path.Split(name)
	if rest, ok := strings.CutPrefix(base, e.role); ok && (rest[0] == '.' || rest[0] == '_') {
		return dir + to + rest
	}
	return name
}

// rename replaces the names and the path of the SDK. Names that a language forms from the
// role, and the SDK's path, may contain the old name as a word, so they are replaced by
// marks until the old name is replaced.
func (e example) rename(file string, text []byte, n names, f form, sdkDir string) []byte {
	m := marks{}
	text = f.text(e.role, file, text, n.withMarks(&m), m.put(f.quote(sdkDir)))
	title := strings.ToUpper(e.role[:1]) + e.role[1:]
	text = regexp.MustCompile(`\b(`+e.role+`|`+title+`)\b`).ReplaceAllLiteral(text, []byte(n.Role))
	return m.replace(text)
}
