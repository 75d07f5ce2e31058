typedef float float8 __attribute__((vector_size(32), aligned(16), may_alias));

void dotVectors(float *restrict output, int n, const float *restrict xs, const float *restrict ys) {
  const float8 *x = (const float8 *)xs;
  const float8 *y = (const float8 *)ys;
  float8 acc = {0};
  for (int i = 0; i < n / 8; i++) acc += x[i] * y[i];
  float sum = 0.0f;
  for (int l = 0; l < 8; l++) sum += acc[l];
  output[0] = sum;
}
