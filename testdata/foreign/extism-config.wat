;; Writes a value of its config, of the key that is its input: rule, most or another for the context.
(module
  (import "extism:host/env" "config_get" (func $config_get (param i64) (result i64)))
  (import "extism:host/env" "input_length" (func $input_length (result i64)))
  (import "extism:host/env" "input_load_u8" (func $input_load_u8 (param i64) (result i32)))
  (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
  (import "extism:host/env" "store_u8" (func $store_u8 (param i64 i32)))
  (import "extism:host/env" "output_set" (func $output_set (param i64 i64)))
  (import "extism:host/env" "length" (func $length (param i64) (result i64)))
  (memory (export "memory") 1)
  (data (i32.const 0) "rule")
  (data (i32.const 16) "most")
  (data (i32.const 32) "mcpctl.context")
  ;; copies a text of this module into Extism's memory
  (func $put (param $at i32) (param $n i32) (result i64) (local $to i64) (local $i i32)
    (local.set $to (call $alloc (i64.extend_i32_u (local.get $n))))
    (block $done (loop $more
      (br_if $done (i32.ge_u (local.get $i) (local.get $n)))
      (call $store_u8 (i64.add (local.get $to) (i64.extend_i32_u (local.get $i))) (i32.load8_u (i32.add (local.get $at) (local.get $i))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br $more)))
    (local.get $to))
  ;; makes a text the output
  (func $give (param $text i64) (call $output_set (local.get $text) (call $length (local.get $text))))
  (func (export "transform") (result i32)
    (if (i32.eq (call $input_load_u8 (i64.const 0)) (i32.const 114)) (then (call $give (call $config_get (call $put (i32.const 0) (i32.const 4))))))
    (if (i32.eq (call $input_load_u8 (i64.const 0)) (i32.const 109)) (then (call $give (call $config_get (call $put (i32.const 16) (i32.const 4))))))
    (if (i32.eq (call $input_load_u8 (i64.const 0)) (i32.const 99)) (then (call $give (call $config_get (call $put (i32.const 32) (i32.const 14))))))
    (i32.const 0)))
