package reloop

import (
	"bytes"
	"testing"
)

// What is tidied computes the same in fewer instructions, and nothing else changes.
func TestTidy(t *testing.T) {
	const (
		getSP      = "\x20\x01"
		get2       = "\x20\x02"
		brIf       = "\x0d\x00"
		set0       = "\x21\x00"
		wrap       = "\xa7"
		extend     = "\xad"
		i32eqz     = "\x45"
		i64eqz     = "\x50"
		add        = "\x7c"
		load0      = "\x29\x03\x00"
		store0     = "\x37\x03\x00"
		store8     = "\x37\x03\x08"
		const24    = "\x42\x18"
		constMinus = "\x42\x78"
	)
	sum := extend + const24 + add + wrap
	for name, c := range map[string]struct{ code, want string }{
		"a truth value that was an i64":          {get2 + i64eqz + extend + i64eqz + brIf, get2 + "\x42\x00\x52" + brIf},
		"and its negation":                       {get2 + i64eqz + extend + i64eqz + i32eqz + brIf, get2 + "\x42\x00\x51" + brIf},
		"an i32 that was an i64":                 {getSP + extend + wrap + set0, getSP + set0},
		"not less is greater or equal":           {get2 + get2 + "\x53" + i32eqz + brIf, get2 + get2 + "\x59" + brIf},
		"not equal":                              {get2 + get2 + "\x51" + i32eqz + brIf, get2 + get2 + "\x52" + brIf},
		"an unsigned one":                        {getSP + getSP + "\x4d" + i32eqz + set0, getSP + getSP + "\x4b" + set0},
		"numbers that are not a truth value":     {getSP + i32eqz + i32eqz + set0, getSP + i32eqz + i32eqz + set0},
		"but taken for one":                      {getSP + i32eqz + i32eqz + brIf, getSP + brIf},
		"floats that are not less may be no one": {"\x20\x03\x20\x03\x63" + i32eqz + brIf, "\x20\x03\x20\x03\x63" + i32eqz + brIf},
		"a load from the stack":                  {getSP + sum + load0 + "\x1a", getSP + "\x29\x03\x18\x1a"},
		"a store with an offset of its own":      {getSP + sum + get2 + store8, getSP + get2 + "\x37\x03\x20"},
		"one sum under another":                  {getSP + sum + getSP + sum + load0 + store0, getSP + getSP + "\x29\x03\x18\x37\x03\x18"},
		"a sum that is stored":                   {getSP + getSP + sum + "\x36\x02\x00", getSP + getSP + sum + "\x36\x02\x00"},
		"a sum with a negative number":           {getSP + extend + constMinus + add + wrap + load0 + "\x1a", getSP + extend + constMinus + add + wrap + load0 + "\x1a"},
		"of another local":                       {"\x20\x00" + sum + load0 + "\x1a", "\x20\x00" + sum + load0 + "\x1a"},
		"what a branch stands between":           {getSP + sum + "\x02\x40\x0b" + load0 + "\x1a", getSP + sum + "\x02\x40\x0b" + load0 + "\x1a"},
		"nothing":                                {"\x01", ""},
	} {
		t.Run(name, func(t *testing.T) {
			const locals = "\x01\x03\x7e" // as many as there need be: their types do not matter here
			got := tidy(new(scratch), []byte(locals+c.code+"\x0b"), true)
			if want := []byte(locals + c.want + "\x0b"); !bytes.Equal(got, want) {
				t.Errorf("% x\nwant % x", got, want)
			}
		})
	}
	code := []byte("\x00" + getSP + sum + load0 + "\x1a\x0b")
	if got := tidy(new(scratch), code, false); !bytes.Equal(got, code) {
		t.Errorf("without a stack: % x", got)
	}
}
