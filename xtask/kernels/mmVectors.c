typedef float float8 __attribute__((vector_size(32), aligned(16), may_alias));

void mmVectors(float *restrict output, int n, int k, int m, const float *restrict a, const float *restrict b) {
  for (int it = 0; it < n; it += 4)
    for (int jt = 0; jt < m; jt += 16) {
      const float *a0 = a + it * k, *a1 = a0 + k, *a2 = a1 + k, *a3 = a2 + k;
      float8 c00 = {0}, c01 = {0}, c10 = {0}, c11 = {0}, c20 = {0}, c21 = {0}, c30 = {0}, c31 = {0};
      for (int p = 0; p < k; p++) {
        const float8 *line = (const float8 *)(b + p * m + jt);
        const float8 b0 = line[0], b1 = line[1];
        c00 += a0[p] * b0;
        c01 += a0[p] * b1;
        c10 += a1[p] * b0;
        c11 += a1[p] * b1;
        c20 += a2[p] * b0;
        c21 += a2[p] * b1;
        c30 += a3[p] * b0;
        c31 += a3[p] * b1;
      }
      float8 *o0 = (float8 *)(output + it * m + jt), *o1 = o0 + m / 8, *o2 = o1 + m / 8, *o3 = o2 + m / 8;
      o0[0] = c00;
      o0[1] = c01;
      o1[0] = c10;
      o1[1] = c11;
      o2[0] = c20;
      o2[1] = c21;
      o3[0] = c30;
      o3[1] = c31;
    }
}
