package main

import (
	"bytes"
	"fmt"
	"math"
	"strings"
)

// Coordinates in the picture.
const (
	pictureWidth = 800
	plotLeft     = 264
	plotRight    = 760
	plotTop      = 66
	rowHeight    = 36
	dotRadius    = 6
	figureWidth  = 44 // of the longest label of a dot
)

// style contains colours that are readable on white and on black, and uses system fonts.
const style = `<style>
text{font:13px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:#59636e}
.title{font-size:16px;font-weight:600;fill:#1f2328}
.small{font-size:11px}
.value{font-weight:600;fill:#1f2328}
.grid{stroke:#d1d9e0}
.other{fill:#6e7781;stroke:#6e7781}.us{fill:#1a7f37;stroke:#1a7f37}
.span{fill:none;stroke-width:1.5}.ring{fill:#fff;stroke-width:2}
text.us{font-weight:600;stroke:none}
@media (prefers-color-scheme: dark){
text{fill:#9198a1}.title,.value{fill:#f0f6fc}.grid{stroke:#3d444d}
.other{fill:#9198a1;stroke:#9198a1}.us{fill:#3fb950;stroke:#3fb950}.span{fill:none}.ring{fill:#0d1117}}
</style>
`

// bar is the row of a method in the picture.
type bar struct {
	name             string
	isProduct        bool
	median, p90, max int
}

func (r *report) bars() []bar {
	var list []bar
	for _, w := range methods {
		medians, worst := r.summary(w)
		list = append(list, bar{w.name, w.isProduct, quantile(medians, 0.5), quantile(medians, 0.9), worst})
	}
	return list
}

// picture returns an SVG with a dot at the median of the files, a ring at the 90th percentile
// and a line to the worst target, on a logarithmic axis.
func (r *report) picture() []byte {
	targets := 0
	for _, f := range r.large() {
		targets += len(f.hunts)
	}
	about := fmt.Sprintf("%d real files of at least %s tokens, %d targets; every call until the target is read is counted", len(r.large()), thousands(minCompared), targets)
	return draw(r.bars(), about)
}

func draw(bars []bar, about string) []byte {
	axis := axisOf(bars)
	bottom := plotTop + rowHeight*len(bars)
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-labelledby="title desc">`+"\n", pictureWidth, bottom+64)
	fmt.Fprintf(&b, "<title id=\"title\">Tokens until the model has read its target</title>\n<desc id=\"desc\">%s. %s.</desc>\n", description(bars), about)
	b.WriteString(style)
	fmt.Fprintf(&b, `<text class="title" x="0" y="20">Tokens until the model has read its target</text>`+"\n")
	fmt.Fprintf(&b, `<text class="small" x="0" y="40">%s</text>`+"\n", about)
	axis.grid(&b, bottom)
	for i, row := range bars {
		axis.row(&b, row, plotTop+rowHeight*i)
	}
	fmt.Fprintf(&b, `<text class="small" x="%d" y="%d" text-anchor="middle">tokens, on a logarithmic scale</text>`+"\n", (plotLeft+plotRight)/2, bottom+34)
	fmt.Fprintf(&b, `<text class="small" x="%d" y="%d" text-anchor="end">dot: median of files; ring: 90th percentile of files; end of the line: worst target</text>`+"\n", plotRight, bottom+54)
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// description returns the figures as text, for screen readers.
func description(bars []bar) string {
	var list []string
	for _, row := range bars {
		list = append(list, fmt.Sprintf("%s: median %s, 90th percentile %s, worst target %s", row.name, thousands(row.median), thousands(row.p90), thousands(row.max)))
	}
	return strings.Join(list, "; ")
}

// axis is a logarithmic axis: each power of ten has the same width.
type axis struct{ from, to int } // powers of ten

func axisOf(bars []bar) axis {
	a := axis{from: 2, to: 3}
	for _, row := range bars {
		a.to = max(a.to, int(math.Ceil(math.Log10(float64(max(row.max, 1))))))
	}
	return a
}

// x returns the coordinate of n tokens. Numbers below the range are at the left end.
func (a axis) x(n int) float64 {
	at := math.Log10(float64(max(n, 1))) - float64(a.from)
	return plotLeft + math.Max(0, at)*(plotRight-plotLeft)/float64(a.to-a.from)
}

func (a axis) grid(b *bytes.Buffer, bottom int) {
	for power := a.from; power <= a.to; power++ {
		n := int(math.Pow10(power))
		x := a.x(n)
		fmt.Fprintf(b, `<line class="grid" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/>`, x, plotTop-6, x, bottom)
		fmt.Fprintf(b, `<text class="small" x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", x, bottom+16, thousands(n))
	}
}

func (a axis) row(b *bytes.Buffer, row bar, top int) {
	class, middle := "other", top+rowHeight/2-4
	name := ""
	if row.isProduct {
		class, name = "us", ` class="us"`
	}
	fmt.Fprintf(b, `<text%s x="%d" y="%d" text-anchor="end">%s</text>`, name, plotLeft-10, middle+5, row.name)
	fmt.Fprintf(b, `<path class="span %s" d="M%.1f %dH%.1fM%.1f %dv8"/>`, class, a.x(row.median), middle, a.x(row.max), a.x(row.max), middle-4)
	fmt.Fprintf(b, `<circle class="ring %s" cx="%.1f" cy="%d" r="%d"/>`, class, a.x(row.p90), middle, dotRadius-1)
	fmt.Fprintf(b, `<circle class="%s" cx="%.1f" cy="%d" r="%d"/>`, class, a.x(row.median), middle, dotRadius)
	x, anchor := a.x(row.median)-dotRadius-5, "end"
	if x-plotLeft < figureWidth { // no space to the left of the dot
		x, anchor = a.x(row.max)+8, "start"
	}
	fmt.Fprintf(b, `<text class="value" x="%.1f" y="%d" text-anchor="%s">%s</text>`+"\n", x, middle+5, anchor, thousands(row.median))
}

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
