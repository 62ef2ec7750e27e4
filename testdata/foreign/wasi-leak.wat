;; Writes what an earlier call has left in memory and a global, and leaves something there.
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 2)
  ;; writes n bytes at p to a stream
  (func $write (param $fd i32) (param $p i32) (param $n i32)
    (i32.store (i32.const 0) (local.get $p))
    (i32.store (i32.const 4) (local.get $n))
    (drop (call $fd_write (local.get $fd) (i32.const 0) (i32.const 1) (i32.const 8))))
  (global $seen (mut i32) (i32.const 48))
  (func (export "_start")
    (i32.store8 (i32.const 1024) (i32.add (i32.const 48) (i32.load8_u (i32.const 512))))
    (i32.store8 (i32.const 1025) (global.get $seen))
    (i32.store8 (i32.const 512) (i32.const 1))
    (global.set $seen (i32.const 49))
    (call $write (i32.const 1) (i32.const 1024) (i32.const 2))))
