#include <stdlib.h>

typedef float float4 __attribute__((vector_size(16), may_alias));

void dotParChunks(float *restrict output, int n, int c, const float *restrict xs, const float *restrict ys) {
  float *parts = malloc((size_t)(n / c) * sizeof(float));
#pragma omp parallel for
  for (int b = 0; b < n / c; b++) {
    const float4 *x = (const float4 *)(xs + b * c);
    const float4 *y = (const float4 *)(ys + b * c);
    float4 low = {0}, high = {0};
    for (int i = 0; i < c / 4; i += 2) {
      low += x[i] * y[i];
      high += x[i + 1] * y[i + 1];
    }
    float sum = 0.0f;
    for (int l = 0; l < 4; l++) sum += low[l];
    for (int l = 0; l < 4; l++) sum += high[l];
    parts[b] = sum;
  }
  float acc = 0.0f;
  for (int b = 0; b < n / c; b++) acc += parts[b];
  output[0] = acc;
  free(parts);
}
