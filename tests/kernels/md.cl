// Lennard-Jones forces on n atoms by their m nearest neighbours: one work-item an atom, eight neighbours at a time.

#define AT_ONCE 8

__attribute__((reqd_work_group_size(64, 1, 1)))
kernel void md(global float4 *restrict output, int n, int m, float cutoff, float lj1, float lj2,
               global const float4 *restrict particles, global const int *restrict neighbours) {
  int i = get_global_id(0);
  float4 p = particles[i];
  float4 force = (float4)(0.0f);
  for (int j = 0; j < m; j += AT_ONCE) {
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) {
      float4 r = p - particles[neighbours[(j + k) * n + i]];
      float r2 = r.x * r.x + r.y * r.y + r.z * r.z;
      float i2 = 1.0f / r2;
      float i6 = i2 * i2 * i2;
      force += (r2 > 0.0f && r2 < cutoff ? i2 * i6 * (lj1 * i6 - lj2) : 0.0f) * r;
    }
  }
  output[i] = force;
}
