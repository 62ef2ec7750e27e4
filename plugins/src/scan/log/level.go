package log

import (
	"encoding/binary"
	"math/bits"
)

// level is the severity of a record.
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

// statusNames replace the names of levels in the log of a web server.
var statusNames = [levels]string{trace: "1xx", info: "2xx", notice: "3xx", warn: "4xx", serious: "5xx"}

// levelOfLetter returns the level of a letter in the logs of Android and Kubernetes.
func levelOfLetter(c byte) level {
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

// levelOfWord returns the level that a word of letters names, in any case.
func levelOfWord(word []byte) level {
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

// lookAhead is the number of bytes after the time in which findLevel looks for a level.
const lookAhead = 96

// findLevel finds the level of a record after its time, and returns the offset after it.
// A word in lower case is a level only if it is the first word, in brackets or after an
// equal sign.
func findLevel(b []byte, from, end int) (l level, after int) {
	end = min(end, from+lookAhead)
	words := 0
	for p := from; p < end; p++ {
		if !isLetter(b[p]) {
			continue
		}
		if words > 0 && b[p] >= 'a' && !marks[b[p-1]] { // an ordinary word, as most are
			p = wordEnd(b, p)
			words++
			continue
		}
		start, upper := p, false
		p, upper = skipLetters(b[:end], p)
		l := unknown
		switch {
		case isInName(b, from, start, p):
		case p-start == 1 && words == 0 && p < len(b) && b[p] == ' ':
			l = levelOfLetter(b[start])
		case upper || words == 0 || isDelimited(b, start, p):
			l = levelOfWord(b[start:p])
		}
		if l != unknown {
			return l, p
		}
		words++
	}
	return unknown, from
}

// isInName reports whether the letters b[start:end] are a part of a longer name. The text
// before "from" is not looked at.
func isInName(b []byte, from, start, end int) bool {
	if end < len(b) && (b[end]-'0' <= 9 || b[end] == '_' || b[end] == '.' || b[end] == '-') {
		return true
	}
	return start > from && (b[start-1] == '.' || b[start-1]-'0' <= 9 || b[start-1] == '_')
}

// marks are the bytes before a word in lower case that may be a level; see isDelimited.
var marks = [256]bool{'[': true, '=': true, '"': true, '<': true, ':': true}

// wordEnd returns the offset after the letters from p on. It reads eight bytes at a time.
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

// isDelimited reports whether the bytes around a word show that it is not part of a
// sentence.
func isDelimited(b []byte, start, end int) bool {
	switch b[start-1] {
	case '[', '=', '"', '<':
		return true
	case ':':
		return end < len(b) && b[end] == ']'
	}
	return false
}

// findStatus finds the status of a request, after the quoted request line.
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
