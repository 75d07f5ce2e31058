#include <stdlib.h>

void gemvStored(float *restrict output, int n, int m, const float *restrict mat, const float *restrict xs,
                const float *restrict ys, float alpha, float beta) {
  float *products = malloc((size_t)m * sizeof(float));
  for (int i = 0; i < m; i++) {
    float acc = 0.0f;
    for (int j = 0; j < n; j++) acc += mat[i * n + j] * xs[j];
    products[i] = alpha * acc;
  }
  for (int i = 0; i < m; i++) output[i] = products[i] + beta * ys[i];
  free(products);
}
