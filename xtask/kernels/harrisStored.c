#include <stdlib.h>

static void greyLine(float *restrict grey, int w, int plane, const float *restrict rgb) {
  for (int j = 0; j < w; j++) grey[j] = 0.299f * rgb[j] + 0.587f * rgb[plane + j] + 0.114f * rgb[2 * plane + j];
}

static void sobelLine(float *restrict ix, float *restrict iy, int w, const float *restrict a, const float *restrict b,
                      const float *restrict c) {
  for (int j = 0; j < w; j++) {
    ix[j] = (1.0f / 12.0f) * (a[j + 2] - a[j] + 2.0f * (b[j + 2] - b[j]) + (c[j + 2] - c[j]));
    iy[j] = (1.0f / 12.0f) * (c[j] - a[j] + 2.0f * (c[j + 1] - a[j + 1]) + (c[j + 2] - a[j + 2]));
  }
}

static void responseLine(float *restrict output, int w, const float *const ix[3], const float *const iy[3]) {
  const float *x0 = ix[0], *x1 = ix[1], *x2 = ix[2], *y0 = iy[0], *y1 = iy[1], *y2 = iy[2];
  for (int j = 0; j < w; j++) {
    float sxx = 0.0f, sxy = 0.0f, syy = 0.0f;
    for (int d = j; d < j + 3; d++) {
      sxx += x0[d] * x0[d] + x1[d] * x1[d] + x2[d] * x2[d];
      sxy += x0[d] * y0[d] + x1[d] * y1[d] + x2[d] * y2[d];
      syy += y0[d] * y0[d] + y1[d] * y1[d] + y2[d] * y2[d];
    }
    const float trace = sxx + syy;
    output[j] = sxx * syy - sxy * sxy - 0.04f * trace * trace;
  }
}

void harrisStored(float *restrict output, int h, int w, const float *restrict rgb) {
  const int wide = w + 4, middle = w + 2;
  float *grey = malloc((size_t)(h + 4) * (size_t)wide * sizeof(float));
  float *ix = malloc((size_t)(h + 2) * (size_t)middle * sizeof(float));
  float *iy = malloc((size_t)(h + 2) * (size_t)middle * sizeof(float));
  for (int i = 0; i < h + 4; i++) greyLine(grey + i * wide, wide, (h + 4) * wide, rgb + i * wide);
  for (int i = 0; i < h + 2; i++)
    sobelLine(ix + i * middle, iy + i * middle, middle, grey + i * wide, grey + (i + 1) * wide, grey + (i + 2) * wide);
  for (int i = 0; i < h; i++) {
    const float *const xs[3] = {ix + i * middle, ix + (i + 1) * middle, ix + (i + 2) * middle};
    const float *const ys[3] = {iy + i * middle, iy + (i + 1) * middle, iy + (i + 2) * middle};
    responseLine(output + i * w, w, xs, ys);
  }
  free(grey);
  free(ix);
  free(iy);
}
