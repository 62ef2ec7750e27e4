package focus

import (
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// maxTerms is the number of terms that count, the first ones.
const maxTerms = 32

// term is a word of the question.
type term struct {
	word   string // lower case
	stem   string
	weight float64
	next   bool // the next term followed it directly
}

// Weights of terms.
const (
	asked  = 1.0 // a word of the question, or of an argument that is one
	passed = 0.5 // a word of another argument, or the name of one that is set
	digit  = 0.3 // a number of one digit, relative to a word
)

// readTerms returns the terms of the question; if there is none, those of the arguments.
func readTerms(c *stage.Ctx) []term {
	q := &question{json: c.Arguments().JSON()}
	if text := c.Question(); text != "" {
		q.add(text, asked)
	}
	if len(q.terms) == 0 {
		q.readObject("", 0)
	}
	return q.terms
}

// question collects terms.
type question struct {
	json  stage.JSON
	terms []term
}

// maxDepth is the number of levels of arguments that are read.
const maxDepth = 4

// readObject reads the members of the arguments at a pointer.
func (q *question) readObject(pointer string, depth int) {
	if depth > maxDepth {
		return
	}
	for _, child := range q.json.Each(pointer) {
		name, err := q.json.Text(child.Key)
		if err != nil {
			continue
		}
		q.readMember(pointer+stage.Pointer(name.String()), name.String(), depth)
	}
}

// readMember reads the value of one argument.
func (q *question) readMember(pointer, name string, depth int) {
	switch kind, err := q.json.Kind(pointer); {
	case err != nil || name == "_question" || isAddress(name):
	case kind == stage.KindObject:
		q.readObject(pointer, depth+1)
	case kind == stage.KindArray:
		n, _ := q.json.Len(pointer)
		for i := range min(n, maxTerms) {
			if depth < maxDepth {
				q.readMember(pointer+stage.Pointer(itoa(i)), name, depth+1)
			}
		}
	case kind == stage.KindString:
		text, err := q.json.String(pointer)
		switch {
		case err != nil:
		case isQuestion(name):
			q.add(text, asked)
		case !looksLikeAddress(text):
			q.add(text, passed)
		}
	case kind == stage.KindBool:
		if v, err := q.json.Int(pointer); err == nil && v != 0 {
			q.add(name, passed)
		}
	}
}

// questionNames are names of arguments that say what is wanted. The last word of a name
// counts: searchQuery.
var questionNames = map[string]bool{
	"query": true, "q": true, "question": true, "search": true, "keyword": true, "keywords": true, "text": true, "term": true, "terms": true,
	"filter": true, "pattern": true, "regex": true, "prompt": true, "topic": true, "subject": true, "about": true, "title": true, "match": true,
	"phrase": true, "words": true, "find": true, "contains": true, "label": true, "labels": true, "tags": true, "symbol": true, "function": true,
}

// addressNames are names of arguments that say where the content is, or how much of it is
// wanted. Their values do not tell its parts apart.
var addressNames = map[string]bool{
	"path": true, "paths": true, "file": true, "files": true, "filename": true, "uri": true, "url": true, "href": true, "dir": true, "directory": true,
	"folder": true, "cwd": true, "repo": true, "repository": true, "owner": true, "org": true, "project": true, "workspace": true, "branch": true, "ref": true,
	"sha": true, "commit": true, "id": true, "uuid": true, "key": true, "token": true, "cursor": true, "page": true, "limit": true, "offset": true,
	"size": true, "count": true, "sort": true, "order": true, "direction": true, "format": true, "encoding": true, "timeout": true, "database": true,
	"table": true, "schema": true, "bucket": true, "host": true, "port": true, "user": true, "account": true, "channel": true, "fields": true, "columns": true,
}

func isQuestion(name string) bool { return questionNames[lastWord(name)] }
func isAddress(name string) bool  { return addressNames[lastWord(name)] }

// lastWord returns the last word of an identifier in lower case: id of user_id and userId.
func lastWord(name string) (last string) {
	eachSubword([]byte(name), func(w []byte) { last = lower(w) })
	return last
}

// looksLikeAddress reports whether a value is a path, an address or an identifier, and no
// words: it has a slash, or digits between letters, and no blank.
func looksLikeAddress(text string) bool {
	if strings.ContainsAny(text, " \t\n") {
		return false
	}
	return strings.ContainsAny(text, "/\\@") || strings.Contains(text, "://") || len(text) > 40
}

// add adds the words of a text that are not known yet. Words of which nearly every question
// consists count only if there are no others.
func (q *question) add(text string, weight float64) {
	first, before := len(q.terms), -2
	q.addWords(text, weight, func(w string) bool { return !functionWords[w] }, &before)
	if len(q.terms) == 0 && first == 0 {
		before = -2
		q.addWords(text, weight, func(string) bool { return true }, &before)
	}
}

func (q *question) addWords(text string, weight float64, counts func(string) bool, before *int) {
	eachSubword([]byte(text), func(w []byte) {
		word := lower(w)
		if !counts(word) || strings.Trim(word, "*") == "" {
			*before = -2
			return
		}
		at := q.find(word)
		if at < 0 && len(q.terms) < maxTerms {
			at = len(q.terms)
			if len(word) == 1 && word[0] <= '9' {
				weight *= digit
			}
			q.terms = append(q.terms, term{word: word, stem: stem(word), weight: weight})
		}
		if *before >= 0 && at == *before+1 {
			q.terms[*before].next = true
		}
		*before = at
	})
}

// find returns the position of a word that is known, or -1.
func (q *question) find(word string) int {
	s := stem(word)
	for i := range q.terms {
		if q.terms[i].stem == s {
			return i
		}
	}
	return -1
}

// functionWords are English words that say nothing about a subject. Frequent words of other
// languages count little, because they are in most parts of a content.
var functionWords = setOf(`a an the of in on at to for from by with without and or not no is are was were be been being do does did done doing
	how what which who whom whose when where why that this these those it its there here their they them you your we our us i me my he she his her
	can could should would will may might must shall has have had about into onto than then so if as any all some each every more most
	please tell show give find get list want need know use used using there let make made only just also other`)

func setOf(words string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}
