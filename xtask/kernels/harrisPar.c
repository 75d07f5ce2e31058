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

static void lines(float *restrict output, int h, int w, int plane, const float *restrict rgb) {
  const int wide = w + 4, middle = w + 2;
  float *grey = malloc(3 * (size_t)wide * sizeof(float));
  float *ix = malloc(3 * (size_t)middle * sizeof(float));
  float *iy = malloc(3 * (size_t)middle * sizeof(float));
  greyLine(grey, wide, plane, rgb);
  greyLine(grey + wide, wide, plane, rgb + wide);
  for (int i = 0; i < h + 2; i++) {
    const int slot = i % 3, next = (i + 1) % 3, last = (i + 2) % 3;
    greyLine(grey + last * wide, wide, plane, rgb + (i + 2) * wide);
    sobelLine(ix + slot * middle, iy + slot * middle, middle, grey + slot * wide, grey + next * wide,
              grey + last * wide);
    if (i < 2) continue;
    const float *const xs[3] = {ix + next * middle, ix + last * middle, ix + slot * middle};
    const float *const ys[3] = {iy + next * middle, iy + last * middle, iy + slot * middle};
    responseLine(output + (i - 2) * w, w, xs, ys);
  }
  free(grey);
  free(ix);
  free(iy);
}

void harrisPar(float *restrict output, int h, int w, const float *restrict rgb) {
#pragma omp parallel for
  for (int s = 0; s < h; s += 32) lines(output + s * w, 32, w, (h + 4) * (w + 4), rgb + s * (w + 4));
}
