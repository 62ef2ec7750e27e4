package sdk

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"go/token"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"text/template"
)

//go:generate go run ./gen -all -o template-go.zip ../../../../examples/stages/lead-go
//go:generate go run ./gen -all -o controller-go.zip ../../../../examples/controllers/brake-go

var (
	//go:embed template-go.zip
	stageGoZip []byte
	//go:embed controller-go.zip
	controllerGoZip []byte

	// The texts that speak to the author of one plugin and not to readers of an example.
	//go:embed README.md.tmpl
	stageReadme string
	//go:embed README-controller.md.tmpl
	controllerReadme string
	//go:embed Makefile.tmpl
	makefile string
)

// example is a folder under examples, tested there, of which a new plugin is made.
type example struct {
	role     string // its role, its source file and its Go module are called so
	zip      []byte
	ownTexts map[string]*template.Template
}

var (
	stageExample      = newExample("lead", stageGoZip, stageReadme)
	controllerExample = newExample("brake", controllerGoZip, controllerReadme)
)

func newExample(role string, archive []byte, readme string) example {
	return example{role, archive, map[string]*template.Template{
		"README.md": template.Must(template.New("README.md").Parse(readme)),
		"Makefile":  template.Must(template.New("Makefile").Parse(makefile)),
	}}
}

// File is one file of a new plugin.
type File struct {
	Name string // relative, with slashes
	Text []byte
}

// goNames are the forms of a role's name in Go: any name is fine for a role, not
// for a function, a file or a module.
type goNames struct {
	Stage string // my-stage
	Func  string // myStage
	File  string // my-stage, without .go; never my_linux, which builds on Linux alone
}

func newGoNames(stage string) goNames {
	n := goNames{Stage: stage, File: strings.Map(func(r rune) rune {
		if r == '_' || r == '+' {
			return '-'
		}
		return r
	}, stage)}
	for i, word := range strings.FieldsFunc(stage, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		if i > 0 {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		n.Func += word
	}
	if taken := n.Func == "main" || n.Func == "init" || n.Func == "stage"; taken || !token.IsIdentifier(n.Func) {
		n.Func = "run" + strings.ToUpper(n.Func[:1]) + n.Func[1:]
	}
	return n
}

// GoStage returns the files of a new stage in Go that builds against the SDK
// unpacked at sdkDir.
func GoStage(name, sdkDir string) ([]File, error) { return stageExample.copy(name, sdkDir) }

// GoController returns the files of a new controller; see GoStage.
func GoController(name, sdkDir string) ([]File, error) { return controllerExample.copy(name, sdkDir) }

// copy makes the folder anew under another name.
func (e example) copy(name, sdkDir string) ([]File, error) {
	r, err := zip.NewReader(bytes.NewReader(e.zip), int64(len(e.zip)))
	if err != nil {
		return nil, err
	}
	names := newGoNames(name)
	var files []File
	for _, f := range r.File {
		if e.ownTexts[f.Name] != nil {
			continue
		}
		in, err := f.Open()
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(in)
		in.Close()
		if err != nil {
			return nil, err
		}
		files = append(files, File{e.file(f.Name, names), e.text(f.Name, text, names, sdkDir)})
	}
	for _, name := range slices.Sorted(maps.Keys(e.ownTexts)) {
		var b bytes.Buffer
		if err := e.ownTexts[name].Execute(&b, names); err != nil {
			return nil, err
		}
		files = append(files, File{name, b.Bytes()})
	}
	return files, nil
}

func (e example) file(name string, to goNames) string {
	dir, base := path.Split(name)
	for _, suffix := range []string{"_test.go", ".go"} {
		if base == e.role+suffix {
			return dir + to.File + suffix
		}
	}
	return name
}

var modSDK = regexp.MustCompile(`(?m)^replace (\S+) => .*$`)

// text changes names and the place of the SDK. The role's name comes first: the new
// one and the SDK's folder may well hold the old one as a word.
func (e example) text(name string, text []byte, to goNames, sdkDir string) []byte {
	text = regexp.MustCompile(`\b`+e.role+`\b`).ReplaceAllLiteral(text, []byte(to.Stage))
	switch path.Ext(name) {
	case ".go":
		title := strings.ToUpper(e.role[:1]) + e.role[1:]
		text = []byte(strings.NewReplacer(
			"// "+title+" is", "// Command "+to.Stage+" is",
			`"`+to.Stage+`", `+to.Stage+`)`, `"`+to.Stage+`", `+to.Func+`)`,
			to.Stage+"(c *stage.Ctx)", to.Func+"(c *stage.Ctx)",
		).Replace(string(text)))
	case ".mod":
		text = bytes.Replace(text, []byte("module "+to.Stage+"\n"), []byte("module stages.local/"+to.File+"\n"), 1)
		text = modSDK.ReplaceAll(text, []byte("replace ${1} => "+strings.ReplaceAll(quoteMod(sdkDir), "$", "$$")))
	}
	return text
}

// quoteMod writes a path as go.mod wants it: in quotes if it has blanks.
func quoteMod(p string) string {
	if strings.ContainsAny(p, " \t\"") {
		return "`" + p + "`"
	}
	return p
}
