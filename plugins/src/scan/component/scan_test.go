package component

import (
	"regexp"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
)

func TestBlocks(t *testing.T) {
	for _, c := range []struct{ rule, text, file, want string }{
		{"script and template", "<script setup lang=\"ts\">\nlet a = 1\n</script>\n\n<template>\n<p/>\n</template>\n", "", `
script | script setup lang="ts": let a = 1
template | template: <p/>`},
		{"templates nest", "<template><template #a><b/></template><template v-if='x' /></template><script>\nlet a\n</script>", "", `
template | template: <template #a><b/></template><template v-if='x' />
script | script: let a`},
		{"a script beside the one for setup", "<template>a</template>\n<script>export default { name: 'A' }</script>\n<script setup>b()</script>", "", `
template | template: a
script | script: export default { name: 'A' }
script-setup | script setup: b()`},
		{"custom blocks and comments", "<!-- A -->\n<docs>\n# A\n</docs>\n<template>a</template>\n<i18n>{}</i18n>\n<style scoped>a {}</style>", "a.vue", `
comment | <!-- A -->
docs | docs: # A
template | template: a
i18n | i18n: {}
style | style scoped`},
		{"an end tag in a comment or a value is none", "<template><!-- </template> --><p :a=\"'</template>'\"/></template><script>a</script>", "", `
template | template: <!-- </template> --><p :a="'</template>'"/>
script | script: a`},
		{"a block without content", "<template src='a.html' />\n<script src='a.js'></script>", "", `
template | template src='a.html'
script | script src='a.js'`},
		{"Vue needs a script", "<template>a</template>\n<style>a {}</style>", "", ""},
		{"unless it is named", "<template>a</template>\n<style>a {}</style>", "a.vue", `
template | template: a
style | style`},
		{"text outside of blocks", "<script setup>a</script>\n# A\n<template/>", "", ""},
		{"a page is no component", "<!doctype html><script setup>a</script>", "a.svelte", ""},
		{"markup of another type", "<a><template/><script/></a>", "", ""},

		{"Svelte: markup around blocks", "<script>\n  export let a\n</script>\n\n<h1>{a}</h1>\n\n<style>\nh1 {}\n</style>\n", "", `
script | script: export let a
template | <h1>{a}</h1>
style | style`},
		{"Svelte: a script for the module", "<script context=\"module\">\nlet b\n</script>\n<script>\nexport let a\n</script>\n{#if a}{a}{/if}", "", `
script-module | script context="module": let b
script | script: export let a
template | {#if a}{a}{/if}`},
		{"Svelte: a script in an element belongs to the markup", "<div>\n {#each a as b}\n  <script>b</script>\n {/each}\n</div>", "", `
template | <div> {#each a as b} <script>b</script> {/each} </div>`},
		{"two braces belong to other tools", "<div>{{#if a}}b{{/if}}</div>", "", ""},
		{"Markdown that quotes Svelte", "<!-- a -->\n\n### b\n\n```svelte\n{#each a as b}\n{b}\n{/each}\n```\n", "", ""},
		{"a script and markup", "<script>let a</script>\n<p>b</p>", "", ""},
	} {
		b := []byte(c.text)
		doc, ok := ScanVue(b, part.Clues{File: c.file})
		if !ok {
			doc, ok = ScanSvelte(b, part.Clues{File: c.file})
		}
		if !ok {
			if c.want != "" {
				t.Errorf("%s: refused", c.rule)
			}
			continue
		}
		parttest.Check(t, b, doc, nil)
		if got := strings.Join(parttest.List(doc), "\n"); got != strings.TrimPrefix(c.want, "\n") {
			t.Errorf("%s: got\n%s\nwant%s", c.rule, got, c.want)
		}
	}
}

func TestHints(t *testing.T) {
	for text, want := range map[string]string{
		"<script>a</script>":                   "x.js",
		"<script lang=ts>a</script>":           "x.ts",
		"<script lang='typescript'>a</script>": "x.ts",
		"<style lang='scss'>a</style>":         "x.scss",
		"<style>a</style>":                     "x.css",
		"<template>a</template>":               "template.component.html",
		"<template lang='pug'>a</template>":    "x.pug",
		"<i18n lang='yaml'>a</i18n>":           "x.yaml",
		"<i18n>{}</i18n>":                      "x.json",
		"<docs>a</docs>":                       "x.md",
		"<other>a</other>":                     "",
	} {
		doc, ok := ScanVue([]byte(text), part.Clues{File: "a.vue"})
		if !ok {
			t.Fatalf("%s: refused", text)
		}
		var n part.Name
		doc.Name(0, &n)
		if inner := text[n.Head : len(text)-int(n.Tail)]; string(n.Hint) != want || inner != "a" && inner != "{}" {
			t.Errorf("%s: %q in %q, want %q", text, inner, n.Hint, want)
		}
	}
}

// The text around the content of a block are its tags, in any text.
func FuzzBlocks(f *testing.F) {
	for _, text := range []string{"<template><a/></template><script setup>b</script>", "<script>\nexport let a\n</script>\n<p a={() => b}>{#if c}{/if}</p>", "<!-- a -->\n<template>", "<template a={ <template>", "<i18n/><docs>"} {
		f.Add(text)
	}
	tag := regexp.MustCompile(`(?s)^<.*>$|^$`)
	f.Fuzz(func(t *testing.T, text string) {
		b := []byte(strings.ToValidUTF8(text, "?"))
		for _, c := range []part.Clues{{}, {File: "a.vue"}, {File: "a.svelte"}, {Forced: true}} {
			for _, scan := range []part.Scan{ScanVue, ScanSvelte} {
				doc, ok := scan(b, c)
				if !ok {
					continue
				}
				parttest.Check(t, b, doc, nil)
				for i, p := range doc.Parts {
					var n part.Name
					doc.Name(i, &n)
					head, tail := b[p.Start:p.Start+n.Head], b[p.End-n.Tail:p.End]
					if n.Head+n.Tail > p.End-p.Start || !tag.Match(head) || len(tail) > 0 && !strings.HasPrefix(string(tail), "</") {
						t.Errorf("%q: %q and %q around a text", b, head, tail)
					}
				}
			}
		}
	})
}

// A text is read a fixed number of times.
func TestHostileTextIsReadOnce(t *testing.T) {
	for _, text := range []string{"<template>", "<template><", "<a ={", "<!--", "<script>", "\n<script>", "<template></template>", "={", "<template a={<", "\n<script", "\n<script a=", "\n<stylex>", "\n<style"} {
		b := []byte("<template>" + strings.Repeat(text, 2_000_000/len(text)))
		for _, file := range []string{"", "a.vue", "a.svelte"} {
			ScanVue(b, part.Clues{File: file})
			ScanSvelte(b, part.Clues{File: file})
		}
	}
}
