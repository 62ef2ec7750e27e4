package module

import "testing"

// FuzzManifest verifies that an accepted manifest has roles and valid names.
func FuzzManifest(f *testing.F) {
	for _, m := range []string{`{"name":"m","abi":"1.0","roles":[{"name":"a","kind":"controller","capabilities":["session"],"hooks":["on_close"]}]}`, `{"name":"m","abi":"1.0","roles":[{"name":"a","kind":"stage","config":[{"name":"n","type":"enum","values":["x"]}]}]}`,
		`{"roles":[[]]}`, `{"roles":{}}`, `[]`, `{"name":"m","abi":"1.0","roles":[{"config":[{}]}]}`} {
		f.Add([]byte(m))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := parseManifest(b)
		if err == nil && (len(m.Roles) == 0 || !isName(m.Name) || !isName(m.Roles[0].Name)) {
			t.Fatalf("%q was accepted: %+v", b, m)
		}
	})
}
