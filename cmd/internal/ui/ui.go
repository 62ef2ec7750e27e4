// Package ui contains the web page that shows the content a model received.
//
// Handler serves its files, which contain no data: the page loads all data with the
// management API. Document returns the page as one file with its data. The package does not
// decide who may read the data.
package ui

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"net/http"
	"regexp"
	"strings"
)

//go:embed static
var embedded embed.FS

// policy lets the page load its own files and data only, run no text as a script, and be
// part of no other page.
const policy = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; object-src 'none'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// Handler serves the files of the page under /ui/.
func Handler() http.Handler {
	files := http.StripPrefix("/ui/", http.FileServerFS(static()))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store") // the next daemon may be another version
		files.ServeHTTP(w, r)
	})
}

func static() fs.FS {
	files, err := fs.Sub(embedded, "static")
	if err != nil {
		panic(err) // the directory is embedded
	}
	return files
}

// Document returns the page as one HTML file that shows data, which is encoded as JSON, and
// loads nothing. Its policy names the hash of each script, so that no text of data can run.
func Document(data any) ([]byte, error) {
	text, err := json.Marshal(data) // escapes <, > and &, so that no text can end the element
	if err != nil {
		return nil, err
	}
	page := read("index.html")
	style := read("style.css")
	hashes := ""
	for _, tag := range scriptTag.FindAllStringSubmatch(page, -1) {
		script := read(tag[1])
		hashes += " " + hashOf(script)
		page = strings.Replace(page, tag[0], "<script>"+script+"</script>", 1)
	}
	policy := "default-src 'none'; script-src" + hashes + "; style-src " + hashOf(style) + "; base-uri 'none'; form-action 'none'; " +
		"require-trusted-types-for 'script'; trusted-types 'none'"
	page = strings.NewReplacer(
		`<meta charset="utf-8">`, `<meta charset="utf-8">`+"\n"+`<meta http-equiv="Content-Security-Policy" content="`+policy+`">`,
		`<link rel="icon" href="icon.svg">`+"\n", "",
		`<link rel="stylesheet" href="style.css">`, "<style>"+style+"</style>",
	).Replace(page)
	return []byte(strings.Replace(page, "<body>", `<body><script type="application/json" id="data">`+string(text)+"</script>", 1)), nil
}

// scriptTag matches a script of index.html.
var scriptTag = regexp.MustCompile(`<script src="([a-z]+\.js)"></script>`)

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// read returns an embedded file, which exists.
func read(name string) string {
	b, err := fs.ReadFile(static(), name)
	if err != nil {
		panic(err)
	}
	return string(b)
}
