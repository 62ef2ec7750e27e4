;; Writes half of its output, says why on standard error and exits with 3.
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))
  (memory (export "memory") 2)
  (data (i32.const 1024) "half of it\n")
  (data (i32.const 2048) "warning: something\nerror: line 7 is no JSON\n\n")
  ;; writes n bytes at p to a stream
  (func $write (param $fd i32) (param $p i32) (param $n i32)
    (i32.store (i32.const 0) (local.get $p))
    (i32.store (i32.const 4) (local.get $n))
    (drop (call $fd_write (local.get $fd) (i32.const 0) (i32.const 1) (i32.const 8))))
  (func (export "_start")
    (call $write (i32.const 1) (i32.const 1024) (i32.const 11))
    (call $write (i32.const 2) (i32.const 2048) (i32.const 30))
    (call $write (i32.const 2) (i32.const 2078) (i32.const 15))
    (call $proc_exit (i32.const 3))))
