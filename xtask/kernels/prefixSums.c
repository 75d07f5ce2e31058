#include <stdint.h>

void prefixSums(int32_t *restrict output, int n, const int32_t *restrict xs) {
  uint32_t acc = 0;
  for (int i = 0; i < n; i++) {
    acc += (uint32_t)xs[i];
    output[i] = (int32_t)acc;
  }
}
