package compress

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

func TestHTML(t *testing.T) {
	for rule, test := range map[string]struct{ in, want string }{
		"headings and paragraphs":        {"<h1>A <em>b</em></h1><p>one\n two</p><p>three</p>", "# A b\n\none two\n\nthree\n"},
		"a heading without an end":       {"<h2>A<p>one<p>two", "## A\n\none\n\ntwo\n"},
		"lists":                          {"<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul><ol start=3><li>d<li value=7>e</ol>f", "- a\n  - b\n- c\n\n3. d\n7. e\n\nf\n"},
		"an empty item":                  {"<ul><li></li><li>a</li></ul>", "- a\n"},
		"a list of terms":                {"<dl><dt>a<dd>b<dt>c<dd>d</dl>", "a\n: b\nc\n: d\n"},
		"a table":                        {"<table><tr><th>a<th>b</tr><tr><td>1</td><td></td></tr></table>", "| a | b |\n|---|---|\n| 1 | |\n"},
		"a table without headers":        {"<table><tr><td>1<td>2<tr><td><p>3</p><td>4<br>5</table>x", "| 1 | 2 |\n| 3 | 4 5 |\n\nx\n"},
		"cells of several columns, rows": {"<table><tr><td rowspan=2>a<td>b<td>c</tr><tr><td colspan=2>d</tr><tr><td>e<td>f<td>g</tr></table>", "| a | b | c |\n| ^ | d | |\n| e | f | g |\n"},
		"a table for layout":             {"<table><tr><td><h1>a</h1><p>b<td><p>c<p>d</table>", "# a\n\nb\n\nc\n\nd\n"},
		"a row before a block":           {"<table><tr><td>a<td>b<ul><li>c</ul><td>d</table>", "| a | b\n\n- c\n\nd\n"},
		"links":                          {`<a href="/x?a=1&amp;b=2">A <b>b</b></a> <a name=c>c</a> <a href="javascript:x">d</a> <a href=https://e.f>https://e.f</a>`, "[A b](/x?a=1&b=2) c d https://e.f\n"},
		"a link without text":            {`<a href=/x aria-label="Home &amp; more"><svg><path d="M0 0"/></svg></a>`, "[Home & more](/x)\n"},
		"a link around blocks":           {"<a href=/x><h2>A</h2><p>b</p></a>c", "## A\n\nb (/x)\n\nc\n"},
		"links within the page":          {"<a href=#pdf-print>print</a>, <a href='#2.1'>§2.1</a>, <a href=#install>here</a>", "print, §2.1, [here](#install)\n"},
		"images":                         {`<img src=a.png alt="A b"> <img alt="x" src="data:image/png;base64,AAAA"><img>`, "![A b](a.png) ![x](data:image/png;base64,...)\n"},
		"code blocks":                    {"<pre><code class=\"x language-go\">a &lt; b\n\n  <b>c</b>  d</code></pre>e", "```go\na < b\n\n  c  d\n```\n\ne\n"},
		"an image in code":               {"<pre>x<img src=a.png alt='You MUST see'>y</pre>", "```\nx![You MUST see]y\n```\n"},
		"code with fences":               {"<pre>\n```\nx\n```\n</pre>", "````\n```\nx\n```\n````\n"},
		"links in code":                  {"<pre><a href=\"a%20b\">a b</a>  1K\n<a href=c>c</a>  2K</pre>", "```\na b  1K\nc  2K\n```\n\nlinks: [a b](a%20b)\n"},
		"inline code":                    {"<p>a <code>b</code> <code>c`d</code><code></code>", "a `b` ``c`d``\n"},
		"a quote":                        {"<blockquote><p>a<p>b</blockquote>c", "> a\n>\n> b\n\nc\n"},
		"text that means another thing":  {"10<sup>6</sup> H<sub>2</sub>O <del>old</del> <q>x</q> <abbr title='long name'>LN</abbr> <time datetime=2026-11-21>today</time>", "10^{6} H_{2}O ~~old~~ \"x\" LN (long name) today (2026-11-21)\n"},
		"scripts, styles, comments":      {"a<script>x()</script><style>p{}</style><!-- b --><svg><path d='M0'/><title>c</title></svg>", "a\ntitle: c\n"},
		"linked data":                    {"<script type=\"application/ld+json\">\n{ \"a\" : 1 }\n</script>b", "```json\n{\"a\":1}\n```\n\nb\n"},
		"a duty in a comment":            {"<p>a<!-- Keys MUST  be rotated -->b", "a\nKeys MUST be rotated\nb\n"},
		"head":                           {"<!doctype html><head><title>T</title><meta name=description content='D &amp; e'><meta property='og:description' content='D &amp; e'><meta name=viewport content=x><link rel=canonical href=/c><link rel=icon href=i></head><body>b", "title: T\ndescription: D & e\ncanonical: /c\nb\n"},
		"a form":                         {"<form action=/s method=post><input name=q placeholder=find><input type=hidden name=t value=x><input type=checkbox checked name=c><select name=z><option>1<option selected>2</select><button>Go</button></form>", "form: post /s\n[q: find] [x] [c] [z: 1; 2 (selected)]Go\n"},
		"embedded pages":                 {"a<iframe src='/v?x'></iframe><video src=v.mp4>b</video>", "a\n[iframe](/v?x)\n[video](v.mp4)\nb\n"},
		"text like marks of Markdown":    {"<p>&gt; 5 bar<p>- 5 C<p># 1 cause<p>12. May<p>```<p>---<p>-5 C<p>#1<p>a - b<ul><li># c</ul>", "\\> 5 bar\n\n\\- 5 C\n\n\\# 1 cause\n\n12\\. May\n\n\\```\n\n\\---\n\n-5 C\n\n#1\n\na - b\n\n- \\# c\n"},
		"cells like marks of Markdown":   {"<table><tr><td>a|b<td>^<td>c ^ d</table>", "| a\\|b | \\^ | c \\^ d |\n"},
		"formulas keep their tags":       {"a <math><mfrac><mn>1</mn>\n <mn>12</mn></mfrac></math> b", "a <math><mfrac><mn>1</mn><mn>12</mn></mfrac></math> b\n"},
		"progress":                       {"<progress value=3 max=8></progress> full", "3/8 full\n"},
		"CDATA is text":                  {"a <![CDATA[b < c]]> d", "a b < c d\n"},
		"front matter":                   {"---\nlayout: x\n---\n<p>a", "---\nlayout: x\n---\n\na\n"},
		"empty":                          {"", "\n"},
		"never closed":                   {"<a href=x><code>a<table><tr><td>b<pre>c", "a\n\n| b (x)\n```\nc\n```\n"},
	} {
		if got := string(readable([]byte(test.in))); got != test.want {
			t.Errorf("%s: %q becomes\n%q, want\n%q", rule, test.in, got, test.want)
		}
	}
}

// Each word, target and code block of a random page is in its text, in order.
func TestRandomHTMLKeepsItsText(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	tags := strings.Fields("p div span b ul ol li table tr td th h1 h3 blockquote code dl dt dd section a sup del q form br unknown-tag")
	for range 4000 {
		var in strings.Builder
		var facts []string
		var ends []string
		for i := range 2 + rnd.IntN(30) {
			switch rnd.IntN(9) {
			case 0, 1, 2:
				tag := tags[rnd.IntN(len(tags))]
				in.WriteString("<" + tag + " class=x rowspan=2 colspan=3>")
				if rnd.IntN(3) > 0 {
					ends = append(ends, tag)
				}
			case 3, 4:
				if n := len(ends); n > 0 {
					in.WriteString("</" + ends[n-1] + ">")
					ends = ends[:n-1]
				}
			case 5:
				fact := fmt.Sprintf("line%d  x\n\n  <y> MUST", i)
				facts = append(facts, fact)
				in.WriteString("<pre>" + strings.ReplaceAll(fact, "<", "&lt;") + "</pre>")
			case 6:
				facts = append(facts, fmt.Sprintf("t%dt", i), fmt.Sprintf("/target/%d?", i))
				fmt.Fprintf(&in, "<a href='/target/%d?'>t%dt</a>", i, i)
			case 7:
				in.WriteString("<script>hidden</script><!-- hidden --> \n")
			default:
				fact := fmt.Sprintf("You MUST keep w%dw, ALWAYS.", i)
				facts = append(facts, fact)
				in.WriteString(" " + strings.ReplaceAll(fact, " ", "\n ") + " ")
			}
		}
		out := string(readable([]byte(in.String())))
		rest := out
		for _, fact := range facts {
			i := strings.Index(rest, fact)
			if i < 0 {
				t.Fatalf("%q becomes\n%s\n%q is lost", in.String(), out, fact)
			}
			rest = rest[i+len(fact):]
		}
		if strings.Contains(out, "hidden") {
			t.Fatalf("%q becomes %q", in.String(), out)
		}
	}
}

func TestManualKeepsItsCode(t *testing.T) {
	b, err := os.ReadFile("../../../testdata/content/h-lua-manual.html")
	if err != nil {
		t.Fatal(err)
	}
	out, blocks := string(readable(b)), 0
	for _, part := range strings.Split(string(b), "<pre>")[1:] {
		code, _, _ := strings.Cut(part, "</pre>")
		if strings.Contains(code, "</") {
			continue
		}
		blocks++
		if code := strings.Trim(string(decode(nil, []byte(code))), "\n"); !strings.Contains(out, "\n"+code+"\n") {
			t.Errorf("the code block %q is not in the text", code)
		}
	}
	if blocks < 20 {
		t.Errorf("only %d blocks", blocks)
	}
}

func FuzzHTML(f *testing.F) {
	f.Add("<table><tr><td colspan=9>a<pre>b</pre><a href=x>c</a><ul><li><code>d</code></ul></table>")
	f.Add("<select><option selected>a<h1>b<sup>c</select><![CDATA[")
	f.Fuzz(func(t *testing.T, in string) {
		if out := readable([]byte(in)); len(out) > 40*len(in)+200 {
			t.Fatalf("%q grows to %d bytes", in, len(out))
		}
	})
}
