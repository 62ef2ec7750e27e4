package abi

import "math"

// EstimateTokens estimates how many o200k_base tokens b has, without a
// tokenizer: mean error 6 % on the bundled test data, where bytes/4 has 24 %.
// Figures shown to people that come from here are marked "est.".
//
// The formula is part of the ABI (buf_tokens): it changes with a minor only.
func EstimateTokens(b []byte) int {
	var e estimator
	for _, c := range b {
		e.add(class(c))
	}
	e.flush()
	return int(math.Round(e.total))
}

type byteClass uint8

const (
	classNone byteClass = iota
	classLetter
	classDigit
	classBlank
	classNewline
	classOther
	classHigh
)

func class(c byte) byteClass {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		return classLetter
	case c >= '0' && c <= '9':
		return classDigit
	case c == '\n':
		return classNewline
	case c == ' ', c == '\t', c == '\r':
		return classBlank
	case c >= 0x80:
		return classHigh
	}
	return classOther
}

// estimator sums runs of bytes of one class.
type estimator struct {
	run   byteClass
	n     int
	total float64
}

func (e *estimator) add(c byteClass) {
	if c == e.run {
		e.n++
		return
	}
	e.flush()
	e.run, e.n = c, 1
}

func (e *estimator) flush() {
	n := float64(e.n)
	switch e.run {
	case classLetter:
		e.total += 0.65 + 1.25*float64((e.n-1)/6)
	case classDigit:
		e.total += 1.75 * float64((e.n+2)/3)
	case classOther:
		e.total += 0.75 + 0.13*n
	case classNewline:
		e.total += n
	case classHigh:
		e.total += 0.12 * n
	}
	e.run, e.n = classNone, 0
}
