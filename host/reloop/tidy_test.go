package reloop

import (
	"bytes"
	"testing"
)

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
		constLeast = "\x42\x80\x80\x80\x80\x78"
	)
	sum := extend + const24 + add + wrap
	for name, c := range map[string]struct{ code, want string }{
		"boolean converted to i64":         {get2 + i64eqz + extend + i64eqz + brIf, get2 + "\x42\x00\x52" + brIf},
		"negated boolean converted to i64": {get2 + i64eqz + extend + i64eqz + i32eqz + brIf, get2 + "\x42\x00\x51" + brIf},
		"i32 converted to i64":             {getSP + extend + wrap + set0, getSP + set0},
		"not less is greater or equal":     {get2 + get2 + "\x53" + i32eqz + brIf, get2 + get2 + "\x59" + brIf},
		"not equal":                        {get2 + get2 + "\x51" + i32eqz + brIf, get2 + get2 + "\x52" + brIf},
		"unsigned comparison":              {getSP + getSP + "\x4d" + i32eqz + set0, getSP + getSP + "\x4b" + set0},
		"double negation of a number":      {getSP + i32eqz + i32eqz + set0, getSP + i32eqz + i32eqz + set0},
		"double negation as a condition":   {getSP + i32eqz + i32eqz + brIf, getSP + brIf},
		"comparison of floats with NaN":    {"\x20\x03\x20\x03\x63" + i32eqz + brIf, "\x20\x03\x20\x03\x63" + i32eqz + brIf},
		"load from the stack":              {getSP + sum + load0 + "\x1a", getSP + "\x29\x03\x18\x1a"},
		"store with an offset":             {getSP + sum + get2 + store8, getSP + get2 + "\x37\x03\x20"},
		"nested sums":                      {getSP + sum + getSP + sum + load0 + store0, getSP + getSP + "\x29\x03\x18\x37\x03\x18"},
		"stored sum":                       {getSP + getSP + sum + "\x36\x02\x00", getSP + getSP + sum + "\x36\x02\x00"},
		"sum with a negative number":       {getSP + extend + constMinus + add + wrap + load0 + "\x1a", getSP + extend + "\x42\x08\x7d" + wrap + load0 + "\x1a"},
		"least number of 32 bits":          {get2 + constLeast + add + "\x1a", get2 + constLeast + add + "\x1a"},
		"sum of another local":             {"\x20\x00" + sum + load0 + "\x1a", "\x20\x00" + sum + load0 + "\x1a"},
		"block between sum and load":       {getSP + sum + "\x02\x40\x0b" + load0 + "\x1a", getSP + sum + "\x02\x40\x0b" + load0 + "\x1a"},
		"nop":                              {"\x01", ""},
	} {
		t.Run(name, func(t *testing.T) {
			const locals = "\x01\x03\x7e" // enough for all cases; their types do not matter
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
