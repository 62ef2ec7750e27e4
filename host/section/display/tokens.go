package display

import "github.com/mcpctl/mcpctl/abi"

// Tokens estimates the tokens of b on the high side, for budgets.
// abi.EstimateTokens is right on average, but a listing of base64, of camelCase
// or of a rare script takes up to six times as many tokens.
func Tokens(b []byte) int { return abi.EstimateTokens(b) + (margin(b)+99)/100 }

// margin returns how far b may exceed abi.EstimateTokens, in hundredths of a
// token. The constants were chosen so that texts of random characters of each
// kind, which take the most tokens, stay within the budget.
func margin(b []byte) int {
	const (
		shortWord  = 75 // a word of up to three letters that no digit precedes
		caseChange = 150
		longSigns  = 50 // each punctuation character of a run after the third
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

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// wideMargin returns the margin of a multi-byte character, counted at its first
// byte. The longer its encoding, the rarer the character and the more tokens it
// takes.
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
