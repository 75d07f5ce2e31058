// alpha * A * x + beta * y for m rows of n columns: a group of 128 work-items for each row, one of which adds up their
// sums.

#define ITEMS 128

kernel void gemvFusedAmd(global float *restrict output, int n, int m, global const float *restrict mat,
                         global const float *restrict xs, global const float *restrict ys, float alpha, float beta) {
  local float sums[ITEMS];
  int row = get_group_id(0);
  int item = get_local_id(0);
  float sum = 0.0f;
  for (int j = item; j < n; j += ITEMS) {
    sum += mat[row * n + j] * xs[j];
  }
  sums[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0) {
    float total = 0.0f;
    for (int i = 0; i < ITEMS; i++) {
      total += sums[i];
    }
    output[row] = alpha * total + beta * ys[row];
  }
}
