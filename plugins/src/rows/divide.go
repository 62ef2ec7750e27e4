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
	position := make(map[string]int16)
	if cap(memory) < n {
		memory = make([]int16, 0, n)
	}
	d.Of = memory[:0]
	size, last := cmp.Or(limit.Size, MaxID), int16(0)
	for i := range n {
		text := label(i)
		if len(text) == 0 || len(text) > size {
			if d.Rest++; d.Rest > limit.Rest {
				return d, false
			}
			d.Of = append(d.Of, -1)
			continue
		}
		k, known := last, int(last) < len(d.Labels) && d.Labels[last] == string(text) // faster than the map
		if !known {
			k, known = position[string(text)]
		}
		if !known {
			if k = int16(len(d.Labels)); int(k) > limit.Labels {
				return d, false
			}
			position[string(text)] = k
			d.Labels, d.Counts = append(d.Labels, string(text)), append(d.Counts, 0)
		}
		d.Counts[k]++
		d.Of = append(d.Of, k)
		last = k
	}
	return d, true
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
