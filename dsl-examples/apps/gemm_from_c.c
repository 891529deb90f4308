/* gemm_from_c.c - A kernel called from C: the identity times a matrix, and what the status says of a wrong call. */
#include "gemm.h"
#include "memory.h"

#include <stdio.h>
#include <string.h>

enum { rows = 40, columns = 72 };

int main(void) {
  static float unit[rows * rows], values[rows * columns], result[rows * columns];
  const int64_t square[] = {rows, rows}, rectangle[] = {rows, columns};
  tk_tensor a = make_tensor(TK_BF16, 2, square), b = make_tensor(TK_BF16, 2, rectangle),
            c = make_tensor(TK_BF16, 2, rectangle);
  for (int i = 0; i < rows; ++i)
    unit[i * rows + i] = 1;
  for (int i = 0; i < rows * columns; ++i)
    values[i] = (float)(i % 97 - 48);
  write_tensor(&a, unit);
  write_tensor(&b, values);

  tk_status status = gemm(&a, &b, &c, NULL);
  if (status.code != TK_OK) {
    fprintf(stderr, "%s\n", status.message);
    return 1;
  }
  read_tensor(&c, result);
  printf("identity: %s\n", memcmp(values, result, sizeof(values)) == 0 ? "right" : "WRONG");

  status = gemm(&b, &b, &c, NULL);
  printf("refused: %s\n", status.message);
  free_tensor(&a);
  free_tensor(&b);
  free_tensor(&c);
  return memcmp(values, result, sizeof(values)) != 0;
}
