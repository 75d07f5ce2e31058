void convolutionBase(float *restrict output, int h, int w, const float *restrict weights, const float *restrict img) {
  for (int i = 0; i < h; i++) {
    const float *above = img + (i > 0 ? i - 1 : 0) * w;
    const float *here = img + i * w;
    const float *below = img + (i < h - 1 ? i + 1 : h - 1) * w;
    for (int j = 0; j < w; j++) {
      const int left = j > 0 ? j - 1 : 0;
      const int right = j < w - 1 ? j + 1 : w - 1;
      output[i * w + j] = weights[0] * above[left] + weights[1] * above[j] + weights[2] * above[right] +
                          weights[3] * here[left] + weights[4] * here[j] + weights[5] * here[right] +
                          weights[6] * below[left] + weights[7] * below[j] + weights[8] * below[right];
    }
  }
}
