package main

import (
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// knowledge holds the facts that a reader knows about a target. Its position is not one
// of them.
type knowledge struct {
	names []string        // in its path
	text  string          // the beginning of the target, without marks
	words map[string]bool // of the names and the target
	path  []string        // the whole path, if ids consist of its names
}

// measureSigns measures how well the lines of indexes lead a reader to a target, on the way
// of the perfect client. It returns the bits that are left to guess: the sum over the
// indexes of log2 of the lines that match as well as the right one. 0 means that the right
// line was the only best one in every index.
func measureSigns(root *node, t target, f file) (bits float64) {
	text := f.text
	k := knowledge{names: namesOf(t.path), text: strings.TrimLeft(t.hint(text), "\"'[{( \t\n")}
	if slices.Contains([]string{"json", "yaml", "xml"}, f.kind) {
		k.path = t.path
	}
	k.words = wordsOf(strings.Join(k.names, "\n") + "\n" + text[t.start:t.end])
	for at := root; !strings.Contains(at.Text, text[t.start:t.end]); {
		next := at.next(t)
		if next == nil {
			break
		}
		bits += k.bitsLeft(offers(at.Text), next.id)
		at = next
	}
	return bits
}

// namesOf returns the segments of a path that are no positions.
func namesOf(path []string) (names []string) {
	for _, name := range path {
		if strings.Trim(name, "0123456789") != "" && !strings.HasPrefix(name, "line ") {
			names = append(names, name)
		}
	}
	return names
}

// bitsLeft returns log2 of the number of lines that match at least as well as the line of
// the right section.
func (k knowledge) bitsLeft(lines []offer, right string) float64 {
	signs, in := make([]map[string]bool, len(lines)), map[string]int{} // in: lines with a sign
	labels, ranges := k.asLabels(lines), readRanges(lines)
	for i, o := range lines {
		signs[i] = k.readSigns(o, labels, ranges[i])
		for sign := range signs[i] {
			in[sign]++
		}
	}
	score := func(i int) float64 {
		sum := pathWeight * k.followPath(lines[i].id)
		for sign := range signs[i] {
			sum += k.weigh(sign) * math.Log2(float64(len(lines))/float64(in[sign]))
		}
		return sum
	}
	want := score(slices.IndexFunc(lines, func(o offer) bool { return o.id == right }))
	candidates := 0
	for i := range lines {
		if score(i) >= want-1e-3 { // sums of the same terms in another order
			candidates++
		}
	}
	return math.Log2(float64(candidates))
}

// Weights of signs. A word has the weight 1. A name of the path has a larger weight than all
// words together, and the first name has the largest, because a reader follows a path from its
// beginning. Each weight is multiplied by -log2 of the share of lines with that sign.
const (
	pathWeight = 1e12 // of an id that continues or contradicts the path
	nameWeight = 1e3  // of the names after the first maxNames
	maxNames   = 4    // each of the first names has ten times the weight of the next
)

// Signs are words, and these strings for names, which no word contains.
const (
	textInRange = "/"  // the range of the line contains the beginning of the target
	nameShown   = "/"  // before a name: the line has it, or its range contains it
	nameIsID    = "/=" // before a name: it is the last segment of the id
)

// readSigns returns the signs of a line. labels are the names as asLabels returns them, and
// members is the range of the line.
func (k knowledge) readSigns(o offer, labels []string, members labelRange) map[string]bool {
	signs := wordsOf(o.id + "\n" + countOfMembers.ReplaceAllString(o.title, ""))
	for i, name := range k.names {
		if hasName(signs, o, name) || members.contains(labels[i]) {
			signs[nameShown+name] = true
		}
		if lastSegment(o.id) == name {
			signs[nameIsID+name] = true
		}
	}
	if k.isInTime(o) || members.contains(k.text) {
		signs[textInRange] = true
	}
	return signs
}

func (k knowledge) weigh(sign string) float64 {
	name, isName := strings.CutPrefix(strings.Replace(sign, nameIsID, nameShown, 1), nameShown)
	switch {
	case sign == textInRange:
		return nameWeight
	case isName:
		return nameWeight * math.Pow(10, float64(max(0, maxNames-slices.Index(k.names, name))))
	case k.words[sign]:
		return 1
	}
	return 0
}

// followPath compares an id with the path of a target: 1 if the last segment is the next
// name of the path, or its range contains that name; -1 if a segment contradicts the path, or
// names the target itself by a value that it does not contain; 0 if the path does not decide,
// as for an element that is known by its position only.
func (k knowledge) followPath(id string) float64 {
	path, segments := k.path, strings.Split(id, "/")
	for i, segment := range segments {
		last := i == len(segments)-1
		isRange := strings.HasPrefix(segment, "@") && strings.Contains(segment, "..")
		switch {
		case len(path) == 0 || strings.HasPrefix(path[0], "line "):
			return 0
		case strings.HasPrefix(segment, "~"): // a span instead of the beginning
			for i+1 < len(segments) && len(path) > 0 && !isTag(segments[i+1], path[0]) {
				path = path[1:]
			}
			continue
		case strings.HasPrefix(segment, "@") && !isRange: // a group is no level
			continue
		case strings.Trim(path[0], "0123456789") == "":
			path = path[1:]
			continue
		case isRange && !last || isRange && foldByPosition.MatchString(segment):
			return 0
		case isRange && isBetween(id, path[0]):
			return 1
		case !isTag(segment, path[0]) && !last && isTag(segments[i+1], path[0]): // an element of a list
			continue
		case !isTag(segment, path[0]), len(path) == 1 && !k.hasValue(segment):
			return -1
		case last:
			return 1
		}
		path = path[1:]
	}
	return 0
}

// isTag reports whether a segment is a name, or an XML element with this tag.
func isTag(segment, name string) bool {
	return segment == name || strings.HasPrefix(segment, name) && strings.ContainsAny(segment[len(name):len(name)+1], "=-[")
}

// hasValue reports whether a segment has no value, or one with words of the target: the one of
// country=Chad is Chad.
func (k knowledge) hasValue(segment string) bool {
	_, value, _ := strings.Cut(segment, "=")
	value, err := url.PathUnescape(value)
	for w := range wordsOf(value) {
		if err == nil && !k.words[w] {
			return false
		}
	}
	return true
}

// hasName reports whether a line contains all words of a name, or the range of sorted names
// in its id contains the name. A name without words, such as 1.9.3, must be in the line as it is.
func hasName(words map[string]bool, o offer, name string) bool {
	if isBetween(o.id, name) {
		return true
	}
	want := wordsOf(name)
	if key := sortKey(name); len(want) == 0 && len(key) > 0 {
		return hasRuns(sortKey(o.id), key) || hasRuns(sortKey(o.title), key)
	}
	for w := range want {
		if !words[w] {
			return false
		}
	}
	return len(name) > 1
}

// hasRuns reports whether the runs of a name are in those of a text, one after the other.
func hasRuns(text, name []string) bool {
	for ; len(text) >= len(name); text = text[1:] {
		if slices.Equal(text[:len(name)], name) {
			return true
		}
	}
	return false
}

var countOfMembers = regexp.MustCompile(`^\d+ [\w#:-]+(?:: |$)`)

func lastSegment(id string) string { return id[strings.LastIndexByte(id, '/')+1:] }

var timeSign = regexp.MustCompile(`(\d)T(\d)`)

// wordsOf returns the words of a text in lower case: runs of letters and digits, and the
// date and the hour of a time.
func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	text = timeSign.ReplaceAllString(text, "$1 $2")
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(w) > 1 {
			words[strings.ToLower(w)] = true
		}
	}
	return words
}

// isBetween reports whether a name is in the range of a fold of sorted names.
func isBetween(id, name string) bool {
	from, to, ok := strings.Cut(strings.TrimPrefix(lastSegment(id), "@"), "..")
	if _, err := strconv.Atoi(from); !ok || err == nil {
		return false
	}
	from, err1 := url.PathUnescape(from)
	to, err2 := url.PathUnescape(to)
	return err1 == nil && err2 == nil && from <= name && name <= to
}

// asLabels returns the names of the path as the titles of lines may show them: without the
// directories at their beginning that no label has.
func (k knowledge) asLabels(lines []offer) (labels []string) {
	isDropped := func(head string) bool {
		isName := head == "" || head[0] == '@' || strings.Contains(head, " ")
		return !isName && !slices.ContainsFunc(lines, func(o offer) bool { return strings.Contains(" "+o.title, " "+head+"/") })
	}
	for _, name := range k.names {
		head, rest, ok := strings.Cut(name, "/")
		for ok && isDropped(head) {
			name = rest
			head, rest, ok = strings.Cut(rest, "/")
		}
		labels = append(labels, name)
	}
	return labels
}

// isInTime reports whether a line names a time such as @20:54:3 that the target begins with.
func (k knowledge) isInTime(o offer) bool {
	at := timeSegment.FindStringSubmatch(lastSegment(o.id))
	return at != nil && (strings.Contains(k.text, at[1]) || strings.Contains(k.text, strings.Replace(at[1], "T", " ", 1)))
}

// labelRange is a range of labels from low to high in the order in which people sort names,
// versions and dates: runs of digits are numbers, and only letters count beside them.
type labelRange struct{ low, high []string }

// readRanges returns the ranges between the first and the last member in the titles of folds.
// They descend, as in a list of changes, if more of them do than ascend; a range in the other
// direction is none.
func readRanges(lines []offer) []labelRange {
	all := make([]labelRange, len(lines))
	descending := 0
	for i, o := range lines {
		m := foldTitle.FindStringSubmatch(o.title)
		if m == nil || strings.HasPrefix(m[2], "...") {
			continue
		}
		if first, last, ok := strings.Cut(m[3], " .. "); ok {
			all[i] = labelRange{sortKey(m[2] + strings.TrimSuffix(first, "...")), sortKey(m[2] + strings.TrimSuffix(last, "..."))}
			descending += slices.Compare(all[i].low, all[i].high)
		}
	}
	for i, r := range all {
		if descending > 0 {
			all[i] = labelRange{r.high, r.low}
		}
	}
	return all
}

func (r labelRange) contains(name string) bool {
	key := sortKey(name)
	return len(r.low) > 0 && len(r.high) > 0 && len(key) > 0 &&
		(slices.Compare(r.low, key) <= 0 || isPrefix(r.low, key)) && (slices.Compare(key, r.high) <= 0 || isPrefix(r.high, key))
}

// isPrefix reports whether a label that was cut at its end may be that of a name.
func isPrefix(cut, key []string) bool {
	n := len(cut) - 1
	return n < len(key) && slices.Equal(cut[:n], key[:n]) && strings.HasPrefix(key[n], cut[n])
}

var sortRun = regexp.MustCompile(`^@|\pL+|\d+`)

// sortKey splits a label into words and numbers. Numbers are written so that they compare as
// strings like their values.
func sortKey(label string) []string {
	runs := sortRun.FindAllString(strings.ToLower(label), -1)
	for i, run := range runs {
		if run == "@" {
			runs[i] = "" // before any other
			continue
		}
		if digits := strings.TrimLeft(run, "0"); '0' <= run[0] && run[0] <= '9' {
			runs[i] = fmt.Sprintf("%03d%s", len(digits), digits)
		}
	}
	return runs
}

var timeSegment = regexp.MustCompile(`^@([-\d]+T[:\d]+|\d\d:\d\d[:\d]*)$`)

var foldByPosition = regexp.MustCompile(`^@L?\d+\.\.L?\d+$`)

// foldTitle matches the number of members of a fold, the words that all begin with, and their
// labels.
var foldTitle = regexp.MustCompile(`^(\d+) [\w#:-]+(?: (\S+)\*)?(?:: (.*))?$`)

// isPoorSign reports whether a line names nothing, or of a fold only the first member.
func isPoorSign(o offer) bool {
	segment := lastSegment(o.id)
	generated := foldByPosition.MatchString(segment)
	m := foldTitle.FindStringSubmatch(o.title)
	switch {
	case generated && m != nil:
		named := strings.TrimSuffix(m[3], " ..")
		return named == "" || m[1] != "1" && !strings.Contains(named, ", ") && !strings.Contains(named, " .. ")
	case strings.Trim(strings.TrimLeft(segment, "~@L#"), "0123456789.-@") == "":
		return len(wordsOf(o.title)) == 0
	}
	return false
}
