// passes: tk-insert-pipeline
  %cBK = arith.constant 64 : i32
