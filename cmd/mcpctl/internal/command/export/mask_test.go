package export

import (
	"strings"
	"testing"
)

func TestMaskJSON(t *testing.T) {
	got, err := maskJSON([]byte(`{"id":18446744073709551615,"error":"login with password=hunter2 failed","runs":[{"stages":[{"error":"GET https://a:b3c@h/"}]}],"session":"id"}`), map[string]string{"session": "session-1", "absent": "x"})
	want := `{"error":"login with password=******* failed","id":18446744073709551615,"runs":[{"stages":[{"error":"GET https://a:***@h/"}]}],"session":"session-1"}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v\nwant %s", got, err, want)
	}
	if _, err := maskJSON([]byte(`{`), nil); err == nil {
		t.Error("invalid JSON is accepted")
	}
}

func TestMaskText(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"JSON":                          {`{"password": "hunter2", "user": "ann"}`, `{"password": "*******", "user": "ann"}`},
		"JSON with blanks in a value":   {`{"api_key":"two words"}`, `{"api_key":"*********"}`},
		"JSON with an escaped quote":    {`{"secret":"a\"b","n":1}`, `{"secret":"****","n":1}`},
		"JSON inside JSON":              {`{"text":"{\"token\": \"abc def\", \"x\": 1}"}`, `{"text":"{\"token\": \"*******\", \"x\": 1}"}`},
		"JSON cut off":                  {`{"password": "hunter2`, `{"password": "*******`},
		"single quotes":                 {`'client_secret': 'x y'`, `'client_secret': '***'`},
		"YAML":                          {"db:\n  password: hunter2 # old\n  host: h", "db:\n  password: *************\n  host: h"},
		"setting":                       {"AWS_SECRET_ACCESS_KEY=abc123", "AWS_SECRET_ACCESS_KEY=******"},
		"shell":                         {"export API_TOKEN=abc && run --password hunter2 -v", "export API_TOKEN=*** && run --password ******* -v"},
		"header":                        {"> Authorization: Basic dXNlcjpwYXNz", "> Authorization: ******************"},
		"bearer in prose":               {"use Bearer abcdefgh1234 here", "use Bearer ************ here"},
		"address":                       {"postgres://ann:hunter2@db/x?sslmode=on", "postgres://ann:*******@db/x?sslmode=on"},
		"key in an address":             {"https://x/y?api_key=abc&z=1", "https://x/y?api_key=***&z=1"},
		"issuer without separator":      {"AKIAABCDEFGHIJKLMNOP", "********************"},
		"issuer":                        {"token ghp_abcdefghijklmnop1234 end", "token ************************ end"},
		"private key":                   {"a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nAbc=\n-----END RSA PRIVATE KEY-----\nb", "a\n-----BEGIN RSA PRIVATE KEY-----\n****\n****\n-----END RSA PRIVATE KEY-----\nb"},
		"private key that is cut off":   {"-----BEGIN PRIVATE KEY-----\nMIIE", "-----BEGIN PRIVATE KEY-----\n****"},
		"characters of several bytes":   {`{"password":"ключ"}`, `{"password":"********"}`},
		"no credential: path":           {"/home/ann/.ssh/id_rsa.pub", "/home/ann/.ssh/id_rsa.pub"},
		"no credential: reference":      {`{"token":"${TOKEN}"}`, `{"token":"${TOKEN}"}`},
		"no credential: number":         {`{"token": 12, "key": true}`, `{"token": 12, "key": true}`},
		"no credential: property":       {`{"token_limit": "500 k", "key_file": "a.pem"}`, `{"token_limit": "500 k", "key_file": "a.pem"}`},
		"no credential: other content":  {"# Keys and locks\n\nPress a key to go on, e.g. j or k.", "# Keys and locks\n\nPress a key to go on, e.g. j or k."},
		"no credential: nested":         {`"keys": {"a": 1}, "session": [`, `"keys": {"a": 1}, "session": [`},
		"element":                       {"<db><password>hunter2</password><host>h</host></db>", "<db><password>*******</password><host>h</host></db>"},
		"element with attributes":       {`<ns:apiKey id="1">a b</ns:apiKey>`, `<ns:apiKey id="1">***</ns:apiKey>`},
		"user and password":             {"curl -u ann:hunter2 https://h/", "curl -u ann:******* https://h/"},
		"no credential: user and group": {"docker run -u 1000:1000 x", "docker run -u 1000:1000 x"},
		"no credential: element":        {"<name>token</name>", "<name>token</name>"},
		"invalid UTF-8":                 {"\xff password=\xfe\xfd", "\xff password=**"},
		"empty":                         {"", ""},
	} {
		got := maskText(c.in)
		if got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
		if len(got) != len(c.in) {
			t.Errorf("%s: %d bytes became %d, so sections move", name, len(c.in), len(got))
		}
	}
}

func FuzzMaskText(f *testing.F) {
	f.Add(`{"password": "x\"y` + "\n-----BEGIN PRIVATE KEY-----")
	f.Fuzz(func(t *testing.T, s string) {
		if got := maskText(s); len(got) != len(s) || strings.Count(got, "\n") != strings.Count(s, "\n") {
			t.Errorf("%q became %q", s, got)
		}
	})
}

func BenchmarkMaskText(b *testing.B) {
	text := strings.Repeat(`{"id": 12, "name": "a name with words", "url": "https://example.com/a/b?page=2", "apiToken": "abc"},`+"\n", 10000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		maskText(text)
	}
}
