// alpha * A * x + beta * B * x for two matrices of m rows and n columns: one work-item a row, x through local memory in
// parts of 64.

#define BLOCK 64

kernel void gesummv(global float *restrict output, int n, int m, float alpha, float beta,
                    global const float *restrict a, global const float *restrict b, global const float *restrict xs) {
  local float part[BLOCK];
  int row = get_global_id(0);
  int item = get_local_id(0);
  float sumA = 0.0f;
  float sumB = 0.0f;
  for (int t = 0; t < n; t += BLOCK) {
    part[item] = xs[t + item];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < BLOCK; j++) {
      sumA += a[row * n + t + j] * part[j];
      sumB += b[row * n + t + j] * part[j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  output[row] = alpha * sumA + beta * sumB;
}
