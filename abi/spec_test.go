package abi

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

// Released versions do not change: testdata/abi-1.0.txt lists every name, signature and
// number of ABI 1.0, and must not be edited.
func TestABI10IsUnchanged(t *testing.T) {
	now := map[string]bool{}
	for _, line := range surface(t) {
		now[line] = true
	}
	f, err := os.Open("testdata/abi-1.0.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	count := 0
	for lines.Scan() {
		if count++; !now[lines.Text()] {
			t.Errorf("ABI 1.0 had %q", lines.Text())
		}
	}
	if count < 190 {
		t.Errorf("%d lines, want all of ABI 1.0", count)
	}
}

type named struct {
	Name  string `json:"name"`
	Value int    `json:"value"`
	Of    string `json:"of"`
	Type  string `json:"type"`
}

// surface returns one line for each name, signature and number that guests depend on.
func surface(t *testing.T) []string {
	t.Helper()
	var spec struct {
		Codes       []named `json:"codes"`
		FirstHandle int     `json:"firstHandle"`
		Enums       []struct {
			Name   string  `json:"name"`
			Values []named `json:"values"`
		} `json:"enums"`
		Records []struct {
			Name   string   `json:"name"`
			Fields []string `json:"fields"`
		} `json:"records"`
		Context []named `json:"context"`
		Limits  []struct {
			Go    string `json:"go"`
			Value int    `json:"value"`
		} `json:"limits"`
	}
	b, err := os.ReadFile("abi.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &spec); err != nil {
		t.Fatal(err)
	}
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, e := range Exports {
		add("export %s %d -> %d", e.Name, len(e.Params), len(e.Results))
	}
	for _, i := range Imports {
		add("import %s.%s %d -> %d", i.Namespace, i.Name, len(i.Params), len(i.Results))
	}
	for _, c := range spec.Codes {
		add("code %s %d", c.Name, c.Value)
	}
	for _, e := range spec.Enums {
		for _, v := range e.Values {
			add("%s %s %d", e.Name, v.Name, v.Value)
		}
	}
	for _, r := range spec.Records {
		add("record %s %s", r.Name, strings.Join(r.Fields, ", "))
	}
	for _, f := range spec.Context {
		add("context %s %s %s", f.Name, f.Type, f.Of)
	}
	for _, l := range spec.Limits {
		add("limit %s %d", l.Go, l.Value)
	}
	add("first handle %d", spec.FirstHandle)
	return lines
}

func TestImportsAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, i := range Imports {
		name := i.Namespace + "." + i.Name
		if seen[name] {
			t.Errorf("%s is there twice", name)
		}
		seen[name] = true
		if len(i.Results) != 1 || i.Results[0] != I32 {
			t.Errorf("%s has results %v, want one i32", name, i.Results)
		}
		for _, p := range i.Params {
			if p != I32 {
				t.Errorf("%s has a parameter of type %#x, want i32", name, p)
			}
		}
	}
}

// Signatures have two i32 parameters for every text and for every output buffer.
func TestSignatureWords(t *testing.T) {
	words := map[string]int{
		FuncBufLen: 1, FuncBufRead: 4, FuncBufFind: 4, FuncBufLines: 4, FuncBufGrep: 7, FuncBufHash: 4, FuncBufPut: 2,
		FuncJSONSpan: 4, FuncJSONEach: 6, FuncJSONI64: 4, FuncOutWrite: 2, FuncOutIndex: 3, FuncSectionAdd: 6,
		FuncMetaSet: 4, FuncLog: 3, FuncLastError: 0, FuncToolPatch: 4, FuncCallRewrite: 5,
	}
	for _, i := range Imports {
		if want, ok := words[i.Name]; ok && len(i.Params) != want {
			t.Errorf("%s has %d parameters, want %d", i.Name, len(i.Params), want)
		}
	}
}

func TestErrCodeNames(t *testing.T) {
	for code, want := range map[ErrCode]string{CodeNotFound: "NOT_FOUND", CodeConflict: "CONFLICT", -77: "code -77"} {
		if got := code.String(); got != want {
			t.Errorf("%d is %s, want %s", int(code), got, want)
		}
	}
}

// The fields of abi.Context equal those that abi.json documents for stages.
func TestContextFieldsAreDocumented(t *testing.T) {
	documented := map[string]bool{}
	for _, line := range surface(t) {
		if name, ok := strings.CutPrefix(line, "context "); ok && !strings.HasSuffix(line, " controller") {
			documented[strings.Fields(name)[0]] = true
		}
	}
	typ := reflect.TypeFor[Context]()
	for i := range typ.NumField() {
		name := typ.Field(i).Tag.Get("json")
		if !documented[name] {
			t.Errorf("context field %s is not in abi.json", name)
		}
		delete(documented, name)
	}
	for name := range documented {
		t.Errorf("context field %s of abi.json is not in Context", name)
	}
}

// Types that package abi declares by hand have the values of abi.json.
func TestHandWrittenValues(t *testing.T) {
	lines := map[string]bool{}
	for _, line := range surface(t) {
		lines[line] = true
	}
	for name, kind := range map[string]SectionKind{"EXACT": SectionExact, "GROUP": SectionGroup, "DECODED": SectionDecoded, "DERIVED": SectionDerived} {
		if want := fmt.Sprintf("section kind %s %d", name, kind); !lines[want] {
			t.Errorf("abi.json lacks %q", want)
		}
		if got := kind.String(); got != strings.ToLower(name) {
			t.Errorf("%s is called %q", name, got)
		}
	}
	if got := SectionKind(4).String(); got != "section kind 4" {
		t.Errorf("a kind of a newer ABI is called %q", got)
	}
	for _, kind := range []RoleKind{KindStage, KindFilter, KindController} {
		if !lines["role kind "+string(kind)+" 0"] {
			t.Errorf("abi.json lacks role kind %s", kind)
		}
	}
}
