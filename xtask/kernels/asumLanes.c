#include <math.h>

void asumLanes(float *restrict output, int n, const float *restrict xs) {
  float acc[8] = {0};
  for (int i = 0; i < n; i += 8)
    for (int l = 0; l < 8; l++) acc[l] += fabsf(xs[i + l]);
  float sum = 0.0f;
  for (int l = 0; l < 8; l++) sum += acc[l];
  output[0] = sum;
}
