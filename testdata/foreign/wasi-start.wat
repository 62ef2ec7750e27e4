;; Reads its input and its arguments before it is started, and writes what it has got of them:
;; a digit each, 0 for nothing.
(module
  (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "args_sizes_get" (func $args_sizes_get (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func $start
    (i32.store (i32.const 0) (i32.const 100))
    (i32.store (i32.const 4) (i32.const 9))
    (drop (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
    (drop (call $args_sizes_get (i32.const 12) (i32.const 16)))
    ;; a write now is no output
    (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 20))))
  (start $start)
  (func (export "_start")
    (i32.store8 (i32.const 200) (i32.add (i32.const 48) (i32.load (i32.const 8))))
    (i32.store8 (i32.const 201) (i32.add (i32.const 48) (i32.load (i32.const 12))))
    (i32.store (i32.const 0) (i32.const 200))
    (i32.store (i32.const 4) (i32.const 2))
    (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 20)))))
