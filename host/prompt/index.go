package prompt

import (
	"cmp"
	"encoding/json"
	"slices"
	"sync"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/object"
)

// Status of a link.
const (
	Alive   = "alive"
	Dead    = "dead"
	Unknown = "unknown" // nobody has looked yet
)

// Entry is one prompt as the Index tells it.
type Entry = abi.PromptEntry

// Index is the visible prompts of one project, by priority, the highest first,
// then by name. It is immutable and safe for concurrent use.
type Index struct {
	entries []Entry
	rows    []row
	bytes   int // of all rows
	places  func() map[string]int
}

// row is what an Entry was made of, so that the next Index need not make it again.
type row struct {
	prompt *object.Prompt
	body   Body
	made   Outline
	view   view
	json   []byte // the entry's object, open: its ref is missing
}

// Body is what is known of the content of a link.
type Body struct {
	Status string // Alive, Dead or Unknown
	Bytes  int
	Hash   string
	Rule   *Outline // of the content, nil before it was read
}

// Sources tell what a prompt's own file does not. Each may be nil.
type Sources struct {
	Made func(p *object.Prompt, hash string) (Outline, bool) // what an LLM made of the content
	Link func(p *object.Prompt) Body

	// Screen gives what filters have left of the content of a hash; nil: they have
	// not been asked yet, or withhold it. It reports false where there is no filter.
	Screen func(p *object.Prompt, hash string) (s *Screen, filtered bool)
}

// Screen is what filters have left of a prompt. Clients learn nothing else of it.
type Screen struct {
	Hash   string  // of the content that is left: summaries of an LLM are kept by it
	Rule   Outline // of that content
	Author Outline // what the author wrote of it, as filters left that
}

// view is what an Entry may tell of a prompt.
type view struct {
	screen   *Screen
	filtered bool
}

// of is what may be told of a prompt: its author's words, the hash of the content
// that summaries are made of, what rules find in it.
func (v view) of(p *object.Prompt, body Body, hash string) (author Outline, of string, rule func() Outline) {
	switch {
	case !v.filtered:
		return Outline{p.Spec.Summary, p.Spec.Chapters}, hash, func() Outline { return ruled(p, body) }
	case v.screen == nil:
		return Outline{}, "", func() Outline { return Outline{} }
	}
	return v.screen.Author, v.screen.Hash, func() Outline { return v.screen.Rule }
}

// NewIndex makes the Index of a project's prompts. What prev, which may be nil,
// knows of an unchanged prompt is taken over.
func NewIndex(prev *Index, prompts []*object.Prompt, from Sources) *Index {
	known := make(map[*object.Prompt]int)
	if prev != nil {
		for i, r := range prev.rows {
			known[r.prompt] = i
		}
	}
	x := &Index{entries: make([]Entry, 0, len(prompts)), rows: make([]row, 0, len(prompts))}
	x.places = sync.OnceValue(x.place)
	for _, p := range inOrder(prompts) {
		var before *row
		var hash string
		if i, ok := known[p]; ok {
			before, hash = &prev.rows[i], prev.entries[i].Hash
		}
		r := row{prompt: p}
		if p.Spec.LinkTarget != "" {
			r.body = from.link(p)
			hash = r.body.Hash
		} else if before == nil {
			hash = hashOf([]byte(p.Spec.Content))
		}
		r.view = from.screen(p, hash)
		author, of, rule := r.view.of(p, r.body, hash)
		made, isMade := from.made(p, of)
		r.made = made
		if before != nil && before.body == r.body && before.view == r.view && sameOutline(before.made, made) {
			x.add(prev.entries[known[p]], *before)
			continue
		}
		if !isMade && wantsOutline(p) {
			made = rule()
		}
		x.add(entryOf(p, hash, r.body, author, made), r)
	}
	return x
}

func (x *Index) add(e Entry, r row) {
	if r.json == nil {
		text, _ := json.Marshal(e)                         // texts and numbers always encode
		r.json = append(text[:len(text)-1], `,"ref":"`...) // the rest is known by the asker's scope alone
	}
	x.entries, x.rows, x.bytes = append(x.entries, e), append(x.rows, r), x.bytes+len(r.json)
}

func (s Sources) link(p *object.Prompt) Body {
	if s.Link == nil {
		return Body{Status: Unknown}
	}
	return s.Link(p)
}

func (s Sources) screen(p *object.Prompt, hash string) view {
	if s.Screen == nil {
		return view{}
	}
	screen, filtered := s.Screen(p, hash)
	return view{screen, filtered}
}

func (s Sources) made(p *object.Prompt, hash string) (Outline, bool) {
	if s.Made == nil || hash == "" || !wantsOutline(p) {
		return Outline{}, false
	}
	return s.Made(p, hash)
}

// wantsOutline reports whether the author left anything for others to say.
func wantsOutline(p *object.Prompt) bool { return p.Spec.Summary == "" || len(p.Spec.Chapters) == 0 }

func inOrder(prompts []*object.Prompt) []*object.Prompt {
	return slices.SortedFunc(slices.Values(prompts), func(a, b *object.Prompt) int {
		return cmp.Or(cmp.Compare(b.Spec.Priority, a.Spec.Priority), cmp.Compare(a.Name(), b.Name()))
	})
}

// entryOf tells of a prompt in its author's words, and for the rest in those that
// were made.
func entryOf(p *object.Prompt, hash string, body Body, author, made Outline) Entry {
	key := p.Key()
	e := Entry{Name: string(key.Name), Project: string(key.Project), Priority: p.Spec.Priority, Summary: author.Summary,
		Chapters: author.Chapters, Bytes: len(p.Spec.Content), Hash: hash, Link: p.Spec.LinkTarget}
	if e.Link != "" {
		e.Bytes, e.LinkStatus = body.Bytes, body.Status
	}
	e.Summary = oneLine(cmp.Or(e.Summary, made.Summary))
	if len(e.Chapters) == 0 {
		e.Chapters = made.Chapters
	}
	if e.Chapters == nil {
		e.Chapters = []string{}
	}
	return e
}

func ruled(p *object.Prompt, body Body) Outline {
	if p.Spec.LinkTarget == "" {
		return OutlineOf(p.Spec.Content)
	}
	if body.Rule == nil {
		return Outline{}
	}
	return *body.Rule
}

func sameOutline(a, b Outline) bool {
	return a.Summary == b.Summary && slices.Equal(a.Chapters, b.Chapters)
}

func (x *Index) place() map[string]int {
	at := make(map[string]int, len(x.entries))
	for i, e := range x.entries {
		at[e.Name] = i
	}
	return at
}

// Entries are the prompts in order; nobody modifies them.
func (x *Index) Entries() []Entry { return x.entries }

// Entry finds a prompt by name.
func (x *Index) Entry(name string) (Entry, bool) {
	i, ok := x.places()[name]
	if !ok {
		return Entry{}, false
	}
	return x.entries[i], true
}

// Links returns the targets of the prompts that are links, in order.
func (x *Index) Links() []string {
	var targets []string
	for _, e := range x.entries {
		if e.Link != "" {
			targets = append(targets, e.Link)
		}
	}
	return targets
}

// JSON prints the Index as a controller reads it (docs/abi.md). refs gives the ref
// under which an asker can read sections of a prompt, "" if there is none yet.
func (x *Index) JSON(refs func(Entry) string) []byte {
	out := make([]byte, 0, x.bytes+len(x.rows)*(len(`"},`)+20)+2)
	out = append(out, '[')
	for i, r := range x.rows {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, r.json...), refs(x.entries[i])...), `"}`...)
	}
	return append(out, ']')
}

// Records prints the Index as prompt_records gives it; see JSON.
func (x *Index) Records(refs func(Entry) string) []byte { return abi.PromptRecords(x.entries, refs) }

// EachWanting calls yield with the prompts for which the author left something to
// say, and the hash of the content that may be told of; a link that was not read yet
// has none, nor has what filters were not asked about.
func (x *Index) EachWanting(yield func(p *object.Prompt, hash string)) {
	for i, r := range x.rows {
		if _, hash, _ := r.view.of(r.prompt, r.body, x.entries[i].Hash); hash != "" && wantsOutline(r.prompt) {
			yield(r.prompt, hash)
		}
	}
}
