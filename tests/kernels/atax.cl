// transpose(A) * (A * x) for a matrix of m rows and n columns, in two kernels: one work-item a row, then one a column,
// with the vector through local memory in parts of 64.
// launch: ataxRows local=[64] global=[m] args=[product:4*m,n,m,mat,xs]
// launch: ataxColumns local=[64] global=[n] args=[output,n,m,mat,product:4*m]

#define BLOCK 64

kernel void ataxRows(global float *restrict product, int n, int m, global const float *restrict mat,
                     global const float *restrict xs) {
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
  product[row] = sum;
}

kernel void ataxColumns(global float *restrict output, int n, int m, global const float *restrict mat,
                        global const float *restrict product) {
  local float part[BLOCK];
  int column = get_global_id(0);
  int item = get_local_id(0);
  float sum = 0.0f;
  for (int b = 0; b < m; b += BLOCK) {
    part[item] = product[b + item];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 16
    for (int j = 0; j < BLOCK; j++) {
      sum += mat[(b + j) * n + column] * part[j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  output[column] = sum;
}
