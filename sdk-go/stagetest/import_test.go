package stagetest_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

func TestJSON(t *testing.T) {
	input := `{"n":-12,"f":1.5,"t":true,"z":null,"s":"a\"b","a":[10,20],"o":{"x/y":{"~":"deep"}},"dup":1,"dup":2,"big":9223372036854775808}`
	pass(t, stagetest.Call{Input: input}, func(c *stage.Ctx) {
		j := c.Input.JSON()
		want(t, "valid", j.Valid(), true)
		kinds := map[string]stage.Kind{
			"": stage.KindObject, "/n": stage.KindNumber, "/t": stage.KindBool, "/z": stage.KindNull, "/s": stage.KindString,
			"/a": stage.KindArray, "/a/1": stage.KindNumber, stage.Pointer("o", "x/y", "~"): stage.KindString,
		}
		for pointer, wanted := range kinds {
			got, err := j.Kind(pointer)
			want(t, "kind of "+pointer, got, wanted)
			want(t, "error of "+pointer, err, nil)
		}
		for _, pointer := range []string{"/none", "/a/2", "/a/01", "/a/-1", "/n/x", "/o/x"} {
			if _, err := j.Kind(pointer); !errors.Is(err, stage.NotFound) {
				t.Errorf("%s: %v, want not found", pointer, err)
			}
		}
		n, _ := j.Int("/n")
		want(t, "int", n, -12)
		b, _ := j.Int("/t")
		want(t, "int of a bool", b, 1)
		f, _ := j.Float("/f")
		want(t, "float", f, 1.5)
		dup, _ := j.Int("/dup")
		want(t, "the first of duplicates", dup, 1)
		s, _ := j.String("/s")
		want(t, "string", s, `a"b`)
		text, _ := j.String("/a")
		want(t, "exact text", text, "[10,20]")
		at, kind, _ := j.Span("/s")
		want(t, "span", input[at.Start:at.End], `"a\"b"`)
		want(t, "kind of the span", kind, stage.KindString)
		literal, _ := j.Text(at)
		want(t, "literal", literal.String(), `a"b`)
		length, _ := j.Len("")
		want(t, "length counts duplicates", length, 10)
		for name, err := range map[string]error{
			"int of a fraction":     second(j.Int("/f")),
			"int of a string":       second(j.Int("/s")),
			"int of 65 bits":        second(j.Int("/big")),
			"float of null":         second(j.Float("/z")),
			"length of a number":    second(j.Len("/n")),
			"text of no literal":    second(j.Text(stage.Span{Start: 1, End: 3})),
			"text of two literals":  second(j.Text(stage.Span{Start: at.Start - 4, End: at.End})),
			"pointer without slash": second(j.Kind("n")),
		} {
			if !errors.Is(err, stage.BadArg) {
				t.Errorf("%s: %v, want bad arg", name, err)
			}
		}
	})
}

func second[T any](_ T, err error) error { return err }

func TestBrokenJSON(t *testing.T) {
	pass(t, stagetest.Call{Input: `{"a":1,}`}, func(c *stage.Ctx) {
		want(t, "valid", c.Input.JSON().Valid(), false)
		_, err := c.Input.JSON().Kind("/a")
		if !errors.Is(err, stage.BadArg) || err.Error() != "not JSON at byte 7" {
			t.Errorf("error %v, want the place", err)
		}
	})
}

func TestEach(t *testing.T) {
	var items []string
	for i := range 700 {
		items = append(items, fmt.Sprintf(`"k%d":[%d]`, i%500, i))
	}
	input := "{" + strings.Join(items, ",") + "}"
	pass(t, stagetest.Call{Input: input}, func(c *stage.Ctx) {
		j := c.Input.JSON()
		count := 0
		for i, child := range j.Each("") {
			want(t, "position", i, count)
			want(t, "key", input[child.Key.Start:child.Key.End], `"k`+strconv.Itoa(i%500)+`"`)
			want(t, "value", input[child.Value.Start:child.Value.End], "["+strconv.Itoa(i)+"]")
			if count++; i == 650 {
				break
			}
		}
		want(t, "left at", count, 651)
		for _, child := range j.Each("/k3") {
			want(t, "key in an array", child.Key, stage.Span{})
		}
		for range j.Each("/none") {
			t.Error("a child of nothing")
		}
	})
}

func TestMeta(t *testing.T) {
	got := pass(t, stagetest.Call{}, func(c *stage.Ctx) {
		c.Meta("type", "yaml")
		c.Meta("type", "markdown")
		c.Meta("n", "1")
		if err := c.Meta("", "x"); !errors.Is(err, stage.BadArg) {
			t.Errorf("empty key: %v, want bad arg", err)
		}
		if err := c.Meta("big", strings.Repeat("x", 16<<10)); !errors.Is(err, stage.Limit) {
			t.Errorf("16 KiB and more: %v, want limit", err)
		}
		for i := range 62 {
			c.Meta("k"+strconv.Itoa(i), "")
		}
		if err := c.Meta("one more", ""); !errors.Is(err, stage.Limit) {
			t.Errorf("key 65: %v, want limit", err)
		}
		want(t, "replaced key", c.Meta("n", "2"), nil)
	})
	want(t, "type", got.Meta["type"], "markdown")
	want(t, "n", got.Meta["n"], "2")
	want(t, "keys", len(got.Meta), 64)
}

func TestCache(t *testing.T) {
	kept := map[string]string{"old": "value"}
	computed := 0
	compute := func() ([]byte, error) { computed++; return []byte("made"), nil }
	for range 2 {
		pass(t, stagetest.Call{Cache: kept}, func(c *stage.Ctx) {
			old, ok := c.Cache.Get("old")
			want(t, "old", string(old), "value")
			want(t, "hit", ok, true)
			_, ok = c.Cache.Get("none")
			want(t, "miss", ok, false)
			value, err := c.Cache.GetOrCompute("new", compute)
			want(t, "computed value", string(value), "made")
			want(t, "error", err, nil)
			want(t, "long key", c.Cache.Set(strings.Repeat("k", 5000), []byte("long")), nil)
			long, _ := c.Cache.Get(strings.Repeat("k", 5000))
			want(t, "value of a long key", string(long), "long")
			if err := c.Cache.Set("big", make([]byte, 4<<20+1)); !errors.Is(err, stage.Limit) {
				t.Errorf("over 4 MiB: %v, want limit", err)
			}
		})
	}
	want(t, "computed once", computed, 1)
	want(t, "kept for the next call", kept["new"], "made")
}

func TestGetOrCompute(t *testing.T) {
	broken := errors.New("broken")
	got := pass(t, stagetest.Call{}, func(c *stage.Ctx) {
		if _, err := c.Cache.GetOrCompute("k", func() ([]byte, error) { return nil, broken }); err != broken {
			t.Errorf("error %v, want that of compute", err)
		}
		value, err := c.Cache.GetOrCompute("k", func() ([]byte, error) { return make([]byte, 5<<20), nil })
		want(t, "length of a value too big to keep", len(value), 5<<20)
		want(t, "its error", err, nil)
	})
	want(t, "log", fmt.Sprint(got.Log), "[{debug cache: value not kept: value of 5,242,880 bytes, limit 4 MiB}]")
}

func TestLog(t *testing.T) {
	got := pass(t, stagetest.Call{}, func(c *stage.Ctx) {
		c.Log.Debug("plain")
		c.Log.Info("figures", "n", 3, "f", 1.5, "ok", true, "text", "two words", "empty", "", "raw", []byte("b"))
		c.Log.Warn("more", "err", errors.New("lost it"), "kind", stage.KindArray, "u", uint8(7), "nil", nil, "odd")
		c.Log.Error("last", "what", struct{}{})
	})
	wanted := []stagetest.LogLine{
		{Level: "debug", Text: "plain"},
		{Level: "info", Text: `figures n=3 f=1.5 ok=true text="two words" empty="" raw=b`},
		{Level: "warn", Text: `more err="lost it" kind=array u=7 nil=nil odd`},
		{Level: "error", Text: `last what="(no text)"`},
	}
	for i, w := range wanted {
		want(t, "line", got.Log[i], w)
	}
}

func TestLogIsLimited(t *testing.T) {
	got := pass(t, stagetest.Call{}, func(c *stage.Ctx) {
		c.Log.Info(strings.Repeat("é", 5000))
		for range 1200 {
			c.Log.Info("x")
		}
	})
	want(t, "lines", len(got.Log), 1001)
	want(t, "a long line is cut", len(got.Log[0].Text), 8195)
	want(t, "the last one counts", got.Log[1000].Text, "dropped 201 lines")
}
