// Writes the content in upper case: all of it is copied into the guest and back.
import { Ctx, register } from "mcpctl-stage";

export * from "mcpctl-stage/abi";

register("upper-case", (c: Ctx): i32 => {
  const text = c.input.bytes();
  for (let p = text.dataStart, end = p + text.length; p < end; p++) {
    const b = load<u8>(p);
    store<u8>(p, b - (u8(b - 0x61 < 26) << 5));
  }
  return c.out.bytes(text);
});
