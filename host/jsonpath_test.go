package host

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/itchyny/gojq"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// spelling is one path as a model may write it.
type spelling struct {
	form string // the name of the form
	path string
	jq   string // the query whose results the path must lead to
	many bool   // the query may have several results
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// quoteKey returns a key as a string of JSON.
func quoteKey(key string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(key)
	return strings.TrimSpace(b.String())
}

// join returns a path with each key and position written by a function.
func join(path []any, key func(n int, key string) string, position func(n, i int) string) string {
	var b strings.Builder
	for n, step := range path {
		switch step := step.(type) {
		case string:
			b.WriteString(key(n, step))
		case int:
			b.WriteString(position(n, step))
		}
	}
	return b.String()
}

func inBrackets(_, i int) string { return "[" + strconv.Itoa(i) + "]" }
func afterSlash(_, i int) string { return "/" + strconv.Itoa(i) }

// dottedKey returns a key after a dot, or in brackets and quotes if it is no identifier.
func dottedKey(_ int, key string) string {
	if identifier.MatchString(key) {
		return "." + key
	}
	return "[" + quoteKey(key) + "]"
}

// jqOf returns a path as jq writes it.
func jqOf(path []any) string {
	q := join(path, dottedKey, inBrackets)
	if !strings.HasPrefix(q, ".") {
		q = "." + q
	}
	return q
}

// spellings returns the forms of a path that the documentation names, as far as the keys
// can be written in them.
func spellings(path []any) []spelling {
	q := jqOf(path)
	single := func(_ int, key string) string {
		return "['" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(key) + "']"
	}
	id := join(path, func(_ int, key string) string { return "/" + abi.Segment(key) }, afterSlash)
	if !strings.HasPrefix(id, "//") { // as before an empty key
		id = id[1:]
	}
	if strings.HasSuffix(id, "/") || id == "" {
		id += "/" // after an empty key
	}
	pointer := join(path, func(_ int, key string) string {
		return "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
	}, afterSlash)
	fragment := "#" + strings.NewReplacer("%", "%25", "?", "%3F", "!", "%21").Replace(pointer)
	slash := join(path, func(_ int, key string) string { return "/" + key }, afterSlash)
	list := []spelling{
		{"jq", q, q, false},
		{"jq with quotes after a dot", join(path, func(_ int, key string) string { return "." + quoteKey(key) }, inBrackets), q, false},
		{"dotted", strings.TrimPrefix(join(path, dottedKey, inBrackets), "."), q, false},
		{"JSONPath", "$" + join(path, dottedKey, inBrackets), q, false},
		{"JSONPath with quotes", "$" + join(path, single, inBrackets), q, false},
		{"ids", id, q, false},
		{"fragment", fragment, q, false},
	}
	keys := slices.DeleteFunc(slices.Clone(path), func(step any) bool { _, isKey := step.(string); return !isKey })
	if !slices.ContainsFunc(keys, func(key any) bool { return key == "" || strings.ContainsAny(key.(string), "/?!\n[]") }) {
		list = append(list, spelling{"slash", slash[1:], q, false}, spelling{"slash at the beginning", slash, q, false})
	}
	if !strings.ContainsAny(pointer, "?!%") && !strings.HasSuffix(pointer, "/") {
		list = append(list, spelling{"pointer", pointer, q, false})
	}
	if !slices.ContainsFunc(keys, func(key any) bool { return !identifier.MatchString(key.(string)) }) {
		list = append(list, spelling{"dots before numbers", join(path, func(_ int, key string) string { return "." + key }, func(_, i int) string { return "." + strconv.Itoa(i) })[1:], q, false})
	}
	return list
}

// withLists adds the forms for the lists on a path: negative positions, all elements, and
// slices.
func withLists(path []any, doc any) (list []spelling) {
	at := doc
	for n, step := range path {
		i, isPosition := step.(int)
		if !isPosition {
			at = at.(map[string]any)[step.(string)]
			continue
		}
		elements := at.([]any)
		at = elements[i]
		if n%3 != len(path)%3 && n+1 < len(path) {
			continue
		}
		write := func(middle string) string {
			before, after := join(path[:n], dottedKey, inBrackets), join(path[n+1:], dottedKey, inBrackets)
			if !strings.HasPrefix(before, ".") && before != "" || before == "" {
				before = "." + before
			}
			return before + middle + after
		}
		negative := write(fmt.Sprintf("[%d]", i-len(elements)))
		all := write("[]")
		every := jqOf(path[:n]) + " | .[]" + join(path[n+1:], func(_ int, key string) string {
			return " | objects | select(has(" + quoteKey(key) + "))[" + quoteKey(key) + "]"
		}, func(_, i int) string {
			return fmt.Sprintf(" | arrays | select(length > %d)[%d]", i, i)
		})
		slice := write(fmt.Sprintf("[%d:%d]", i, i+1))
		list = append(list,
			spelling{"negative", negative, negative, false},
			spelling{"negative, dotted", strings.TrimPrefix(negative, "."), negative, false},
			spelling{"negative, JSONPath", "$" + strings.TrimPrefix(negative, "."), negative, false},
			spelling{"all elements", all, every, true},
			spelling{"all elements, JSONPath", "$" + strings.TrimPrefix(write("[*]"), "."), every, true},
			spelling{"all elements, dotted", strings.TrimPrefix(write("[*]"), "."), every, true},
			spelling{"slice", slice, slice, true},
		)
	}
	for n := range list { // a JSONPath with a key has a dot
		if rest, ok := strings.CutPrefix(list[n].path, "$"); ok && rest != "" && rest[0] != '[' && rest[0] != '.' {
			list[n].path = "$." + rest
		}
	}
	return list
}

// evaluate returns the results of a query, except null for what does not exist.
func evaluate(t testing.TB, query string, doc any) (results []any) {
	t.Helper()
	q, err := gojq.Parse(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	for iter := q.Run(doc); ; {
		v, ok := iter.Next()
		if !ok {
			return results
		}
		if _, isError := v.(error); isError {
			return nil
		}
		results = append(results, v)
	}
}

// outcome is the result of reading a path.
type outcome string

const (
	equal     outcome = "equal"
	refused   outcome = "not found"
	ambiguous outcome = "several"
	byID      outcome = "id first" // the path is the id of another element
	wrong     outcome = "WRONG"
)

// readPath reads a path and compares the answer with the values that it must lead to.
func (r *rig) readPath(t testing.TB, d *document, doc any, path string, want []any, many bool) (outcome, string) {
	t.Helper()
	a := r.Read(t.Context(), scope, d.ref, path)
	if a.IsError {
		return refused, ""
	}
	if b := a.Meta.Bytes; b != nil && a.Meta.Literal == nil {
		var got any
		span := d.bytes[b[0]:b[1]]
		switch err := json.Unmarshal(span, &got); {
		case err == nil && len(want) == 1 && reflect.DeepEqual(got, want[0]) && (a.Meta.Kind != flow.AnswerLeaf || bytes.Equal(a.Text, span)):
			return equal, ""
		case err == nil && many && reflect.DeepEqual(got, want): // all elements of an array, as the array
			return equal, ""
		case err == nil && isID(path, doc, got):
			return byID, ""
		}
		return wrong, fmt.Sprintf("%.100q", span)
	}
	whole := r.Read(t.Context(), scope, d.ref, path+"!")
	var all []any
	for dec := json.NewDecoder(bytes.NewReader(whole.Text)); ; {
		var v any
		if dec.Decode(&v) != nil {
			break
		}
		all = append(all, v)
	}
	has := func(v any) bool { return slices.ContainsFunc(all, func(w any) bool { return reflect.DeepEqual(v, w) }) }
	switch {
	case len(all) > 0 && reflect.DeepEqual(all, want):
		return equal, ""
	case whole.Meta.Bytes == nil && len(want) > 0 && len(all) > len(want) && !slices.ContainsFunc(want, func(v any) bool { return !has(v) }):
		return ambiguous, ""
	case whole.Meta.Kind == flow.AnswerIndex: // windows of more than 40,000 bytes
		return ambiguous, ""
	}
	return wrong, fmt.Sprintf("%.200q", a.Text)
}

// isID reports whether path, read as keys and positions between slashes, leads to value.
// It is the rule that an id goes before any other reading.
func isID(path string, doc, value any) bool {
	at := []any{doc}
	for segment := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		var next []any
		plain, err := url.PathUnescape(segment)
		for _, v := range at {
			switch v := v.(type) {
			case map[string]any:
				if inner, ok := v[segment]; ok {
					next = append(next, inner)
				} else if inner, ok := v[plain]; ok && err == nil {
					next = append(next, inner)
				}
			case []any:
				if n, err := strconv.Atoi(segment); err == nil && 0 <= n && n < len(v) {
					next = append(next, v[n])
				}
			}
		}
		at = next
	}
	return slices.ContainsFunc(at, func(v any) bool { return reflect.DeepEqual(v, value) })
}

// oddKeys are keys that the syntax of some form of path gives a meaning.
var oddKeys = []string{
	"a", "b", "c", "name", "id", "items", "a.b", "a/b", "a b", "", "0", "1", "12", "-1", "é", "日本", "it's", `say "hi"`, "a[0]", "[0]", "x?y", "wow!",
	"%41", "%2F", "100%", "~1", "~0", "a~b", "~L1-2", "@type", "@0..1", "$", "$ref", "#x", "#/a", "L1", "line 2", "a-2", "key: x", ".", "..", "a..b", "*", "a::b", `back\slash`, "last()", "f(x)", "tab\t", "!", "?a", "]", "['a']", "/a", "a/", "func a", strings.Repeat("long key ", 12),
}

// jsonWithOddKeys returns an object with such keys at all levels. With duplicates, objects may
// have a key several times.
func jsonWithOddKeys(r *rand.Rand, duplicates bool) []byte {
	var b bytes.Buffer
	var write func(depth int)
	write = func(depth int) {
		kind := r.IntN(10)
		if depth == 0 {
			kind = 9
		}
		if depth > 5 || b.Len() > 40_000 {
			kind = r.IntN(4)
		}
		switch {
		case kind == 0:
			fmt.Fprint(&b, r.IntN(1000))
		case kind == 1:
			b.WriteString([]string{"true", "null", "-1.5e3", `""`, "{}", "[]"}[r.IntN(6)])
		case kind <= 3:
			fmt.Fprintf(&b, `"%s %d"`, strings.Repeat("word é\\n ", r.IntN(5)), r.IntN(1000))
		case kind <= 5:
			b.WriteString("[")
			for i := range 1 + r.IntN(6) {
				if i > 0 {
					b.WriteString(", ")
				}
				write(depth + 1)
			}
			b.WriteString("]")
		default:
			b.WriteString("{")
			seen := map[string]bool{}
			for i, n := 0, 2+r.IntN(8); i < n; {
				key := oddKeys[r.IntN(len(oddKeys))]
				if seen[key] && !duplicates {
					continue
				}
				seen[key] = true
				if i > 0 {
					b.WriteString(",\n")
				}
				fmt.Fprintf(&b, "%s: ", quoteKey(key))
				write(depth + 1)
				i++
			}
			b.WriteString("}")
		}
	}
	for b.Len() < 9000 {
		b.Reset()
		write(0)
	}
	return b.Bytes()
}

// pathsOf returns the paths of all values of a document, in a fixed order.
func pathsOf(v any, above []any) (paths [][]any) {
	add := func(step any, inner any) {
		path := append(slices.Clone(above), step)
		paths = append(append(paths, path), pathsOf(inner, path)...)
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			add(key, v[key])
		}
	case []any:
		for i := range v {
			add(i, v[i])
		}
	}
	return paths
}

// pick returns about n of a list, at random.
func pick[T any](r *rand.Rand, list []T, n int) []T {
	list = slices.Clone(list)
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:min(n, len(list))]
}

// tally counts outcomes by form.
type tally map[string]map[outcome]int

func (c tally) add(form string, o outcome) {
	if c[form] == nil {
		c[form] = map[outcome]int{}
	}
	c[form][o]++
}

func (c tally) sum(o outcome) (n int) {
	for _, counts := range c {
		n += counts[o]
	}
	return n
}

func (c tally) String() string {
	var b strings.Builder
	for _, form := range slices.Sorted(maps.Keys(c)) {
		fmt.Fprintf(&b, "%-28s %v\n", form, c[form])
	}
	return b.String()
}

// jsonDocuments returns the JSON files of the corpus and random ones.
func jsonDocuments(t testing.TB) (docs []document) {
	t.Helper()
	for _, d := range corpus(t) {
		if filepath.Ext(d.name) == ".json" {
			docs = append(docs, d)
		}
	}
	for seed := range uint64(8) {
		docs = append(docs, document{name: fmt.Sprint("seed ", seed), bytes: jsonWithOddKeys(rand.New(rand.NewPCG(seed, 5)), seed%4 == 3)})
	}
	return docs
}

// Each form of a path to a JSON value leads to the value that jq finds, or it is answered
// by an error or by a list of several values.
func TestPathsOfJSON(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of paths take minutes with the race detector")
	}
	r := newRig(t, files{"projects/home.yaml": project("ungated-subindex")})
	counts := tally{}
	for _, d := range jsonDocuments(t) {
		r.drill(t, &d)
		var doc any
		if err := json.Unmarshal(d.bytes, &doc); err != nil {
			t.Fatal(d.name, err)
		}
		random := rand.New(rand.NewPCG(uint64(len(d.bytes)), 7))
		for _, path := range pick(random, pathsOf(doc, nil), 16+24*min(1, 100_000/len(d.bytes))) {
			for _, s := range slices.Concat(spellings(path), withLists(path, doc)) {
				want := evaluate(t, s.jq, doc)
				got, text := r.readPath(t, &d, doc, s.path, want, s.many)
				counts.add(s.form, got)
				if got == wrong {
					t.Errorf("%s: %s: %s returned %s, want %.200v", d.name, s.form, s.path, text, fmt.Sprintf("%.200q", want))
				}
			}
		}
	}
	t.Logf("\n%s", counts)
	ofSlices := counts["slice"][refused] // has no form here: jq makes a list

	total, notFound := counts.sum(equal)+counts.sum(ambiguous)+counts.sum(byID)+counts.sum(refused)-ofSlices, counts.sum(refused)-ofSlices
	if total < 4000 {
		t.Errorf("%d cases are too few", total)
	}
	if n := counts.sum(ambiguous) + counts.sum(byID); 50*n > total {
		t.Errorf("%d of %d paths have several values or are the id of another element", n, total)
	}
	if 100*notFound > total { // white space at the end of a path is not part of a key
		t.Errorf("%d of %d paths are not found", notFound, total)
	}
}

// strayPaths returns forms of paths from the root, where a path without its first step
// begins, or with a key or position that does not exist.
func strayPaths(path []any) (list []string) {
	last := append(slices.Clone(path[:len(path)-1]), "no key")
	beyond := append(slices.Clone(path[:len(path)-1]), 100_000)
	for _, p := range [][]any{path[1:], last, beyond, append(slices.Clone(path), "name"), append(slices.Clone(path), 0)} {
		if len(p) > 0 {
			list = append(list, jqOf(p))
		}
	}
	return list
}

// A path from the root that jq does not find is answered by an error. In particular it leads
// to no value at another depth.
func TestPathsToNothingInJSON(t *testing.T) {
	if testing.Short() {
		t.Skip("one client repeats the same calls thousands of times")
	}
	r := newRig(t, files{"projects/home.yaml": project("ungated-subindex")})
	counts := tally{}
	for _, d := range jsonDocuments(t) {
		r.drill(t, &d)
		var doc any
		if err := json.Unmarshal(d.bytes, &doc); err != nil {
			t.Fatal(d.name, err)
		}
		random := rand.New(rand.NewPCG(uint64(len(d.bytes)), 8))
		for _, path := range pick(random, pathsOf(doc, nil), 8+24*min(1, 100_000/len(d.bytes))) {
			for _, q := range strayPaths(path) {
				if want := evaluate(t, q, doc); len(want) > 0 && want[0] != nil {
					continue // it does exist
				}
				for _, form := range []string{q, "$" + strings.TrimSuffix(q, ".")} {
					a := r.Read(t.Context(), scope, d.ref, form)
					if got := spanOf(&d, a); a.IsError || string(got) == "null" {
						counts.add("from the root", refused)
					} else {
						counts.add("from the root", wrong)
						t.Errorf("%s: %s returned %.100q", d.name, form, a.Text)
					}
				}
			}
		}
	}
	t.Logf("\n%s", counts)
	if n := counts.sum(refused); n < 1000 {
		t.Errorf("%d cases are too few", n)
	}
}

// spanOf returns the bytes of the content that an answer is about, if it is one range.
func spanOf(d *document, a flow.Answer) []byte {
	if a.Meta.Bytes == nil || a.Meta.Literal != nil {
		return nil
	}
	return d.bytes[a.Meta.Bytes[0]:a.Meta.Bytes[1]]
}
