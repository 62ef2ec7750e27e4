package binary

// Opcodes that the host or a packer tests by name.
const (
	OpUnreachable  = 0x00
	OpNop          = 0x01
	OpBlock        = 0x02
	OpLoop         = 0x03
	OpIf           = 0x04
	OpElse         = 0x05
	OpEnd          = 0x0b
	OpBr           = 0x0c
	OpBrIf         = 0x0d
	OpBrTable      = 0x0e
	OpReturn       = 0x0f
	OpCall         = 0x10
	OpCallIndirect = 0x11
	OpDrop         = 0x1a
	OpSelect       = 0x1b
	OpSelectTyped  = 0x1c
	OpLocalGet     = 0x20
	OpLocalSet     = 0x21
	OpLocalTee     = 0x22
	OpGlobalGet    = 0x23
	OpGlobalSet    = 0x24
	opTableGet     = 0x25
	OpTableSet     = 0x26
	OpI32Load      = 0x28
	OpI64Load      = 0x29
	OpI64Load32U   = 0x35 // the last load
	OpI32Store     = 0x36
	OpI64Store32   = 0x3e
	OpMemorySize   = 0x3f
	OpMemoryGrow   = 0x40
	OpI32Const     = 0x41
	OpI64Const     = 0x42
	OpF32Const     = 0x43
	OpF64Const     = 0x44
	OpI32Eqz       = 0x45
	OpI32Eq        = 0x46
	OpI32LtS       = 0x48
	OpI32LtU       = 0x49
	OpI32GeU       = 0x4f
	OpI64Eqz       = 0x50
	OpI64Eq        = 0x51
	OpI64Ne        = 0x52
	OpI64GeU       = 0x5a
	OpI32Clz       = 0x67
	OpI32Popcnt    = 0x69
	OpI32Add       = 0x6a
	OpI32Sub       = 0x6b
	OpI32Or        = 0x72
	OpI32ShrU      = 0x76
	OpI64Clz       = 0x79
	OpI64Popcnt    = 0x7b
	OpI64Add       = 0x7c
	OpI64Sub       = 0x7d
	OpF32Abs       = 0x8b
	OpF32Sqrt      = 0x91
	OpF64Abs       = 0x99
	OpF64Sqrt      = 0x9f
	OpI32WrapI64   = 0xa7
	OpI64ExtendU   = 0xad // of an i32
	OpI64Extend32S = 0xc4 // the last instruction without immediates
	OpRefNull      = 0xd0
	opRefIsNull    = 0xd1
	OpRefFunc      = 0xd2
	OpPrefixMisc   = 0xfc // conversions and bulk operations follow
	OpPrefixVector = 0xfd

	// BlockVoid is the type of a block without a result.
	BlockVoid = 0x40
)

// Instructions after OpPrefixMisc.
const (
	MiscLastConversion = 7
	MiscMemoryInit     = 8
	miscDataDrop       = 9
	MiscMemoryCopy     = 10
	MiscMemoryFill     = 11
	MiscTableInit      = 12
	miscElementDrop    = 13
	MiscTableCopy      = 14
	MiscTableGrow      = 15
	miscTableSize      = 16
	MiscTableFill      = 17
)

// VectorConst is an instruction after OpPrefixVector.
const VectorConst = 12
