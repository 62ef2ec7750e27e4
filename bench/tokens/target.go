package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	mdast "github.com/yuin/goldmark/ast"
	mdtext "github.com/yuin/goldmark/text"
)

// target is a part of a file that a client looks for, and the path that it knows.
type target struct {
	start, end int
	path       []string // keys, headings, the name of a function, or "line N"
}

// Limits of the size of a target in bytes.
const minTarget, maxTarget = 30, 4000

// hint returns the beginning of the target.
func (t target) hint(text string) string { return clip(text[t.start:t.end], 48) }

func clip(s string, n int) string { return strings.ToValidUTF8(s[:min(n, len(s))], "") }

// pickers find possible targets by kind of file, with other parsers than mcpctl. They call
// yield for each target.
var pickers = map[string]func(text string, yield func(target)) error{
	"json": pickJSON, "xml": pickXML, "prose": pickMarkdown, "html": pickHTML, "yaml": pickYAML, "go": pickGo, "lines": pickLines,
}

// pick selects n targets of a file at random. The selection depends only on the seed. It
// selects lines if the parser fails or finds no targets.
func pick(f file, n int, seed uint64) ([]target, error) {
	all, err := candidates(f.kind, f.text)
	if err != nil || len(all) == 0 {
		if all, err = candidates("lines", f.text); err != nil {
			return nil, err
		}
	}
	r := rand.New(rand.NewPCG(seed, uint64(len(f.text))))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(n, len(all))], nil
}

func candidates(kind, text string) ([]target, error) {
	find, ok := pickers[kind]
	if d, isCode := dialects[kind]; isCode {
		find = d.pick
	} else if !ok {
		find = pickLines
	}
	var all []target
	err := find(text, func(t target) {
		if size := t.end - t.start; size >= minTarget && size <= maxTarget {
			t.path = append([]string(nil), t.path...)
			all = append(all, t)
		}
	})
	return all, err
}

// pickJSON finds every value below the root.
func pickJSON(text string, yield func(target)) error {
	j := jsonPicker{text: text, d: json.NewDecoder(strings.NewReader(text)), yield: yield}
	j.d.UseNumber()
	return j.value()
}

type jsonPicker struct {
	text  string
	d     *json.Decoder
	path  []string
	yield func(target)
}

func (j *jsonPicker) value() error {
	start := int(j.d.InputOffset())
	start += len(j.text[start:]) - len(strings.TrimLeft(j.text[start:], " \t\r\n,:\ufeff"))
	tok, err := j.d.Token()
	if err != nil {
		return err
	}
	switch tok {
	case json.Delim('['):
		for i := 0; j.d.More() && err == nil; i++ {
			err = j.member(strconv.Itoa(i))
		}
	case json.Delim('{'):
		for j.d.More() && err == nil {
			var key json.Token
			if key, err = j.d.Token(); err == nil {
				err = j.member(key.(string))
			}
		}
	}
	if err == nil && (tok == json.Delim('[') || tok == json.Delim('{')) {
		_, err = j.d.Token()
	}
	if len(j.path) > 0 {
		j.yield(target{start, int(j.d.InputOffset()), j.path})
	}
	return err
}

func (j *jsonPicker) member(name string) error {
	j.path = append(j.path, name)
	err := j.value()
	j.path = j.path[:len(j.path)-1]
	return err
}

// pickXML finds every element below the root.
func pickXML(text string, yield func(target)) error {
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict = false
	var (
		path  []string
		start []int
	)
	for {
		at := int(d.InputOffset())
		tok, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			path, start = append(path, tok.Name.Local), append(start, at)
		case xml.EndElement:
			n := len(path) - 1
			if n < 0 {
				return fmt.Errorf("</%s> at byte %d ends nothing", tok.Name.Local, at)
			}
			if n > 0 {
				yield(target{start[n], int(d.InputOffset()), path})
			}
			path, start = path[:n], start[:n]
		}
	}
}

// pickMarkdown finds the text from each heading to the next one.
func pickMarkdown(text string, yield func(target)) error {
	src := []byte(text)
	var at []int
	var paths [][]string
	open := [7]string{}
	err := mdast.Walk(goldmark.DefaultParser().Parse(mdtext.NewReader(src)), func(n mdast.Node, in bool) (mdast.WalkStatus, error) {
		h, ok := n.(*mdast.Heading)
		if !ok || !in || h.Lines().Len() == 0 || h.Parent().Kind() != mdast.KindDocument {
			return mdast.WalkContinue, nil
		}
		line := h.Lines().At(0)
		open[h.Level] = strings.TrimSpace(string(src[line.Start:line.Stop]))
		clear(open[h.Level+1:])
		var path []string
		for _, title := range open {
			if title != "" {
				path = append(path, title)
			}
		}
		at, paths = append(at, bytes.LastIndexByte(src[:line.Start], '\n')+1), append(paths, path)
		return mdast.WalkSkipChildren, nil
	})
	yieldBetween(at, len(text), paths, yield)
	return err
}

func yieldBetween(at []int, end int, paths [][]string, yield func(target)) {
	for i, start := range at {
		next := end
		if i+1 < len(at) {
			next = at[i+1]
		}
		yield(target{start, next, paths[i]})
	}
}

var (
	htmlHeading = regexp.MustCompile(`(?is)<h([1-6])[\s>].*?</h[1-6]\s*>`)
	htmlTag     = regexp.MustCompile(`(?s)<[^>]*>`)
)

// pickHTML finds the text from each heading to the next one.
func pickHTML(text string, yield func(target)) error {
	var at []int
	var paths [][]string
	for _, m := range htmlHeading.FindAllStringIndex(text, -1) {
		title := strings.Join(strings.Fields(htmlTag.ReplaceAllString(text[m[0]:m[1]], "")), " ")
		at, paths = append(at, m[0]), append(paths, []string{title})
	}
	yieldBetween(at, len(text), paths, yield)
	return nil
}

var yamlKey = regexp.MustCompile(`^( *)((?:- +)*)("[^"]*"|'[^']*'|[^\s#"'{}\[\]&*!|>%@-][^#:"]*):(?:\s|$)`)

// yamlLists are the open lists around a line, by the column of their dashes.
type yamlLists []struct{ column, index int }

// readDashes notes the items that a line of the given indentation begins, or which lists it
// ends. dashes is its text between the indentation and the key.
func (l *yamlLists) readDashes(column int, dashes string) {
	for at := 0; ; at++ {
		for n := len(*l) - 1; n >= 0 && ((*l)[n].column > column+at || (*l)[n].column == column+at && at == len(dashes)); n-- {
			*l = (*l)[:n]
		}
		switch {
		case at == len(dashes):
			return
		case dashes[at] != '-':
		case len(*l) > 0 && (*l)[len(*l)-1].column == column+at:
			(*l)[len(*l)-1].index++
		default:
			*l = append(*l, struct{ column, index int }{column + at, 0})
		}
	}
}

// pickYAML finds the block of every key: from its line to the next line that is not indented
// deeper. List items in the column of the key belong to it. The path includes the positions of
// items.
func pickYAML(text string, yield func(target)) error {
	type key struct {
		column int
		target
	}
	var open []key
	var lists yamlLists
	at, literal := 0, -1 // literal: column of the key of the current block scalar
	end := func(column int, item bool) {
		for n := len(open) - 1; n >= 0 && (open[n].column > column || open[n].column == column && !item); n-- {
			open[n].end = at
			yield(open[n].target)
			open = open[:n]
		}
	}
	for line := range strings.Lines(text) {
		trimmed := strings.TrimLeft(line, " ")
		column := len(line) - len(trimmed)
		if body := strings.TrimSpace(trimmed); body == "" || literal >= 0 && column > literal {
			at += len(line)
			continue
		}
		literal = -1
		end(column, strings.HasPrefix(trimmed, "-"))
		if !strings.HasPrefix(trimmed, "#") && !strings.HasPrefix(line, "---") {
			lists.readDashes(column, trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, "- "))])
		}
		if m := yamlKey.FindStringSubmatch(line); m != nil {
			column := len(m[1]) + len(m[2])
			end(column, false)
			var path []string
			above := -1
			if len(open) > 0 {
				path, above = open[len(open)-1].path, open[len(open)-1].column
			}
			for _, l := range lists {
				if l.column >= above && l.column < column {
					path = append(path[:len(path):len(path)], strconv.Itoa(l.index))
				}
			}
			name := strings.Trim(m[3], `"'`)
			open = append(open, key{column, target{start: at, path: append(path[:len(path):len(path)], name)}})
			if rest := strings.TrimSpace(line[len(m[0])-1:]); strings.HasPrefix(rest, "|") || strings.HasPrefix(rest, ">") {
				literal = column
			}
		}
		at += len(line)
	}
	end(-1, false)
	return nil
}

// pickGo finds the functions with their comments, as whole lines.
func pickGo(text string, yield func(target)) error {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		start, end := fset.Position(fn.Pos()).Offset, fset.Position(fn.End()).Offset
		if fn.Doc != nil {
			start = fset.Position(fn.Doc.Pos()).Offset
		}
		start = strings.LastIndexByte(text[:start], '\n') + 1
		if n := strings.IndexByte(text[end:], '\n'); n >= 0 {
			end += n + 1
		}
		yield(target{start, end, []string{fn.Name.Name}})
	}
	return nil
}

// pickLines finds every line.
func pickLines(text string, yield func(target)) error {
	at, n := 0, 0
	for line := range strings.Lines(text) {
		n++
		yield(target{at, at + len(strings.TrimRight(line, "\r\n")), []string{"line " + strconv.Itoa(n)}})
		at += len(line)
	}
	return nil
}
