package detect

import "strings"

// extensions tell the type of a file by its name. "" stands for types that can
// hold anything; a type without proof still says what a text is not.
var extensions = map[string]Type{
	"json": JSON, "geojson": JSON, "webmanifest": JSON, "har": JSON,
	"ndjson": NDJSON, "jsonl": NDJSON,
	"md": Markdown, "mdx": Markdown, "markdown": Markdown,
}

// others are extensions of types without proof.
const others = " yaml yml toml ini conf cfg env properties xml svg xsd xsl xhtml html htm csv tsv log diff patch sql css scss less" +
	" go py pyi js jsx mjs cjs ts tsx c h cc cpp cxx hpp hh rs rb java kt swift scala php pl pm sh bash zsh fish ps1 bat cmd lua r jl" +
	" m mm cs fs vb dart ex exs erl hs ml clj lisp el vim s asm proto thrift graphql tf hcl cmake mk gradle bzl tex bib srt vtt "

// hinted is the type that a path, URI or media type claims; "" for none.
func hinted(path, mime string) Type {
	path, _, _ = strings.Cut(path, "?")
	path, _, _ = strings.Cut(path, "#")
	path = path[strings.LastIndexByte(path, '/')+1:]
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		ext := strings.ToLower(path[i+1:])
		if t, ok := extensions[ext]; ok {
			return t
		}
		if ext != "" && strings.Contains(others, " "+ext+" ") {
			return Type("." + ext)
		}
	}
	mime, _, _ = strings.Cut(strings.ToLower(mime), ";")
	switch {
	case mime == "application/json", strings.HasSuffix(mime, "+json"):
		return JSON
	case mime == "application/x-ndjson", mime == "application/jsonl":
		return NDJSON
	case mime == "text/markdown":
		return Markdown
	}
	return ""
}
