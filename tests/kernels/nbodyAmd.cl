// One step of n bodies that attract each other: one work-item a body, positions from global memory.

typedef struct {
  float4 _1;
  float4 _2;
} Body;

kernel void nbodyAmd(global Body *restrict output, int n, float dt, float epsilon,
                     global const float4 *restrict positions, global const float4 *restrict velocities) {
  int i = get_global_id(0);
  float4 p = positions[i];
  float4 v = velocities[i];
  float3 a = (float3)(0.0f);
  for (int j = 0; j < n; j++) {
    float4 q = positions[j];
    float3 r = q.xyz - p.xyz;
    float inverse = rsqrt(epsilon + r.x * r.x + r.y * r.y + r.z * r.z);
    a += q.w * inverse * inverse * inverse * r;
  }
  Body moved;
  moved._1 = p + dt * v + 0.5f * dt * dt * (float4)(a, 0.0f);
  moved._2 = v + dt * (float4)(a, 0.0f);
  output[i] = moved;
}
