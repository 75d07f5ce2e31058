#include <math.h>
#include <stdint.h>
#include <stdlib.h>

struct complex {
  float _1, _2;
};

static struct complex add(struct complex a, struct complex b) {
  return (struct complex){a._1 + b._1, a._2 + b._2};
}

static struct complex mul(struct complex a, struct complex b) {
  return (struct complex){a._1 * b._1 - a._2 * b._2, a._1 * b._2 + a._2 * b._1};
}

static struct complex root(int n, int i) {
  const float angle = -6.2831853f * (float)i / (float)n;
  return (struct complex){cosf(angle), sinf(angle)};
}

void dft(struct complex *restrict output, int n, const struct complex *restrict xs) {
  struct complex *table = malloc((size_t)n * sizeof(struct complex));
  for (int i = 0; i < n; i++) table[i] = root(n, i);
  for (int k = 0; k < n; k++) {
    struct complex acc = {0.0f, 0.0f};
    for (int j = 0; j < n; j++) acc = add(acc, mul(xs[j], table[(int64_t)j * k % n]));
    output[k] = acc;
  }
  free(table);
}
