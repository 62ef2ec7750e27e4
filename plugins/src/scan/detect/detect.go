// Package detect determines the content type of a text using its whole structure, not only its first bytes.
//
// Each type has a proof: a parse that succeeds, or a count over all lines that
// leaves little doubt. Proofs are tried in order and the first that succeeds
// wins. If none does, the type is Unknown. A wrong type is worse than that, so text
// that could be code, YAML or a log is not called prose.
package detect

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code"
	"github.com/mcpctl/mcpctl/plugins/src/scan/component"
	"github.com/mcpctl/mcpctl/plugins/src/scan/csv"
	"github.com/mcpctl/mcpctl/plugins/src/scan/diff"
	"github.com/mcpctl/mcpctl/plugins/src/scan/docker"
	"github.com/mcpctl/mcpctl/plugins/src/scan/gettext"
	"github.com/mcpctl/mcpctl/plugins/src/scan/hcl"
	"github.com/mcpctl/mcpctl/plugins/src/scan/html"
	"github.com/mcpctl/mcpctl/plugins/src/scan/json"
	"github.com/mcpctl/mcpctl/plugins/src/scan/log"
	"github.com/mcpctl/mcpctl/plugins/src/scan/makefile"
	"github.com/mcpctl/mcpctl/plugins/src/scan/markdown"
	"github.com/mcpctl/mcpctl/plugins/src/scan/settings"
	"github.com/mcpctl/mcpctl/plugins/src/scan/xml"
	"github.com/mcpctl/mcpctl/plugins/src/scan/yaml"
)

// Type is the type of a text, as metadata and config name it.
type Type string

// The types.
const (
	JSONArray  Type = "json-array"
	JSONObject Type = "json-object"
	JSONScalar Type = "json-scalar"
	NDJSON     Type = "ndjson"
	Diff       Type = "diff"
	Log        Type = "log"
	CSV        Type = "csv" // or tabs, semicolons, bars
	YAML       Type = "yaml"
	HTML       Type = "html"
	Vue        Type = "vue" // a component in one file
	Svelte     Type = "svelte"
	XML        Type = "xml"
	TOML       Type = "toml"
	INI        Type = "ini"
	Properties Type = "properties"
	HCL        Type = "hcl"
	Makefile   Type = "makefile"
	Dockerfile Type = "dockerfile"
	Gettext    Type = "gettext"
	Markdown   Type = "markdown"
	Mixed      Type = "mixed" // Markdown, much of it fenced code; or JSON among text
	Code       Type = "code"
	Prose      Type = "prose"
	Unknown    Type = "text"   // readable, of no known type
	Opaque     Type = "opaque" // not readable: not UTF-8, or full of NUL
)

// Options guide detection.
type Options struct {
	Force Type   // try only the proof of this type; "json" means the three JSON types
	Hint  string // path or URI; orders the proofs, proves nothing
	MIME  string
	JSON  json.Options

	GroupBy string // part.Clues.GroupBy

	claim Type // type according to the hints
}

// Result is a type together with the findings of its proof, so that a splitter need
// not read the text again.
type Result struct {
	Type       Type
	Confidence Confidence
	JSON       *json.Scanner // of the JSON types and NDJSON
	Doc        *markdown.Doc // of Markdown and Prose
	Parts      *part.Doc     // of the other types; Mixed has one of the two
}

// Confidence is the reliability of a type.
type Confidence string

// The confidences.
const (
	Certain Confidence = "certain" // the whole text was parsed
	Likely  Confidence = "likely"  // most of its lines look like the type
	Forced  Confidence = "forced"  // set by the config
	None    Confidence = "none"    // unknown type
)

// proof tries to prove one family of types.
type proof struct {
	name  Type
	prove func(s *survey, o Options) (Result, bool)
	hints string // extensions and media types that claim it
	stems string // names before the first dot that claim it
	check bool   // it refuses text that is not readable; other proofs get readable text only
	count bool   // it weighs lines; it is skipped if a hint claims a type without a proof
}

// JSON is the family of the three JSON types, as a hint or in Options.Force.
const JSON Type = "json"

// proofs are the proofs in the order in which they are tried without a hint. parsed makes a proof of a
// scanner.
var proofs = [...]proof{
	{name: JSON, prove: proveJSON, check: true, hints: "json geojson webmanifest har application/json"},
	{name: NDJSON, prove: proveNDJSON, check: true, hints: "ndjson jsonl application/x-ndjson application/jsonl"},
	{name: numbered, prove: proveNumbered},
	{name: Mixed, prove: proveMixed},
	{name: Diff, prove: proveDiff, hints: diff.Hints},
	{name: Vue, prove: proveMarkup(Vue, component.ScanVue), hints: component.VueHints},
	{name: Svelte, prove: proveMarkup(Svelte, component.ScanSvelte), hints: component.SvelteHints},
	{name: HTML, prove: parsed(HTML, html.Scan), hints: "html htm xhtml text/html application/xhtml+xml"},
	{name: XML, prove: parsed(XML, xml.Scan), hints: xml.Hints},
	{name: YAML, prove: proveYAML, hints: yaml.Hints},
	{name: TOML, prove: proveSettings(TOML, settings.ScanTOML), hints: settings.TOMLHints},
	{name: INI, prove: proveSettings(INI, settings.ScanINI), hints: settings.INIHints},
	{name: Properties, prove: proveSettings(Properties, settings.ScanProperties), hints: settings.PropertiesHints},
	{name: HCL, prove: proveOpened(HCL, hcl.Opens, hcl.Scan), hints: hcl.Hints},
	{name: Dockerfile, prove: proveOpened(Dockerfile, docker.Opens, docker.Scan), hints: docker.Hints, stems: docker.Names},
	{name: Gettext, prove: proveOpened(Gettext, gettext.Opens, gettext.Scan), hints: gettext.Hints},
	{name: Makefile, prove: proveOpened(Makefile, makefile.Opens, makefile.Scan), hints: makefile.Hints, stems: makefile.Names},
	{name: Markdown, prove: proveMarkdown, count: true, hints: "md mdx markdown text/markdown"},
	{name: Log, prove: parsed(Log, log.Scan), count: true, hints: log.Hints},
	{name: CSV, prove: parsed(CSV, csv.Scan), count: true, hints: csv.Hints},
	{name: Prose, prove: proveProse, count: true},
	{name: Code, prove: unlessPlaces(Code, code.Scan), count: true, hints: code.Hints},
}

// parsed returns the proof of a type by its scanner, which may find no parts.
func parsed(t Type, scan part.Scan) func(s *survey, o Options) (Result, bool) {
	return func(s *survey, o Options) (Result, bool) {
		doc, ok := scan(s.b, part.Clues{File: o.Hint, Forced: o.Force != "", GroupBy: o.GroupBy})
		if !ok {
			return Result{}, false
		}
		return Result{Type: t, Parts: doc}, true
	}
}

// proveMarkup returns the proof of a component by its scanner. A text that another type of markup claims is
// none.
func proveMarkup(t Type, scan part.Scan) func(s *survey, o Options) (Result, bool) {
	prove := parsed(t, scan)
	return func(s *survey, o Options) (Result, bool) {
		if o.Force == "" && o.claim != "" && o.claim != t && o.claim != Vue && o.claim != Svelte {
			return Result{}, false
		}
		return prove(s, o)
	}
}

// proveDiff refuses a text without a line that every diff has.
func proveDiff(s *survey, o Options) (Result, bool) {
	if o.Force == "" && !s.lines().change {
		return Result{}, false
	}
	return parsed(Diff, diff.Scan)(s, o)
}

// proveYAML refuses Markdown with headings; a text with a fence, because no line of YAML begins with its
// marks; a text with line numbers, which are no keys; and a text that is one scalar, as most code is.
func proveYAML(s *survey, o Options) (Result, bool) {
	starts := s.lines()
	if o.Force == "" && o.claim != YAML && starts.atx.all >= manyHeadings && (o.claim == Markdown || s.isOutline() || s.hasHeadingsAndLinks()) {
		return Result{}, false
	}
	if o.Force == "" && o.claim != YAML && (s.isMatter() || s.hasScalarBelowMatter()) {
		return Result{}, false
	}
	if o.Force == "" && (starts.fenced || !starts.mark && yaml.IsScalar(s.b) || o.claim != YAML && countNumbers(s.b, manyNumbered).isNumbered()) {
		return Result{}, false
	}
	return unlessPlaces(YAML, yaml.Scan)(s, o)
}

// proveSettings returns the proof of a type by its scanner. Without a hint, only a text with the header of
// a table or a list of properties is read.
func proveSettings(t Type, scan part.Scan) func(s *survey, o Options) (Result, bool) {
	prove := parsed(t, scan)
	return func(s *survey, o Options) (Result, bool) {
		switch {
		case o.Force != "" || o.claim == t:
		case t == Properties && isPropertyList(s.b):
			o.Hint = "x.properties" // without tables, a name is the evidence
		case t == Properties || !s.lines().header:
			return Result{}, false
		}
		return prove(s, o)
	}
}

// proveOpened returns the proof of a type by its scanner. Without a hint, only a text that begins like the
// type is read. A text that another type claims is none.
func proveOpened(t Type, opens func(b []byte) bool, scan part.Scan) func(s *survey, o Options) (Result, bool) {
	prove := parsed(t, scan)
	return func(s *survey, o Options) (Result, bool) {
		if o.Force == "" && o.claim != t && (o.claim != "" || !opens(s.b)) {
			return Result{}, false
		}
		return prove(s, o)
	}
}

// unlessPlaces returns the proof of a type whose scanner accepts lines that begin with the place they are from:
// "a.go:12: " is a key of YAML, and the code after it is code.
func unlessPlaces(t Type, scan part.Scan) func(s *survey, o Options) (Result, bool) {
	prove := parsed(t, scan)
	return func(s *survey, o Options) (Result, bool) {
		if o.Force == "" && s.places() {
			return Result{}, false
		}
		return prove(s, o)
	}
}

// Detect returns the type of b, ignoring a byte order mark.
func Detect(b []byte, o Options) Result {
	if o.Force == "" && len(bytes.TrimSpace(b)) == 0 {
		return Result{Type: Unknown, Confidence: None}
	}
	s := &survey{b: b}
	checked := false
	o.claim = hintedType(o.Hint, o.MIME)
	first := o.claim
	if first == "" && code.Opens(b) {
		first = Code
	}
	for _, i := range orderProofs(o.Force, first, make([]uint8, 0, len(proofs))) {
		p := &proofs[i]
		if !p.check && !checked {
			if !isReadable(b) {
				return Result{Type: Opaque, Confidence: Certain}
			}
			checked = true
		}
		if r, ok := p.prove(s, o); ok {
			r.Confidence = p.confidence(o)
			return r
		}
	}
	if !checked && !isReadable(b) {
		return Result{Type: Opaque, Confidence: Certain}
	}
	return Result{Type: Unknown, Confidence: None}
}

// confidence returns the confidence of a proof that succeeded. A count of lines is as good as a parse if
// the hints claim the same type.
func (p *proof) confidence(o Options) Confidence {
	switch {
	case o.Force != "":
		return Forced
	case p.count && p.name != o.claim:
		return Likely
	}
	return Certain
}

// orderProofs appends the positions of the proofs to try to an empty slice. The claimed proof is first, except
// after JSON, which is quick and certain, and a proof that counts lines is after all that parse. If a
// type without a proof is claimed, the proofs that count lines are skipped. Code is before Mixed, because a string of
// code may contain JSON.
func orderProofs(force, claim Type, in []uint8) []uint8 {
	if force != "" {
		return appendProof(force, in)
	}
	if claim == "" {
		for i := range proofs {
			in = append(in, uint8(i))
		}
		return in
	}
	claimed := appendProof(claim, make([]uint8, 0, 1))
	add := func(first bool) {
		for i := range proofs {
			p := &proofs[i]
			before := p.name == JSON || !p.count && len(claimed) > 0 && proofs[claimed[0]].count && (claim != Code || p.name != Mixed)
			if p.name != claim && before == first && (before || len(claimed) > 0 || !p.count) {
				in = append(in, uint8(i))
			}
		}
	}
	add(true)
	in = append(in, claimed...)
	add(false)
	return in
}

// appendProof appends the position of the proof of a type, if there is one.
func appendProof(t Type, in []uint8) []uint8 {
	switch t {
	case JSONArray, JSONObject, JSONScalar:
		t = JSON
	}
	for i := range proofs {
		if proofs[i].name == t {
			return append(in, uint8(i))
		}
	}
	return in
}

func proveJSON(t *survey, o Options) (Result, bool) {
	b := t.b
	at := json.SkipSpace(b, lines.Start(b))
	if at == len(b) || b[at] != '{' && b[at] != '[' && b[at] != '"' {
		return Result{}, false
	}
	s := json.New(b, o.JSON)
	end, ok := s.Scan(at)
	if !ok || json.SkipSpace(b, end) < len(b) {
		return Result{}, false
	}
	switch b[at] {
	case '{':
		return Result{Type: JSONObject, JSON: s}, true
	case '[':
		return Result{Type: JSONArray, JSON: s}, true
	}
	return Result{Type: JSONScalar, JSON: s}, true
}

func proveNDJSON(t *survey, o Options) (Result, bool) {
	b := t.b
	if !opensSoon(b) {
		return Result{}, false
	}
	o.JSON.Top = o.JSON.Record
	s := json.New(b, o.JSON)
	if !s.Records(lines.Start(b)) {
		return Result{}, false
	}
	for i := range s.Len() { // other values are valid, and thus text
		n := s.Node(int32(i))
		if n.Kind == json.Broken && !isReadable(b[n.Start:n.End]) {
			return Result{}, false
		}
	}
	return Result{Type: NDJSON, JSON: s}, true
}

// opensSoon reports whether one of the first three records of a text begins like a record of NDJSON.
func opensSoon(b []byte) bool {
	at := json.SkipSpace(b, lines.Start(b))
	for range 3 {
		if at < len(b) && (b[at] == '{' || b[at] == '[') {
			return true
		}
		at = json.SkipSpace(b, lines.End(b, at))
	}
	return false
}

// isReadable reports whether b is text: UTF-8, and not the UTF-16 of a Latin
// script, every other byte of which is NUL.
func isReadable(b []byte) bool {
	plain := plainASCII(b)
	if plain == len(b) {
		return true
	}
	most := len(b) / 64
	b = b[plain:]
	for rest := b; ; most-- {
		i := bytes.IndexByte(rest, 0)
		if i < 0 {
			return utf8.Valid(b)
		}
		if most <= 0 {
			return false
		}
		rest = rest[i+1:]
	}
}

// plainASCII returns the size of the ASCII text without NUL at the start of b, or a little less. Most texts
// are nothing else. In Wasm two searches would take several times as long.
func plainASCII(b []byte) (n int) {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; n+16 <= len(b); n += 16 {
		x, y := binary.LittleEndian.Uint64(b[n:]), binary.LittleEndian.Uint64(b[n+8:])
		if ((x-ones)|x|(y-ones)|y)&tops != 0 { // only a NUL causes a borrow
			return n
		}
	}
	for n < len(b) && b[n]-1 < 0x7f {
		n++
	}
	return n
}
