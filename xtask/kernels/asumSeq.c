#include <math.h>

void asumSeq(float *restrict output, int n, const float *restrict xs) {
  float acc = 0.0f;
  for (int i = 0; i < n; i++) acc += fabsf(xs[i]);
  output[0] = acc;
}
