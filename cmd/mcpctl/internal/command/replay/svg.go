package replay

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"time"

	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/playback"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
)

// Sizes of the picture in pixels. A letter of the font is at most letter wide.
const (
	letter    = 8
	barWidth  = 420 // of the largest figure
	barHeight = 16
	rowHeight = 26
	margin    = 24
	valueGap  = 6
	minLabel  = 14 // letters
	maxLabel  = 32
	valueRoom = 30 // letters for the text after a bar
)

// Colours: dark text on a light background, in which bars differ in brightness too.
const (
	background = "#ffffff"
	ink        = "#1f2328"
	muted      = "#57606a"
	pale       = "#b6c2cf"
	strong     = "#1f6feb"
)

// panel is a group of bars with one scale.
type panel struct {
	title string
	bars  []bar
}

// bar is one figure. light bars are for comparison.
type bar struct {
	label, text string
	value       float64
	light       bool
}

// draw returns the results as a picture: bars for tokens and time.
func draw(title string, results []playback.Result) []byte {
	all := panels(results)
	labels := minLabel
	for _, p := range all {
		for _, b := range p.bars {
			labels = max(labels, len([]rune(b.label)))
		}
	}
	left := margin + min(labels, maxLabel)*letter + valueGap
	width := max(left+barWidth+valueRoom*letter+margin, 2*margin+len([]rune(title))*letter)
	var body bytes.Buffer
	y := margin + 16
	text(&body, margin, y, 15, ink, "start", title)
	y += 22
	text(&body, margin, y, 12, muted, "start", "a replay by mcpctl; tokens are estimates")
	for _, p := range all {
		y = p.draw(&body, left, y+38)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace">`+"\n",
		width, y+margin, width, y+margin)
	fmt.Fprintf(&out, "<title>%s</title>\n", escape(title))
	fmt.Fprintf(&out, `<rect width="%d" height="%d" fill="%s"/>`+"\n", width, y+margin, background)
	out.Write(body.Bytes())
	out.WriteString("</svg>\n")
	return out.Bytes()
}

// panels returns the groups of bars. There is none for sections if none was read.
func panels(results []playback.Result) []panel {
	tokens, section, took := panel{title: "Tokens of first answers"}, panel{title: "Tokens to a section that was read (mean)"}, panel{title: "Time of all requests"}
	sections := false
	for i, r := range results {
		if i == 0 || r.Original != results[0].Original {
			tokens.bars = append(tokens.bars, bar{"original", printer.Count(r.Original), float64(r.Original), true})
		}
		sent := printer.Count(r.Sent)
		if r.Original > 0 {
			sent += fmt.Sprintf(" (%.0f %%)", 100*float64(r.Sent)/float64(r.Original))
		}
		tokens.bars = append(tokens.bars, bar{r.Model, sent, float64(r.Sent), false})
		reached := printer.Count(r.ToSection)
		if r.Unreachable > 0 {
			reached += fmt.Sprintf(", %d lost", r.Unreachable)
		}
		sections = sections || len(r.Sections) > 0
		section.bars = append(section.bars, bar{r.Model, reached, float64(r.ToSection), false})
		spent := millis(r.Time)
		if r.LLMCalls > 0 {
			spent += ", " + printer.Plural(r.LLMCalls, "LLM call")
		}
		took.bars = append(took.bars, bar{r.Model, spent, float64(r.Time) / float64(time.Millisecond), false})
	}
	if !sections {
		return []panel{tokens, took}
	}
	return []panel{tokens, section, took}
}

// draw draws a panel from y on, and returns the y below it.
func (p panel) draw(out *bytes.Buffer, left, y int) int {
	text(out, margin, y, 13, ink, "start", p.title)
	most := 0.0
	for _, b := range p.bars {
		most = max(most, b.value)
	}
	for _, b := range p.bars {
		y += rowHeight
		length, fill := 1, strong
		if most > 0 {
			length = max(1, int(b.value/most*barWidth))
		}
		if b.light {
			fill = pale
		}
		text(out, left-valueGap, y, 12, ink, "end", shorten(b.label))
		fmt.Fprintf(out, `<rect x="%d" y="%d" width="%d" height="%d" rx="2" fill="%s"/>`+"\n", left, y-barHeight+4, length, barHeight, fill)
		text(out, left+length+valueGap, y, 12, ink, "start", b.text)
	}
	return y
}

// shorten returns a label that fits in its column.
func shorten(label string) string {
	if letters := []rune(label); len(letters) > maxLabel {
		return string(letters[:maxLabel-3]) + "..."
	}
	return label
}

func text(out *bytes.Buffer, x, y, size int, fill, anchor, s string) {
	fmt.Fprintf(out, `<text x="%d" y="%d" font-size="%d" fill="%s" text-anchor="%s">%s</text>`+"\n", x, y, size, fill, anchor, escape(s))
}

func escape(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a buffer never fails
	return b.String()
}
