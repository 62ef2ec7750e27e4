package detect

import (
	"strings"
	"testing"
)

func TestPropertyLists(t *testing.T) {
	for _, c := range []struct {
		rule, text string
		want       Type
	}{
		{"names with dots", "# a\nspring.datasource.url=jdbc:h2:mem\nspring.jpa.open-in-view = false\n\nlog.level=INFO\n", Properties},
		{"values without blanks", "required=is required\nnotFound=has not been found\nduplicate=is already in use\n", Properties},
		{"a value over several lines", "a.b=c,\\\n  d,\\\n  e\na.f=g\na.h=\n", Properties},
		{"letters of other scripts", "welcome=خوش آمدید\nrequired=الزامی\nerror=خطا\n", Properties},
		{"two of them", "a.b=c\na.d=e\n", Unknown},
		{"assignments of code", "a = 1\nb = 2\nc = 3\nd = 4\n", Unknown},
		{"strings of a shell", "A=\"b\"\nC=\"d\"\nE=\"f\"\n", Unknown},
		{"a command among them", "A=b\nC=d\nE=f\nexport A\n", Unknown},
		{"comparisons", "a==b\nc==d\ne==f\n", Unknown},
	} {
		if got := Detect([]byte(c.text), options).Type; got != c.want {
			t.Errorf("%s: %s, want %s", c.rule, got, c.want)
		}
	}
}

func TestTextBelowFrontMatter(t *testing.T) {
	front := "---\ntitle: A page\ntags: [a, b]\n---\n\n"
	words := strings.Repeat("The quick brown fox jumps over the lazy dog, and nobody minds.\n", 4)
	for _, c := range []struct {
		rule, text string
		want       Type
	}{
		{"sentences", front + words, Markdown},
		{"a sentence that ends with a colon", front + "You can do this:\n\n" + words, Markdown},
		{"only a fence", front + "```go\nx := 1\n```\n", Markdown},
		{"documents of YAML", strings.Repeat("---\nkind: a\nnotes: some words of a text\n", 9), YAML},
		{"a document of YAML below another", front + "a: b\nc:\n  - d\n", YAML},
		{"code", front + "function f(a) {\n  return a;\n}\n", Unknown},
	} {
		got := Detect([]byte(c.text), options).Type
		if got != c.want && !(c.want == Unknown && got == Code) {
			t.Errorf("%s: %s, want %s", c.rule, got, c.want)
		}
	}
}

func TestTemplatesOfPages(t *testing.T) {
	page := "<div class=\"a\">\n  <h1>{{ title }}</h1>\n  {% for x in y %}\n  <p>{{ x }}</p>\n  {% endfor %}\n</div>\n"
	for _, c := range []struct {
		rule, text string
		want       Type
	}{
		{"tags around a page", "{% extends \"a.html\" %}\n{% block title %}A title{% endblock %}\n{% block b %}\n" + page + "{% endblock %}\n", HTML},
		{"another language", "{{ define \"main\" }}\n{{/* a */}}\n" + page + "{{ end }}\n", HTML},
		{"text outside of elements", "{% if a %}\nSome words outside of elements, and some more.\n{% endif %}\n" + page, Unknown},
		{"no page", "{{ if .a }}\nb: {{ .c }}\n{{ end }}\n", Unknown},
	} {
		got := Detect([]byte(c.text), options).Type
		if got != c.want && !(c.want == Unknown && got != HTML) {
			t.Errorf("%s: %s, want %s", c.rule, got, c.want)
		}
	}
}
