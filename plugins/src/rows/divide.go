package rows

import "cmp"

// Division is an assignment of rows to groups by a label.
type Division struct {
	Labels []string // in the order in which they first appear
	Counts []int32  // by label: rows that have it
	Of     []int16  // by row: position of its label, -1 if it has none
	Rest   int      // rows without a label
}

// Limit bounds a Division. Divide stops as soon as it is exceeded.
type Limit struct {
	Labels int // distinct labels
	Rest   int // rows without a label
	Size   int // bytes of a label; 0 means MaxID
}

// Divide assigns n rows to groups by their labels. A label that is empty or longer than
// limit.Size counts as none. Divide reports whether the division is within the
// limit. memory is used for Division.Of if it is large enough.
func Divide(n int, label func(i int) []byte, limit Limit, memory []int16) (d Division, ok bool) {
	if cap(memory) < n {
		memory = make([]int16, 0, n)
	}
	d.Of = memory[:0]
	size := cmp.Or(limit.Size, MaxID)
	known := labels{list: make([]string, 0, 8)}
	d.Counts = make([]int32, 0, 8)
	for i := range n {
		text := label(i)
		if len(text) == 0 || len(text) > size {
			if d.Rest++; d.Rest > limit.Rest {
				return d, false
			}
			d.Of = append(d.Of, -1)
			continue
		}
		k := known.find(text)
		if k < 0 {
			if k = len(known.list); k > limit.Labels {
				return d, false
			}
			known.add(string(text))
			d.Labels, d.Counts = known.list, append(d.Counts, 0)
		}
		d.Counts[k]++
		d.Of = append(d.Of, int16(k))
	}
	return d, true
}

// maxLinear is the number of labels that are searched one by one: for so few it is faster
// than a map.
const maxLinear = 16

// labels is a list of distinct labels.
type labels struct {
	list     []string
	last     int // position of the label that was found last: the next row often has it too
	position map[string]int
}

// find returns the position of a label, -1 if it is not in the list.
func (l *labels) find(text []byte) int {
	if l.last < len(l.list) && l.list[l.last] == string(text) {
		return l.last
	}
	if l.position != nil {
		k, ok := l.position[string(text)]
		if !ok {
			return -1
		}
		l.last = k
		return k
	}
	for k := range l.list {
		if l.list[k] == string(text) {
			l.last = k
			return k
		}
	}
	return -1
}

// add adds a label that is not in the list.
func (l *labels) add(label string) {
	l.last = len(l.list)
	l.list = append(l.list, label)
	switch {
	case l.position != nil:
		l.position[label] = l.last
	case len(l.list) > maxLinear:
		l.position = make(map[string]int, 2*maxLinear)
		for k, label := range l.list {
			l.position[label] = k
		}
	}
}

// IsUseful reports whether the division helps a reader: nine in ten rows have a
// label, no group is dominant, at least two groups have several rows, and there are
// few lines in all.
func (d *Division) IsUseful() bool {
	all, several := len(d.Of), 0
	for _, n := range d.Counts {
		if IsDominant(int(n), all) {
			return false
		}
		if n > 1 {
			several++
		}
	}
	return several > 1 && len(d.Labels)+d.Rest <= MaxLines && IsMost(all-d.Rest, all)
}

// LabelRest gives the rows without a label the empty label, as the last group.
func (d *Division) LabelRest() {
	if d.Rest == 0 {
		return
	}
	for i, k := range d.Of {
		if k < 0 {
			d.Of[i] = int16(len(d.Labels))
		}
	}
	d.Labels, d.Counts, d.Rest = append(d.Labels, ""), append(d.Counts, int32(d.Rest)), 0
}

// Members returns the rows of each group. rows holds the rows in the order in which
// they were divided.
func (d *Division) Members(rows []int32) [][]int32 {
	members := Partition(make([]int32, len(rows)-d.Rest), d.Counts)
	for i, k := range d.Of {
		if k >= 0 {
			members[k] = append(members[k], rows[i])
		}
	}
	return members
}
