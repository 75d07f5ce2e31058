struct entry {
  int _1;
  float _2;
};

void ellProductPar(float *restrict output, int n, int m, int k, const struct entry *restrict rows,
                   const float *restrict xs) {
  (void)m;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float acc = 0.0f;
    for (int j = 0; j < k; j++) acc += rows[i * k + j]._2 * xs[rows[i * k + j]._1];
    output[i] = acc;
  }
}
