void lowerTriangularProduct(float *restrict output, int n, const float *restrict rows, const float *restrict xs) {
  for (int i = 0; i < n; i++) {
    float acc = 0.0f;
    for (int j = 0; j <= i; j++) acc += rows[j] * xs[j];
    output[i] = acc;
    rows += i + 1;
  }
}
