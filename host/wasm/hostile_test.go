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
var header = []byte(magic + "\x01\x00\x00\x00")

// most is 2^32-1.
var most = []byte{0xff, 0xff, 0xff, 0xff, 0x0f}

func bombs() []bomb {
	module := func(sections ...[]byte) []byte { return slices.Concat(header, slices.Concat(sections...)) }
	oneType := sectionOf(secType, vector(funcType{}.encode()))
	oneFunc := sectionOf(secFunction, []byte{1, 0})
	body := func(b ...byte) []byte { return sectionOf(secCode, vector(bytesOf(b))) }
	many := func(n int, b []byte) []byte { return bytes.Repeat(b, n) }
	locals := slices.Concat([]byte{1}, most, []byte{typeI32, end})
	groups := slices.Concat(uleb(50), many(50, slices.Concat(uleb(20_000_000), []byte{typeI32})), []byte{end})
	return []bomb{
		{"types", module(sectionOf(secType, most))},
		{"params", module(sectionOf(secType, slices.Concat([]byte{1, 0x60}, most)))},
		{"results", module(sectionOf(secType, slices.Concat([]byte{1, 0x60, 0}, most)))},
		{"imports", module(sectionOf(secImport, most))},
		{"import-name", module(sectionOf(secImport, slices.Concat([]byte{1}, most)))},
		{"functions", module(oneType, sectionOf(secFunction, most))},
		{"tables", module(sectionOf(secTable, most))},
		{"table-minimum", module(sectionOf(secTable, slices.Concat([]byte{1, typeFuncref, 0}, most)))},
		{"memories", module(sectionOf(secMemory, most))},
		{"globals", module(sectionOf(secGlobal, most))},
		{"exports", module(sectionOf(secExport, most))},
		{"exports-24m", module(sectionOf(secExport, slices.Concat(uleb(24_000_000), []byte{0, 0, 0})))},
		{"elements", module(sectionOf(secElement, most))},
		{"element-functions", module(sectionOf(secElement, slices.Concat([]byte{1, 1, 0}, most)))},
		{"element-expressions", module(sectionOf(secElement, slices.Concat([]byte{1, 5, typeFuncref}, most)))},
		{"codes", module(oneType, oneFunc, sectionOf(secCode, most))},
		{"body", module(oneType, oneFunc, sectionOf(secCode, slices.Concat([]byte{1}, most)))},
		{"locals", module(oneType, oneFunc, body(locals...))},
		{"locals-groups", module(oneType, oneFunc, body(groups...))},
		{"locals-count", module(oneType, oneFunc, body(most...))},
		{"data", module(sectionOf(secData, most))},
		{"data-bytes", module(sectionOf(secData, slices.Concat([]byte{1, 1}, most)))},
		{"section-size", slices.Concat(header, []byte{secType}, most)},
		{"custom-name", module(sectionOf(secCustom, most))},
		{"leb-overlong", module(sectionOf(secType, []byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x00}))},
		{"leb-33-bits", module(sectionOf(secType, []byte{0xff, 0xff, 0xff, 0xff, 0x1f}))},
		{"order", module(sectionOf(secFunction, []byte{0}), oneType)},
		{"twice", module(oneType, oneType)},
		{"left-over", module(sectionOf(secType, []byte{0, 1, 2, 3}))},
		{"unknown-section", module(sectionOf(42, nil))},
		{"component", []byte("\x00asm\x0d\x00\x01\x00")},
		{"gzip", []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03")},
		{"text", []byte("(module)\n")},
		{"truncated", spin().wasm()[:60]},
	}
}

func TestLargeBodyIsRefused(t *testing.T) {
	_, err := readShape(slices.Concat(header, sectionOf(secType, vector(funcType{}.encode())), sectionOf(secFunction, []byte{1, 0}),
		sectionOf(secCode, vector(bytesOf(make([]byte, maxBodyBytes+1))))))
	if err == nil || err.Error() != "code section: function 0: body of 524289 bytes, limit 524288" {
		t.Errorf("got %v", err)
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
	if used, ok := b.used(); ok {
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
