// The distances of n locations to one location: one work-item four locations.

kernel void nnH200(global float4 *restrict output, int n, float lat, float lng,
                   global const float4 *restrict locations) {
  int i = get_global_id(0);
  float4 here = (float4)(lat, lng, lat, lng);
  float4 a = here - locations[2 * i];
  float4 b = here - locations[2 * i + 1];
  output[i] = sqrt((float4)(a.x * a.x + a.y * a.y, a.z * a.z + a.w * a.w, b.x * b.x + b.y * b.y,
                            b.z * b.z + b.w * b.w));
}
