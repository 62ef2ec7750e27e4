//! Formats numbers and quoted text. The formatting of the standard library would be most of
//! a small module.

/// Appends a number in decimal.
pub fn push_decimal(to: &mut String, v: i64) {
    if v < 0 {
        to.push('-');
    }
    let mut rest = v.unsigned_abs();
    let mut digits = [0; 20];
    let mut blank = digits.len();
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
        blank -= 1;
        if rest == 0 {
            break;
        }
    }
    for digit in digits.iter().skip(blank) {
        to.push(*digit as char);
    }
}

/// Returns a number in decimal.
pub fn decimal(v: i64) -> String {
    let mut text = String::new();
    push_decimal(&mut text, v);
    text
}

/// Returns text in quotes, with escapes for quotes, backslashes and control characters.
pub fn quoted(s: &str) -> String {
    let mut to = String::with_capacity(s.len() + 2);
    to.push('"');
    for c in s.chars() {
        match c {
            '"' => to.push_str("\\\""),
            '\\' => to.push_str("\\\\"),
            '\n' => to.push_str("\\n"),
            '\r' => to.push_str("\\r"),
            '\t' => to.push_str("\\t"),
            c if c < ' ' || c == '\x7f' => {
                to.push_str("\\x");
                for digit in [c as u32 >> 4, c as u32 & 15] {
                    to.push(char::from_digit(digit, 16).unwrap_or('0'));
                }
            }
            c => to.push(c),
        }
    }
    to.push('"');
    to
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_equals_to_string() {
        for v in [0, 7, 10, -1, 99, 100, 12345, i64::MAX, i64::MIN] {
            assert_eq!(decimal(v), v.to_string());
        }
    }

    #[test]
    fn quotes_and_control_characters_are_escaped() {
        assert_eq!(quoted("a\"\\\n\x01é"), "\"a\\\"\\\\\\n\\x01é\"");
    }
}
