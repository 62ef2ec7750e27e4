package jsonrpc

import "testing"

func TestID(t *testing.T) {
	tests := []struct {
		raw  string
		want ID
		bad  bool
	}{
		{raw: `1`, want: NumberID(1)},
		{raw: `-9007199254740993`, want: NumberID(-9007199254740993)},
		{raw: `"1"`, want: StringID("1")},
		{raw: `"\u0061\/"`, want: StringID("a/")},
		{raw: `null`, want: NullID()},
		{raw: ``, bad: true},
		{raw: `true`, bad: true},
		{raw: `[1]`, bad: true},
		{raw: `1 `, bad: true},
		{raw: `01`, bad: true},
		{raw: `"a`, bad: true},
		{raw: `"a\"`, bad: true},
		{raw: `"\ud800"`, bad: true},
	}
	for _, tt := range tests {
		got, err := ParseID([]byte(tt.raw))
		if (err != nil) != tt.bad || got != tt.want {
			t.Errorf("ParseID(%s) = %s, %v; want %s, error %v", tt.raw, got, err, tt.want, tt.bad)
		}
	}
	if NumberID(1) == StringID("1") {
		t.Error("the number 1 and the string \"1\" are one id")
	}
	if n, ok := NumberID(42).Int64(); !ok || n != 42 {
		t.Errorf("Int64 = %d, %v", n, ok)
	}
	if _, ok := StringID("42").Int64(); ok {
		t.Error("a string is an integer")
	}
	if got, err := ParseID([]byte(`1.50`)); err != nil || string(got.Append(nil)) != "1.50" {
		t.Errorf("a number is not kept as written: %s, %v", got, err)
	}
}

func TestErrorRaw(t *testing.T) {
	e := Errorf(CodeMethodNotFound, "method %q not found", "x<y>")
	if got, want := string(e.Raw()), `{"code":-32601,"message":"method \"x<y>\" not found"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	e.Data = raw(`{"n":9007199254740993}`)
	back := ReadError(e.Raw())
	if back.Code != e.Code || back.Message != e.Message || string(back.Data) != string(e.Data) {
		t.Errorf("read back %+v, want %+v", back, e)
	}
	if got := ReadError(raw(`{"code":"x","message":7}`)); got.Code != 0 || got.Message != "" {
		t.Errorf("read from nonsense: %+v", got)
	}
}
