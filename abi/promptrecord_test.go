package abi_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// words reads the fields of the i-th record like a guest without an SDK, using the size
// of a record from the header.
func words(list []byte, i int) (fields []int, hash []byte) {
	size := int(binary.LittleEndian.Uint32(list[4:]))
	record := list[8+i*size:]
	for n := range 16 {
		fields = append(fields, int(binary.LittleEndian.Uint32(record[4*n:])))
	}
	return fields, record[64:96]
}

func TestPromptRecords(t *testing.T) {
	hash := strings.Repeat("0f", 32)
	list := abi.PromptRecords([]abi.PromptEntry{
		{Name: "lights", Project: "home", Priority: 7, Summary: "all of them", Chapters: []string{"Set up", "two\nlines"}, Bytes: 120, Hash: hash},
		{Name: "none", Project: "home", Priority: 5, Chapters: []string{}},
		{Name: "far", Project: "home", Priority: 1, Summary: "é", Link: "public/docs:x", LinkStatus: "dead"},
	}, func(e abi.PromptEntry) string {
		if e.Name == "lights" {
			return "abcdefghijklmnop"
		}
		return ""
	})
	if n, size := binary.LittleEndian.Uint32(list), binary.LittleEndian.Uint32(list[4:]); n != 3 || size != abi.PromptRecordSize {
		t.Fatalf("%d records of %d bytes", n, size)
	}
	for i, want := range []string{
		`"lights" "all of them" "Set up\ntwo lines" "home" "" "abcdefghijklmnop" 7 120 0 0 0f`,
		`"none" "" "" "home" "" "" 5 0 0 0 00`,
		`"far" "é" "" "home" "public/docs:x" "" 1 0 2 0 00`,
	} {
		f, hash := words(list, i)
		var got []string
		for n := 0; n < 12; n += 2 {
			got = append(got, fmt.Sprintf("%q", list[f[n]:f[n+1]]))
		}
		for _, number := range f[12:] {
			got = append(got, fmt.Sprint(number))
		}
		got = append(got, fmt.Sprintf("%02x", hash[31]))
		if g := strings.Join(got, " "); g != want {
			t.Errorf("record %d is\n%s, want\n%s", i, g, want)
		}
	}
	first, _ := words(list, 0)
	last, _ := words(list, 2)
	if run := string(list[first[0] : last[5]+1]); run != "lights\nall of them\nSet up\ntwo lines\nnone\n\nfar\né\n" {
		t.Errorf("the searched text is %q", run)
	}
}

func TestNoPromptRecords(t *testing.T) {
	if list := abi.PromptRecords(nil, nil); !slices.Equal(list, []byte{0, 0, 0, 0, abi.PromptRecordSize, 0, 0, 0}) {
		t.Errorf("% x", list)
	}
}
