// alpha * A * x + beta * y for m rows of n columns: a group of one work-item for each row.

kernel void gemvFused(global float *restrict output, int n, int m, global const float *restrict mat,
                      global const float *restrict xs, global const float *restrict ys, float alpha, float beta) {
  int row = get_group_id(0);
  float sum = 0.0f;
#pragma unroll 16
  for (int j = 0; j < n; j++) {
    sum += mat[row * n + j] * xs[j];
  }
  output[row] = alpha * sum + beta * ys[row];
}
