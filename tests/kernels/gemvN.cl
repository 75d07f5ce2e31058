// alpha * A * x + beta * y for m rows of n columns: one work-item a row, x through local memory in parts of 64.

#define BLOCK 64

kernel void gemvN(global float *restrict output, int n, int m, global const float *restrict mat,
                  global const float *restrict xs, global const float *restrict ys, float alpha, float beta) {
  local float part[BLOCK];
  int row = get_global_id(0);
  int item = get_local_id(0);
  float sum = 0.0f;
  for (int b = 0; b < n; b += BLOCK) {
    part[item] = xs[b + item];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < BLOCK; j++) {
      sum += mat[row * n + b + j] * part[j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  output[row] = alpha * sum + beta * ys[row];
}
