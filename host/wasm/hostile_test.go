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
	"github.com/mcpctl/mcpctl/host/wasm/binary"
)

const hostileDir = "../../testdata/hostile"

var update = flag.Bool("update", false, "rewrite the malformed modules of testdata/hostile")

// bomb is a module whose counts exceed its bytes. Assemblers refuse to create it.
type bomb struct {
	name string
	file []byte
}

// header begins every module.
var header = []byte(binary.Header)

// maxU32 is 2^32-1.
var maxU32 = []byte{0xff, 0xff, 0xff, 0xff, 0x0f}

func bombs() []bomb {
	file := func(sections ...[]byte) []byte { return slices.Concat(header, slices.Concat(sections...)) }
	oneType := sectionOf(binary.SectionType, vector(encodeType(binary.Signature{})))
	oneFunc := sectionOf(binary.SectionFunction, []byte{1, 0})
	body := func(b ...byte) []byte { return sectionOf(binary.SectionCode, vector(bytesOf(b))) }
	many := func(n int, b []byte) []byte { return bytes.Repeat(b, n) }
	locals := slices.Concat([]byte{1}, maxU32, []byte{binary.TypeI32, end})
	groups := slices.Concat(uleb(50), many(50, slices.Concat(uleb(20_000_000), []byte{binary.TypeI32})), []byte{end})
	return []bomb{
		{"types", file(sectionOf(binary.SectionType, maxU32))},
		{"params", file(sectionOf(binary.SectionType, slices.Concat([]byte{1, 0x60}, maxU32)))},
		{"results", file(sectionOf(binary.SectionType, slices.Concat([]byte{1, 0x60, 0}, maxU32)))},
		{"imports", file(sectionOf(binary.SectionImport, maxU32))},
		{"import-name", file(sectionOf(binary.SectionImport, slices.Concat([]byte{1}, maxU32)))},
		{"functions", file(oneType, sectionOf(binary.SectionFunction, maxU32))},
		{"tables", file(sectionOf(binary.SectionTable, maxU32))},
		{"table-minimum", file(sectionOf(binary.SectionTable, slices.Concat([]byte{1, 0x70, 0}, maxU32)))},
		{"memories", file(sectionOf(binary.SectionMemory, maxU32))},
		{"globals", file(sectionOf(binary.SectionGlobal, maxU32))},
		{"exports", file(sectionOf(binary.SectionExport, maxU32))},
		{"exports-24m", file(sectionOf(binary.SectionExport, slices.Concat(uleb(24_000_000), []byte{0, 0, 0})))},
		{"elements", file(sectionOf(binary.SectionElement, maxU32))},
		{"element-functions", file(sectionOf(binary.SectionElement, slices.Concat([]byte{1, 1, 0}, maxU32)))},
		{"element-expressions", file(sectionOf(binary.SectionElement, slices.Concat([]byte{1, 5, 0x70}, maxU32)))},
		{"codes", file(oneType, oneFunc, sectionOf(binary.SectionCode, maxU32))},
		{"body", file(oneType, oneFunc, sectionOf(binary.SectionCode, slices.Concat([]byte{1}, maxU32)))},
		{"locals", file(oneType, oneFunc, body(locals...))},
		{"locals-groups", file(oneType, oneFunc, body(groups...))},
		{"locals-count", file(oneType, oneFunc, body(maxU32...))},
		{"data", file(sectionOf(binary.SectionData, maxU32))},
		{"data-bytes", file(sectionOf(binary.SectionData, slices.Concat([]byte{1, 1}, maxU32)))},
		{"section-size", slices.Concat(header, []byte{binary.SectionType}, maxU32)},
		{"custom-name", file(sectionOf(binary.SectionCustom, maxU32))},
		{"leb-overlong", file(sectionOf(binary.SectionType, []byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x00}))},
		{"leb-33-bits", file(sectionOf(binary.SectionType, []byte{0xff, 0xff, 0xff, 0xff, 0x1f}))},
		{"order", file(sectionOf(binary.SectionFunction, []byte{0}), oneType)},
		{"twice", file(oneType, oneType)},
		{"left-over", file(sectionOf(binary.SectionType, []byte{0, 1, 2, 3}))},
		{"unknown-section", file(sectionOf(42, nil))},
		{"component", []byte("\x00asm\x0d\x00\x01\x00")},
		{"gzip", []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03")},
		{"text", []byte("(module)\n")},
		{"truncated", spin().wasm()[:60]},
	}
}

// TestBombsAreCommitted compares the malformed modules on disk with those of bombs.
func TestBombsAreCommitted(t *testing.T) {
	for _, b := range bombs() {
		path := filepath.Join(hostileDir, "bomb-"+b.name+".wasm")
		if *update {
			if err := os.WriteFile(path, b.file, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, b.file) {
			t.Errorf("%s differs from the output of bombs() (go test -run Bombs -update): %v", path, err)
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

// isEndless reports whether only the clock ends a module. The others end by themselves or
// at another limit, so they get enough time for a slow machine.
func (v verdict) isEndless() bool { return strings.Contains(v.text, "trapped after") }

// TestHostileModules compares the result of each hostile module with its verdict.
func TestHostileModules(t *testing.T) {
	short := newBench(t, func(o *Options) { o.Limits.Time = 60 * time.Millisecond })
	long := newBench(t, nil)
	rows := verdicts(t)
	for _, v := range rows {
		t.Run(v.file, func(t *testing.T) {
			b := long
			if v.isEndless() {
				b = short
			}
			file, err := os.ReadFile(filepath.Join(hostileDir, v.file))
			if err != nil {
				t.Fatal(err)
			}
			short.background.Wait() // do not measure prepared guests of the module before
			long.background.Wait()
			start, begin := time.Now(), processor(b)
			outcome, text := b.judge(t, file)
			contains := func(part string) bool { return strings.Contains(text, part) }
			if !slices.Contains(strings.Split(v.outcome, "|"), outcome) || !slices.ContainsFunc(strings.Split(v.text, "|"), contains) {
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

// processor returns the processor time of this process, or wall time if it is not known.
func processor(b *bench) time.Duration {
	if used, ok := b.usage.read(); ok {
		return used
	}
	return time.Since(epoch)
}

var epoch = time.Now()

// judge loads and runs a module that is not trusted.
func (b *bench) judge(t *testing.T, file []byte) (outcome, text string) {
	t.Helper()
	b.background.Wait() // do not measure prepared guests of the module before
	before := allocated()
	m, err := b.Load(t.Context(), "hostile", file, false)
	if err != nil {
		if grown := allocated() - before; len(file) < 1000 && grown > 4<<20 && !strings.Contains(err.Error(), "trapped") {
			t.Errorf("a file of %d bytes caused allocations of %d", len(file), grown)
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
