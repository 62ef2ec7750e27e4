package logscan

import (
	"encoding/binary"
	"math/bits"
)

// level is how severe a record is.
type level uint8

const (
	unknown level = iota
	trace
	debug
	info
	notice
	warn
	serious
	fatal
	levels
)

var levelNames = [levels]string{trace: "TRACE", debug: "DEBUG", info: "INFO", notice: "NOTICE", warn: "WARN", serious: "ERROR", fatal: "FATAL"}

// statusNames are what takes the place of levels in the log of a web server.
var statusNames = [levels]string{trace: "1xx", info: "2xx", notice: "3xx", warn: "4xx", serious: "5xx"}

// levelLetter is the level of the logs of Android and of Kubernetes.
func levelLetter(c byte) level {
	switch c {
	case 'V':
		return trace
	case 'D':
		return debug
	case 'I':
		return info
	case 'W':
		return warn
	case 'E':
		return serious
	case 'F', 'A':
		return fatal
	}
	return unknown
}

// levelWord is the level that a word of letters means.
func levelWord(word []byte) level {
	if len(word) < 3 || len(word) > 11 {
		return unknown
	}
	var low [12]byte
	for i, c := range word {
		low[i] = c | 0x20
	}
	switch string(low[:len(word)]) {
	case "trace", "trac", "verbose", "finest", "finer":
		return trace
	case "debug", "fine", "dbg", "debu":
		return debug
	case "info", "information", "inf", "config":
		return info
	case "notice":
		return notice
	case "warn", "warning", "wrn":
		return warn
	case "error", "err", "severe", "eror", "erro":
		return serious
	case "fatal", "fata", "critical", "crit", "alert", "emerg", "emergency", "panic", "ftl":
		return fatal
	}
	return unknown
}

// lookAhead is how far behind its time the level of a record is looked for.
const lookAhead = 96

// findLevel finds the level of a record behind its time. A word in lower case is
// one only in brackets, after an equal sign, or at once. The end of it is from
// where the message goes on.
func findLevel(b []byte, from, end int) (l level, after int) {
	end = min(end, from+lookAhead)
	words := 0
	for p := from; p < end; p++ {
		if !isLetter(b[p]) {
			continue
		}
		if words > 0 && b[p] >= 'a' && !marks[b[p-1]] { // a word of a text: most are
			p = wordEnd(b, p)
			words++
			continue
		}
		start, upper := p, true
		for p < end && isLetter(b[p]) {
			upper = upper && b[p] < 'a'
			p++
		}
		if p < len(b) && (b[p]-'0' <= 9 || b[p] == '_' || b[p] == '.' || b[p] == '-') || start > from && (b[start-1] == '.' || b[start-1]-'0' <= 9 || b[start-1] == '_') {
			words++
			continue
		}
		if p-start == 1 && words == 0 && p < len(b) && b[p] == ' ' {
			if l := levelLetter(b[start]); l != unknown {
				return l, p
			}
		}
		if upper || words == 0 || marked(b, start, p) {
			if l := levelWord(b[start:p]); l != unknown {
				return l, p
			}
		}
		words++
	}
	return unknown, from
}

// marks are the signs before a word in lower case that is no part of a text.
var marks = [256]bool{'[': true, '=': true, '"': true, '<': true, ':': true}

// wordEnd is where the letters from p on end. It reads eight bytes at a time.
func wordEnd(b []byte, p int) int {
	const ones = 0x0101010101010101
	for ; p+8 <= len(b); p += 8 {
		x := binary.LittleEndian.Uint64(b[p:]) | 0x20*ones // in lower case
		letters := ((x | tops) - 'a'*ones) & (('z'*ones | tops) - x&^tops) &^ x
		if other := ^letters & tops; other != 0 {
			return p + bits.TrailingZeros64(other)/8
		}
	}
	for p < len(b) && isLetter(b[p]) {
		p++
	}
	return p
}

// marked reports whether the signs round a word say that it is no part of a text.
func marked(b []byte, start, end int) bool {
	switch b[start-1] {
	case '[', '=', '"', '<':
		return true
	case ':':
		return end < len(b) && b[end] == ']'
	}
	return false
}

// findStatus finds the status of a request, which follows the quoted request.
func findStatus(b []byte, from, end int) (l level, after int) {
	quotes := 0
	for p := from; p+4 < end; p++ {
		if b[p] != '"' || b[p-1] == '\\' {
			continue
		}
		if quotes++; quotes == 2 {
			if b[p+1] != ' ' || b[p+2]-'1' > 4 || b[p+3]-'0' > 9 || b[p+4]-'0' > 9 {
				return unknown, from
			}
			return [...]level{trace, info, notice, warn, serious}[b[p+2]-'1'], from
		}
	}
	return unknown, from
}
