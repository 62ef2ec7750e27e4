/// The estimate of buf_tokens: a figure for each run of bytes of one class, in hundredths
/// of a token, rounded half up.
pub fn estimate(bytes: &[u8]) -> usize {
    let (mut total, mut rest) = (0, bytes);
    while let Some(&first) = rest.first() {
        let class = Class::of(first);
        let n = rest.iter().take_while(|c| Class::of(**c) == class).count();
        total += class.hundredths(n);
        rest = &rest[n..];
    }
    (total + 50) / 100
}

#[derive(Clone, Copy, PartialEq)]
enum Class {
    Letter,
    Digit,
    Newline,
    Blank,
    High,
    Other,
}

impl Class {
    fn of(c: u8) -> Class {
        match c {
            b'a'..=b'z' | b'A'..=b'Z' => Class::Letter,
            b'0'..=b'9' => Class::Digit,
            b'\n' => Class::Newline,
            b' ' | b'\t' | b'\r' => Class::Blank,
            0x80..=0xff => Class::High,
            _ => Class::Other,
        }
    }

    fn hundredths(self, n: usize) -> usize {
        match self {
            Class::Letter => 65 + 125 * ((n - 1) / 6),
            Class::Digit => 175 * ((n + 2) / 3),
            Class::Newline => 100 * n,
            Class::Blank => 0,
            Class::High => 12 * n,
            Class::Other => 75 + 13 * n,
        }
    }
}
