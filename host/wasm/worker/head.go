package worker

// Head keeps the first 4 KiB written to it. The zero value is ready to use.
type Head struct{ b []byte }

// Write implements io.Writer. It accepts all bytes.
func (h *Head) Write(p []byte) (int, error) {
	const limit = 4 << 10
	h.b = append(h.b, p[:min(len(p), limit-len(h.b))]...)
	return len(p), nil
}

// Bytes returns what was kept.
func (h *Head) Bytes() []byte { return h.b }
