// Columns of an image filtered with 17 taps, in tiles of 64 rows and 16 columns in local memory: a work-item computes 8
// results from 24 numbers in registers. The tile is kept column by column, with an unused number after each column
// against bank conflicts.

#define WIDTH 16
#define HEIGHT 8
#define RESULTS 8
#define RADIUS 8
#define TILE (HEIGHT * RESULTS + 2 * RADIUS)

__attribute__((reqd_work_group_size(WIDTH, HEIGHT, 1)))
kernel void convolutionColumn(global float *restrict output, int n, int m, global const float *restrict image,
                              global const float *restrict weights) {
  local float tile[WIDTH][TILE + 1];
  int lx = get_local_id(0);
  int ly = get_local_id(1);
  int x = get_global_id(0);
  int y0 = get_group_id(1) * HEIGHT * RESULTS;
#pragma unroll
  for (int y = 0; y < TILE; y += HEIGHT) {
    tile[lx][y + ly] = image[clamp(y0 + y + ly - RADIUS, 0, n - 1) * m + x];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  float in[RESULTS + 2 * RADIUS];
#pragma unroll
  for (int j = 0; j < RESULTS + 2 * RADIUS; j++) {
    in[j] = tile[lx][RESULTS * ly + j];
  }
#pragma unroll
  for (int j = 0; j < RESULTS; j++) {
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k <= 2 * RADIUS; k++) {
      sum += in[j + k] * weights[k];
    }
    output[(y0 + RESULTS * ly + j) * m + x] = sum;
  }
}
