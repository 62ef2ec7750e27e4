package stage

import (
	"errors"
	"testing"
)

func TestLookup(t *testing.T) {
	defer func(old map[string]Func) { roles = old }(roles)
	errA, errB := errors.New("a"), errors.New("b")
	roles = map[string]Func{}
	Register("a", func(*Ctx) error { return errA })

	f, err := lookup(func() string { t.Error("asked for the name of the only role"); return "" })
	if err != nil || f(nil) != errA {
		t.Errorf("the only role is not found: %v", err)
	}
	Register("b", func(*Ctx) error { return errB })
	if f, err := lookup(func() string { return "b" }); err != nil || f(nil) != errB {
		t.Errorf("role b is not found: %v", err)
	}
	if _, err := lookup(func() string { return "c" }); err == nil {
		t.Error("found an unknown role")
	}
}

func TestRegisterTwicePanics(t *testing.T) {
	defer func(old map[string]Func) { roles = old }(roles)
	roles = map[string]Func{"a": nil}
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Register("a", nil)
}

func TestFailFormats(t *testing.T) {
	tests := []struct {
		form string
		args []any
		want string
	}{
		{"plain", nil, "plain"},
		{"%d of %v, %s", []any{3, 4.5, "x"}, "3 of 4.5, x"},
		{"%q", []any{"a\n"}, `"a\n"`},
		{"100%% of %d", []any{7}, "100% of 7"},
		{"%v", []any{NotFound}, "not found"},
		{"%d and %d", []any{1}, "1 and (no value)"},
		{"ends in %", nil, "ends in "},
	}
	for _, tt := range tests {
		if got := Fail(tt.form, tt.args...).Error(); got != tt.want {
			t.Errorf("Fail(%q, %v) is %q, want %q", tt.form, tt.args, got, tt.want)
		}
	}
}

func TestPointer(t *testing.T) {
	for want, segments := range map[string][]string{
		"":          nil,
		"/a":        {"a"},
		"/a/0":      {"a", "0"},
		"/a~1b/~0/": {"a/b", "~", ""},
		"/~01":      {"~1"},
	} {
		if got := Pointer(segments...); got != want {
			t.Errorf("Pointer(%q) is %q, want %q", segments, got, want)
		}
	}
}

func TestUnknownCodesHaveANumber(t *testing.T) {
	if got := Code(-77).Error(); got != "code -77" {
		t.Errorf("got %q", got)
	}
	err := error(&Error{Code: Limit, Text: "too much"})
	if !errors.Is(err, Limit) || errors.Is(err, BadArg) || err.Error() != "too much" {
		t.Errorf("errors.Is does not find the code of %v", err)
	}
}
