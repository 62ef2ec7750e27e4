package binary

// SkipConst skips a constant expression. If that is a single reference to a function, it
// returns the function's index.
func (r *Reader) SkipConst() (function uint32, isFunction bool) {
	for n := 0; r.err == nil; n++ {
		switch op := r.Byte(); op {
		case OpEnd:
			return function, isFunction && n == 1
		case OpI32Const:
			r.skipInt(5)
		case OpI64Const:
			r.skipInt(10)
		case OpF32Const:
			r.Bytes(4)
		case OpF64Const:
			r.Bytes(8)
		case OpGlobalGet:
			r.U32()
		case OpRefFunc:
			function, isFunction = r.U32(), true
		case OpRefNull:
			if t := r.Byte(); t != TypeFuncref && t != TypeExternref {
				r.Fail("reference type 0x%02x is not one this host runs", t)
			}
		case OpPrefixVector:
			if r.Byte() != VectorConst {
				r.Fail("instruction 0xfd in a constant expression")
			}
			r.Bytes(16)
		default:
			r.Fail("instruction 0x%02x in a constant expression", op)
		}
	}
	return 0, false
}

// skipInt skips a signed LEB128 number of up to n bytes.
func (r *Reader) skipInt(n int) {
	for range n {
		if r.Byte() < 0x80 {
			return
		}
	}
	r.Fail("number of more than %d bytes at byte %d", n, r.at)
}

// ConstOffset skips a constant expression and returns its value if it is a single
// i32.const.
func (r *Reader) ConstOffset() (uint32, bool) {
	start := r.at
	r.SkipConst()
	expr := NewReader(r.b[start:r.at])
	if expr.Byte() != OpI32Const {
		return 0, false
	}
	v := int32(expr.signed(35))
	return uint32(v), expr.Byte() == OpEnd && expr.Len() == 0 && expr.err == nil
}
