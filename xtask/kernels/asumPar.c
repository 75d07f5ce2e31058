// Blocks, because clang does not vectorise a reduction in `parallel for simd`.
#include <math.h>

void asumPar(float *restrict output, int n, const float *restrict xs) {
  enum { BLOCK = 4096 };
  float acc = 0.0f;
#pragma omp parallel for reduction(+ : acc)
  for (int b = 0; b < n; b += BLOCK) {
    const int end = n - b < BLOCK ? n : b + BLOCK;
    float part = 0.0f;
#pragma omp simd reduction(+ : part)
    for (int i = b; i < end; i++) part += fabsf(xs[i]);
    acc += part;
  }
  output[0] = acc;
}
