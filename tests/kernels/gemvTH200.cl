// alpha * transpose(A) * x + beta * y for n rows of m columns: a group of 128 rows of 8 work-items for 32 columns, read
// as vectors. The rows' sums are added up in two rounds in local memory.

#define COLUMNS 8
#define ROWS 128
#define PARTS 16

kernel void gemvTH200(global float4 *restrict output, int n, int m, global const float4 *restrict mat,
                      global const float *restrict xs, global const float4 *restrict ys, float alpha, float beta) {
  local float4 sums[ROWS][COLUMNS];
  local float4 parts[PARTS][COLUMNS];
  int column = get_local_id(0);
  int row = get_local_id(1);
  int x = get_global_id(0);
  int width = m / 4;
  float4 sum = (float4)(0.0f);
  for (int j = row; j < n; j += ROWS) {
    sum += mat[j * width + x] * xs[j];
  }
  sums[row][column] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (row < PARTS) {
    float4 part = (float4)(0.0f);
    for (int i = row; i < ROWS; i += PARTS) {
      part += sums[i][column];
    }
    parts[row][column] = part;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (row == 0) {
    float4 total = (float4)(0.0f);
    for (int p = 0; p < PARTS; p++) {
      total += parts[p][column];
    }
    output[x] = alpha * total + beta * ys[x];
  }
}
