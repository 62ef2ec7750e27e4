package main

import (
	"bytes"
	"fmt"
	"strings"
)

// Coordinates in the picture.
const (
	pictureWidth = 800
	plotLeft     = 70
	plotRight    = 620
	plotTop      = 66
	plotBottom   = 266
)

// style contains colours that are readable on white and on black, and uses system fonts.
const style = `<style>
text{font:13px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:#59636e}
.title{font-size:16px;font-weight:600;fill:#1f2328}
.small{font-size:11px}
.grid{stroke:#d1d9e0}
path{fill:none;stroke-width:2.5}
path.other{stroke:#6e7781}path.us{stroke:#1a7f37}
text.us{font-weight:600;fill:#1a7f37}
@media (prefers-color-scheme: dark){
text{fill:#9198a1}.title{fill:#f0f6fc}.grid{stroke:#3d444d}
path.other{stroke:#9198a1}path.us{stroke:#3fb950}text.us{fill:#3fb950}}
</style>
`

// draw returns an SVG with the size of the context after each call, without and with mcpctl.
func draw(r report) []byte {
	const title = "Tokens in the context of a coding agent"
	about := fmt.Sprintf("a scripted session of %d steps on %s; further calls are counted", r.Steps, r.Repository)
	var figures []string
	for _, l := range r.lines() {
		figures = append(figures, l.describe())
	}
	calls := max(len(r.Growth.Without), len(r.Growth.With))
	top := ceiling(max(last(r.Growth.Without), last(r.Growth.With)))
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-labelledby="title desc">`+"\n", pictureWidth, plotBottom+44)
	fmt.Fprintf(&b, "<title id=\"title\">%s</title>\n<desc id=\"desc\">%s. %s.</desc>\n%s", title, strings.Join(figures, "; "), about, style)
	fmt.Fprintf(&b, `<text class="title" x="0" y="20">%s</text>`+"\n"+`<text class="small" x="0" y="40">%s</text>`+"\n", title, about)
	for i := range 5 {
		n := top * i / 4
		y := height(n, top)
		fmt.Fprintf(&b, `<line class="grid" x1="%d" y1="%.1f" x2="%d" y2="%.1f"/>`, plotLeft, y, plotRight, y)
		fmt.Fprintf(&b, `<text class="small" x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", plotLeft-8, y+4, thousands(n))
	}
	drawCurve(&b, r.Growth.Without, calls, top, "other", "without mcpctl")
	drawCurve(&b, r.Growth.With, calls, top, "us", "with mcpctl")
	fmt.Fprintf(&b, `<text class="small" x="%d" y="%d" text-anchor="middle">calls of tools</text>`+"\n</svg>\n", (plotLeft+plotRight)/2, plotBottom+34)
	return b.Bytes()
}

// drawCurve draws one session, with its number of calls below and its last figure after the end,
// above the lines of the grid.
func drawCurve(b *bytes.Buffer, growth []int, calls, top int, class, name string) {
	x := func(i int) float64 { return plotLeft + float64(i)*(plotRight-plotLeft)/float64(max(calls-1, 1)) }
	fmt.Fprintf(b, `<path class="%s" d="`, class)
	for i, n := range growth {
		command := "L"
		if i == 0 {
			command = "M"
		}
		fmt.Fprintf(b, "%s%.1f %.1f", command, x(i), height(n, top))
	}
	end, y := x(len(growth)-1), height(last(growth), top)
	fmt.Fprintf(b, `"/><text class="%s" x="%.1f" y="%.1f">%s: %s</text>`, class, end+8, y-8, name, thousands(last(growth)))
	fmt.Fprintf(b, `<text class="small" x="%.1f" y="%d" text-anchor="middle">%d</text>`+"\n", end, plotBottom+16, len(growth)-1)
}

func height(n, top int) float64 {
	return plotBottom - float64(n)*(plotBottom-plotTop)/float64(top)
}

// ceiling returns the end of the axis: a multiple of 40,000.
func ceiling(n int) int { return max((n+39_999)/40_000, 1) * 40_000 }

// last returns the last figure, 0 if there is none.
func last(growth []int) int {
	if len(growth) == 0 {
		return 0
	}
	return growth[len(growth)-1]
}
