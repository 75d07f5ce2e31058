static float column(const float *vertical, const float *above, const float *here, const float *below, int j) {
  return vertical[0] * above[j] + vertical[1] * here[j] + vertical[2] * below[j];
}

void convolutionRotated(float *restrict output, int h, int w, const float *restrict vertical,
                        const float *restrict horizontal, const float *restrict img) {
  for (int i = 0; i < h; i++) {
    const float *above = img + (i > 0 ? i - 1 : 0) * w;
    const float *here = img + i * w;
    const float *below = img + (i < h - 1 ? i + 1 : h - 1) * w;
    float a = column(vertical, above, here, below, 0), b = a;
    for (int j = 0; j < w; j++) {
      const float c = column(vertical, above, here, below, j < w - 1 ? j + 1 : w - 1);
      output[i * w + j] = horizontal[0] * a + horizontal[1] * b + horizontal[2] * c;
      a = b;
      b = c;
    }
  }
}
