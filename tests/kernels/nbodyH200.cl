// One step of n bodies that attract each other. A group has 128 bodies, two for each of 64 columns of items; its eight
// rows of items share the bodies that attract them, and their sums are added up in local memory.

#define COLUMNS 64
#define ROWS 8
#define BODIES 2

typedef struct {
  float4 _1;
  float4 _2;
} Body;

kernel void nbodyH200(global Body *restrict output, int n, float dt, float epsilon,
                      global const float4 *restrict positions, global const float4 *restrict velocities) {
  local float4 tile[ROWS][COLUMNS];
  local float4 sums[ROWS][COLUMNS][BODIES];
  int column = get_local_id(0);
  int row = get_local_id(1);
  int first = COLUMNS * BODIES * get_group_id(0);

  float4 p[BODIES];
  float3 a[BODIES];
  for (int b = 0; b < BODIES; b++) {
    p[b] = positions[first + BODIES * column + b];
    a[b] = (float3)(0.0f);
  }
  for (int t = 0; t < n; t += ROWS * COLUMNS) {
    tile[row][column] = positions[t + COLUMNS * row + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < COLUMNS; j++) {
      float4 q = tile[row][j];
      for (int b = 0; b < BODIES; b++) {
        float3 r = q.xyz - p[b].xyz;
        float inverse = native_rsqrt(r.x * r.x + r.y * r.y + r.z * r.z + epsilon);
        a[b] += q.w * inverse * inverse * inverse * r;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int b = 0; b < BODIES; b++) {
    sums[row][column][b] = (float4)(a[b], 0.0f);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (row < BODIES) {
    int i = first + BODIES * column + row;
    float4 sum = (float4)(0.0f);
    for (int s = 0; s < ROWS; s++) {
      sum += sums[s][column][row];
    }
    Body moved;
    moved._1 = positions[i] + dt * velocities[i] + 0.5f * dt * dt * sum;
    moved._2 = velocities[i] + dt * sum;
    output[i] = moved;
  }
}
