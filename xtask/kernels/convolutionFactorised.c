void convolutionFactorised(float *restrict output, int h, int w, const float *restrict vertical,
                           const float *restrict horizontal, const float *restrict img) {
  for (int i = 0; i < h; i++) {
    const float *above = img + (i > 0 ? i - 1 : 0) * w;
    const float *here = img + i * w;
    const float *below = img + (i < h - 1 ? i + 1 : h - 1) * w;
    for (int j = 0; j < w; j++) {
      const int left = j > 0 ? j - 1 : 0;
      const int right = j < w - 1 ? j + 1 : w - 1;
      const float a = horizontal[0] * above[left] + horizontal[1] * above[j] + horizontal[2] * above[right];
      const float b = horizontal[0] * here[left] + horizontal[1] * here[j] + horizontal[2] * here[right];
      const float c = horizontal[0] * below[left] + horizontal[1] * below[j] + horizontal[2] * below[right];
      output[i * w + j] = vertical[0] * a + vertical[1] * b + vertical[2] * c;
    }
  }
}
