package stagetest

import (
	"crypto/sha256"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

func (h *host) MetaSet(key, value string) int32 {
	if key == "" || !utf8.ValidString(key) || !utf8.ValidString(value) {
		return h.bad("metadata key is empty, or text is not UTF-8")
	}
	size := len(key) + len(value)
	for k, v := range h.meta {
		if k != key {
			size += len(k) + len(v)
		}
	}
	if _, ok := h.meta[key]; !ok && len(h.meta) == raw.LimitMetaKeys || size > raw.LimitMetaBytes {
		return h.refuse(raw.CodeLimit, "metadata over 64 keys or 16 KiB")
	}
	h.meta[strings.Clone(key)] = strings.Clone(value)
	return 0
}

func (h *host) CacheGet(key string) int32 {
	value, ok := h.call.Cache[cacheKey(key)]
	if !ok {
		return h.refuse(raw.CodeNotFound, "nothing cached under "+key)
	}
	return h.handle(&buffer{bytes: []byte(value), from: own})
}

func (h *host) CacheSet(key, value string) int32 {
	if len(value) > raw.LimitCacheValueBytes {
		return h.refuse(raw.CodeLimit, "value of "+commas(len(value))+" bytes, limit 4 MiB")
	}
	h.call.Cache[cacheKey(key)] = strings.Clone(value)
	return 0
}

func cacheKey(key string) string {
	if len(key) <= raw.LimitCacheKeyBytes {
		return strings.Clone(key)
	}
	sum := sha256.Sum256([]byte(key))
	return string(sum[:])
}

// logBook keeps the lines of one call within their limits.
type logBook struct {
	lines   []LogLine
	bytes   int
	dropped int
}

func (h *host) Log(level int32, line string) int32 {
	if level < raw.LogDebug || level > raw.LogError {
		return h.bad("log level " + strconv.Itoa(int(level)))
	}
	if !h.log.add([...]string{"debug", "info", "warn", "error"}[level], strings.Clone(line)) {
		return h.refuse(raw.CodeLimit, "log over 1,000 lines or 256 KiB")
	}
	return 0
}

func (b *logBook) add(level, line string) bool {
	if len(line) > raw.LimitLogLineBytes {
		line = strings.ToValidUTF8(line[:raw.LimitLogLineBytes], "") + "..."
	}
	if len(b.lines) == raw.LimitLogLines || b.bytes+len(line) > raw.LimitLogBytes {
		b.dropped++
		return false
	}
	b.bytes += len(line)
	b.lines = append(b.lines, LogLine{level, line})
	return true
}

// all is the lines, with a last one that says how many are missing.
func (b *logBook) all() []LogLine {
	if b.dropped == 0 {
		return b.lines
	}
	return append(b.lines, LogLine{"warn", "dropped " + commas(b.dropped) + " lines"})
}
