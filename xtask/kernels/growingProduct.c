struct entry {
  int _1;
  float _2;
};

void growingProduct(float *restrict output, int n, int m, const struct entry *restrict rows,
                    const float *restrict xs) {
  (void)m;
  for (int i = 0; i < n; i++) {
    const int len = i / 2 + 1;
    float acc = 0.0f;
    for (int j = 0; j < len; j++) acc += rows[j]._2 * xs[rows[j]._1];
    output[i] = acc;
    rows += len;
  }
}
