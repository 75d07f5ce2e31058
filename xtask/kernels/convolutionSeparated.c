#include <stdlib.h>

void convolutionSeparated(float *restrict output, int h, int w, const float *restrict vertical,
                          const float *restrict horizontal, const float *restrict img) {
  float *columns = malloc((size_t)h * (size_t)(w + 2) * sizeof(float));
  for (int i = 0; i < h; i++) {
    const float *above = img + (i > 0 ? i - 1 : 0) * w;
    const float *here = img + i * w;
    const float *below = img + (i < h - 1 ? i + 1 : h - 1) * w;
    float *line = columns + i * (w + 2);
    for (int j = 0; j < w + 2; j++) {
      const int x = j < 1 ? 0 : j < w + 1 ? j - 1 : w - 1;
      line[j] = vertical[0] * above[x] + vertical[1] * here[x] + vertical[2] * below[x];
    }
  }
  for (int i = 0; i < h; i++) {
    const float *line = columns + i * (w + 2);
    for (int j = 0; j < w; j++)
      output[i * w + j] = horizontal[0] * line[j] + horizontal[1] * line[j + 1] + horizontal[2] * line[j + 2];
  }
  free(columns);
}
