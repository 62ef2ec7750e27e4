package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/mcpctl/mcpctl/host/flow"
)

// recordVersion is the first byte of every record. Records with another version count
// as damaged, so a change of the format only empties the cache.
const recordVersion = 1

const (
	sumSize    = 16
	valueExtra = 1 + sumSize // bytes before the value in a record
)

var errRecord = errors.New("damaged record")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// id identifies an entry by bucket and key.
type id struct {
	kind kind
	key  [32]byte
}

// kind is the bucket of an entry.
type kind uint8

const (
	kindValue kind = iota // results of runs
	kindGuest             // values of guests, by cache_set
	kinds
)

// appendValue appends the stored form of a value: version, checksum, bytes.
func appendValue(dst []byte, i id, by flow.Producer, value []byte) []byte {
	sum := valueSum(i, by, value)
	dst = append(dst, recordVersion)
	dst = append(dst, sum[:]...)
	return append(dst, value...)
}

// decodeValue checks a stored form and returns the value, a subslice of rec.
func decodeValue(rec []byte, i id, by flow.Producer) ([]byte, error) {
	if len(rec) < valueExtra || rec[0] != recordVersion {
		return nil, errRecord
	}
	value := rec[valueExtra:]
	if sum := valueSum(i, by, value); string(sum[:]) != string(rec[1:valueExtra]) {
		return nil, errRecord
	}
	return value, nil
}

// valueSum returns the checksum of a value, which includes its key and producer: a
// value under a wrong key or producer counts as damaged. SHA-256 runs at 1.7 GB/s, and
// only values read from the file are checked.
func valueSum(i id, by flow.Producer, value []byte) (sum [sumSize]byte) {
	h := sha256.New()
	head := make([]byte, 0, 256)
	head = append(head, recordVersion, byte(i.kind))
	head = append(head, i.key[:]...)
	head = appendProducer(head, by)
	_, _ = h.Write(head)
	_, _ = h.Write(value)
	copy(sum[:], h.Sum(head[:0]))
	return sum
}

// note is the record of an entry in the index bucket.
type note struct {
	used int64 // Unix milliseconds of the last use
	size int   // bytes of the value
	by   flow.Producer
}

// appendNote appends the stored form of a note: version, fields, CRC-32C of the fields
// and the id.
func appendNote(dst []byte, i id, n note) []byte {
	at := len(dst)
	dst = append(dst, recordVersion)
	dst = binary.BigEndian.AppendUint64(dst, uint64(n.used))
	dst = binary.AppendUvarint(dst, uint64(n.size))
	dst = appendProducer(dst, n.by)
	return binary.BigEndian.AppendUint32(dst, noteSum(i, dst[at:]))
}

// decodeNote is the inverse of appendNote. It returns errRecord for invalid records.
func decodeNote(rec []byte, i id) (note, error) {
	const least = 1 + 8 + 1 + 3 + 4
	if len(rec) < least || rec[0] != recordVersion {
		return note{}, errRecord
	}
	body, sum := rec[:len(rec)-4], binary.BigEndian.Uint32(rec[len(rec)-4:])
	if noteSum(i, body) != sum {
		return note{}, errRecord
	}
	n := note{used: int64(binary.BigEndian.Uint64(body[1:9]))}
	size, w := binary.Uvarint(body[9:])
	if w <= 0 || size > 1<<31 {
		return note{}, errRecord
	}
	n.size = int(size)
	var rest []byte
	var err error
	if n.by, rest, err = cutProducer(body[9+w:]); err != nil || len(rest) != 0 {
		return note{}, errRecord
	}
	return n, nil
}

func noteSum(i id, body []byte) uint32 {
	return crc32.Update(crc32.Update(uint32(i.kind), castagnoli, i.key[:]), castagnoli, body)
}

func appendProducer(dst []byte, p flow.Producer) []byte {
	for _, s := range [...]string{p.Project, p.Role, p.ModuleHash} {
		dst = binary.AppendUvarint(dst, uint64(len(s)))
		dst = append(dst, s...)
	}
	return dst
}

// cutProducer is the inverse of appendProducer and returns the rest of b.
func cutProducer(b []byte) (p flow.Producer, rest []byte, err error) {
	for _, s := range [...]*string{&p.Project, &p.Role, &p.ModuleHash} {
		n, w := binary.Uvarint(b)
		if w <= 0 || n > uint64(len(b)-w) {
			return flow.Producer{}, nil, fmt.Errorf("%w: producer cut short", errRecord)
		}
		*s, b = string(b[w:w+int(n)]), b[w+int(n):]
	}
	return p, b, nil
}

// storedKey returns the key of an entry in the index bucket, which has both kinds.
func storedKey(i id) []byte {
	return append([]byte{byte(i.kind)}, i.key[:]...)
}

// parseKey is the inverse of storedKey.
func parseKey(b []byte) (i id, ok bool) {
	if len(b) != 33 || b[0] >= byte(kinds) {
		return id{}, false
	}
	i.kind = kind(b[0])
	copy(i.key[:], b[1:])
	return i, true
}
