typedef float float4 __attribute__((vector_size(16), may_alias));

void dotVectors(float *restrict output, int n, const float *restrict xs, const float *restrict ys) {
  const float4 *x = (const float4 *)xs;
  const float4 *y = (const float4 *)ys;
  float4 low = {0}, high = {0};
  for (int i = 0; i < n / 4; i += 2) {
    low += x[i] * y[i];
    high += x[i + 1] * y[i + 1];
  }
  float sum = 0.0f;
  for (int l = 0; l < 4; l++) sum += low[l];
  for (int l = 0; l < 4; l++) sum += high[l];
  output[0] = sum;
}
