package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"text/tabwriter"
)

// minCompared is the minimum size of compared files in tokens. Smaller files need no index.
const minCompared = 5000

// Goals for the hunts.
const (
	maxFirst, medianFirst                                    = 1100, 600
	medianPerfect, p90Perfect, worstPerfect, mostCalls, most = 1450, 2500, 4000, 8, 1.05
	leastGain, gainWhole                                     = 45, 101_104 // leastGain is required of files with a median of gainWhole tokens
	leastFound, medianText, leastFoundOfType                 = 0.98, 700, 0.92
	maxWrappedLoss                                           = 0.05
	maxBits, leastSigned, maxPoor                            = 3.0, 0.43, 0.08
)

type report struct {
	perFile, misses bool
	files           []figures
}

func (r *report) add(f figures) { r.files = append(r.files, f) }

// method is a method of reading, and a function that returns its tokens for a target.
type method struct {
	name      string
	isProduct bool
	of        func(f figures, h huntFigures) int
}

var methods = []method{
	{"whole content", false, func(f figures, _ huntFigures) int { return f.whole }},
	{"pages of 8,000 bytes in order", false, func(_ figures, h huntFigures) int { return h.paged }},
	{"first 2,000 tokens, grep, slices", false, func(_ figures, h huntFigures) int { return h.grep }},
	{"first page, then the right one", false, func(_ figures, h huntFigures) int { return h.known }},
	{"mcpctl, perfect client", true, func(_ figures, h huntFigures) int { return h.perfect.tokens }},
	{"mcpctl, client that matches text", true, func(_ figures, h huntFigures) int { return h.text.tokens }},
	{"the same in structuredContent", true, func(_ figures, h huntFigures) int { return h.wrapped.tokens }},
}

// summary returns the median of each file, sorted, and the worst target.
func (r *report) summary(w method) (medians []int, worst int) {
	for _, f := range r.large() {
		of := f.sorted(func(h huntFigures) int { return w.of(f, h) })
		medians = append(medians, quantile(of, 0.5))
		worst = max(worst, of[len(of)-1])
	}
	slices.Sort(medians)
	return medians, worst
}

func (r *report) large() []figures {
	var out []figures
	for _, f := range r.files {
		if f.whole >= minCompared && len(f.hunts) > 0 {
			out = append(out, f)
		}
	}
	return out
}

func (r *report) print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	if r.perFile {
		fmt.Fprintln(t, "file\ttype\twhole\tfirst\tpoor\tbits\tperfect\tworst\tcalls\ttext\twrapped\tfound\tgrep\tpages\tpage known\t")
		for _, f := range r.files {
			r.fileLine(t, f)
		}
		t.Flush()
		fmt.Fprintln(w)
	}
	if r.misses {
		r.printMisses(w)
	}
	targets := 0
	for _, f := range r.large() {
		targets += len(f.hunts)
	}
	fmt.Fprintf(w, "o200k_base tokens until the target is read; %d files of at least %d tokens, %d targets\n\n", len(r.large()), minCompared, targets)
	fmt.Fprintln(t, "median\tp90 of files\tworst target\t\t")
	for _, way := range methods {
		medians, worst := r.summary(way)
		fmt.Fprintf(t, "%d\t%d\t%d\t  %s\t\n", quantile(medians, 0.5), quantile(medians, 0.9), worst, way.name)
	}
	t.Flush()
	fmt.Fprintln(w)
	r.goals(w)
	r.types(w)
}

// printMisses prints the positions of targets that the text client did not find.
func (r *report) printMisses(w io.Writer) {
	for _, f := range r.files {
		for _, h := range f.hunts {
			if !h.text.found {
				fmt.Fprintf(w, "%s, bytes %d to %d, %d calls: %q in %q\n", f.name, h.target.start, h.target.end,
					h.text.calls, h.target.hint(f.text), h.target.path)
			}
		}
	}
	fmt.Fprintln(w)
}

func (r *report) fileLine(w io.Writer, f figures) {
	perfect := f.sorted(func(h huntFigures) int { return h.perfect.tokens })
	calls := f.sorted(func(h huntFigures) int { return h.perfect.calls })
	median := func(of func(huntFigures) int) int { return quantile(f.sorted(of), 0.5) }
	bits := 0.0
	for _, h := range f.hunts {
		bits += h.bits / float64(len(f.hunts))
	}
	fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d/%d\t%.1f\t%d\t%d\t%d\t%d\t%d\t%d/%d\t%d\t%d\t%d\t\n", f.name, f.kind, f.whole, f.first, f.poor, f.lines, bits,
		quantile(perfect, 0.5), quantile(perfect, 1), quantile(calls, 1),
		median(func(h huntFigures) int { return h.text.tokens }), median(func(h huntFigures) int { return h.wrapped.tokens }), f.found(), len(f.hunts),
		median(func(h huntFigures) int { return h.grep }), median(func(h huntFigures) int { return h.paged }), median(func(h huntFigures) int { return h.known }))
}

// goals prints each goal with its figure.
func (r *report) goals(w io.Writer) {
	var firsts, calls []int
	over := 0.0
	targets, found, foundWrapped := 0, 0, 0
	for _, f := range r.large() {
		firsts = append(firsts, f.first)
		calls = append(calls, f.sorted(func(h huntFigures) int { return h.perfect.calls })...)
		targets, found = targets+len(f.hunts), found+f.found()
		for _, h := range f.hunts {
			if h.wrapped.found {
				foundWrapped++
			}
		}
	}
	for _, f := range r.files {
		if perfect := f.sorted(func(h huntFigures) int { return h.perfect.tokens }); len(perfect) > 0 {
			over = max(over, float64(quantile(perfect, 0.5))/float64(f.whole))
		}
	}
	slices.Sort(firsts)
	slices.Sort(calls)
	perfect, worst := r.summary(methods[4])
	text, _ := r.summary(methods[5])
	line := func(ok bool, format string, args ...any) {
		verdict := "holds "
		if !ok {
			verdict = "MISSED"
		}
		fmt.Fprintf(w, "%s  %s\n", verdict, fmt.Sprintf(format, args...))
	}
	line(quantile(firsts, 1) <= maxFirst, "first answer at most %d tokens: %d", maxFirst, quantile(firsts, 1))
	line(quantile(firsts, 0.5) <= medianFirst, "first answer, median at most %d: %d", medianFirst, quantile(firsts, 0.5))
	line(quantile(perfect, 0.5) <= medianPerfect, "perfect client, median of files at most %d: %d", medianPerfect, quantile(perfect, 0.5))
	line(quantile(perfect, 0.9) <= p90Perfect, "perfect client, p90 of files at most %d: %d", p90Perfect, quantile(perfect, 0.9))
	line(worst <= worstPerfect, "perfect client, worst target at most %d: %d", worstPerfect, worst)
	line(quantile(calls, 1) <= mostCalls, "perfect client, calls at most %d: %d, median %d", mostCalls, quantile(calls, 1), quantile(calls, 0.5))
	line(over <= most, "never over %.2f times the whole (median of a file): %.2f", most, over)
	all, like := r.large(), largestFiles(r.large())
	line(gain(like) >= leastGain, "at least %d times under the whole in the median: %d in the %d largest files (median %d tokens, %d asked), %d in all (median %d)",
		leastGain, gain(like), len(like), wholeOf(like), gainWhole, gain(all), wholeOf(all))
	share := float64(found) / float64(max(1, targets))
	line(share >= leastFound, "text client finds at least %.0f %%: %.1f %% (%d of %d)", 100*leastFound, 100*share, found, targets)
	line(quantile(text, 0.5) <= medianText, "text client, median of files at most %d: %d", medianText, quantile(text, 0.5))
	wrapped, _ := r.summary(methods[6])
	line(isNear(foundWrapped, found) && isNear(quantile(wrapped, 0.5), quantile(text, 0.5)),
		"the same within %.0f %% for a text in structuredContent: %d of %d found, median %d",
		100*maxWrappedLoss, foundWrapped, targets, quantile(wrapped, 0.5))
	r.signGoals(line)
}

// signGoals prints the goals for the signposts. They apply to all files, because small ones
// are indexed too.
func (r *report) signGoals(line func(ok bool, format string, args ...any)) {
	bits, signed, targets, lines, poor := 0.0, 0, 0, 0, 0
	for _, f := range r.files {
		lines, poor = lines+f.lines, poor+f.poor
		for _, h := range f.hunts {
			targets++
			bits += h.bits
			if h.bits == 0 {
				signed++
			}
		}
	}
	bits /= float64(max(1, targets))
	share := float64(signed) / float64(max(1, targets))
	line(bits <= maxBits, "signposts: at most %.1f bits a target left to guess: %.2f", maxBits, bits)
	line(share >= leastSigned, "signposts: at least %.0f %% of targets signed all the way: %.0f %% (%d of %d)", 100*leastSigned, 100*share, signed, targets)
	line(float64(poor) <= maxPoor*float64(lines), "signposts: at most %.0f %% of first lines name nothing or only a first member: %d of %d", 100*maxPoor, poor, lines)
}

// isNear reports whether a figure of wrapped texts is close to that of plain ones.
func isNear(wrapped, plain int) bool {
	return math.Abs(float64(wrapped-plain)) <= maxWrappedLoss*float64(plain)
}

// largestFiles returns as many of the largest files as have a median of at least gainWhole
// tokens. The first answer has a fixed cost, so gains are comparable only for files of similar
// size.
func largestFiles(files []figures) []figures {
	slices.SortFunc(files, func(a, b figures) int { return b.whole - a.whole })
	for n := len(files); n > 0; n-- {
		if wholeOf(files[:n]) >= gainWhole {
			return files[:n]
		}
	}
	return nil
}

// wholeOf returns the median size of files in tokens.
func wholeOf(files []figures) int {
	var sizes []int
	for _, f := range files {
		sizes = append(sizes, f.whole)
	}
	slices.Sort(sizes)
	return quantile(sizes, 0.5)
}

// gain returns the median of the ratio of the size of a file to the tokens of a perfect
// client.
func gain(files []figures) int {
	var gains []int
	for _, f := range files {
		perfect := f.sorted(func(h huntFigures) int { return h.perfect.tokens })
		gains = append(gains, f.whole/max(1, quantile(perfect, 0.5)))
	}
	slices.Sort(gains)
	return quantile(gains, 0.5)
}

// types prints the number of targets that the text client found, by type.
func (r *report) types(w io.Writer) {
	targets, found := map[string]int{}, map[string]int{}
	for _, f := range r.large() {
		targets[f.kind] += len(f.hunts)
		found[f.kind] += f.found()
	}
	for _, kind := range slices.Sorted(maps.Keys(targets)) {
		verdict := "holds "
		if float64(found[kind]) < leastFoundOfType*float64(targets[kind]) {
			verdict = "MISSED"
		}
		fmt.Fprintf(w, "%s  text client, %s: at least %.0f %%: %d of %d\n", verdict, kind, 100*leastFoundOfType, found[kind], targets[kind])
	}
}
