;; Looks for the world: environment, folders, files, sockets. Writes a letter for each that
;; is there, "-" if there is none.
(module
  (import "wasi_snapshot_preview1" "environ_sizes_get" (func $environ_sizes_get (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_prestat_get" (func $fd_prestat_get (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_open" (func $path_open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "sock_accept" (func $sock_accept (param i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 2)
  (data (i32.const 2048) "etc/passwd")
  ;; writes n bytes at p to a stream
  (func $write (param $fd i32) (param $p i32) (param $n i32)
    (i32.store (i32.const 0) (local.get $p))
    (i32.store (i32.const 4) (local.get $n))
    (drop (call $fd_write (local.get $fd) (i32.const 0) (i32.const 1) (i32.const 8))))
  (func $mark (param $at i32) (param $there i32)
    (i32.store8 (local.get $at) (select (i32.const 88) (i32.const 45) (local.get $there))))
  (func (export "_start")
    (drop (call $environ_sizes_get (i32.const 16) (i32.const 20)))
    (call $mark (i32.const 1024) (i32.load (i32.const 16)))
    (call $mark (i32.const 1025) (i32.eqz (call $fd_prestat_get (i32.const 3) (i32.const 32))))
    (call $mark (i32.const 1026) (i32.eqz (call $path_open (i32.const 3) (i32.const 0) (i32.const 2048) (i32.const 10) (i32.const 0) (i64.const -1) (i64.const -1) (i32.const 0) (i32.const 48))))
    (call $mark (i32.const 1027) (i32.eqz (call $sock_accept (i32.const 3) (i32.const 0) (i32.const 48))))
    (call $write (i32.const 1) (i32.const 1024) (i32.const 4))))
