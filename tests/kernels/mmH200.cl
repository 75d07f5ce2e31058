// The product of an n by k and a k by m matrix, of which the first is given by its columns. A group of 16 by 16
// work-items computes a tile of 128 by 128 numbers from tiles of both matrices in local memory, an item 8 by 8 numbers
// in registers, in four quarters that lie 64 rows and columns apart.

#define L 16
#define DEPTH 16
#define TILE 32

kernel void mmH200(global float4 *restrict output, int n, int k, int m, global const float4 *restrict at,
                   global const float4 *restrict b) {
  local float4 rows[DEPTH][TILE];
  local float4 columns[DEPTH][TILE];
  int lx = get_local_id(0);
  int ly = get_local_id(1);
  int height = n / 4;
  int width = m / 4;
  int y0 = TILE * get_group_id(1);
  int x0 = TILE * get_group_id(0);
  float4 sum[8][2];
#pragma unroll
  for (int i = 0; i < 8; i++) {
    sum[i][0] = (float4)(0.0f);
    sum[i][1] = (float4)(0.0f);
  }
  for (int t = 0; t < k; t += DEPTH) {
    rows[ly][lx] = at[(t + ly) * height + y0 + lx];
    rows[ly][lx + L] = at[(t + ly) * height + y0 + lx + L];
    columns[ly][lx] = b[(t + ly) * width + x0 + lx];
    columns[ly][lx + L] = b[(t + ly) * width + x0 + lx + L];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int p = 0; p < DEPTH; p++) {
      float x[8];
      vstore4(rows[p][ly], 0, x);
      vstore4(rows[p][ly + L], 1, x);
      float4 y[2] = {columns[p][lx], columns[p][lx + L]};
#pragma unroll
      for (int i = 0; i < 8; i++) {
        sum[i][0] += x[i] * y[0];
        sum[i][1] += x[i] * y[1];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#pragma unroll
  for (int i = 0; i < 8; i++) {
    int y = 4 * (y0 + L * (i / 4) + ly) + i % 4;
    output[y * width + x0 + lx] = sum[i][0];
    output[y * width + x0 + lx + L] = sum[i][1];
  }
}
