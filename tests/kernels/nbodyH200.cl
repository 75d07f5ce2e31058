// One step of n bodies that attract each other. A group has 128 bodies, two for each of 64 columns of items. Its 16 rows
// of items share the bodies that attract them, of which each item brings two; the sums of the rows are added up in local
// memory.

#define COLUMNS 64
#define ROWS 16
#define BODIES 2
#define BROUGHT 2

typedef struct {
  float4 _1;
  float4 _2;
} Body;

// One over the square root, without the instructions that NVIDIA's compiler adds for very small numbers.
static float inverseRoot(float x) {
#ifdef __NV_CL_C_VERSION
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return native_rsqrt(x);
#endif
}

__attribute__((reqd_work_group_size(COLUMNS, ROWS, 1)))
kernel void nbodyH200(global Body *restrict output, int n, float dt, float epsilon,
                      global const float4 *restrict positions, global const float4 *restrict velocities) {
  local float4 memory[ROWS * COLUMNS * BODIES];
  local float4 (*tile)[COLUMNS * BROUGHT] = (local float4 (*)[COLUMNS * BROUGHT])memory;
  local float4 (*sums)[COLUMNS * BODIES] = (local float4 (*)[COLUMNS * BODIES])memory;
  int column = get_local_id(0);
  int row = get_local_id(1);
  int first = COLUMNS * BODIES * get_group_id(0);

  float4 p[BODIES];
  float3 a[BODIES];
#pragma unroll
  for (int b = 0; b < BODIES; b++) {
    p[b] = positions[first + BODIES * column + b];
    a[b] = (float3)(0.0f);
  }
  for (int t = 0; t < n; t += ROWS * COLUMNS * BROUGHT) {
#pragma unroll
    for (int i = 0; i < BROUGHT; i++) {
      tile[row][COLUMNS * i + column] = positions[t + COLUMNS * (BROUGHT * row + i) + column];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 8
    for (int j = 0; j < COLUMNS * BROUGHT; j++) {
      float4 q = tile[row][j];
#pragma unroll
      for (int b = 0; b < BODIES; b++) {
        float3 r = q.xyz - p[b].xyz;
        float inverse = inverseRoot(epsilon + r.x * r.x + r.y * r.y + r.z * r.z);
        a[b] += q.w * inverse * (inverse * inverse) * r;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#pragma unroll
  for (int b = 0; b < BODIES; b++) {
    sums[row][BODIES * column + b] = (float4)(a[b], 0.0f);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (row < BODIES) {
    int i = COLUMNS * row + column;
    float4 sum = (float4)(0.0f);
    for (int s = 0; s < ROWS; s++) {
      sum += sums[s][i];
    }
    Body moved;
    moved._1 = positions[first + i] + dt * velocities[first + i] + 0.5f * dt * dt * sum;
    moved._2 = velocities[first + i] + dt * sum;
    output[first + i] = moved;
  }
}
