package main

import (
	"math"
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
// the right section. Names of the path count more than any other words. A name or word
// counts the less the more lines contain it.
func (k knowledge) bitsLeft(lines []offer, right string) float64 {
	const pathWeight, nameWeight = 1e6, 1000
	contents, in := make([]map[string]bool, len(lines)), map[string]int{}
	for i, o := range lines {
		contents[i] = wordsOf(o.id + "\n" + countOfMembers.ReplaceAllString(o.title, ""))
		for w := range contents[i] {
			in[w]++
		}
		for _, name := range k.names {
			if hasName(contents[i], o.id, name) {
				in["/"+name]++
			}
		}
		if k.isInRange(o) {
			in["/"]++
		}
	}
	score := func(i int) (sum float64) {
		sum = pathWeight * followPath(lines[i].id, k.path)
		for w := range contents[i] {
			if k.words[w] {
				sum += math.Log2(float64(len(lines)) / float64(in[w]))
			}
		}
		for _, name := range k.names {
			if hasName(contents[i], lines[i].id, name) {
				sum += nameWeight * math.Log2(float64(len(lines))/float64(in["/"+name]))
			}
		}
		if k.isInRange(lines[i]) {
			sum += nameWeight * math.Log2(float64(len(lines))/float64(in["/"]))
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

// followPath compares an id with the path of a target: 1 if the last segment is the next
// name of the path, or its range contains that name; -1 if a segment contradicts the path;
// 0 if the path does not decide, as for an element that is known by its position only.
func followPath(id string, path []string) float64 {
	segments := strings.Split(id, "/")
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
		case !isTag(segment, path[0]):
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

// hasName reports whether a line contains all words of a name, or the range of sorted names
// in its id contains the name.
func hasName(words map[string]bool, id, name string) bool {
	if isBetween(id, name) {
		return true
	}
	for w := range wordsOf(name) {
		if !words[w] {
			return false
		}
	}
	return len(name) > 1
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
	return from <= name && name <= to
}

// isInRange reports whether a line names a range that contains the target: from its first to
// its last member, or a time such as @20:54:3 that the target begins with.
func (k knowledge) isInRange(o offer) bool {
	if at := timeSegment.FindStringSubmatch(lastSegment(o.id)); at != nil {
		return strings.Contains(k.text, at[1]) || strings.Contains(k.text, strings.Replace(at[1], "T", " ", 1))
	}
	m := foldTitle.FindStringSubmatch(o.title)
	if m == nil {
		return false
	}
	first, last, ok := strings.Cut(m[2], " .. ")
	first, last = strings.TrimSuffix(first, "..."), strings.TrimSuffix(last, "...")
	return ok && first != "" && first <= k.text && (k.text <= last || strings.HasPrefix(k.text, last))
}

var timeSegment = regexp.MustCompile(`^@([-\d]+T[:\d]+|\d\d:\d\d[:\d]*)$`)

var foldByPosition = regexp.MustCompile(`^@L?\d+\.\.L?\d+$`)

var foldTitle = regexp.MustCompile(`^(\d+) [\w#:-]+(?:: (.*))?$`)

// isPoorSign reports whether a line names nothing, or of a fold only the first member.
func isPoorSign(o offer) bool {
	segment := lastSegment(o.id)
	generated := foldByPosition.MatchString(segment)
	m := foldTitle.FindStringSubmatch(o.title)
	switch {
	case generated && m != nil:
		named := strings.TrimSuffix(m[2], " ..")
		return named == "" || m[1] != "1" && !strings.Contains(named, ", ") && !strings.Contains(named, " .. ")
	case strings.Trim(strings.TrimLeft(segment, "~@L#"), "0123456789.-@") == "":
		return len(wordsOf(o.title)) == 0
	}
	return false
}
