#include <stdlib.h>

static void step(float *restrict next, int n, const float *restrict now) {
  for (int i = 0; i < n; i++) {
    const float before = i > 0 ? now[i - 1] : 0.0f;
    const float after = i < n - 1 ? now[i + 1] : 0.0f;
    next[i] = 0.25f * before + 0.5f * now[i] + 0.25f * after;
  }
}

void heat1D(float *restrict output, int n, int steps, const float *restrict rod) {
  float *buffers[2] = {malloc((size_t)n * sizeof(float)), malloc((size_t)n * sizeof(float))};
  const float *now = rod;
  for (int s = 0; s < steps; s++) {
    float *next = s == steps - 1 ? output : buffers[s % 2];
    step(next, n, now);
    now = next;
  }
  free(buffers[0]);
  free(buffers[1]);
}
