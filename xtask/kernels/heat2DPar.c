#include <stdlib.h>

static void step(float *restrict next, int n, int m, const float *restrict now) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      const float above = i > 0 ? now[(i - 1) * m + j] : 0.0f;
      const float left = j > 0 ? now[i * m + j - 1] : 0.0f;
      const float right = j < m - 1 ? now[i * m + j + 1] : 0.0f;
      const float below = i < n - 1 ? now[(i + 1) * m + j] : 0.0f;
      next[i * m + j] = 0.25f * (above + left + right + below);
    }
}

void heat2DPar(float *restrict output, int n, int m, int steps, const float *restrict plate) {
  const size_t bytes = (size_t)n * (size_t)m * sizeof(float);
  float *buffers[2] = {malloc(bytes), malloc(bytes)};
  const float *now = plate;
  for (int s = 0; s < steps; s++) {
    float *next = s == steps - 1 ? output : buffers[s % 2];
    step(next, n, m, now);
    now = next;
  }
  free(buffers[0]);
  free(buffers[1]);
}
