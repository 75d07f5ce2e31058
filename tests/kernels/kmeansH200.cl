// The nearest of five clusters for each of p points with f features: two points a work-item, each feature read once.

#define CLUSTERS 5

kernel void kmeansH200(global int2 *restrict output, int p, int f, global const float2 *restrict features,
                       global const float *restrict clusters) {
  int item = get_global_id(0);
  float2 distance[CLUSTERS];
  for (int i = 0; i < CLUSTERS; i++) {
    distance[i] = (float2)(0.0f);
  }
  for (int j = 0; j < f; j++) {
    float2 points = features[j * (p / 2) + item];
    for (int i = 0; i < CLUSTERS; i++) {
      float2 d = points - clusters[i * f + j];
      distance[i] += d * d;
    }
  }
  float2 least = distance[0];
  int2 nearest = (int2)(0);
  for (int i = 1; i < CLUSTERS; i++) {
    nearest = distance[i] < least ? (int2)(i) : nearest;
    least = fmin(distance[i], least);
  }
  output[item] = nearest;
}
