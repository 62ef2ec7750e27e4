;; Writes output, and then says by its status that it has failed, in words that would
;; move the cursor.
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))
  (memory (export "memory") 1)
  (data (i32.const 100) "half of it")
  (data (i32.const 200) "\1b[2Jgone\08\08\0a")
  (func $write (param $fd i32) (param $at i32) (param $n i32)
    (i32.store (i32.const 0) (local.get $at))
    (i32.store (i32.const 4) (local.get $n))
    (drop (call $fd_write (local.get $fd) (i32.const 0) (i32.const 1) (i32.const 8))))
  (func (export "_start")
    (call $write (i32.const 1) (i32.const 100) (i32.const 10))
    (call $write (i32.const 2) (i32.const 200) (i32.const 11))
    (call $proc_exit (i32.const 70))))
