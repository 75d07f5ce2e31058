// Columns of an image filtered with 17 taps: a work-item reads 32 rows of two columns and computes 16.

#define RESULTS 16
#define RADIUS 8

kernel void convolutionColumnH200(global float2 *restrict output, int n, int m, global const float2 *restrict image,
                                  global const float *restrict weights) {
  int width = m / 2;
  int x = get_global_id(0);
  int y0 = RESULTS * get_global_id(1);
  float2 in[RESULTS + 2 * RADIUS];
#pragma unroll
  for (int j = 0; j < RESULTS + 2 * RADIUS; j++) {
    in[j] = image[clamp(y0 + j - RADIUS, 0, n - 1) * width + x];
  }
#pragma unroll
  for (int j = 0; j < RESULTS; j++) {
    float2 sum = (float2)(0.0f);
#pragma unroll
    for (int k = 0; k <= 2 * RADIUS; k++) {
      sum += weights[k] * in[j + k];
    }
    output[(y0 + j) * width + x] = sum;
  }
}
