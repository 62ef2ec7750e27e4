package strictyaml

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Document is one document of a file.
type Document struct {
	Root Value
	Text string
	Line int // of the file at which the document begins
}

// Parse parses all documents of a YAML or JSON file. Syntax errors, duplicate keys
// and exceeded limits are added to errs.
//
// Limits: 1 MiB, 1,000 documents, 8,000 values in each, 64 levels.
func Parse(src *Source, data []byte, errs *Errors) []Document {
	if len(data) > MaxFileBytes {
		errs.Add(src.Errorf(Position{}, "", "", "file is larger than the limit of %d bytes", MaxFileBytes))
		return nil
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	if why, at := CheckText(text, true); why != "" {
		errs.Add(src.Errorf(at, "", "", "%s", why))
		return nil
	}
	docs := splitDocuments(text)
	if len(docs) > maxDocuments {
		errs.Add(src.Errorf(Position{}, "", "", "file has %d documents, limit %d", len(docs), maxDocuments))
		return nil
	}
	var out []Document
	for _, d := range docs {
		if d.isEmpty() {
			continue
		}
		if errs.Full() {
			break
		}
		p := treeBuilder{src: src, errs: errs, firstLine: d.firstLine}
		if root, ok := p.parse(d.text); ok {
			out = append(out, Document{root, d.text, d.firstLine})
		}
	}
	return out
}

// ParseAt parses one document that begins at a line of the source. ok is false if the
// text is empty or invalid.
func ParseAt(src *Source, text string, firstLine int, errs *Errors) (root Value, ok bool) {
	if (textPart{text, firstLine}).isEmpty() {
		return Value{}, false
	}
	b := treeBuilder{src: src, errs: errs, firstLine: firstLine}
	return b.parse(text)
}

// treeBuilder converts the parser's tree of one document to Values.
type treeBuilder struct {
	src       *Source
	errs      *Errors
	firstLine int
	anchors   map[string]*Value // nil while the anchored value is being built
	stop      bool              // a limit was exceeded and has been reported
}

func (b *treeBuilder) parse(text string) (v Value, ok bool) {
	if why, line := CheckSize(text); why != "" {
		b.fail(Position{b.firstLine + line - 1, 1}, "%s", why)
		return Value{}, false
	}
	file, err := parseYAML(text)
	if err != nil {
		b.syntax(err)
		return Value{}, false
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		b.fail(Position{b.firstLine, 1}, "want one document between --- lines, found %d", len(file.Docs))
		return Value{}, false
	}
	before := len(*b.errs)
	v = b.value(file.Docs[0].Body, 0)
	return v, len(*b.errs) == before
}

// parseYAML calls the parser. A panic of the parser becomes an error, so that an
// invalid text cannot end the daemon.
func parseYAML(text string) (file *ast.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("not understood by the YAML parser: %v", p)
		}
	}()
	return parser.ParseBytes([]byte(text), 0, parser.AllowDuplicateMapKey())
}

func (b *treeBuilder) syntax(err error) {
	var syn yaml.Error
	if !errors.As(err, &syn) || syn.GetToken() == nil {
		b.fail(Position{b.firstLine, 1}, "%s", b.src.syntaxMessage(err.Error()))
		return
	}
	at := b.at(syn.GetToken())
	e := b.src.Errorf(at, "", "", "%s", b.src.syntaxMessage(syn.GetMessage()))
	lines := b.src.lines()
	switch line := lines[min(at.Line, len(lines))-1]; {
	case strings.HasPrefix(line, "%"):
		e.Cause = "directives are not supported, remove this line"
	case strings.HasPrefix(strings.TrimLeft(line, " "), "\t"):
		e.Cause = "indent with spaces, YAML does not allow tabs there"
	case strings.Contains(line, "${") && strings.ContainsAny(line, "[{"):
		e.Cause = `inside [ ] and { } a value with ${...} needs quotes: "${NAME}"`
	}
	b.errs.Add(e)
}

func (b *treeBuilder) fail(at Position, format string, args ...any) {
	if !b.errs.Full() {
		b.errs.Add(b.src.Errorf(at, "", "", format, args...))
	}
}

// refuse reports an exceeded limit. The rest of the document is skipped.
func (b *treeBuilder) refuse(at Position, format string, args ...any) Value {
	if !b.stop {
		b.fail(at, format, args...)
	}
	b.stop = true
	return Value{At: at}
}

func (b *treeBuilder) at(tok *token.Token) Position {
	if tok == nil || tok.Position == nil {
		return Position{b.firstLine, 1}
	}
	return Position{b.firstLine + max(tok.Position.Line, 1) - 1, max(tok.Position.Column, 1)}
}

// value converts one node. The values of each alias are counted in full, so that a
// small file cannot describe a huge tree.
func (b *treeBuilder) value(n ast.Node, depth int) Value {
	if n == nil {
		return Value{nodes: 1}
	}
	at := b.at(n.GetToken())
	if b.stop {
		return Value{At: at, nodes: 1}
	}
	if depth > maxDepth {
		return b.refuse(at, "nested deeper than %d levels", maxDepth)
	}
	v := b.convert(n, at, depth)
	v.nodes++
	if v.nodes > maxNodes {
		return b.refuse(at, "more than %d values, aliases counted in full", maxNodes)
	}
	return v
}

func (b *treeBuilder) convert(n ast.Node, at Position, depth int) Value {
	switch n := n.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			at = b.at(n.Values[0].Key.GetToken())
		}
		return b.mapping(n.Values, at, depth)
	case *ast.MappingValueNode:
		return b.mapping([]*ast.MappingValueNode{n}, b.at(n.Key.GetToken()), depth)
	case *ast.SequenceNode:
		return b.list(n, at, depth)
	case *ast.LiteralNode:
		return Value{Type: String, Text: n.Value.Value, At: at}
	case *ast.AnchorNode:
		return b.anchor(n, depth)
	case *ast.AliasNode:
		return b.alias(n, at)
	case *ast.TagNode:
		b.fail(at, "tag %s is not supported, write the value without it", b.src.quote(n.Start.Value, 40))
		return Value{At: at}
	case *ast.DirectiveNode:
		b.fail(at, "directives are not supported, remove this line")
		return Value{At: at}
	case ast.ScalarNode:
		return scalar(n, at)
	}
	b.fail(at, "%s is not supported here", strings.ToLower(n.Type().String()))
	return Value{At: at}
}

func scalar(n ast.ScalarNode, at Position) Value {
	tok := n.GetToken()
	if s, ok := n.(*ast.StringNode); ok && (tok.Type == token.SingleQuoteType || tok.Type == token.DoubleQuoteType) {
		return Value{Type: String, Text: s.Value, At: at}
	}
	text := tok.Value
	if _, ok := n.(*ast.NullNode); ok {
		text = ""
	}
	typ, text := resolveScalar(text)
	return Value{Type: typ, Text: text, At: at}
}

func (b *treeBuilder) list(n *ast.SequenceNode, at Position, depth int) Value {
	v := Value{Type: List, At: at, Items: make([]Value, 0, len(n.Values))}
	for _, item := range n.Values {
		iv := b.value(item, depth+1)
		v.nodes += iv.nodes
		v.Items = append(v.Items, iv)
	}
	return v
}

func (b *treeBuilder) mapping(pairs []*ast.MappingValueNode, at Position, depth int) Value {
	v := Value{Type: Map, At: at, Fields: make([]Field, 0, len(pairs))}
	lines := make(map[string]int, len(pairs))
	for _, p := range pairs {
		keyAt := b.at(p.Key.GetToken())
		name, ok := b.key(p.Key, keyAt)
		if !ok {
			continue
		}
		if first, dup := lines[name]; dup {
			b.fail(keyAt, "key %s is written twice, first in line %d", b.src.quoteKey(name), first)
			continue
		}
		lines[name] = keyAt.Line
		fv := b.value(p.Value, depth+1)
		v.nodes += fv.nodes
		v.Fields = append(v.Fields, Field{Name: name, At: keyAt, Value: fv})
	}
	return v
}

// key returns the text of a key, which is a scalar of any type.
func (b *treeBuilder) key(n ast.MapKeyNode, at Position) (string, bool) {
	switch n := n.(type) {
	case *ast.MergeKeyNode:
		b.fail(at, "merge keys are not supported, write the fields out")
		return "", false
	case *ast.StringNode:
		return n.Value, true
	case ast.ScalarNode:
		return n.GetToken().Value, true
	}
	b.fail(at, "a key must be a plain word or a quoted string")
	return "", false
}

func (b *treeBuilder) anchor(n *ast.AnchorNode, depth int) Value {
	name := nodeText(n.Name)
	if b.anchors == nil {
		b.anchors = make(map[string]*Value)
	}
	b.anchors[name] = nil
	v := b.value(n.Value, depth+1)
	b.anchors[name] = &v
	return v
}

func (b *treeBuilder) alias(n *ast.AliasNode, at Position) Value {
	name := nodeText(n.Value)
	v, known := b.anchors[name]
	switch {
	case !known:
		b.fail(at, "alias %s has no anchor %s before it", b.src.quote("*"+name, 40), b.src.quote("&"+name, 40))
		return Value{At: at}
	case v == nil:
		b.fail(at, "alias %s is inside its own anchor", b.src.quote("*"+name, 40))
		return Value{At: at}
	}
	shared := *v
	shared.At = at
	return shared
}

func nodeText(n ast.Node) string {
	if n == nil || n.GetToken() == nil {
		return ""
	}
	return n.GetToken().Value
}
