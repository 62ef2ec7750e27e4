package object

import "bytes"

// EncodePlain is EncodeJSON including credentials, for a store that encrypts them.
func EncodePlain(o Object) ([]byte, error) { return toValue(o, unmasked).MarshalJSON() }

// HasCredentials reports whether EncodeJSON prints a part of the Object as ***.
func HasCredentials(o Object) bool {
	plain, errPlain := EncodePlain(o)
	shown, errShown := EncodeJSON(o)
	return errPlain != nil || errShown != nil || !bytes.Equal(plain, shown)
}
