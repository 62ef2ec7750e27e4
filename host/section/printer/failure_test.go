package printer

import "testing"

func TestReportsFailure(t *testing.T) {
	for line, want := range map[string]bool{
		"a.c:14:9: error: 'x' undeclared":               true,
		"error[E0308]: mismatched types":                true,
		"src/a.ts(3,1): error TS2304: Cannot find name": true,
		"make: *** [Makefile:12: a.o] Error 1":          true,
		"npm ERR! code ERESOLVE":                        true,
		"--- FAIL: TestX (0.00s)":                       true,
		"FAIL\texample.com/x\t0.004s":                   true,
		"tests/a.py::test_x FAILED [ 48%]":              true,
		"== 1 failed, 899 passed in 12.34s ==":          true,
		"== 0 failed, 899 passed in 12.34s ==":          false,
		"10 failures":                                   true,
		"Traceback (most recent call last):":            true,
		"KeyError: 'name'":                              true,
		"a.py:12: AssertionError":                       true,
		"java.lang.NullPointerException: x":             true,
		"panic: runtime error: index out of range":      true,
		"fatal: not a git repository":                   true,
		"2026-11-30T10:00:00Z ERROR db: no connection":  true,
		"build failed: exit status 1":                   true,
		"errors: 0, warnings: 3":                        false,
		"0 FAILED":                                      false,
		"The error is returned by the function.":        false,
		"It failed once, and the failure was not seen":  false,
		"Errors and exceptions":                         false,
		"no error":                                      false,
		"":                                              false,
		"a.c:1:1: warning: unused":                      false,
		"terror: a film":                                false,
	} {
		if got := reportsFailure([]byte(line)); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}

func TestFindFailures(t *testing.T) {
	first, more := findFailures([]byte("ok\n  a.c:1:1: error: x\nok\nmake: *** [all] Error 2\nFAIL"))
	if string(first) != "a.c:1:1: error: x" || more != 2 {
		t.Errorf("got %q and %d more", first, more)
	}
	if first, more := findFailures([]byte("ok\nok")); first != nil || more != 0 {
		t.Errorf("got %q and %d more", first, more)
	}
}
