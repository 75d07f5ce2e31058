// The matrix Q at x points from k samples (kx, ky, kz, magnitude): one work-item a point, two samples a round.

kernel void mriqQ(global float2 *restrict output, int x, int k, global const float *restrict xs,
                  global const float *restrict ys, global const float *restrict zs, global const float *restrict qr,
                  global const float *restrict qi, global const float4 *restrict samples) {
  int i = get_global_id(0);
  float px = xs[i];
  float py = ys[i];
  float pz = zs[i];
  float2 sum = (float2)(qr[i], qi[i]);
  #pragma unroll 2
  for (int j = 0; j < k; j++) {
    float4 sample = samples[j];
    float angle = 6.2831853071795864769252867665590058f * (sample.x * px + sample.y * py + sample.z * pz);
    sum += sample.w * (float2)(cos(angle), sin(angle));
  }
  output[i] = sum;
}
