package wasm

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

const hostileDir = "../../testdata/hostile"

var update = flag.Bool("update", false, "write the malformed modules of testdata/hostile anew")

// bomb is a module whose bytes claim more than they hold; an assembler refuses
// to make them.
type bomb struct {
	name string
	file []byte
}

// header is that of every module.
var header = []byte(module.Header)

// most is 2^32-1.
var most = []byte{0xff, 0xff, 0xff, 0xff, 0x0f}

func bombs() []bomb {
	file := func(sections ...[]byte) []byte { return slices.Concat(header, slices.Concat(sections...)) }
	oneType := sectionOf(module.SectionType, vector(encodeType(module.Signature{})))
	oneFunc := sectionOf(module.SectionFunction, []byte{1, 0})
	body := func(b ...byte) []byte { return sectionOf(module.SectionCode, vector(bytesOf(b))) }
	many := func(n int, b []byte) []byte { return bytes.Repeat(b, n) }
	locals := slices.Concat([]byte{1}, most, []byte{module.TypeI32, end})
	groups := slices.Concat(uleb(50), many(50, slices.Concat(uleb(20_000_000), []byte{module.TypeI32})), []byte{end})
	return []bomb{
		{"types", file(sectionOf(module.SectionType, most))},
		{"params", file(sectionOf(module.SectionType, slices.Concat([]byte{1, 0x60}, most)))},
		{"results", file(sectionOf(module.SectionType, slices.Concat([]byte{1, 0x60, 0}, most)))},
		{"imports", file(sectionOf(module.SectionImport, most))},
		{"import-name", file(sectionOf(module.SectionImport, slices.Concat([]byte{1}, most)))},
		{"functions", file(oneType, sectionOf(module.SectionFunction, most))},
		{"tables", file(sectionOf(module.SectionTable, most))},
		{"table-minimum", file(sectionOf(module.SectionTable, slices.Concat([]byte{1, 0x70, 0}, most)))},
		{"memories", file(sectionOf(module.SectionMemory, most))},
		{"globals", file(sectionOf(module.SectionGlobal, most))},
		{"exports", file(sectionOf(module.SectionExport, most))},
		{"exports-24m", file(sectionOf(module.SectionExport, slices.Concat(uleb(24_000_000), []byte{0, 0, 0})))},
		{"elements", file(sectionOf(module.SectionElement, most))},
		{"element-functions", file(sectionOf(module.SectionElement, slices.Concat([]byte{1, 1, 0}, most)))},
		{"element-expressions", file(sectionOf(module.SectionElement, slices.Concat([]byte{1, 5, 0x70}, most)))},
		{"codes", file(oneType, oneFunc, sectionOf(module.SectionCode, most))},
		{"body", file(oneType, oneFunc, sectionOf(module.SectionCode, slices.Concat([]byte{1}, most)))},
		{"locals", file(oneType, oneFunc, body(locals...))},
		{"locals-groups", file(oneType, oneFunc, body(groups...))},
		{"locals-count", file(oneType, oneFunc, body(most...))},
		{"data", file(sectionOf(module.SectionData, most))},
		{"data-bytes", file(sectionOf(module.SectionData, slices.Concat([]byte{1, 1}, most)))},
		{"section-size", slices.Concat(header, []byte{module.SectionType}, most)},
		{"custom-name", file(sectionOf(module.SectionCustom, most))},
		{"leb-overlong", file(sectionOf(module.SectionType, []byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x00}))},
		{"leb-33-bits", file(sectionOf(module.SectionType, []byte{0xff, 0xff, 0xff, 0xff, 0x1f}))},
		{"order", file(sectionOf(module.SectionFunction, []byte{0}), oneType)},
		{"twice", file(oneType, oneType)},
		{"left-over", file(sectionOf(module.SectionType, []byte{0, 1, 2, 3}))},
		{"unknown-section", file(sectionOf(42, nil))},
		{"component", []byte("\x00asm\x0d\x00\x01\x00")},
		{"gzip", []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03")},
		{"text", []byte("(module)\n")},
		{"truncated", spin().wasm()[:60]},
	}
}

// The malformed modules on disk are those that are made here.
func TestBombsAreCommitted(t *testing.T) {
	for _, b := range bombs() {
		path := filepath.Join(hostileDir, "bomb-"+b.name+".wasm")
		if *update {
			if err := os.WriteFile(path, b.file, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, b.file) {
			t.Errorf("%s differs from what bombs() makes (go test -run Bombs -update): %v", path, err)
		}
	}
}

// verdict is a row of testdata/hostile/verdicts.tsv.
type verdict struct{ file, class, outcome, text string }

func verdicts(t *testing.T) []verdict {
	t.Helper()
	f, err := os.Open(filepath.Join(hostileDir, "verdicts.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []verdict
	for s := bufio.NewScanner(f); s.Scan(); {
		if line := s.Text(); line != "" && line[0] != '#' {
			cells := strings.Split(line, "\t")
			if len(cells) != 4 {
				t.Fatalf("row %q has %d cells, want 4", line, len(cells))
			}
			rows = append(rows, verdict{cells[0], cells[1], cells[2], cells[3]})
		}
	}
	return rows
}

// endless reports whether the clock alone ends a module. The others end by themselves
// or at another limit, so a slow machine must not be what ends them.
func (v verdict) endless() bool { return strings.Contains(v.text, "trapped after") }

// covers T1, T2: each hostile module gets its verdict, and nothing of it is left.
func TestHostileModules(t *testing.T) {
	short := newBench(t, func(o *Options) { o.Limits.Time = 60 * time.Millisecond })
	long := newBench(t, nil)
	rows := verdicts(t)
	for _, v := range rows {
		t.Run(v.file, func(t *testing.T) {
			b := long
			if v.endless() {
				b = short
			}
			file, err := os.ReadFile(filepath.Join(hostileDir, v.file))
			if err != nil {
				t.Fatal(err)
			}
			short.background.Wait() // what a runtime makes ahead is not the next module's
			long.background.Wait()
			start, begin := time.Now(), processor(b)
			outcome, text := b.judge(t, file)
			says := func(part string) bool { return strings.Contains(text, part) }
			if !slices.Contains(strings.Split(v.outcome, "|"), outcome) || !slices.ContainsFunc(strings.Split(v.text, "|"), says) {
				t.Errorf("%s: %s\nwant %s: %s", outcome, text, v.outcome, v.text)
			}
			if d := min(time.Since(start), processor(b)-begin); d > 5*time.Second {
				t.Errorf("took %v of the processors", d)
			}
		})
	}
	files, _ := filepath.Glob(filepath.Join(hostileDir, "*.wasm"))
	if len(files) != len(rows) {
		t.Errorf("%d files, %d verdicts", len(files), len(rows))
	}
}

// processor is the time that this process has had, or that of the wall where the
// system does not say.
func processor(b *bench) time.Duration {
	if used, ok := b.processorTime(); ok {
		return used
	}
	return time.Since(epoch)
}

var epoch = time.Now()

// judge loads and runs a module that is not trusted.
func (b *bench) judge(t *testing.T, file []byte) (outcome, text string) {
	t.Helper()
	b.background.Wait() // what the guest made ahead of the module before takes is not this one's
	before := allocated()
	m, err := b.Load(t.Context(), "hostile", file, false)
	if err != nil {
		if grown := allocated() - before; len(file) < 1000 && grown > 4<<20 && !strings.Contains(err.Error(), "trapped") {
			t.Errorf("a file of %d bytes made us allocate %d", len(file), grown)
		}
		return "refused", err.Error()
	}
	defer m.Close()
	g, err := m.Guest("hostile")
	if err != nil {
		return "refused", err.Error()
	}
	out, err := g.Run(t.Context(), content(`{"a":"some content"}`))
	switch {
	case errors.Is(err, abi.ErrLimit):
		return "limit", err.Error()
	case err != nil:
		return "failed", err.Error()
	case out.Pass:
		return "pass", fmt.Sprintf("%d sections, log %v", len(out.Tree.Sections), out.Log)
	}
	return "done", string(out.Bytes)
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
