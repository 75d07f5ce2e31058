void convolutionFactorisedVH(float *restrict output, int h, int w, const float *restrict vertical,
                             const float *restrict horizontal, const float *restrict img) {
  for (int i = 0; i < h; i++) {
    const float *above = img + (i > 0 ? i - 1 : 0) * w;
    const float *here = img + i * w;
    const float *below = img + (i < h - 1 ? i + 1 : h - 1) * w;
    for (int j = 0; j < w; j++) {
      const int left = j > 0 ? j - 1 : 0;
      const int right = j < w - 1 ? j + 1 : w - 1;
      const float a = vertical[0] * above[left] + vertical[1] * here[left] + vertical[2] * below[left];
      const float b = vertical[0] * above[j] + vertical[1] * here[j] + vertical[2] * below[j];
      const float c = vertical[0] * above[right] + vertical[1] * here[right] + vertical[2] * below[right];
      output[i * w + j] = horizontal[0] * a + horizontal[1] * b + horizontal[2] * c;
    }
  }
}
