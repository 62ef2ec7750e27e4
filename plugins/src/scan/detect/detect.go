// Package detect finds out what a text is, by proof and not by its first bytes.
//
// Each type has a proof: a parse that succeeds, or a count over all lines that
// leaves little doubt. Proofs are asked in order and the first that holds
// wins. What none of them proves is Unknown, which costs the reader a little
// comfort; a wrong type would cost more, so text that could be code, YAML or a
// log is not called prose.
package detect

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code"
	"github.com/mcpctl/mcpctl/plugins/src/scan/csv"
	"github.com/mcpctl/mcpctl/plugins/src/scan/diff"
	"github.com/mcpctl/mcpctl/plugins/src/scan/html"
	"github.com/mcpctl/mcpctl/plugins/src/scan/json"
	"github.com/mcpctl/mcpctl/plugins/src/scan/log"
	"github.com/mcpctl/mcpctl/plugins/src/scan/markdown"
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
	XML        Type = "xml"
	Markdown   Type = "markdown"
	Mixed      Type = "mixed" // Markdown, much of it fenced code; or JSON among text
	Code       Type = "code"
	Prose      Type = "prose"
	Unknown    Type = "text"   // readable, nothing else is known
	Opaque     Type = "opaque" // not readable: not UTF-8, or full of NUL
)

// Options guide detection.
type Options struct {
	Force Type   // ask only the proof of this type; "json" stands for the three of it
	Hint  string // path or URI; orders the proofs, proves nothing
	MIME  string
	JSON  json.Options

	GroupBy string // part.Clues.GroupBy

	claim Type // what the hints say
}

// Result is a type together with what its proof found, so that a splitter need
// not read the text again.
type Result struct {
	Type       Type
	Confidence Confidence
	JSON       *json.Scanner // of the JSON types and NDJSON
	Doc        *markdown.Doc // of Markdown and Prose
	Parts      *part.Doc     // of the other types; Mixed has one of the two
}

// Confidence says how far a type can be relied on.
type Confidence string

// The confidences.
const (
	Certain Confidence = "certain" // the text was parsed as that from end to end
	Likely  Confidence = "likely"  // most of its lines look like that
	Forced  Confidence = "forced"  // the config says so
	None    Confidence = "none"    // nothing is known of it
)

// proof tries to prove one family of types.
type proof struct {
	name  Type
	prove func(s *survey, o Options) (Result, bool)
	hints string // extensions and media types that claim it
	check bool   // it refuses what is not readable, which is checked before it otherwise
	count bool   // it weighs lines: a hint at a type without a proof leaves it out
}

// JSON is the family of the three JSON types, as a hint or in Options.Force.
const JSON Type = "json"

// proofs in the order they are asked without a hint. A type that is added gets
// its line here: parsed makes a proof of the scanner that finds its parts.
var proofs = [...]proof{
	{name: JSON, prove: proveJSON, check: true, hints: "json geojson webmanifest har application/json"},
	{name: NDJSON, prove: proveNDJSON, check: true, hints: "ndjson jsonl application/x-ndjson application/jsonl"},
	{name: numbered, prove: proveNumbered},
	{name: Mixed, prove: proveMixed},
	{name: Diff, prove: proveDiff, hints: diff.Hints},
	{name: HTML, prove: parsed(HTML, html.Scan), hints: "html htm xhtml text/html application/xhtml+xml"},
	{name: XML, prove: parsed(XML, xml.Scan), hints: "xml svg xsd xsl xslt rss atom wsdl xaml plist opml gpx kml csproj vbproj fsproj props targets application/xml text/xml image/svg+xml"},
	{name: YAML, prove: proveYAML, hints: "yaml yml application/yaml application/x-yaml text/yaml"},
	{name: Markdown, prove: proveMarkdown, count: true, hints: "md mdx markdown text/markdown"},
	{name: Log, prove: parsed(Log, log.Scan), count: true, hints: log.Hints},
	{name: CSV, prove: parsed(CSV, csv.Scan), count: true, hints: csv.Hints},
	{name: Prose, prove: proveProse, count: true},
	{name: Code, prove: unlessPlaces(Code, code.Scan), count: true, hints: code.Hints},
}

// parsed is the proof of a type by its scanner. Parts or not, the type holds if
// the scanner says so.
func parsed(t Type, scan part.Scan) func(s *survey, o Options) (Result, bool) {
	return func(s *survey, o Options) (Result, bool) {
		doc, ok := scan(s.b, part.Clues{File: o.Hint, Forced: o.Force != "", GroupBy: o.GroupBy})
		if !ok {
			return Result{}, false
		}
		return Result{Type: t, Parts: doc}, true
	}
}

// proveDiff refuses what has no line that a diff has to have.
func proveDiff(s *survey, o Options) (Result, bool) {
	if o.Force == "" && !s.lines().change {
		return Result{}, false
	}
	return parsed(Diff, diff.Scan)(s, o)
}

// proveYAML refuses what has a fence: no line of YAML begins with its marks, but
// a few that are odd would not be counted. Numbers of lines are no keys. Most code
// begins with what is a scalar to YAML, which all of the text is then.
func proveYAML(s *survey, o Options) (Result, bool) {
	starts := s.lines()
	if o.Force == "" && (starts.fenced || !starts.mark && yaml.IsScalar(s.b) || o.claim != YAML && numbers(s.b, manyNumbered).numbered()) {
		return Result{}, false
	}
	return unlessPlaces(YAML, yaml.Scan)(s, o)
}

// unlessPlaces is parsed for types that lines pass which begin with the place
// they are from: "a.go:12: " is a key of YAML, and what follows is code.
func unlessPlaces(t Type, scan part.Scan) func(s *survey, o Options) (Result, bool) {
	prove := parsed(t, scan)
	return func(s *survey, o Options) (Result, bool) {
		if o.Force == "" && s.places() {
			return Result{}, false
		}
		return prove(s, o)
	}
}

// Detect returns the type of b. A BOM is looked past.
func Detect(b []byte, o Options) Result {
	if o.Force == "" && len(bytes.TrimSpace(b)) == 0 { // each proof would look at each line
		return Result{Type: Unknown, Confidence: None}
	}
	s := &survey{b: b}
	checked := false
	o.claim = hinted(o.Hint, o.MIME)
	first := o.claim
	if first == "" && code.Opens(b) {
		first = Code
	}
	for _, i := range order(o.Force, first, make([]uint8, 0, len(proofs))) {
		p := &proofs[i]
		if !p.check && !checked {
			if !readable(b) {
				return Result{Type: Opaque, Confidence: Certain}
			}
			checked = true
		}
		if r, ok := p.prove(s, o); ok {
			r.Confidence = p.confidence(o)
			return r
		}
	}
	if !checked && !readable(b) {
		return Result{Type: Opaque, Confidence: Certain}
	}
	return Result{Type: Unknown, Confidence: None}
}

// confidence is that of a proof which holds: what lines look like is as good as
// a parse if the name of the file says the same.
func (p *proof) confidence(o Options) Confidence {
	switch {
	case o.Force != "":
		return Forced
	case p.count && p.name != o.claim:
		return Likely
	}
	return Certain
}

// order puts the hinted proof first, but for JSON, which is sure of itself, and
// one that counts lines after all that parse. A hint at a type that has no proof
// here leaves out those that count: they would have to guess between two. Where no name
// claims anything, the first statement of a program is such a hint, at code. What it
// appends to an empty slice are positions in proofs.
func order(force, claim Type, in []uint8) []uint8 {
	if force != "" {
		return named(force, in)
	}
	if claim == "" {
		for i := range proofs {
			in = append(in, uint8(i))
		}
		return in
	}
	claimed := named(claim, make([]uint8, 0, 1))
	add := func(first bool) {
		for i := range proofs {
			p := &proofs[i]
			before := p.name == JSON || !p.count && len(claimed) > 0 && proofs[claimed[0]].count
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

// named appends the position of the proof of a type, if there is one.
func named(t Type, in []uint8) []uint8 {
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

// Start is the offset after a byte order mark.
func Start(b []byte) int { return len(b) - len(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))) }

func proveJSON(t *survey, o Options) (Result, bool) {
	b := t.b
	at := json.Space(b, Start(b))
	if at == len(b) || b[at] != '{' && b[at] != '[' && b[at] != '"' {
		return Result{}, false
	}
	s := json.New(b, o.JSON)
	end, ok := s.Scan(at)
	if !ok || json.Space(b, end) < len(b) {
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
	if !s.Records(Start(b)) {
		return Result{}, false
	}
	for i := range s.Len() { // values are text, or they would not have been read
		n := s.Node(int32(i))
		if n.Kind == json.Broken && !readable(b[n.Start:n.End]) {
			return Result{}, false
		}
	}
	return Result{Type: NDJSON, JSON: s}, true
}

// opensSoon reports whether one of the first records of a text begins as those of
// NDJSON do: more than two that do not, and it is none.
func opensSoon(b []byte) bool {
	at := json.Space(b, Start(b))
	for range 3 {
		if at < len(b) && (b[at] == '{' || b[at] == '[') {
			return true
		}
		at = json.Space(b, lines.End(b, at))
	}
	return false
}

// readable reports whether b is text: UTF-8, and not the UTF-16 of a Latin
// script, every other byte of which is NUL.
func readable(b []byte) bool {
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

// plainASCII is how much of the front of b is ASCII without NUL, or a little less: most
// texts are nothing else. In Wasm two searches take several times as long.
func plainASCII(b []byte) (n int) {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; n+16 <= len(b); n += 16 {
		x, y := binary.LittleEndian.Uint64(b[n:]), binary.LittleEndian.Uint64(b[n+8:])
		if ((x-ones)|x|(y-ones)|y)&tops != 0 { // a borrow comes from a NUL alone
			return n
		}
	}
	for n < len(b) && b[n]-1 < 0x7f {
		n++
	}
	return n
}
