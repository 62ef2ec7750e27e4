package edit

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/host/object"
)

// draft is the text of an object for editing: Markdown for a prompt, otherwise YAML.
type draft struct {
	key      object.Key
	markdown bool
	text     string
	base     string // revision of the file from which the text was created
	direct   string // the flag with which commands show an object of the team server as it is now, or ""
}

// newDraft returns the text of an object's file if there is one, to keep comments.
func newDraft(home string, o api.Object) (*draft, error) {
	objects, _, err := object.Decode(o.Kind+"/"+o.Name, o.Manifest)
	if err != nil {
		return nil, err
	}
	d := &draft{key: objects[0].Key(), base: o.Revision}
	if o.Source == api.SourceTeam { // the daemon may not have the change of another member yet
		d.direct = " --direct"
	}
	b, err := os.ReadFile(filepath.Join(home, o.File))
	switch {
	case err == nil && (filepath.Ext(o.File) == ".yaml" || o.FileError != ""):
		d.markdown, d.text = filepath.Ext(o.File) == ".md", string(b)
		d.base = fmt.Sprintf("%x", sha256.Sum256(b)) // the file may be newer than o
		return d, nil
	case d.key.Kind.IsScoped():
		d.markdown, d.text = true, string(object.EncodePrompt(objects[0]))
		return d, nil
	}
	var y strings.Builder
	err = printer.YAML(&y, o.Manifest)
	d.text = y.String()
	return d, err
}

// draftOfFile returns the file of an object that has no valid version.
func draftOfFile(home string, opts *Options) (*draft, error) {
	kind, _ := object.ParseKind(opts.Kind) // the service has accepted the kind
	d := &draft{key: object.Key{Kind: kind, Project: object.Name(opts.Project), Name: object.Name(opts.Name)}, markdown: kind.IsScoped()}
	ext := ".yaml"
	if d.markdown {
		ext = ".md"
	}
	b, err := os.ReadFile(filepath.Join(home, kind.Dir(), opts.Project, opts.Name+ext))
	if err != nil {
		return nil, err
	}
	d.text, d.base = string(b), fmt.Sprintf("%x", sha256.Sum256(b))
	return d, nil
}

// path returns the path of the draft's file. Its extension lets editors detect the language.
func (d *draft) path(dir string) string {
	ext := ".yaml"
	if d.markdown {
		ext = ".md"
	}
	return filepath.Join(dir, string(d.key.Name)+ext)
}

// compare returns the command that shows the differences between an edited text and the object.
func (d *draft) compare(file string) string {
	if d.markdown { // diff requires manifests
		return fmt.Sprintf("mcpctl get prompt %s --project %s%s -o yaml", d.key.Name, d.key.Project, d.direct)
	}
	return "mcpctl diff -f " + problem.Arg(file) + d.direct
}

// apply applies an edited text, which must describe the same object.
func (d *draft) apply(ctx context.Context, s api.Service, text string) ([]api.Applied, error) {
	shown := d.path("")
	if d.markdown {
		o, err := object.DecodePrompt(shown, d.key, []byte(text))
		if err != nil {
			return nil, err
		}
		manifest, err := object.EncodeJSON(o)
		if err != nil {
			return nil, err
		}
		applied, err := s.Apply(ctx, api.ApplyRequest{File: shown, YAML: string(manifest), Base: d.base})
		if err != nil {
			err = problem.WithoutPositions(err)
		}
		return applied, err
	}
	objects, _, err := object.Decode(shown, []byte(text))
	if err != nil {
		return nil, err
	}
	if len(objects) != 1 || objects[0].Key() != d.key {
		return nil, problem.New(abi.ErrConfig, "the text no longer describes %s: edit changes one object and cannot rename it", d.key)
	}
	return s.Apply(ctx, api.ApplyRequest{File: shown, YAML: withoutErrors(text), Base: d.base})
}

// remark is the prefix of lines with error messages. They are YAML comments.
const remark = "#! "

// withError adds an error above a text and removes an earlier one.
func (d *draft) withError(text string, err error) string {
	text = withoutErrors(text)
	var b strings.Builder
	for line := range strings.Lines(describeError(err)) {
		b.WriteString(remark + strings.TrimRight(line, "\n") + "\n")
	}
	if !d.markdown {
		return b.String() + text
	}
	if rest, ok := strings.CutPrefix(text, "---\n"); ok {
		return "---\n" + b.String() + rest
	}
	return "---\n" + b.String() + "---\n" + text
}

// describeError formats an error without positions, which the remark itself would shift.
func describeError(err error) string {
	p := problem.From(err)
	all := p.Errors
	if len(all) == 0 {
		all = []*problem.Problem{p}
	}
	var b strings.Builder
	for _, m := range all {
		fmt.Fprintf(&b, "error: %s\n", strings.ReplaceAll(m.Message, "\n", " "))
		for line := range strings.Lines(m.Snippet) {
			if _, code, ok := strings.Cut(line, " | "); ok {
				fmt.Fprintf(&b, "  %s\n", strings.TrimRight(code, "\n"))
			}
		}
		if m.Hint != "" {
			fmt.Fprintf(&b, "hint: %s\n", m.Hint)
		}
	}
	return b.String()
}

func withoutErrors(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, remark) {
			b.WriteString(line)
		}
	}
	return b.String()
}
