#include <stdlib.h>

typedef float float8 __attribute__((vector_size(32), aligned(16), may_alias));

void dotParChunks(float *restrict output, int n, int c, const float *restrict xs, const float *restrict ys) {
  float *parts = malloc((size_t)(n / c) * sizeof(float));
#pragma omp parallel for
  for (int b = 0; b < n / c; b++) {
    const float8 *x = (const float8 *)(xs + b * c);
    const float8 *y = (const float8 *)(ys + b * c);
    float8 lanes = {0};
    for (int i = 0; i < c / 8; i++) lanes += x[i] * y[i];
    float sum = 0.0f;
    for (int l = 0; l < 8; l++) sum += lanes[l];
    parts[b] = sum;
  }
  float acc = 0.0f;
  for (int b = 0; b < n / c; b++) acc += parts[b];
  output[0] = acc;
  free(parts);
}
