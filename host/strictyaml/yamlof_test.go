package strictyaml

import (
	"testing"
)

func TestYAMLKeepsOrderAndNumbers(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"mapping", `{"z":1e2,"a":{"count":9007199254740993,"empty":{},"list":["x","no",true,null]}}`,
			"z: 1e2\na:\n  count: 9007199254740993\n  empty: {}\n  list: [x, \"no\", true, null]\n"},
		{"scalar", `"a: b"`, "\"a: b\"\n"},
		{"empty mapping", `{}`, "{}\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := FromJSON([]byte(tc.in))
			if err != nil || string(got) != tc.want {
				t.Errorf("got\n%s%v\nwant\n%s", got, err, tc.want)
			}
		})
	}
	for _, bad := range []string{``, `{`, `{} {}`, `[1,`} {
		if got, err := FromJSON([]byte(bad)); err == nil {
			t.Errorf("YAML(%s) = %s, want an error", bad, got)
		}
	}
}
