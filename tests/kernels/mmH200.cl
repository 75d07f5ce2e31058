// The product of an n by k and a k by m matrix, of which the first is given by its columns. A group of 8 rows of 16
// work-items computes a tile of 64 rows and 128 columns from tiles of both matrices in local memory, an item 8 by 8
// numbers in registers, in four quarters that lie half a tile apart. The next tiles are read into registers while the
// products of these are added up.

#define LX 16
#define LY 8
#define DEPTH 8
#define TILE_N (2 * LY)
#define TILE_M (2 * LX)

__attribute__((reqd_work_group_size(LX, LY, 1)))
kernel void mmH200(global float4 *restrict output, int n, int k, int m, global const float4 *restrict at,
                   global const float4 *restrict b) {
  local float4 rows[DEPTH][TILE_N];
  local float4 columns[DEPTH][TILE_M];
  int lx = get_local_id(0);
  int ly = get_local_id(1);
  int height = n / 4;
  int width = m / 4;
  int y0 = TILE_N * get_group_id(1);
  int x0 = TILE_M * get_group_id(0);
  float4 sum[8][2];
#pragma unroll
  for (int i = 0; i < 8; i++) {
    sum[i][0] = (float4)(0.0f);
    sum[i][1] = (float4)(0.0f);
  }
  float4 nextRow = at[ly * height + y0 + lx];
  float4 nextColumn0 = b[ly * width + x0 + lx];
  float4 nextColumn1 = b[ly * width + x0 + lx + LX];
  for (int t = 0; t < k; t += DEPTH) {
    rows[ly][lx] = nextRow;
    columns[ly][lx] = nextColumn0;
    columns[ly][lx + LX] = nextColumn1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t + DEPTH < k) {
      nextRow = at[(t + DEPTH + ly) * height + y0 + lx];
      nextColumn0 = b[(t + DEPTH + ly) * width + x0 + lx];
      nextColumn1 = b[(t + DEPTH + ly) * width + x0 + lx + LX];
    }
    for (int p = 0; p < DEPTH; p++) {
      float x[8];
      vstore4(rows[p][ly], 0, x);
      vstore4(rows[p][ly + LY], 1, x);
      float4 y[2] = {columns[p][lx], columns[p][lx + LX]};
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
    int y = 4 * (y0 + LY * (i / 4) + ly) + i % 4;
    output[y * width + x0 + lx] = sum[i][0];
    output[y * width + x0 + lx + LX] = sum[i][1];
  }
}
