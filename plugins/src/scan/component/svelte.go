package component

import "bytes"

// statements are the words that begin a block of the template language of Svelte, {#if x}, and end it, {/if}.
var statements = [...]string{"if", "each", "await", "key", "snippet"}

// scripts are the ways in which a script declares the properties or the state of a component.
var scripts = [...]string{"export let ", "$props()", "$state(", "$derived(", "\n\t$: ", "\n  $: ", "from 'svelte", `from "svelte`, "from '$app/", "from '$lib/"}

// isSvelte reports whether a text has a statement of the template language with its end, or begins with a
// script that declares properties. Fences and headings of Markdown may quote such statements.
func isSvelte(b []byte) bool {
	if bytes.Contains(b, []byte("\n```")) || bytes.Contains(b, []byte("\n## ")) || bytes.Contains(b, []byte("\n### ")) {
		return false
	}
	for _, word := range statements {
		if hasStatement(b, word) {
			return true
		}
	}
	start := bytes.TrimSpace(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")))
	if !bytes.HasPrefix(start, []byte("<script")) {
		return false
	}
	end := bytes.Index(start, []byte("</script"))
	if end < 0 {
		return false
	}
	for _, declares := range scripts {
		if bytes.Contains(start[:end], []byte(declares)) {
			return true
		}
	}
	return false
}

// hasStatement reports whether a text has {#word and later {/word}. Two braces belong to the template
// languages {{#if}} of other tools.
func hasStatement(b []byte, word string) bool {
	open := []byte("{#" + word + " ")
	at := bytes.Index(b, open)
	return at >= 0 && (at == 0 || b[at-1] != '{') && bytes.Contains(b[at:], []byte("{/"+word+"}"))
}
