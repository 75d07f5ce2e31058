// The product of an n by k and a k by m matrix, of which the first is given by its columns: a work-item computes 8 rows
// of 4 columns from global memory.

#define ROWS 8

kernel void mmAmd(global float4 *restrict output, int n, int k, int m, global const float *restrict at,
                  global const float4 *restrict b) {
  int x = get_global_id(0);
  int y = get_global_id(1);
  int width = m / 4;
  float4 sum[ROWS];
  for (int i = 0; i < ROWS; i++) {
    sum[i] = (float4)(0.0f);
  }
  for (int p = 0; p < k; p++) {
    float4 v = b[p * width + x];
    for (int i = 0; i < ROWS; i++) {
      sum[i] += at[p * n + ROWS * y + i] * v;
    }
  }
  for (int i = 0; i < ROWS; i++) {
    output[(ROWS * y + i) * width + x] = sum[i];
  }
}
