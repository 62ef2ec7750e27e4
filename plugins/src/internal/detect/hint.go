package detect

import "strings"

// byExtension is the type of a file by its name, "" for one that can hold
// anything.
func byExtension(ext string) Type {
	switch ext {
	case "json", "geojson", "webmanifest", "har":
		return JSON
	case "ndjson", "jsonl":
		return NDJSON
	case "md", "mdx", "markdown":
		return Markdown
	}
	if ext != "" && strings.Contains(others, " "+ext+" ") {
		return Type("." + ext)
	}
	return ""
}

// others are extensions of types that have no proof here: they still say what a
// text is not.
const others = " yaml yml toml ini conf cfg env properties xml svg xsd xsl xhtml html htm csv tsv log diff patch sql css scss less" +
	" go py pyi js jsx mjs cjs ts tsx c h cc cpp cxx hpp hh rs rb java kt swift scala php pl pm sh bash zsh fish ps1 bat cmd lua r jl" +
	" m mm cs fs vb dart ex exs erl hs ml clj lisp el vim s asm proto thrift graphql tf hcl cmake mk gradle bzl tex bib srt vtt "

// hinted is the type that a path, URI or media type claims; "" for none.
func hinted(path, mime string) Type {
	path, _, _ = strings.Cut(path, "?")
	path, _, _ = strings.Cut(path, "#")
	path = path[strings.LastIndexByte(path, '/')+1:]
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		if t := byExtension(strings.ToLower(path[i+1:])); t != "" {
			return t
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
