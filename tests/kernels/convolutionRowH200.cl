// Rows of an image filtered with 17 taps: a work-item reads six vectors of a row and computes two.

#define VECTORS 2
#define AROUND 2
#define RADIUS 8

kernel void convolutionRowH200(global float4 *restrict output, int n, int m, global const float4 *restrict image,
                               global const float *restrict weights) {
  int width = m / 4;
  int first = VECTORS * get_global_id(0);
  int row = get_global_id(1) * width;
  float in[4 * (VECTORS + 2 * AROUND)];
#pragma unroll
  for (int j = 0; j < VECTORS + 2 * AROUND; j++) {
    int i = first + j - AROUND;
    float4 v;
    if (i < 0) {
      v = (float4)(image[row].x);
    } else if (i < width) {
      v = image[row + i];
    } else {
      v = (float4)(image[row + width - 1].w);
    }
    vstore4(v, j, in);
  }
#pragma unroll
  for (int j = 0; j < VECTORS; j++) {
    float4 sum = (float4)(0.0f);
#pragma unroll
    for (int k = 0; k <= 2 * RADIUS; k++) {
      sum += weights[k] * (float4)(in[4 * j + k], in[4 * j + k + 1], in[4 * j + k + 2], in[4 * j + k + 3]);
    }
    output[row + first + j] = sum;
  }
}
