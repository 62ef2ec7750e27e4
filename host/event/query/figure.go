package query

import (
	"math"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/host/event"
)

// figure returns a figure of an event; ok is false if the event has none.
type figure func(*event.Event) (value float64, ok bool)

// figures is a key with one or more ranges, of which one must contain the event's figure.
type figures struct {
	key string
	any []interval
}

func (f figures) matches(s *subject) bool {
	for _, i := range f.any {
		if v, ok := i.of(s.event); ok && i.contains(v) {
			return true
		}
	}
	return false
}

func (f figures) String() string { return f.key + ":" + join(f.any) }

// interval is a range of a figure.
type interval struct {
	text         string
	of           figure
	low, high    float64
	openL, openH bool // the bound itself is outside
}

func (i interval) String() string { return i.text }

func (i interval) contains(v float64) bool {
	if v < i.low || v > i.high {
		return false
	}
	return (v > i.low || !i.openL) && (v < i.high || !i.openH)
}

// unit is a unit of a key, with the figure that it counts.
type unit struct {
	name  string
	scale float64
	of    figure
}

// units returns units of one figure.
func units(of figure, scales map[string]float64) (list []unit) {
	for name, scale := range scales {
		list = append(list, unit{name, scale, of})
	}
	return list
}

var (
	countScales    = map[string]float64{"": 1, "k": 1e3, "m": 1e6}
	byteScales     = map[string]float64{"": 1, "b": 1, "k": 1e3, "m": 1e6, "kb": 1e3, "mb": 1e6}
	durationScales = map[string]float64{"us": 1, "ms": 1e3, "s": 1e6, "m": 60e6} // microseconds
)

// parseFigures returns the parser of a key whose values are figures.
func parseFigures(example string, list []unit) func(string, part) (predicate, error) {
	return func(key string, values part) (predicate, error) {
		f := figures{key: key}
		for more := true; more; {
			var v part
			v, values, more = values.cutValue()
			i, ok := parseInterval(strings.ToLower(v.text), list)
			switch {
			case !ok:
				return nil, v.failure("invalid value %s", ", want a figure such as %s:%s", key, example)
			case i.low > i.high:
				return nil, v.failure("empty range %s", "")
			}
			f.any = append(f.any, i)
		}
		return f, nil
	}
}

// parseInterval parses a figure after an operator, or two with .. between them.
func parseInterval(text string, list []unit) (i interval, ok bool) {
	i = interval{text: text, low: math.Inf(-1), high: math.Inf(1)}
	if low, high, isRange := strings.Cut(text, ".."); isRange {
		var a, b figure
		var okA, okB bool
		i.low, a, okA = parseFigure(low, list)
		i.high, b, okB = parseFigure(high, list)
		i.of = a
		return i, okA && okB && isPercent(low) == isPercent(high) && b != nil
	}
	value := strings.TrimLeft(text, "<>=")
	v, of, ok := parseFigure(value, list)
	i.of = of
	switch text[:len(text)-len(value)] {
	case "", "=":
		i.low, i.high = v, v
	case "<":
		i.high, i.openH = v, true
	case "<=":
		i.high = v
	case ">":
		i.low, i.openL = v, true
	case ">=":
		i.low = v
	default:
		return i, false
	}
	return i, ok
}

func isPercent(text string) bool { return strings.HasSuffix(text, "%") }

// parseFigure parses a decimal number with a unit.
func parseFigure(text string, list []unit) (v float64, of figure, ok bool) {
	number := strings.TrimRightFunc(text, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if strings.Trim(number, "-.0123456789") != "" || strings.LastIndexByte(number, '-') > 0 {
		return 0, nil, false
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, nil, false
	}
	for _, u := range list {
		if u.name == text[len(number):] {
			return math.Round(v*u.scale*1e6) / 1e6, u.of, true // 1.1k is 1100, not 1100.0000000000002
		}
	}
	return 0, nil, false
}
