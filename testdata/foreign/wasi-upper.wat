;; Capital letters, 64 KiB at a time.
(module
  (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 2)
  ;; reads up to 64 KiB of standard input to 65536 and gives how much
  (func $read (result i32)
    (i32.store (i32.const 0) (i32.const 65536))
    (i32.store (i32.const 4) (i32.const 65536))
    (drop (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
    (i32.load (i32.const 8)))
  ;; writes n bytes at p to a stream
  (func $write (param $fd i32) (param $p i32) (param $n i32)
    (i32.store (i32.const 0) (local.get $p))
    (i32.store (i32.const 4) (local.get $n))
    (drop (call $fd_write (local.get $fd) (i32.const 0) (i32.const 1) (i32.const 8))))
  (func (export "_start") (local $n i32) (local $i i32) (local $c i32)
    (loop $next
      (if (local.tee $n (call $read)) (then
        (local.set $i (i32.const 65536))
        (loop $more
          (local.set $c (i32.load8_u (local.get $i)))
          (if (i32.lt_u (i32.sub (local.get $c) (i32.const 97)) (i32.const 26))
            (then (i32.store8 (local.get $i) (i32.sub (local.get $c) (i32.const 32)))))
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (br_if $more (i32.lt_u (local.get $i) (i32.add (i32.const 65536) (local.get $n)))))
        (call $write (i32.const 1) (i32.const 65536) (local.get $n))
        (br $next))))))
