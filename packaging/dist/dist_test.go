package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

var tree = fstest.MapFS{
	"share/man/man1/mcpctl.1": {Data: []byte("page"), Mode: 0o600, ModTime: time.Now()},
	"bin/mcpctl":              {Data: []byte("program"), Mode: 0o700, ModTime: time.Now()},
}

// Archives do not depend on the times and owners of the files.
func TestArchivesAreReproducible(t *testing.T) {
	modified := time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)
	other := fstest.MapFS{}
	for name, f := range tree {
		other[name] = &fstest.MapFile{Data: f.Data, Mode: 0o755, ModTime: f.ModTime.Add(time.Hour)}
	}
	for name, pack := range map[string]func(io.Writer, fs.FS, string, time.Time) error{"tar": packTar, "zip": packZip} {
		var first, second bytes.Buffer
		if err := pack(&first, tree, "top", modified); err != nil {
			t.Fatal(err)
		}
		if err := pack(&second, other, "top", modified); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s: two archives of one tree differ", name)
		}
		listed := listTar
		if name == "zip" {
			listed = listZip
		}
		const want = "top/bin/mcpctl -rwxr-xr-x program\ntop/share/man/man1/mcpctl.1 -rw-r--r-- page\n"
		if got := listed(t, first.Bytes(), modified); got != want {
			t.Errorf("%s holds\n%s\nwant\n%s", name, got, want)
		}
	}
}

func listTar(t *testing.T, b []byte, modified time.Time) string {
	zr, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	for tr := tar.NewReader(zr); ; {
		h, err := tr.Next()
		if err == io.EOF {
			return list.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(tr)
		if !h.ModTime.Equal(modified) || h.Uid != 0 || h.Uname != "" {
			t.Errorf("%s: time %v, owner %d %s", h.Name, h.ModTime, h.Uid, h.Uname)
		}
		fmt.Fprintf(&list, "%s %v %s\n", h.Name, h.FileInfo().Mode(), text)
	}
}

func listZip(t *testing.T, b []byte, modified time.Time) string {
	zr, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	for _, f := range zr.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(r)
		if !f.Modified.Equal(modified) {
			t.Errorf("%s: time %v", f.Name, f.Modified)
		}
		fmt.Fprintf(&list, "%s %v %s\n", f.Name, f.Mode(), text)
	}
	return list.String()
}

func TestChecksums(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for _, name := range []string{"b", "a"} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	sums := filepath.Join(dir, "SHA256SUMS")
	if err := writeSums(sums, files); err != nil {
		t.Fatal(err)
	}
	const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	if got, err := os.ReadFile(sums); string(got) != empty+"  a\n"+empty+"  b\n" {
		t.Errorf("%v, got %s", err, got)
	}
}

func TestArguments(t *testing.T) {
	for _, tc := range []struct{ name, args, want string }{
		{"no version", "-targets host", "no version"},
		{"half a target", "-version 1.0.0 -targets linux", `target "linux"`},
		{"an unknown flag", "-nope", "nope"},
	} {
		if err := run(t.Context(), strings.Fields(tc.args)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %s", tc.name, err, tc.want)
		}
	}
	if _, err := sourceTime("yesterday"); err == nil {
		t.Error("a time that is no number is accepted")
	}
	if got, _ := sourceTime("1767323046"); !got.Equal(time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)) {
		t.Errorf("time %v", got)
	}
}

func TestPackageListsEveryFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, tree); err != nil {
		t.Fatal(err)
	}
	r := release{version: "1.2.3", time: time.Unix(0, 0).UTC()}
	for i, own := range [][]string{
		{"name: mcpctl\n", "  MCP proxy ", `{src: "/src/mcplocal.service", dst: "/usr/lib/systemd/user/mcplocal.service", file_info: {mode: 0644,`},
		{"name: mcpd\n", "  team server ", `{src: "/src/mcpd.service", dst: "/usr/lib/systemd/system/mcpd.service", file_info: {mode: 0644,`},
	} {
		p := products[i]
		got, err := r.packageConfig(p, target{"linux", "arm64"}, dir, "/src/"+filepath.Base(p.unit))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range append(own, "arch: arm64\n", "version: \"1.2.3\"\n", `dst: "/usr/bin/mcpctl", file_info: {mode: 0755,`,
			`dst: "/usr/share/man/man1/mcpctl.1", file_info: {mode: 0644,`) {
			if !strings.Contains(got, line) {
				t.Errorf("%s: no %s in\n%s", p.name(), line, got)
			}
		}
	}
}

// mcpd is built for Linux only, and is not in the packages of mcpctl.
func TestProducts(t *testing.T) {
	r := release{out: t.TempDir(), work: t.TempDir()}
	files, err := r.buildProduct(t.Context(), products[1], []target{{"darwin", "arm64"}, {"windows", "amd64"}}, nil)
	if err != nil || files != nil {
		t.Errorf("mcpd for other systems: %q, %v", files, err)
	}
	for _, p := range products {
		if slices.Contains(p.programs, "mcpd") != (p.name() == "mcpd") {
			t.Errorf("%s has the programs %q", p.name(), p.programs)
		}
		for _, file := range []string{p.unit, p.readme} {
			if _, err := os.Stat(filepath.Join("..", "..", file)); err != nil {
				t.Error(err)
			}
		}
	}
}
