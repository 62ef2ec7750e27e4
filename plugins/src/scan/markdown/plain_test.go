package markdown

import (
	"fmt"
	"strings"
	"testing"
)

func TestPlainHeadings(t *testing.T) {
	body := strings.Repeat("Some lines that say what happened,\nand go on.\n\n", 5)
	for _, tt := range []struct{ name, text, want string }{
		{"numbered lines", "Chapter 1\n\n" + body + "Chapter 2\n\n" + body + "Chapter 3\n\n" + body, "1 Chapter 1, 1 Chapter 2, 1 Chapter 3"},
		{"Roman numbers with a name", "Part I. Sea\n\n" + body + "Part II. Land\n\n" + body + "Part IV. Air\n\n" + body, "1 Part I. Sea, 1 Part II. Land, 1 Part IV. Air"},
		{"the line after the number is its name", "CHAPTER 1\n\nLoomings.\n\n" + body + "CHAPTER 2\n\nThe Bag.\n\n" + body + "CHAPTER 3\n\nThe Inn.\n\n" + body, "1 CHAPTER 1 Loomings., 1 CHAPTER 2 The Bag., 1 CHAPTER 3 The Inn."},
		{"the first and less frequent word contains the other", nested(body), "1 Book 1, 2 Canto 1, 2 Canto 2, 1 Book 2, 2 Canto 1, 2 Canto 2, 1 Book 3, 2 Canto 1, 2 Canto 2"},
		{"capitals", "PREFACE\n\n" + body + "THE SEA.\n\n" + body + "INDEX\n\n" + body, "1 PREFACE, 1 THE SEA., 1 INDEX"},
		{"two are a coincidence", "Chapter 1\n\n" + body + "Chapter 2\n\n" + body, ""},
		{"a line of a paragraph is not a heading", "Chapter 1\nis here\n\n" + body + "Chapter 2\nis here\n\n" + body + "Chapter 3\nis here\n\n" + body, ""},
		{"nearly all text below one heading", "NOTE\n\nNOTE\n\nNOTE\n\n" + body + body, ""},
		{"words of two letters, and no numbers", "No 1\n\n" + body + "No 2\n\n" + body + "No 3\n\n" + body + "Then Vera\n\nThen Ina\n\nThen Mo\n\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := []byte(tt.text)
			var got []string
			for _, h := range Scan(b).WithPlainHeadings(b).Headings {
				got = append(got, fmt.Sprint(h.Level, " ", strings.Join(strings.Fields(tt.text[h.Text.Start:h.Text.End]), " ")))
			}
			if s := strings.Join(got, ", "); s != tt.want {
				t.Errorf("got %s\nwant %s", s, tt.want)
			}
		})
	}
}

// Many different words take little time.
func TestPlainHeadingsOfManyWords(t *testing.T) {
	var text strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&text, "%c%c%cab %d\n\n", 'a'+i/3%26, 'a'+i/78%26, 'a'+i/2028%26, i)
	}
	b := []byte(text.String())
	if h := Scan(b).WithPlainHeadings(b).Headings; len(h) != 60_000 || h[59_999].Level != 1 {
		t.Errorf("%d headings", len(h))
	}
}

func nested(body string) string {
	var s strings.Builder
	for i := 1; i <= 3; i++ {
		fmt.Fprintf(&s, "Book %d\n\n%sCanto 1\n\n%sCanto 2\n\n%s", i, body, body, body)
	}
	return s.String()
}
