// The distances of n locations to one location: one work-item a location.

kernel void nn(global float *restrict output, int n, float lat, float lng, global const float2 *restrict locations) {
  int i = get_global_id(0);
  float2 d = (float2)(lat, lng) - locations[i];
  output[i] = sqrt(d.x * d.x + d.y * d.y);
}
