package main

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Sizes in pixels.
const (
	cellWidth, cellHeight = 8.0, 18.0
	margin                = 12.0
)

// palette has the colours 0 to 15 of a terminal.
var palette = [16]string{
	"#3b4048", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#c8ccd4",
	"#7f848e", "#f0868e", "#b5e08d", "#f5d58f", "#82c4ff", "#d89bec", "#7fd3de", "#ffffff",
}

const background, foreground = "#1e2127", "#c8ccd4"

// style is the state of the escape sequences before a character. An empty colour is the
// default.
type style struct {
	front, back            string
	bold, faint, underline bool
	reverse                bool
}

// colours returns the foreground and the background colour.
func (s style) colours() (front, back string) {
	front, back = cmp.Or(s.front, foreground), cmp.Or(s.back, background)
	if s.reverse {
		return back, front
	}
	return front, back
}

// svg draws lines with escape sequences for colours, as tmux prints them.
func svg(screen string, width int) []byte {
	lines := strings.Split(strings.TrimRight(screen, "\n"), "\n")
	w, h := float64(width)*cellWidth+2*margin, float64(len(lines))*cellHeight+2*margin
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" viewBox="0 0 %g %g" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="13">`+"\n", w, h, w, h)
	fmt.Fprintf(&b, `<rect width="%g" height="%g" rx="8" fill="%s"/>`+"\n", w, h, background)
	var s style
	for i, line := range lines {
		s = drawLine(&b, s, line, margin+float64(i)*cellHeight)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// drawLine draws one line with its top at y. It returns the style that the next line starts with.
func drawLine(b *bytes.Buffer, s style, line string, y float64) style {
	x := margin
	for line != "" {
		text, rest, found := strings.Cut(line, "\x1b[")
		x += drawRun(b, s, text, x, y)
		if !found {
			break
		}
		codes, after, _ := strings.Cut(rest, "m") // tmux prints no other sequences
		s, line = s.apply(strings.Split(codes, ";")), after
	}
	return s
}

// drawRun draws characters of one style and returns their width.
func drawRun(b *bytes.Buffer, s style, text string, x, y float64) float64 {
	w := float64(ansi.StringWidth(text)) * cellWidth
	front, back := s.colours()
	if w > 0 && back != background {
		fmt.Fprintf(b, `<rect x="%g" y="%g" width="%g" height="%g" fill="%s"/>`+"\n", x, y, w, cellHeight, back)
	}
	if strings.TrimSpace(text) == "" {
		return w
	}
	fmt.Fprintf(b, `<text x="%g" y="%g" textLength="%g" fill="%s" xml:space="preserve"`, x, y+cellHeight-5, w, front)
	if s.bold {
		b.WriteString(` font-weight="bold"`)
	}
	if s.faint {
		b.WriteString(` opacity="0.6"`)
	}
	if s.underline {
		b.WriteString(` text-decoration="underline"`)
	}
	b.WriteString(">")
	_ = xml.EscapeText(b, []byte(text)) // a buffer does not fail
	b.WriteString("</text>\n")
	return w
}

// apply returns the style after the parameters of one sequence.
func (s style) apply(codes []string) style {
	for len(codes) > 0 {
		n, _ := strconv.Atoi(codes[0]) // an empty parameter is 0
		codes = codes[1:]
		switch {
		case n == 0:
			s = style{}
		case n == 1:
			s.bold = true
		case n == 2:
			s.faint = true
		case n == 4:
			s.underline = true
		case n == 7:
			s.reverse = true
		case n == 22:
			s.bold, s.faint = false, false
		case n == 24:
			s.underline = false
		case n == 27:
			s.reverse = false
		case n >= 30 && n <= 37:
			s.front = palette[n-30]
		case n == 38:
			s.front, codes = colour(codes)
		case n == 39:
			s.front = ""
		case n >= 40 && n <= 47:
			s.back = palette[n-40]
		case n == 48:
			s.back, codes = colour(codes)
		case n == 49:
			s.back = ""
		case n >= 90 && n <= 97:
			s.front = palette[n-90+8]
		case n >= 100 && n <= 107:
			s.back = palette[n-100+8]
		}
	}
	return s
}

// colour reads a colour of 256, or of three components, and returns the parameters after it.
func colour(codes []string) (string, []string) {
	var n [4]int
	for i := range min(len(codes), len(n)) {
		n[i], _ = strconv.Atoi(codes[i])
	}
	switch {
	case n[0] == 2 && len(codes) >= 4:
		return fmt.Sprintf("#%02x%02x%02x", n[1], n[2], n[3]), codes[4:]
	case n[0] != 5 || len(codes) < 2:
		return "", nil
	case n[1] < 16:
		return palette[max(n[1], 0)], codes[2:]
	case n[1] < 232: // a cube with 6 levels
		c := n[1] - 16
		level := func(i int) int { return []int{0, 95, 135, 175, 215, 255}[i%6] }
		return fmt.Sprintf("#%02x%02x%02x", level(c/36), level(c/6), level(c)), codes[2:]
	default:
		grey := 8 + 10*(n[1]-232)
		return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey), codes[2:]
	}
}
