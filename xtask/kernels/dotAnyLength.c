void dotAnyLength(float *restrict output, int n, const float *restrict xs, const float *restrict ys) {
  const int whole = n / 8 * 8;
  float acc[8] = {0};
  for (int i = 0; i < whole; i += 8)
    for (int l = 0; l < 8; l++) acc[l] += xs[i + l] * ys[i + l];
  float sum = 0.0f;
  for (int l = 0; l < 8; l++) sum += acc[l];
  for (int i = whole; i < n; i++) sum += xs[i] * ys[i];
  output[0] = sum;
}
