// alpha * A * x + beta * y for m rows of n columns: a group of 128 work-items for four rows, read as vectors. The
// items' sums are added up in two rounds in local memory.

#define ITEMS 128
#define ROWS 4
#define PARTS 16

kernel void gemvNH200(global float *restrict output, int n, int m, global const float4 *restrict mat,
                      global const float4 *restrict xs, global const float *restrict ys, float alpha, float beta) {
  local float sums[ROWS][ITEMS];
  local float parts[ROWS][PARTS];
  int item = get_local_id(0);
  int first = ROWS * get_group_id(0);
  int width = n / 4;
  float4 sum[ROWS];
  for (int r = 0; r < ROWS; r++) {
    sum[r] = (float4)(0.0f);
  }
  for (int j = item; j < width; j += ITEMS) {
    float4 x = xs[j];
    for (int r = 0; r < ROWS; r++) {
      sum[r] += mat[(first + r) * width + j] * x;
    }
  }
  for (int r = 0; r < ROWS; r++) {
    sums[r][item] = sum[r].x + sum[r].y + sum[r].z + sum[r].w;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < ROWS * PARTS) {
    int r = item / PARTS;
    int p = item % PARTS;
    float part = 0.0f;
    for (int i = p; i < ITEMS; i += PARTS) {
      part += sums[r][i];
    }
    parts[r][p] = part;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < ROWS) {
    float total = 0.0f;
    for (int p = 0; p < PARTS; p++) {
      total += parts[item][p];
    }
    output[first + item] = alpha * total + beta * ys[first + item];
  }
}
