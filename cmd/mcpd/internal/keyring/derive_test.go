package keyring

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestDerive(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys")
	open := func() *Ring {
		r, err := Open(file)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := open()
	a, b := first.Derive("a"), first.Derive("b")
	if len(a) != keyBytes || bytes.Equal(a, b) || !bytes.Equal(a, open().Derive("a")) {
		t.Errorf("got %d bytes, %d bytes", len(a), len(b))
	}
	_, save, err := PrepareRotation(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, open().Derive("a")) {
		t.Error("the file has changed before save")
	}
	if err := save(); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(a, open().Derive("a")) {
		t.Error("the same key after a rotation")
	}
	for _, text := range []string{fmt.Sprintf("%v", first), fmt.Sprintf("%+v", first), fmt.Sprintf("%#v", first)} {
		if !strings.HasPrefix(text, "keyring with 1 keys") {
			t.Errorf("printed as %s", text)
		}
	}
}
