package detect

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// accepted lists the types that files with an extension may have. Other extensions may have any type and
// are skipped.
var accepted = extensions(map[string][]Type{
	"json geojson ipynb map":  {JSONArray, JSONObject, JSONScalar, NDJSON},
	"ndjson jsonl":            {NDJSON},
	"yaml yml":                {YAML},
	"xml svg csproj pom aml":  {XML},
	"plist xsd targets mdo":   {XML},
	"xcscheme props":          {XML},
	"html htm":                {HTML, XML},
	"vue":                     {Vue},
	"svelte":                  {Svelte},
	"md mdx markdown":         {Markdown, Mixed, Prose},
	"rst txt asc":             {Unknown, Prose, Markdown},
	"csv tsv":                 {CSV},
	"log":                     {"log", NDJSON, Unknown},
	"diff patch":              {"diff", Unknown},
	"toml":                    {TOML},
	"ini":                     {INI},
	"properties":              {Properties},
	"tf hcl tfvars":           {HCL},
	"mk":                      {Makefile, Unknown},
	"dockerfile":              {Dockerfile},
	"po pot":                  {Gettext},
	"conf":                    {Unknown, Code, INI},
	"c cc cpp h hpp cs go":    {Code, Unknown},
	"java js ts tsx jsx lua":  {Code, Unknown},
	"proto py rb rs sql css":  {Code, Unknown},
	"scss sh bash tcl zsh kt": {Code, Unknown},
	"kts mjs cjs php swift":   {Code, Unknown},
	"scala sbt ex exs rake":   {Code, Unknown},
	"gemspec zsh-theme pl":    {Code, Unknown},
	"less gradle":             {Code, Unknown},
})

func extensions(lists map[string][]Type) map[string][]Type {
	out := make(map[string][]Type)
	for list, types := range lists {
		for ext := range strings.FieldsSeq(list) {
			out[ext] = types
		}
	}
	return out
}

// least is the size of the smallest file that is judged. The stage leaves files of less than 5,000 bytes
// unchanged, but smaller ones are harder to identify.
const least = 300

// naming is the hint with which files are judged.
type naming string

const (
	nameless naming = "without names"
	truly    naming = "with their names"
	misnamed naming = "with names of another type"
)

// TestDirectory judges the files of a directory by their extensions, without their names as hints,
// with them and with wrong ones, and prints the detected types:
//
//	DETECT_DIRECTORY=... go test -run TestDirectory -v ./scan/detect
func TestDirectory(t *testing.T) {
	directory := os.Getenv("DETECT_DIRECTORY")
	if directory == "" {
		t.Skip("DETECT_DIRECTORY is not set")
	}
	for _, as := range []naming{nameless, truly, misnamed} {
		c := make(confusion)
		err := filepath.WalkDir(directory, func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			b, err := os.ReadFile(name)
			if err == nil {
				c.judge(t, name, b, as)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s\n%s", as, c)
	}
}

// confusion counts types found by extension.
type confusion map[string]map[Type]int

func (c confusion) judge(t *testing.T, name string, b []byte, as naming) {
	ext := strings.TrimPrefix(filepath.Ext(name), ".")
	want, ok := accepted[ext]
	if !ok || len(b) < least {
		return
	}
	o := options
	switch as {
	case truly:
		o.Hint = name
	case misnamed:
		o.Hint = "x." + other(ext, len(b))
	}
	got := Detect(b, o).Type
	if got == Opaque {
		return
	}
	if !slices.Contains(want, got) || got == Unknown && want[0] != Unknown {
		t.Logf("%s: %s", name, got)
	}
	if c[ext] == nil {
		c[ext] = make(map[Type]int)
	}
	c[ext][got]++
}

// other returns an extension of another type than ext, chosen by n.
func other(ext string, n int) string {
	all := sorted(accepted)
	for i := range all {
		if is := all[(n+i)%len(all)]; !slices.Equal(accepted[is], accepted[ext]) {
			return is
		}
	}
	return ""
}

// String returns a table of the types of the files of each extension, the wrong ones marked.
func (c confusion) String() string {
	var s strings.Builder
	wrong, unknown, all := 0, 0, 0
	for _, ext := range sorted(c) {
		fmt.Fprintf(&s, "%8s", ext)
		for _, found := range sorted(c[ext]) {
			n, mark := c[ext][found], ""
			if all += n; !slices.Contains(accepted[ext], found) {
				wrong, mark = wrong+n, "!"
			}
			if found == Unknown && accepted[ext][0] != Unknown {
				unknown += n
			}
			fmt.Fprintf(&s, "  %s%s %d", mark, found, n)
		}
		s.WriteString("\n")
	}
	fmt.Fprintf(&s, "%d files, %d wrong (%.1f %%), %d more not known", all, wrong, 100*float64(wrong)/float64(max(1, all)), unknown)
	return s.String()
}

func sorted[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
