// alpha * transpose(A) * x + beta * y for n rows of m columns: one work-item a column, x through local memory in parts
// of 64.

#define BLOCK 64

kernel void gemvT(global float *restrict output, int n, int m, global const float *restrict mat,
                  global const float *restrict xs, global const float *restrict ys, float alpha, float beta) {
  local float part[BLOCK];
  int column = get_global_id(0);
  int item = get_local_id(0);
  float sum = 0.0f;
  for (int b = 0; b < n; b += BLOCK) {
    part[item] = xs[b + item];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 16
    for (int j = 0; j < BLOCK; j++) {
      sum += mat[(b + j) * m + column] * part[j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  output[column] = alpha * sum + beta * ys[column];
}
