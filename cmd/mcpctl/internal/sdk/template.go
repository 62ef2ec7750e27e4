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

//go:embed template-go.zip
var templateGoZip []byte

// The texts that speak to the author of one stage and not to readers of an example.
var (
	//go:embed README.md.tmpl
	readme string
	//go:embed Makefile.tmpl
	makefile string

	ownTexts = map[string]*template.Template{
		"README.md": template.Must(template.New("README.md").Parse(readme)),
		"Makefile":  template.Must(template.New("Makefile").Parse(makefile)),
	}
)

// File is one file of a new stage.
type File struct {
	Name string // relative, with slashes
	Text []byte
}

// goNames are the forms of a stage's name in Go: any name is fine for a stage,
// not for a function, a file or a module.
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

// The template is the folder of an example that is tested there: only names and
// the place of the SDK change.
var (
	templateFunc   = regexp.MustCompile(`\b(lead)(\(c \*stage\.Ctx\)|\) \})`)
	templateDoc    = regexp.MustCompile(`(?m)^// Lead is`)
	templateModule = regexp.MustCompile(`(?m)^module lead$`)
	templateName   = regexp.MustCompile(`\blead\b`)
	templateSDK    = regexp.MustCompile(`(?m)^replace (\S+) => .*$`)
)

// GoTemplate returns the files of a new stage in Go that builds against the SDK
// unpacked at sdkDir.
func GoTemplate(stage, sdkDir string) ([]File, error) {
	r, err := zip.NewReader(bytes.NewReader(templateGoZip), int64(len(templateGoZip)))
	if err != nil {
		return nil, err
	}
	names := newGoNames(stage)
	var files []File
	for _, f := range r.File {
		if ownTexts[f.Name] != nil {
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
		files = append(files, File{names.file(f.Name), names.text(f.Name, text, sdkDir)})
	}
	for _, name := range slices.Sorted(maps.Keys(ownTexts)) {
		var b bytes.Buffer
		if err := ownTexts[name].Execute(&b, names); err != nil {
			return nil, err
		}
		files = append(files, File{name, b.Bytes()})
	}
	return files, nil
}

func (n goNames) file(name string) string {
	dir, base := path.Split(name)
	for _, suffix := range []string{"_test.go", ".go"} {
		if base == "lead"+suffix {
			return dir + n.File + suffix
		}
	}
	return name
}

func (n goNames) text(name string, text []byte, sdkDir string) []byte {
	switch path.Ext(name) {
	case ".go":
		text = bytes.ReplaceAll(text, []byte(`"lead", lead)`), []byte(`"lead", `+n.Func+`)`))
		text = templateFunc.ReplaceAll(text, []byte(n.Func+"$2"))
		text = templateDoc.ReplaceAll(text, []byte("// Command "+n.Stage+" is"))
	case ".mod":
		text = templateModule.ReplaceAll(text, []byte("module stages.local/"+n.File))
		text = templateSDK.ReplaceAll(text, []byte("replace ${1} => "+quoteMod(sdkDir)))
	}
	return templateName.ReplaceAll(text, []byte(n.Stage))
}

// quoteMod writes a path as go.mod wants it: in quotes if it has blanks.
func quoteMod(p string) string {
	if strings.ContainsAny(p, " \t\"") {
		return "`" + p + "`"
	}
	return p
}
