package yamlscan

import "bytes"

// separators end the prefix of a key, the strongest first.
const separators = "./_-:"

// byPrefix groups keys by what they begin with. What nearly all begin with tells
// none apart and is passed over.
func (t *tree) byPrefix(all []int32) *grouping {
	for i := range len(separators) {
		shared := t.shared(all, separators[i])
		groups := t.by(all, func(at int32) []byte { return t.prefix(at, shared, separators[i]) })
		if groups == nil {
			continue
		}
		for k := range groups {
			g := &groups[k]
			g.id += "*"
			g.title = t.groupTitle(g.id, g.members, "key")
		}
		return &grouping{by: "key prefix", groups: groups}
	}
	return nil
}

// maxShared is how many parts of keys are passed over, as the names of an
// organization and its product: com.example.store.
const maxShared = 4

// shared is what nine of ten keys begin with, up to a separator.
func (t *tree) shared(all []int32, separator byte) (shared []byte) {
	for range maxShared {
		longer := t.prefix(all[len(all)/2], shared, separator)
		if len(longer) == 0 {
			break
		}
		n := 0
		for _, i := range all {
			if bytes.HasPrefix(t.bareKey(i), longer) {
				n++
			}
		}
		if n*10 < len(all)*9 {
			break
		}
		shared = longer
	}
	return shared
}

// prefix is what stands before a separator in a key, with it, or before the one
// behind what is shared. It is empty if there is none.
func (t *tree) prefix(at int32, shared []byte, separator byte) []byte {
	key, from := t.bareKey(at), 0
	if bytes.HasPrefix(key, shared) {
		from = len(shared)
	}
	n := bytes.IndexByte(key[from:], separator)
	if n < 0 {
		return nil
	}
	return key[:from+n+1]
}

// bareKey is a key without its quotes.
func (t *tree) bareKey(at int32) []byte {
	n := t.node(at)
	return bytes.Trim(t.b[n.start:n.end()], `"'`)
}
