// Rows of an image filtered with 17 taps, in tiles of 4 rows and 128 columns in local memory: 8 results a work-item.

#define WIDTH 16
#define HEIGHT 4
#define RESULTS 8
#define RADIUS 8
#define TILE (WIDTH * RESULTS + 2 * RADIUS)

kernel void convolutionRow(global float *restrict output, int n, int m, global const float *restrict image,
                           global const float *restrict weights) {
  local float tile[HEIGHT][TILE];
  int lx = get_local_id(0);
  int ly = get_local_id(1);
  int x0 = get_group_id(0) * WIDTH * RESULTS;
  int y = get_global_id(1);
  for (int x = lx; x < TILE; x += WIDTH) {
    tile[ly][x] = image[y * m + clamp(x0 + x - RADIUS, 0, m - 1)];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int x = lx; x < WIDTH * RESULTS; x += WIDTH) {
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k <= 2 * RADIUS; k++) {
      sum += tile[ly][x + k] * weights[k];
    }
    output[y * m + x0 + x] = sum;
  }
}
