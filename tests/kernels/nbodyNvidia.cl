// One step of n bodies that attract each other: one work-item a body, positions through local memory in tiles of 256.

#define TILE 256

typedef struct {
  float4 _1;
  float4 _2;
} Body;

kernel void nbodyNvidia(global Body *restrict output, int n, float dt, float epsilon,
                        global const float4 *restrict positions, global const float4 *restrict velocities) {
  local float4 tile[TILE];
  int i = get_global_id(0);
  int l = get_local_id(0);
  float4 p = positions[i];
  float4 v = velocities[i];
  float3 a = (float3)(0.0f);
  for (int t = 0; t < n; t += TILE) {
    tile[l] = positions[t + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < TILE; j++) {
      float4 q = tile[j];
      float3 r = q.xyz - p.xyz;
      float inverse = rsqrt(epsilon + r.x * r.x + r.y * r.y + r.z * r.z);
      a += q.w * inverse * inverse * inverse * r;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  Body moved;
  moved._1 = p + dt * v + 0.5f * dt * dt * (float4)(a, 0.0f);
  moved._2 = v + dt * (float4)(a, 0.0f);
  output[i] = moved;
}
