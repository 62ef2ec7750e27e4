package markdown

import "testing"

func TestTitle(t *testing.T) {
	for text, want := range map[string]string{
		"Plain text":                       "Plain text",
		"The `go` *tool* and **more**":     "The go tool and more",
		"[Link](https://example.org/a) to": "Link to",
		"[One][1], [two]":                  "One, [two]",
		"![Logo](a.png) Name":              "Logo Name",
		"[![Build](b.svg)](https://ci)":    "[Build](https://ci)",
		"<a name=\"x\"></a>Anchored":       "Anchored",
		"a < b > c":                        "a < b > c",
		"Named {#its-id}":                  "Named",
		"snake_case and a\\_b":             "snake_case and a_b",
		"C:\\dir":                          "C:dir",
		"2 * 3":                            "2 * 3",
		"{#":                               "{#",
		"a {#b} c":                         "a {#b} c",
		"[ Padded ](x)":                    "Padded",
		"Cut [short](":                     "Cut [short](",
		"":                                 "",
	} {
		if got := string(AppendTitle(nil, []byte(text))); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
