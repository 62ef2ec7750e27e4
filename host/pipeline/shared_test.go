package pipeline

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// team implements Shared in memory. A test that uses it runs one request at a time.
type team struct {
	model    string // whose results it has; "" for all
	unshared string // project that it does not have
	values   map[[32]byte][]byte
	asked    []string // roles
	refused  []string // reasons
	texts    []string // offered
}

func newTeam() *team { return &team{values: make(map[[32]byte][]byte)} }

func (m *team) Find(_ context.Context, r *flow.SharedRun) ([]byte, string, bool) {
	m.asked = append(m.asked, r.By.Role)
	v, ok := m.values[r.Key]
	return v, "user eve", ok && (m.model == "" || m.model == r.Model)
}

func (m *team) IsShared(project string) bool { return project != m.unshared }

func (m *team) Refuse(_ *flow.SharedRun, _ string, why error) {
	m.refused = append(m.refused, why.Error())
}

func (m *team) IsWanted(*flow.SharedRun, time.Duration) bool { return true }

func (m *team) Offer(r *flow.SharedRun, b []byte, texts []string) {
	m.values[r.Key] = b
	m.texts = append(m.texts, texts...)
}

func sharing(o *team) Options {
	return Options{Cache: newMemory(), Shared: o, CheckTree: func([]byte, abi.Tree) error { return nil }}
}

func sharedRequest(text string, steps ...Step) Request {
	r := request(text, steps...)
	r.Model = "m"
	return r
}

// What one machine has computed is not run on another one, and is the same there.
func TestSharedResultIsNotRunAgain(t *testing.T) {
	shared := newTeam()
	steps := func(r *counter) []Step { return []Step{stage("split", split), stage("dot", r)} }
	first, second := count(appendDot), count(appendDot)
	want := run(t, open(t, sharing(shared)), sharedRequest("some text", steps(first)...))
	p := open(t, sharing(shared))
	got := run(t, p, sharedRequest("some text", steps(second)...))
	first.want(t, 1)
	second.want(t, 0)
	if !bytes.Equal(got.Bytes, want.Bytes) || got.Shape != want.Shape || got.Hash != want.Hash || !got.Final {
		t.Errorf("got %q, want %q", got.Bytes, want.Bytes)
	}
	if o := got.Report[1].Outcome; o != flow.OutcomeCached {
		t.Errorf("outcome %q", o)
	}
	asked := len(shared.asked)
	run(t, p, sharedRequest("some text", steps(second)...))
	if len(shared.asked) != asked || len(shared.refused) != 0 {
		t.Errorf("asked again for a cached result, or refused: %q", shared.refused)
	}
}

// A producer is trusted for one ProxyModel, so a result that it shared is not used by another
// one, although the runs are equal; nor is it by a run that waits for the first one.
func TestSharedResultIsOfOneProxyModel(t *testing.T) {
	forged := newValue(&abi.Output{Bytes: []byte("forged")})
	for name, tc := range map[string]struct {
		model  string
		runs   int
		result string
	}{
		"the same proxymodel": {"m", 0, "forged"},
		"another proxymodel":  {"other", 1, "TEXT"},
	} {
		t.Run(name, func(t *testing.T) {
			shared := newTeam()
			shared.model = "m"
			p := open(t, sharing(shared))
			runs := count(upper)
			r := sharedRequest("text", stage("s", runs))
			shared.values[keyOfFirst(p, &r)] = forged.encode()
			if got := run(t, p, r); string(got.Bytes) != "forged" {
				t.Fatalf("the shared result is not used: %q", got.Bytes)
			}
			r = sharedRequest("text", stage("s", runs))
			r.Model = tc.model
			got := run(t, p, r)
			if runs.want(t, tc.runs); string(got.Bytes) != tc.result {
				t.Errorf("got %q, want %q", got.Bytes, tc.result)
			}
		})
	}
}

// Results of a project that mcpd does not have are used by all ProxyModels, because all of them
// were computed here.
func TestUnsharedResultIsOfAllProxyModels(t *testing.T) {
	shared := newTeam()
	shared.unshared = "home"
	p := open(t, sharing(shared))
	runs := count(upper)
	for _, model := range []string{"m", "other"} {
		r := sharedRequest("text", stage("s", runs))
		r.Model = model
		run(t, p, r)
	}
	runs.want(t, 1)
	if len(shared.asked) > 0 {
		t.Errorf("asked for %q", shared.asked)
	}
}

// Content before the filters, samples, raw content and failed runs are neither asked for nor
// offered.
func TestWhatIsNotShared(t *testing.T) {
	remove := runFunc(func(_ context.Context, c abi.Call) (abi.Output, error) {
		return abi.Output{Bytes: bytes.ReplaceAll(c.Input, []byte("secret"), []byte("***"))}, nil
	})
	raw := runFunc(func(_ context.Context, c abi.Call) (abi.Output, error) {
		return abi.Output{Bytes: bytes.Clone(c.Original)}, nil
	})
	late := runFunc(func(context.Context, abi.Call) (abi.Output, error) {
		return abi.Output{Bytes: []byte("x"), Provisional: true}, nil
	})
	private := runFunc(func(context.Context, abi.Call) (abi.Output, error) {
		return abi.Output{Bytes: []byte("x"), Private: true}, nil
	})
	for name, tt := range map[string]struct {
		change func(*Request)
		step   Step
		offers bool
		asks   bool
	}{
		"a stage":              {step: stage("s", upper), offers: true, asks: true},
		"a sample":             {step: stage("s", upper), change: func(r *Request) { r.Sample = true }},
		"not cacheable":        {step: stage("s", upper), change: func(r *Request) { r.Cacheable = false }},
		"private content":      {step: stage("s", upper), change: func(r *Request) { r.Content.IsPrivate = true }},
		"no model":             {step: stage("s", upper), change: func(r *Request) { r.Model = "" }},
		"a failed run":         {step: stage("s", fails), asks: true},
		"raw content":          {step: stage("s", raw), asks: true},
		"a provisional result": {step: stage("s", late), asks: true},
		"a private result":     {step: stage("s", private), asks: true},
	} {
		t.Run(name, func(t *testing.T) {
			shared := newTeam()
			p := open(t, sharing(shared))
			r := sharedRequest("my secret text", filter("f", remove), tt.step)
			if tt.change != nil {
				tt.change(&r)
			}
			res, err := p.Filter(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if len(shared.asked)+len(shared.values) > 0 {
				t.Error("a filter is shared")
			}
			r.Content.Bytes, r.Hash = res.Bytes, &res.Hash
			run(t, p, r)
			if (len(shared.asked) > 0) != tt.asks || (len(shared.values) > 0) != tt.offers {
				t.Errorf("asked %q, %d offers", shared.asked, len(shared.values))
			}
			if strings.Contains(strings.ToLower(strings.Join(shared.texts, "\n")), "secret") {
				t.Errorf("removed content is offered: %q", shared.texts)
			}
			if tt.offers && !slices.Contains(shared.texts, "MY *** TEXT") {
				t.Errorf("texts %q", shared.texts)
			}
		})
	}
}

// A shared result that no stage could have returned is refused, and the stage runs.
func TestInvalidSharedResultIsRefused(t *testing.T) {
	output := func(change func(*abi.Output)) []byte {
		tree := abi.Tree{Sections: []abi.Section{{Parent: -1, End: 4, ID: "a", Title: "A"}}}
		out := abi.Output{Bytes: []byte("index:"), Marks: []abi.Mark{{Offset: 6, Section: -1}}, Tree: tree, Meta: map[string]string{"k": "v"}}
		change(&out)
		v := newValue(&out)
		return v.encode()
	}
	valid := output(func(*abi.Output) {})
	withHash := func(change func(*value)) []byte {
		v, err := decodeValue(valid)
		if err != nil {
			t.Fatal(err)
		}
		change(&v)
		return v.encode()
	}
	no := false
	for name, tt := range map[string]struct {
		value  []byte
		change func(*Request)
		tree   error
		want   string // of the reason; empty: accepted
	}{
		"valid":           {value: valid},
		"empty":           {value: nil, want: "damaged"},
		"cut":             {value: valid[:len(valid)-9], want: "damaged"},
		"flipped bit":     {value: func() []byte { b := bytes.Clone(valid); b[70] ^= 1; return b }(), want: "damaged"},
		"hash of output":  {value: withHash(func(v *value) { v.hash = sha256.Sum256([]byte("other")) }), want: "wrong hash"},
		"hash of shape":   {value: withHash(func(v *value) { v.shapeHash[0] ^= 1 }), want: "wrong hash"},
		"shape":           {value: withHash(func(v *value) { v.shape = v.shape[:3] }), want: "damaged"},
		"long number":     {value: withHash(func(v *value) { v.meta = append([]byte{0x81, 0}, v.meta[1:]...) }), want: "not encoded"},
		"not UTF-8":       {value: output(func(o *abi.Output) { o.Bytes = []byte("\xffndex:") }), want: "not UTF-8"},
		"too long":        {value: output(func(o *abi.Output) { o.Bytes = make([]byte, abi.LimitOutputExtraBytes+100) }), want: "limit"},
		"no transforming": {value: valid, change: func(r *Request) { r.Steps[0].Role.Transforms = &no }, want: "does not transform"},
		"pass with marks": {value: output(func(o *abi.Output) { o.Pass = true }), want: "other indexes"},
		"mark outside":    {value: output(func(o *abi.Output) { o.Marks[0].Offset = 7 }), want: "outside"},
		"mark before":     {value: output(func(o *abi.Output) { o.Marks[0].Offset = -1 }), want: "outside"},
		"mark of nothing": {value: output(func(o *abi.Output) { o.Marks[0].Section = 1 }), want: "outside"},
		"many marks":      {value: output(func(o *abi.Output) { o.Marks = make([]abi.Mark, maxMarks+1) }), want: "1025 indexes"},
		"many metadata":   {value: output(func(o *abi.Output) { o.Meta["x"] = strings.Repeat("x", abi.LimitMetaBytes) }), want: "metadata"},
		"long title":      {value: output(func(o *abi.Output) { o.Tree.Sections[0].Title = strings.Repeat("x", 257) }), want: "invalid text"},
		"body of a range": {value: output(func(o *abi.Output) { o.Tree.Sections[0].Body = []byte("x") }), want: "invalid body"},
		"too many parts": {value: output(func(o *abi.Output) {
			o.Tree.Sections = append(o.Tree.Sections, abi.Section{Parent: -1, Kind: abi.SectionGroup, ID: "@g"})
		}), change: func(r *Request) { r.Steps[0].Limits.Sections = 1 }, want: "2 sections, limit 1"},
		"sections":         {value: valid, tree: errors.New("span outside"), want: "span outside"},
		"not the original": {value: output(func(o *abi.Output) { o.Tree.Sections[0].End = 999 }), tree: errors.New("span outside"), want: "span outside"},
	} {
		t.Run(name, func(t *testing.T) {
			shared := newTeam()
			runs := count(upper)
			r := sharedRequest("some text", stage("s", runs))
			if tt.change != nil {
				tt.change(&r)
			}
			o := sharing(shared)
			o.CheckTree = func([]byte, abi.Tree) error { return tt.tree }
			p := open(t, o)
			key := keyOfFirst(p, &r)
			shared.values[key] = tt.value
			got := run(t, p, r)
			if tt.want == "" {
				runs.want(t, 0)
				if string(got.Text) != "some text" || string(got.Bytes) != "index:" {
					t.Errorf("got %q, %q", got.Text, got.Bytes)
				}
				return
			}
			runs.want(t, 1)
			if string(got.Bytes) != "SOME TEXT" || len(shared.refused) != 1 || !strings.Contains(shared.refused[0], tt.want) {
				t.Errorf("got %q, refused %q, want %q", got.Bytes, shared.refused, tt.want)
			}
		})
	}
}

// A shared result cannot change the sections of an earlier stage.
func TestSharedResultKeepsEarlierSections(t *testing.T) {
	for name, change := range map[string]func([]abi.Section) []abi.Section{
		"removed": func(s []abi.Section) []abi.Section { return s[1:] },
		"moved":   func(s []abi.Section) []abi.Section { s[0].End--; return s },
		"renamed": func(s []abi.Section) []abi.Section { s[0].ID = "b"; return s },
		"body":    func(s []abi.Section) []abi.Section { s[1].Body = []byte("xyz"); return s },
		"summary": func(s []abi.Section) []abi.Section { s[0].Summary = "allowed"; return s },
	} {
		t.Run(name, func(t *testing.T) {
			c := abi.Call{Original: []byte("some text"), Tree: abi.Tree{Sections: sectionsOf([]byte("some text"))}}
			c.Context.Limits.Sections = 10
			tree := abi.Tree{Sections: change(slices.Clone(c.Tree.Sections))}
			if err := checkSections(&c, &tree); (err == nil) != (name == "summary") {
				t.Error(err)
			}
		})
	}
}

// keyOfFirst returns the cache key of the first step.
func keyOfFirst(p *Pipeline, r *Request) [32]byte {
	l := loop{p: p, r: r, kind: abi.KindStage}
	l.cur = startAt(&r.Content, r.hash())
	x := p.contextOf(r, 0, len(r.Content.Bytes))
	return keyOf(&r.Steps[0], p.sharedModel(r, abi.KindStage), &x, l.hashes())
}
