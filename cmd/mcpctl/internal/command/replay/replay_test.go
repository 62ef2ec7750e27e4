package replay

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/playback"
)

// results are those of a recording with three proxymodels.
func results() []playback.Result {
	section := func(tokens int, by string) []playback.Section {
		return []playback.Section{{Tool: "demo/get_flows", Section: "a/b", Size: 420, Tokens: tokens, By: by}}
	}
	return []playback.Result{
		{Model: "subindex", IsRecorder: true, Calls: 80, Original: 2931601, Sent: 23382, Reads: 120, ReadTokens: 39561, Sections: section(591, playback.BySection), ToSection: 591,
			Time: 1229 * time.Millisecond, Identity: &playback.Identity{Compared: 200, Identical: 200}},
		{Model: "default", Calls: 80, Original: 2931601, Sent: 170422, Sections: section(2819, playback.ByRange), ToSection: 2819, Time: 1115 * time.Millisecond, LLMCalls: 1},
		{Model: "a<b-" + strings.Repeat("long-", 12), Calls: 79, Original: 2931601, Sent: 2599035, Refused: 1, Sections: section(0, playback.Unreachable), Unreachable: 1, Outside: 2, Time: 90 * time.Second},
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != got {
		t.Errorf("%s differs (UPDATE=1 writes it), %v:\n%s", name, err, got)
	}
}

func TestTables(t *testing.T) {
	for _, format := range []string{"table", "wide"} {
		var out bytes.Buffer
		opts := &Options{Output: format, F: &factory.Factory{IO: &iostreams.Streams{Out: &out}}}
		if err := show(opts, results()); err != nil {
			t.Fatal(err)
		}
		golden(t, format+".txt", out.String())
	}
	var out bytes.Buffer
	opts := &Options{Output: "table", F: &factory.Factory{IO: &iostreams.Streams{Out: &out, OutWidth: 80}}}
	if err := show(opts, results()[:2]); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if len(line) > 81 {
			t.Errorf("%d columns: %s", len(line)-1, line)
		}
	}
}

// The picture is XML, all texts are inside of it, and every figure of the table is there.
func TestPicture(t *testing.T) {
	svg := draw("Project home, 202 requests", results())
	golden(t, "picture.svg", string(svg))
	d := xml.NewDecoder(bytes.NewReader(svg))
	width, bars, texts := 0, 0, []string{}
	var x, size int
	anchor := ""
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			number := func(name string) (n int) {
				for _, a := range e.Attr {
					if a.Name.Local == name {
						n, _ = strconv.Atoi(a.Value)
						if name == "text-anchor" {
							anchor = a.Value
						}
					}
				}
				return n
			}
			switch e.Name.Local {
			case "svg":
				width = number("width")
			case "rect":
				bars++
			case "text":
				x, size = number("x"), number("font-size")
				number("text-anchor")
			}
		case xml.CharData:
			text := string(e)
			if strings.TrimSpace(text) == "" || size == 0 {
				continue
			}
			texts = append(texts, text)
			length := len([]rune(text)) * size * 61 / 100 // of a letter of a monospaced font
			if anchor == "end" && x-length < 0 || anchor == "start" && x+length > width {
				t.Errorf("%q at %d is clipped at %d", text, x, width)
			}
		}
	}
	if bars != 1+4+3+3 {
		t.Errorf("%d bars", bars-1)
	}
	all := strings.Join(texts, "\n")
	for _, want := range []string{"original", "2,931,601", "23,382 (1 %)", "591", "2,819", "1,229ms", "1,115ms, 1 LLM call", "0, 1 lost", "a<b-long-"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in the picture:\n%s", want, all)
		}
	}
}

func TestVerdict(t *testing.T) {
	of := func(id *playback.Identity, llm int) []playback.Result {
		return []playback.Result{{Model: "m", Identity: id, LLMCalls: llm}}
	}
	for _, c := range []struct {
		name    string
		results []playback.Result
		want    string
	}{
		{"identical", of(&playback.Identity{Compared: 2, Identical: 2}, 0), ""},
		{"not compared", of(nil, 0), ""},
		{"different because a module has changed", of(&playback.Identity{Compared: 2, Identical: 1, Changed: []string{"module x"}}, 0), ""},
		{"different because an LLM answered", of(&playback.Identity{Compared: 2, Identical: 1}, 1), ""},
		{"different without a reason", of(&playback.Identity{Compared: 2, Identical: 1, Different: []uint64{7}}, 0), "m: 1 of 2 answers differ, but nothing has changed since the recording (request 7)"},
		{"a lost part", []playback.Result{{Model: "m", Unreachable: 2}}, "m: 2 parts cannot be read"},
	} {
		err := verdict(c.results)
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, abi.ErrConfig) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
