void gaussianBlur(float *restrict output, int n, int m, const float *restrict img) {
  static const float weights[5][5] = {
      {2.0f, 4.0f, 5.0f, 4.0f, 2.0f},   {4.0f, 9.0f, 12.0f, 9.0f, 4.0f}, {5.0f, 12.0f, 15.0f, 12.0f, 5.0f},
      {4.0f, 9.0f, 12.0f, 9.0f, 4.0f}, {2.0f, 4.0f, 5.0f, 4.0f, 2.0f},
  };
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      float acc = 0.0f;
      for (int y = 0; y < 5; y++)
        for (int x = 0; x < 5; x++) acc += weights[y][x] * img[(i + y) * (m + 4) + j + x];
      output[i * m + j] = acc / 159.0f;
    }
}
