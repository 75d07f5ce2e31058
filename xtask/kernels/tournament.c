#include <stdint.h>
#include <stdlib.h>

static int32_t greater(int32_t x, int32_t y) {
  return x < y ? y : x;
}

void tournament(int32_t *restrict output, int k, const int32_t *restrict xs) {
  int l = 1;
  for (int r = 0; r < k; r++) l *= 3;
  int32_t *buffers[2] = {malloc((size_t)(l / 3) * sizeof(int32_t)), malloc((size_t)(l / 9 + 1) * sizeof(int32_t))};
  const int32_t *now = xs;
  for (int r = 0; r < k; r++) {
    int32_t *next = buffers[r % 2];
    l /= 3;
    for (int i = 0; i < l; i++) next[i] = greater(greater(now[3 * i], now[3 * i + 1]), now[3 * i + 2]);
    now = next;
  }
  output[0] = now[0];
  free(buffers[0]);
  free(buffers[1]);
}
