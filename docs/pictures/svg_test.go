package main

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

func TestSVG(t *testing.T) {
	for _, tc := range []struct {
		name, screen string
		want         []string
	}{
		{"plain", "a < b\n", []string{`<text x="12" y="25" textLength="40" fill="#c8ccd4" xml:space="preserve">a &lt; b</text>`}},
		{"second line", "\nb", []string{`y="43"`, `>b</text>`}},
		{"basic colour, then default", "\x1b[31mred\x1b[39m rest", []string{`fill="#e06c75" xml:space="preserve">red<`, `x="36" y="25" textLength="40" fill="#c8ccd4"`}},
		{"bright and bold", "\x1b[1;92mx\x1b[0m", []string{`fill="#b5e08d" xml:space="preserve" font-weight="bold">x<`}},
		{"reverse", "\x1b[7mx\x1b[27m", []string{`<rect x="12" y="12" width="8" height="18" fill="#c8ccd4"/>`, `fill="#1e2127"`}},
		{"background of blanks", "\x1b[44m  \x1b[49m", []string{`<rect x="12" y="12" width="16" height="18" fill="#61afef"/>`}},
		{"cube", "\x1b[38;5;196mx", []string{`fill="#ff0000"`}},
		{"grey", "\x1b[48;5;236mx", []string{`height="18" fill="#303030"`}},
		{"three components", "\x1b[38;2;1;2;3;4mx", []string{`fill="#010203" xml:space="preserve" text-decoration="underline"`}},
		{"colour of the next line", "\x1b[2mx\ny", []string{`opacity="0.6">y<`}},
		{"wide character", "日x", []string{`textLength="24"`}},
		{"unknown and cut sequences", "\x1b[38;5mx\x1b[38;9;1my\x1b[", []string{`>x<`, `>y<`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := string(svg(tc.screen, 10))
			for _, want := range tc.want {
				if !strings.Contains(got, want) {
					t.Errorf("no %s in\n%s", want, got)
				}
			}
			for d := xml.NewDecoder(strings.NewReader(got)); ; {
				if _, err := d.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Fatalf("not XML: %v\n%s", err, got)
				}
			}
		})
	}
}
