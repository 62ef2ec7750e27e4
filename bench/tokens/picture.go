package main

import (
	"bytes"
	"fmt"
	"math"
)

// picture draws the medians as bars on a logarithmic scale. The colours can be
// read on white and on black.
func (r *report) picture() []byte {
	const width, row, left, top = 760, 34, 250, 56
	var b bytes.Buffer
	height := top + row*len(ways) + 30
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" font-size="13">`+"\n", width, height)
	fmt.Fprintf(&b, `<style>text{fill:#57606a}.us{fill:#1a7f37}.other{fill:#8c959f}@media (prefers-color-scheme: dark){text{fill:#9198a1}.us{fill:#3fb950}.other{fill:#656c76}}</style>`+"\n")
	fmt.Fprintf(&b, `<text x="0" y="18" font-size="15">Tokens until the model has read what it looks for (median, logarithmic)</text>`+"\n")
	fmt.Fprintf(&b, `<text x="0" y="38" font-size="12">%d real files of %d tokens or more; drill-downs are counted</text>`+"\n", len(r.large()), compared)
	scale := func(n int) float64 { return math.Log10(float64(max(n, 100))/100) * (width - left - 80) / 4 }
	for i, w := range ways {
		medians, _ := r.summary(w)
		n, y, class := quantile(medians, 0.5), top+row*i, "other"
		if i >= 4 {
			class = "us"
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`, left-10, y+18, w.name)
		fmt.Fprintf(&b, `<rect class="%s" x="%d" y="%d" width="%.0f" height="22" rx="3"/>`, class, left, y+2, math.Max(2, scale(n)))
		fmt.Fprintf(&b, `<text x="%.0f" y="%d">%s</text>`+"\n", left+scale(n)+8, y+18, thousands(n))
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
