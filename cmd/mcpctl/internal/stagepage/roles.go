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

// Roles returns the page that describes all roles with a plugin.yaml in dir and their
// settings, stages first.
//
// Errors: abi.ErrConfig for an invalid plugin.yaml, and if there is none.
func Roles(dir fs.FS) (string, error) {
	roles, err := readRoles(dir)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("# Built-in stages and controllers\n\n<!-- Written by go generate ./cmd/mcpctl/... from plugin.yaml of each. -->\n\n" +
		"A proxymodel lists stages under `stages` as `{type: NAME, config: {...}}`, in the order in which they run, and controllers under `controller` as `NAME` or " +
		"`{type: NAME, config: {...}}`. [llm.md](llm.md) lists the stages that use an LLM, and the data they send. `mcpctl describe stage NAME` prints the same settings, also for your own modules.\n\n" +
		"A filter (`kind: filter`, such as [redactor](../examples/stages/redactor-go)) runs before all stages. It reads the texts of results, prompts and resources, and JSON with only the escapes that JSON requires. " +
		"JSON inside a JSON string keeps its escapes. A filter does not read:\n\n" +
		"- base64-encoded content: `blob`, images, audio, base64 in a text or in `structuredContent`. A tool that returns any file in base64, such as `read_media_file` of the filesystem server, returns the secrets in it.\n" +
		"- links and URIs, `_meta`, annotations, MIME types, and members that the protocol does not define, such as one at the top level of a result or next to the `text` of a block\n" +
		"- the lists of tools, prompts and resources, completions, and the instructions of a server that `initialize` returns\n" +
		"- requests of a server to the client: sampling, elicitation, roots\n\n")
	for _, r := range roles {
		fmt.Fprintf(&b, "- [%s](#%s): %s\n", r.Name, r.Name, r.Summary)
	}
	for _, r := range roles {
		fmt.Fprintf(&b, "\n## %s\n\nA %s: %s.%s\n", r.Name, r.Kind, strings.TrimSuffix(r.Summary, "."), usageNotes(r))
		if len(r.Config) > 0 {
			b.WriteByte('\n')
			table(&b, r.Config)
		}
	}
	return b.String(), nil
}

// readRoles reads every plugin.yaml in dir, in the order of the page.
func readRoles(dir fs.FS) (roles []abi.Role, err error) {
	err = fs.WalkDir(dir, ".", func(at string, d fs.DirEntry, err error) error {
		if err != nil || path.Base(at) != "plugin.yaml" {
			return err
		}
		text, err := fs.ReadFile(dir, at)
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
		err = fmt.Errorf("%w: no plugin.yaml in the directory", abi.ErrConfig)
	}
	slices.SortFunc(roles, func(a, b abi.Role) int { return cmp.Or(-cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name)) })
	return roles, err
}

// usageNotes returns notes for users in addition to the settings.
func usageNotes(r abi.Role) string {
	text := ""
	switch r.LLM {
	case abi.LLMRequired:
		text += " Without an LLM, content passes through unchanged."
	case abi.LLMOptional:
		text += " An LLM is optional."
	}
	if r.GatedOnly {
		text += " It does nothing in a project with `gated: false`."
	}
	return text
}
