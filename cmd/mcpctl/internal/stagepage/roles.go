package stagepage

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/manifest"
)

// Roles is the page of all roles whose plugin.yaml is below folder, stages first:
// what each is for and which settings it takes.
//
// Errors: abi.ErrConfig for a plugin.yaml that is wrong, and if there is none.
func Roles(folder fs.FS) (string, error) {
	roles, err := rolesBelow(folder)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("# Built-in stages and controllers\n\n<!-- Written by go generate ./cmd/mcpctl/... from plugin.yaml of each. -->\n\n" +
		"They stand in a proxymodel: stages under `stages` as `{type: NAME, config: {...}}`, in the order in which they run, controllers under `controller` as `NAME` or " +
		"`{type: NAME, config: {...}}`. What uses an LLM, and what it is sent: [llm.md](llm.md). `mcpctl describe stage NAME` tells the same, of modules of your own as well.\n\n" +
		"A filter (`kind: filter`, such as [redactor](../examples/stages/redactor-go)) runs before all stages. It reads the texts of results, prompts and resources, and JSON with only the escapes that JSON requires. " +
		"JSON inside a string of JSON keeps its escapes. A filter does not read:\n\n" +
		"- what base64 encodes: `blob`, images, audio, base64 in a text or in `structuredContent`. A tool that returns any file in base64, such as `read_media_file` of the filesystem server, returns the secrets in it.\n" +
		"- links and URIs, `_meta`, annotations, MIME types, and members that the protocol does not name, such as one at the top level of a result or beside the `text` of a block\n" +
		"- the lists of tools, prompts and resources, completions, and the instructions of a server that `initialize` returns\n" +
		"- requests of a server to the client: sampling, elicitation, roots\n\n")
	for _, r := range roles {
		fmt.Fprintf(&b, "- [%s](#%s): %s\n", r.Name, r.Name, r.Summary)
	}
	for _, r := range roles {
		fmt.Fprintf(&b, "\n## %s\n\nA %s: %s.%s\n", r.Name, r.Kind, strings.TrimSuffix(r.Summary, "."), more(r))
		if len(r.Config) > 0 {
			b.WriteByte('\n')
			table(&b, r.Config)
		}
	}
	return b.String(), nil
}

// rolesBelow reads every plugin.yaml, in the order of the page.
func rolesBelow(folder fs.FS) (roles []abi.Role, err error) {
	err = fs.WalkDir(folder, ".", func(at string, d fs.DirEntry, err error) error {
		if err != nil || path.Base(at) != "plugin.yaml" {
			return err
		}
		text, err := fs.ReadFile(folder, at)
		if err != nil {
			return err
		}
		m, err := manifest.Parse(text, at)
		if err != nil {
			return err
		}
		roles = append(roles, m.Roles...)
		return nil
	})
	if err == nil && len(roles) == 0 {
		err = fmt.Errorf("%w: no plugin.yaml below the folder", abi.ErrConfig)
	}
	slices.SortFunc(roles, func(a, b abi.Role) int { return cmp.Or(-cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name)) })
	return roles, err
}

// more is what its users have to know beside its settings.
func more(r abi.Role) string {
	text := ""
	switch r.LLM {
	case abi.LLMRequired:
		text += " Without an LLM content passes unchanged."
	case abi.LLMOptional:
		text += " An LLM is of use and not needed."
	}
	if r.GatedOnly {
		text += " It does nothing in a project with `gated: false`."
	}
	return text
}
