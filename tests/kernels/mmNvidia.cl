// The product of an n by k and a k by m matrix, of which the first is given by its columns. A group of 8 rows of 32
// work-items computes a tile of 64 rows and 128 columns from tiles of both matrices in local memory, an item 8 rows of 4
// columns in registers.

#define LX 32
#define LY 8
#define DEPTH 16
#define ROWS 8
#define TILE_N (LY * ROWS / 4)
#define TILE_M LX

kernel void mmNvidia(global float4 *restrict output, int n, int k, int m, global const float4 *restrict at,
                     global const float4 *restrict b) {
  local float4 rows[DEPTH][TILE_N];
  local float4 columns[DEPTH][TILE_M];
  int lx = get_local_id(0);
  int ly = get_local_id(1);
  int item = LX * ly + lx;
  int x = get_global_id(0);
  int y = get_global_id(1);
  int height = n / 4;
  int width = m / 4;
  float4 sum[ROWS];
  for (int i = 0; i < ROWS; i++) {
    sum[i] = (float4)(0.0f);
  }
  for (int t = 0; t < k; t += DEPTH) {
    rows[item / TILE_N][item % TILE_N] = at[(t + item / TILE_N) * height + TILE_N * get_group_id(1) + item % TILE_N];
    for (int p = ly; p < DEPTH; p += LY) {
      columns[p][lx] = b[(t + p) * width + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int p = 0; p < DEPTH; p++) {
      float4 v = columns[p][lx];
      float4 a0 = rows[p][2 * ly];
      float4 a1 = rows[p][2 * ly + 1];
      sum[0] += a0.x * v;
      sum[1] += a0.y * v;
      sum[2] += a0.z * v;
      sum[3] += a0.w * v;
      sum[4] += a1.x * v;
      sum[5] += a1.y * v;
      sum[6] += a1.z * v;
      sum[7] += a1.w * v;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int i = 0; i < ROWS; i++) {
    output[(ROWS * y + i) * width + x] = sum[i];
  }
}
