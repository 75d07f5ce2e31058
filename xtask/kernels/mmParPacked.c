#include <stdlib.h>

typedef float float4 __attribute__((vector_size(16), may_alias));

void mmParPacked(float *restrict output, int n, int k, int m, const float *restrict a, const float *restrict b) {
  float *panels = malloc((size_t)k * (size_t)m * sizeof(float));
#pragma omp parallel for
  for (int jt = 0; jt < m; jt += 8)
    for (int p = 0; p < k; p++)
      for (int j = 0; j < 8; j++) panels[jt * k + p * 8 + j] = b[p * m + jt + j];
#pragma omp parallel for
  for (int it = 0; it < n; it += 4)
    for (int jt = 0; jt < m; jt += 8) {
      const float *a0 = a + it * k, *a1 = a0 + k, *a2 = a1 + k, *a3 = a2 + k;
      float4 c00 = {0}, c01 = {0}, c10 = {0}, c11 = {0}, c20 = {0}, c21 = {0}, c30 = {0}, c31 = {0};
      for (int p = 0; p < k; p++) {
        const float4 *line = (const float4 *)(panels + jt * k + p * 8);
        const float4 b0 = line[0], b1 = line[1];
        c00 += a0[p] * b0;
        c01 += a0[p] * b1;
        c10 += a1[p] * b0;
        c11 += a1[p] * b1;
        c20 += a2[p] * b0;
        c21 += a2[p] * b1;
        c30 += a3[p] * b0;
        c31 += a3[p] * b1;
      }
      float4 *o0 = (float4 *)(output + it * m + jt), *o1 = o0 + m / 4, *o2 = o1 + m / 4, *o3 = o2 + m / 4;
      o0[0] = c00;
      o0[1] = c01;
      o1[0] = c10;
      o1[1] = c11;
      o2[0] = c20;
      o2[1] = c21;
      o3[0] = c30;
      o3[1] = c31;
    }
  free(panels);
}
