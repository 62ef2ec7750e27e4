// Command gensyntax writes syntax.json, the syntaxes that section-split declares for
// the types of content. docs/authoring.md describes the keys. A declaration that does
// not match adds or removes a line of an index; every byte can still be read.
package main

import (
	"bytes"
	"encoding/json"
	"log"
	"os"
)

//go:generate go run . ../syntax.json

type names struct {
	Before string `json:"before"`
	After  string `json:"after"`
}

type elements struct {
	Open   string      `json:"open"`
	Close  string      `json:"close"`
	End    string      `json:"end"`
	Empty  string      `json:"empty"`
	Quotes string      `json:"quotes"`
	Opaque [][2]string `json:"opaque"`
}

type syntax struct {
	Types      []string  `json:"types"`
	Begins     string    `json:"begins,omitempty"`
	Separators string    `json:"separators,omitempty"`
	Names      []names   `json:"names,omitempty"`
	Elements   *elements `json:"elements,omitempty"`
	Headings   bool      `json:"headings,omitempty"`
	Markup     []string  `json:"markup,omitempty"`
}

// XML and HTML. A < without a name after it is text, and so are comments and CDATA.
const (
	nameStart  = `[A-Za-z_:\x{80}-\x{10FFFF}]`
	attributes = `(?:[^<>"']|"[^"]*"|'[^']*')*`
	subset     = `\[(?:[^\]"']|"[^"]*"|'[^']*')*\]` // of a document type

	markup = `(?:\s` +
		`|</?` + nameStart + attributes + `>` +
		`|<\?` + nameStart + `[^>]*\?>` +
		`|<!(?i:doctype)(?:[^<>"'\[\]]|"[^"]*"|'[^']*'|` + subset + `)*>` +
		`)*`
)

// tags are the names of tags and attributes.
var tags = []names{{"<", " \t\r\n/>"}, {" \t\r\n\f", "="}}

// YAML. A line with only dashes, a key or a document marker is structure. A key with a
// colon, a number sign or an escape in it is not recognised.
const (
	yamlKey    = `(?:"[^"\\:\n]*"|'[^'\\:\n]*'|[^\s{}\[\],\-"'#:][^#":\n]*)`
	yamlMarker = `---|\.\.\.`
	blank      = `[ \t\r]*`

	yamlLine   = `[ \t]*(?:-[ \t]+)*(?:-|` + yamlKey + `:|` + yamlMarker + `)?` + blank
	yamlLines  = `(?:` + yamlLine + `\n)*` + yamlLine
	yamlBegins = `(?:#[^\n]*\n\s*)*(?:- |` + yamlKey + `: |(?:-|` + yamlMarker + `|` + yamlKey + `:)` + blank + `\n)`
)

var syntaxes = []syntax{
	{Types: []string{"xml"}, Begins: "<", Separators: markup, Names: tags, Elements: &elements{
		Open: "<", Close: "</", End: ">", Empty: "/>", Quotes: `"'`,
		Opaque: [][2]string{{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}, {"<!", ">"}},
	}},
	{Types: []string{"html"}, Separators: markup, Names: tags, Headings: true, Markup: []string{"<", ">"}},
	{Types: []string{"yaml"}, Begins: yamlBegins, Separators: yamlLines, Names: []names{{" \t\n\"'{,", ":\"'"}}},
	{Types: []string{"markdown", "prose", "mixed"}, Headings: true},
}

func render() []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(syntaxes); err != nil {
		log.Fatal(err)
	}
	return out.Bytes()
}

func main() {
	if err := os.WriteFile(os.Args[1], render(), 0o644); err != nil {
		log.Fatal(err)
	}
}
