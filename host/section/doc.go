// Package section answers read_section: it turns a content and the Sections that
// stages made of it into bounded indexes, exact leaves, windows of long leaves and
// search results.
//
// New checks the Sections and returns a Doc. Doc.Finish prints the index at the
// position that a stage marked, Doc.Read answers any path. All answers depend only
// on the content, the Sections and the settings. A leaf is always a range of bytes
// of the content, or of a decoded string in it, for any output of a stage.
//
// The package stores nothing, runs no stage and has no notion of a session. Its
// parts are packages of their own: tree holds the Sections, ids writes and reads
// ids, printer prints indexes, find resolves paths, search finds text, and
// language chooses the syntax that a stage declared.
package section

import (
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/section/display"
	"github.com/mcpctl/mcpctl/host/section/find"
	"github.com/mcpctl/mcpctl/host/section/language"
	"github.com/mcpctl/mcpctl/host/section/printer"
	"github.com/mcpctl/mcpctl/host/section/search"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

// Settings bound answers. The zero value uses the default of every field.
type Settings = printer.Settings

// Doc is one content with its Sections. It is read-only and safe for concurrent
// use.
type Doc struct {
	tree     *tree.Tree
	language language.Language
	printer  *printer.Printer
	resolver *find.Resolver
	searcher *search.Searcher
	typeName string
	first    First
}

// New checks and completes sections for original. A zero abi.Tree is valid: the
// content is then answered in windows.
//
// The caller must not modify original or sections while the Doc is in use. New
// returns abi.ErrGuest if a Section violates the contract (see tree.New) or the
// syntax is invalid. The
// caller may then continue with the zero abi.Tree, and no content is lost.
func New(original []byte, sections abi.Tree, set Settings) (*Doc, error) {
	lang, err := language.New(sections.Type, sections.Syntax)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", abi.ErrGuest, err)
	}
	t, err := tree.New(original, sections.Sections, lang)
	if err != nil {
		return nil, err
	}
	pr := printer.New(t, lang, set)
	resolver := find.New(t, lang, pr)
	return &Doc{
		tree:     t,
		language: lang,
		printer:  pr,
		resolver: resolver,
		searcher: search.New(t, pr, resolver, lang.CanName),
		typeName: printableType(sections.Type),
	}, nil
}

// printableType returns the type of a content as a line of an index shows it.
func printableType(name string) string {
	if name := display.Clean([]byte(name), 40); name != "" && name[0] != '[' {
		return name
	}
	return "text"
}

// IsStructure reports whether bytes between two parts are only structure, in JSON or
// in one of the declared syntaxes.
func (d *Doc) IsStructure(gap []byte) bool { return d.language.IsStructure(gap) }

// Size returns the approximate memory that a Doc keeps in use, original included.
func (d *Doc) Size() int { return d.tree.MemoryBytes() + len(d.first.Text) }

// First is the text of the first index as the last stage returned it, before
// Finish.
type First struct {
	Text  []byte
	Marks []abi.Mark
}

// WithWrapper returns a copy of d that accepts paths with an additional first segment: the
// key of the JSON object that contained the content. If a part of the content has the same
// name, the segment selects the part.
func (d *Doc) WithWrapper(key string) *Doc {
	c := *d
	c.resolver = d.resolver.WithWrapper(key)
	return &c
}

// WithFirst returns a Doc that answers an empty section with this text, so that
// the first index has the lines of the stage when it is read again.
func (d *Doc) WithFirst(first First) *Doc {
	c := *d
	c.first = first
	return &c
}
