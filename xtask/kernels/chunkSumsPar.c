#include <stdlib.h>

static void addNeighbours(float *restrict next, int l, const float *restrict now) {
#pragma omp parallel for
  for (int i = 0; i < l; i++) next[i] = now[2 * i] + now[2 * i + 1];
}

void chunkSumsPar(float *restrict output, int n, const float *restrict xs) {
  float *buffers[2] = {malloc((size_t)n * 32 * sizeof(float)), malloc((size_t)n * 16 * sizeof(float))};
  const float *now = xs;
  for (int r = 0; r < 6; r++) {
    float *next = r == 5 ? output : buffers[r % 2];
    addNeighbours(next, n << (5 - r), now);
    now = next;
  }
  free(buffers[0]);
  free(buffers[1]);
}
