package host

import (
	"fmt"
	"strings"
	"testing"
)

// The same result is answered for each question, and keeps its ref and its sections.
func TestQuestionsAboutOneResult(t *testing.T) {
	r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("m"), "proxymodels/m.yaml": model("m", "type: focus", "type: section-split")})
	var list []string
	for i := range 200 {
		list = append(list, fmt.Sprintf(`{"id":%d,"text":"deploy %d of the shop is done"}`, i, 1000+i))
	}
	list[57], list[180] = `{"id":57,"text":"security incident: a key was leaked"}`, `{"id":180,"text":"the printer is out of paper"}`
	content := "[" + strings.Join(list, ",\n") + "]"
	arguments := strings.TrimSuffix(file(t, []byte(content)), "}")
	c := r.dial(t)
	for range 2 { // the second time from memory
		for _, tc := range []struct{ question, shown, hidden string }{
			{`,"_question":"Was there a security incident?"}`, list[57], list[180]},
			{`,"_question":"Which printer has no paper?"}`, list[180], list[57]},
			{`}`, "fields: id int", list[57]},
		} {
			a := c.tool(t, "up__get", arguments+tc.question)
			if text := a.text(); !strings.Contains(text, tc.shown) || strings.Contains(text, tc.hidden) || a.Meta.Ref == "" {
				t.Errorf("%s: %.500s", tc.question, a.raw)
			}
			if whole := c.section(t, a.Meta.Ref, "!").text(); whole != content {
				t.Errorf("%s: the whole has %d bytes, want %d", tc.question, len(whole), len(content))
			}
			if part := c.tool(t, "up__get", arguments+`,"_section":"57"`+tc.question).text(); part != list[57] {
				t.Errorf("%s: section 57 is %.200s", tc.question, part)
			}
		}
	}
	raw, _, err := c.try("tools/list", `{}`)
	if err != nil || strings.Count(string(raw), "_question") != 1 {
		t.Errorf("tools mention the question %d times, want once, in read_section (%v)", strings.Count(string(raw), "_question"), err)
	}
}
