;; Says why it fails, with a byte that no terminal should see.
(module
  (import "extism:host/env" "error_set" (func $error_set (param i64)))
  (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
  (import "extism:host/env" "store_u8" (func $store_u8 (param i64 i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "line 7 is no JSON\1b[31m")
  ;; copies a text of this module into Extism's memory
  (func $put (param $at i32) (param $n i32) (result i64) (local $to i64) (local $i i32)
    (local.set $to (call $alloc (i64.extend_i32_u (local.get $n))))
    (block $done (loop $more
      (br_if $done (i32.ge_u (local.get $i) (local.get $n)))
      (call $store_u8 (i64.add (local.get $to) (i64.extend_i32_u (local.get $i))) (i32.load8_u (i32.add (local.get $at) (local.get $i))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br $more)))
    (local.get $to))
  (func (export "transform") (result i32)
    (call $error_set (call $put (i32.const 0) (i32.const 22)))
    (i32.const 1)))
