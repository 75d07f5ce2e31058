// The nearest of c clusters for each of p points with f features: one work-item a point.

kernel void kmeans(global int *restrict output, int p, int c, int f, global const float *restrict features,
                   global const float *restrict clusters) {
  int point = get_global_id(0);
  float least = FLT_MAX;
  int nearest = 0;
  for (int i = 0; i < c; i++) {
    float distance = 0.0f;
    for (int j = 0; j < f; j++) {
      float d = features[j * p + point] - clusters[i * f + j];
      distance += d * d;
    }
    if (distance < least) {
      least = distance;
      nearest = i;
    }
  }
  output[point] = nearest;
}
