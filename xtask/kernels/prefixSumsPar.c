#include <stdint.h>
#include <stdlib.h>

void prefixSumsPar(int32_t *restrict output, int n, int c, const int32_t *restrict xs) {
  const int chunks = n / c;
  uint32_t *totals = malloc((size_t)chunks * sizeof(uint32_t));
#pragma omp parallel for
  for (int b = 0; b < chunks; b++) {
    uint32_t sum = 0;
    for (int i = 0; i < c; i++) sum += (uint32_t)xs[b * c + i];
    totals[b] = sum;
  }
  for (int b = 1; b < chunks; b++) totals[b] += totals[b - 1];
#pragma omp parallel for
  for (int b = 0; b < chunks; b++) {
    uint32_t acc = b == 0 ? 0 : totals[b - 1];
    for (int i = 0; i < c; i++) {
      acc += (uint32_t)xs[b * c + i];
      output[b * c + i] = (int32_t)acc;
    }
  }
  free(totals);
}
