package section

import "github.com/mcpctl/mcpctl/abi"

// tokens estimates on the high side, for budgets. The estimate of the ABI is
// right in the mean; a listing of base64, of camelCase or of a rare script takes
// up to six times as many, and the budget must hold for it too.
func tokens(b []byte) int { return abi.EstimateTokens(b) + (margin(b)+99)/100 }

// margin is what b may take above the estimate, in hundredths of a token. The
// figures are those at which texts of random characters of each kind, which take
// most, stay in the budget.
func margin(b []byte) int {
	const (
		shortWord  = 75 // up to three letters, digits not beside them
		caseChange = 150
		longSigns  = 50 // each sign of a run beyond the third
		longWord   = 4
	)
	sum, letters, signs := 0, 0, 0
	var before byte
	endWord := func() {
		if 0 < letters && letters < longWord {
			sum += shortWord
		}
		letters = 0
	}
	for _, c := range b {
		switch {
		case isLetter(c):
			switch {
			case letters == 0 && isDigit(before):
				letters = longWord
			case letters > 0 && c <= 'Z' && before > 'Z':
				sum += caseChange
			}
			letters++
			signs = 0
		case c >= 0x80:
			endWord()
			sum += wideMargin(c)
			signs = 0
		case isDigit(c):
			letters, signs = 0, 0
		case c <= ' ':
			endWord()
			signs = 0
		default:
			endWord()
			if signs++; signs > 3 {
				sum += longSigns
			}
		}
		before = c
	}
	endWord()
	return sum
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// wideMargin is the share of a whole character, counted at its first byte: the
// longer its code, the rarer it is and the more tokens it takes.
func wideMargin(c byte) int {
	switch {
	case c >= 0xf0:
		return 4 * 88
	case c >= 0xe0:
		return 3 * 58
	case c >= 0xc0:
		return 2 * 38
	}
	return 0
}
