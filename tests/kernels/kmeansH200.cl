// The nearest of five clusters for each of p points with 34 features: two points a work-item, each feature read once,
// the clusters in local memory, feature by feature.

#define CLUSTERS 5
#define FEATURES 34
#define ITEMS 128

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void kmeansH200(global int2 *restrict output, int p, global const float2 *restrict features,
                       global const float *restrict clusters) {
  local float near[FEATURES][CLUSTERS];
  int item = get_global_id(0);
  for (int i = get_local_id(0); i < FEATURES * CLUSTERS; i += ITEMS) {
    near[i / CLUSTERS][i % CLUSTERS] = clusters[i % CLUSTERS * FEATURES + i / CLUSTERS];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  float2 distance[CLUSTERS];
#pragma unroll
  for (int i = 0; i < CLUSTERS; i++) {
    distance[i] = (float2)(0.0f);
  }
  for (int j = 0; j < FEATURES; j++) {
    float2 points = features[j * (p / 2) + item];
#pragma unroll
    for (int i = 0; i < CLUSTERS; i++) {
      float2 d = points - near[j][i];
      distance[i] += d * d;
    }
  }
  float2 least = distance[0];
  int2 nearest = (int2)(0);
#pragma unroll
  for (int i = 1; i < CLUSTERS; i++) {
    nearest = distance[i] < least ? (int2)(i) : nearest;
    least = fmin(distance[i], least);
  }
  output[item] = nearest;
}
