#include <stdlib.h>

void treeSum(float *restrict output, int k, const float *restrict xs) {
  const size_t half = ((size_t)1 << k) / 2;
  float *buffers[2] = {malloc(half * sizeof(float)), malloc((half / 2 + 1) * sizeof(float))};
  const float *now = xs;
  for (int r = 0; r < k; r++) {
    float *next = buffers[r % 2];
    const int l = 1 << (k - r - 1);
    for (int i = 0; i < l; i++) next[i] = now[2 * i] + now[2 * i + 1];
    now = next;
  }
  output[0] = now[0];
  free(buffers[0]);
  free(buffers[1]);
}
