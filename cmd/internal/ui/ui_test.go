package ui

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func get(path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1:3200"+path, nil))
	return w
}

func TestFilesAndTheirHeaders(t *testing.T) {
	for path, want := range map[string]struct {
		status int
		kind   string
	}{
		"/ui/":             {200, "text/html"},
		"/ui/app.js":       {200, "text/javascript"},
		"/ui/style.css":    {200, "text/css"},
		"/ui/icon.svg":     {200, "image/svg+xml"},
		"/ui/nosuch":       {404, "text/plain"},
		"/ui/../ui.go":     {404, "text/plain"},
		"/ui/%2e%2e/ui.go": {404, "text/plain"},
	} {
		w := get(path)
		if kind := w.Header().Get("Content-Type"); w.Code != want.status || !strings.HasPrefix(kind, want.kind) {
			t.Errorf("%s: status %d, %s", path, w.Code, kind)
		}
		for name, value := range map[string]string{
			"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
		} {
			if got := w.Header()[name]; w.Code == 200 && (len(got) != 1 || got[0] != value) {
				t.Errorf("%s: header %s is %q, want %q", path, name, got, value)
			}
		}
	}
}

func TestPolicy(t *testing.T) {
	for _, want := range []string{"default-src 'self'", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'", "object-src 'none'", "require-trusted-types-for 'script'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy has no %s", want)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") {
		t.Errorf("the policy is weak: %s", policy)
	}
}

// maxSize is the bound of all files of the page together.
const maxSize = 66 << 10

// The page needs no other origin, runs no inline code and creates no elements from text.
func TestSourcesOfThePage(t *testing.T) {
	size := 0
	forbidden := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function|DOMParser|srcdoc|style=|[ "]on[a-z]+="|https?://|javascript:|localStorage|document\.cookie`)
	err := fs.WalkDir(static(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text := read(path)
		size += len(text)
		text = strings.ReplaceAll(text, "http://www.w3.org/2000/svg", "")
		if found := forbidden.FindString(text); found != "" {
			t.Errorf("%s contains %q", path, found)
		}
		return nil
	})
	if err != nil || size > maxSize {
		t.Errorf("%d bytes, limit %d, %v", size, maxSize, err)
	}
}

// A document has all files inside, a policy with their hashes, and data that cannot end its
// element.
func TestDocument(t *testing.T) {
	hostile := "</script><script>alert(1)</script><!-- <script> $& \u2028"
	page, err := Document(map[string]any{"events": []string{hostile}})
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	if strings.Contains(text, "src=\"") || strings.Contains(text, "<link") || strings.Contains(text, "alert(1)</script>") {
		t.Error("the document loads a file, or data became an element")
	}
	scripts := regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindAllStringSubmatch(text, -1)
	if want := len(scriptTag.FindAllString(read("index.html"), -1)); len(scripts) != want || want == 0 {
		t.Errorf("%d scripts, want %d", len(scripts), want)
	}
	policies := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindAllStringSubmatch(text, -1)
	if len(policies) != 1 || !strings.HasPrefix(policies[0][1], "default-src 'none'; script-src 'sha256-") || strings.Contains(policies[0][1], "unsafe") {
		t.Fatalf("policies: %q", policies)
	}
	style := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindStringSubmatch(text)
	for _, part := range append(scripts, style) {
		if !strings.Contains(policies[0][1], hashOf(part[1])) {
			t.Errorf("the policy does not allow %.60q", part[1])
		}
	}
	if strings.Index(text, "Content-Security-Policy") > strings.Index(text, "<style") || strings.Index(text, `id="data"`) > strings.Index(text, "<script>") {
		t.Error("the policy or the data comes too late")
	}
	data := regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`).FindStringSubmatch(text)
	if len(data) != 2 || !strings.Contains(data[1], `\u003c/script\u003e`) || !strings.Contains(data[1], `\u2028`) {
		t.Errorf("data: %q", data)
	}
}
