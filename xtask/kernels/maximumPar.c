// Blocks, because clang does not vectorise a reduction in `parallel for simd`.
#include <stdint.h>

void maximumPar(int32_t *restrict output, int n, const int32_t *restrict xs) {
  enum { BLOCK = 4096 };
  int32_t acc = INT32_MIN;
#pragma omp parallel for reduction(max : acc)
  for (int b = 0; b < n; b += BLOCK) {
    const int end = n - b < BLOCK ? n : b + BLOCK;
    int32_t part = INT32_MIN;
#pragma omp simd reduction(max : part)
    for (int i = b; i < end; i++) part = part < xs[i] ? xs[i] : part;
    acc = acc < part ? part : acc;
  }
  output[0] = acc;
}
