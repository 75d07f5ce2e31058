void dotSeq(float *restrict output, int n, const float *restrict xs, const float *restrict ys) {
  float acc = 0.0f;
  for (int i = 0; i < n; i++) acc += xs[i] * ys[i];
  output[0] = acc;
}
